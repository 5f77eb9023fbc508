"""A club upgrades the program in the middle of its games (12.12)."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.audit.script import verify_sh
from tests.disputes.story import GAME, SIDES, WHY, Story
from tests.running import python

pytestmark = pytest.mark.ci


BATTLES = "pbem/rules/hammer/battles_5.py"
WALLACE = '(block.name == "Wallace")'


class Release:
    """A copy of the program, changed, and run as people run it."""

    def __init__(self, project: Path, folder: Path, story: Story) -> None:
        for part in ("pbem", "templates"):
            shutil.copytree(project / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        self.folder = folder
        self.story = story

    def change(self, path: str, before: str, after: str) -> None:
        """Change a line of a file."""
        file = self.folder / path
        text = file.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{path} has not exactly one {before!r}"
        file.write_text(text.replace(before, after), encoding="utf-8")

    def pbem(self, *words: object, status: int = 0) -> str:
        """Run a command of this release in the club."""
        places = {"PYTHONPATH": str(self.folder), "PBEM_CLUB": str(self.story.folder / "club")}
        done = python(
            "-m", "pbem", *map(str, words), check=False, cwd=self.story.folder, env=os.environ | places
        )
        assert done.returncode == status, f"{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def exported(self, audience: str = "all") -> Path:
        """A bundle, of which the script of stock tools refutes nothing."""
        bundle = self.story.folder / f"exported-{audience}"
        self.pbem("export", GAME, "--as", audience, "--into", str(bundle), *WHY)
        status, printed = verify_sh(bundle)
        assert status == 0, printed
        return bundle


@pytest.fixture
def release(project: Path, tmp_path_factory: pytest.TempPathFactory, played: Story) -> Release:
    """A release with nothing changed yet."""
    return Release(project, tmp_path_factory.mktemp("release"), played)


def test_a_release_that_plays_alike_goes_on_with_an_entry(release: Release) -> None:
    story = release.story
    with (release.folder / "pbem/rules/hammer/battles_5.py").open("a") as file:
        file.write("\n# said in better words\n")
    another = r", though the hash of the rules is (\w{16}) here, (?!\1)\w{16} in the game\n"
    told = release.pbem("replay", "--all")
    assert re.fullmatch(f"stirling: alike in all 3 exchanges{another}", told)
    for name in ("alice", "bob"):
        story.send(name, "done\n")
    release.pbem("run")
    log = release.exported()
    assert sum(path.read_text().startswith("rules ") for path in log.glob("log/*.entry")) == 1
    assert "proven   played again, every exchange is as the ledger says" in release.pbem("audit", str(log))
    for name in ("alice", "bob"):
        assert "Exchange 4 has been played" in story.receive(name)  # their programs accept the new entry


def changes_a_ruling(release: Release) -> None:
    """Wallace rolls a die more: exchange 3, in which he fought, comes out differently."""
    release.change(BATTLES, "range(1, block.strength + 1)", f"range(1, block.strength + 1 + {WALLACE})")


def changes_a_word(release: Release) -> None:
    """Every report is worded differently."""
    release.change("templates/report.txt.j2", "\nWHAT HAPPENED\n", "\nWHAT HAPPENED\n\nListen:\n")


def way_on(told: str) -> str:
    """The act that `pbem replay` names."""
    (command,) = re.findall(rf"^    pbem game act {GAME} (.*) --reason", told, flags=re.MULTILINE)
    return str(command)


def test_a_release_that_changes_a_ruling_holds_the_game(release: Release) -> None:
    """The attack: an upgrade decides battles that have been fought another way."""
    story = release.story
    changes_a_ruling(release)
    told = release.pbem("replay", "--all", status=1)
    assert told.startswith("stirling: plays exchange 3 differently, first in the ")
    for name in ("alice", "bob"):
        story.send(name, "done\n")
    told = release.pbem("run", status=1)
    assert "stirling: stopped: held: the installed release" in told
    assert "; held: the installed release" in story.pbem("status", status=1).out
    assert "exchange 4 resolved" in story.pbem("run").out  # the old release is back
    assert "held" not in story.pbem("status").out
    story.bundle()


def test_an_auditor_with_another_release_is_told_so(release: Release) -> None:
    with (release.folder / "pbem/play/resolve.py").open("a") as file:
        file.write("\n# another release\n")
    bundle = release.story.bundle()
    told = release.pbem("audit", str(bundle), status=5)
    assert "open     the rules that play it again" in told
    assert "audit it with that release as well" in told


def test_the_players_agree_to_a_changed_ruling_and_the_battle_is_fought_again(release: Release) -> None:
    story = release.story
    before = (story.bundle("public") / "dice/all.txt").read_text().splitlines()
    changes_a_ruling(release)
    what = way_on(release.pbem("replay", GAME, status=1))
    assert what.startswith("correct 3 rules=")
    told = release.pbem("act", GAME, *what.split(), "--reason", "ruling 58", status=1)
    assert f"alice has not consented; a consent is made with 'pbem sign consent {GAME} 4 {what}'" in told
    release.pbem("act", GAME, *what.split(), "--reason", "ruling 58 was wrong", *story.consent(what))
    for name in SIDES:
        shown = story.receive(name)
        assert "Exchange 5 replaces exchange 3. Exchange 6 is open" in shown
        assert "Reason:\n  ruling 58 was wrong" in shown
        assert "no longer valid, but still in the ledger: exchanges 3, 4" in shown
        assert "exchange 3 was played again as exchange 5, with the same orders and the same dice" in shown
        assert "the ledger says that you have consented to it" in shown
    assert release.pbem("replay", GAME) == "stirling: alike in all 3 exchanges\n"
    for name in SIDES:
        story.send(name, "done\n")
    assert "exchange 6 resolved" in release.pbem("run")

    log = release.exported()
    after = (log / "dice/all.txt").read_text().splitlines()
    assert after[: len(before)] == before
    assert set(before) & set(after[len(before) :])  # what had been rolled is what it was
    new = release.pbem("audit", str(log), status=5)
    assert f"{what}, with the consent of alice, with the consent of bob (ruling 58 was wrong)" in new
    assert "open     played again, every exchange is as the ledger says: this release cannot prove" in new
    assert "exchange 3, played by" in new
    assert "proven   played again, exchanges 1, 2, 5, 6 are as the ledger says" in new
    old = story.pbem("audit", log, status=5).out
    assert re.search(r"this release cannot prove exchanges? 5", old)
    assert "proven   played again, exchanges 1, 2, 3" in old
    assert "refuted" not in new + old
    for audience in ("public", "scotland"):
        assert "refuted" not in story.pbem("audit", release.exported(audience), status=5).out


def test_the_players_agree_to_other_words_and_the_game_goes_on(release: Release) -> None:
    story = release.story
    changes_a_word(release)
    told = release.pbem("replay", "--all", status=1)
    assert told.startswith("stirling: plays exchange 1 differently, first in the report to ")
    what = way_on(told)
    assert what.startswith("go-on rules=")
    both = story.consent(what)
    refused = release.pbem("act", GAME, "go-on", "--reason", "better words", *both[:2], status=1)
    assert "bob has not consented" in refused
    wrong = release.pbem("act", GAME, "correct", "2", "--reason", "better words", *both, status=1)
    assert "it would change nothing" in wrong
    release.pbem("act", GAME, "go-on", "--reason", "better words", *both)
    for name in SIDES:
        assert "the game goes on with another release of this program" in story.receive(name)
        story.send(name, "done\n")
    assert "exchange 4 resolved" in release.pbem("run")
    assert "Listen:" in story.receive("alice")
    assert release.pbem("replay", GAME) == "stirling: alike in all 4 exchanges\n"
    log = release.exported()
    new, old = release.pbem("audit", str(log), status=5), story.pbem("audit", log, status=5).out
    assert "proven   played again, exchange 4 is as the ledger says" in new
    assert "exchanges 1, 2, 3, played by" in new
    assert "proven   played again, exchanges 1, 2, 3" in old
    assert "refuted" not in new + old


def test_a_consent_to_one_release_serves_for_no_other(release: Release) -> None:
    """The attack: the players agree to a release, and the judge installs another."""
    story = release.story
    changes_a_ruling(release)
    what = way_on(release.pbem("replay", GAME, status=1))
    both = story.consent(what)
    release.change(BATTLES, WALLACE, f"2 * {WALLACE}")
    told = release.pbem("act", GAME, *what.split(), "--reason", "ruling 58", *both, status=1)
    assert "the installed release plays rules=" in told
    told = release.pbem("act", GAME, "correct", "3", "--reason", "ruling 58", *both, status=1)
    assert f"consents to '{what}'" in told
    told = release.pbem("act", GAME, "correct", "2", "--reason", "ruling 58", *both, status=1)
    assert "the first exchange with another result is 3" in told
    assert "correct" not in story.receive("bob")


def test_a_roll_back_and_then_another_release(release: Release) -> None:
    """The players would rather give new orders for the battle that was fought by the old ruling."""
    story = release.story
    both = story.consent("roll-back 3")
    changes_a_ruling(release)
    release.pbem("act", GAME, "roll-back", "3", "--reason", "ruling 58", *both)
    for name in SIDES:
        assert "Exchange 5 is open" in story.receive(name)
        story.send(name, "done\n")
    assert "stopped: held" in release.pbem("run", status=1)
    told = release.pbem("replay", GAME, status=1)
    assert "plays exchange 3 differently" in told
    what = way_on(told)
    assert what.startswith("go-on rules=")
    release.pbem("act", GAME, *what.split(), "--reason", "ruling 58", *story.consent(what, exchange=5))
    assert "exchange 5 resolved" in release.pbem("run")
    log = release.exported()
    new, old = release.pbem("audit", str(log), status=5), story.pbem("audit", log, status=5).out
    assert "exchange 3, played by" in new
    assert "refuted" not in new + old
