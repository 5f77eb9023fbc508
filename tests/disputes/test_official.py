"""The judge has gone: the second official's letter and what others hold give the last audit."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pbem.judge.club import open_club
from pbem.judge.export import Bundle
from tests.audit.script import verify_sh
from tests.disputes.conftest import fight, played_once
from tests.disputes.story import GAME, SIDES, Story

pytestmark = pytest.mark.ci


@pytest.fixture
def watched(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    _environment: None,
) -> Story:
    """A game with a second official, in which a battle has been fought."""

    def played(folder: Path) -> Story:
        story = Story(folder, capsys)
        story.begin_with_official("--option", "scenario=braveheart")
        fight(story)
        return story

    return played_once(tmp_path_factory.getbasetemp() / "battle-with-official", capsys, played).copied(
        tmp_path
    )


def letter(story: Story) -> Path:
    """The official's letter."""
    return story.folder / f"club/out/olga/{GAME}-roots.txt"


def completed(story: Story, *sources: Path, status: int = 0) -> tuple[Path, str]:
    """What the official makes of these, and what is said."""
    into = story.folder / "whole"
    shutil.rmtree(into, ignore_errors=True)
    done = story.pbem(
        "complete", *sources, "--roots", letter(story), "--key", "olga", "--into", into,
        home="olga", status=status,
    )  # fmt: skip
    return into, done.err


def files(folder: Path) -> dict[str, bytes]:
    """Everything in a bundle."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def everything(story: Story) -> dict[str, bytes]:
    """The bundle of everything as the judge would write it, without the entry that he looked."""
    club = open_club(story.folder / "club")
    return dict(Bundle(club, club.book(GAME), "all").files())


def test_age_opens_the_official_s_letter(watched: Story) -> None:
    command = ("age", "-d", "-i", watched.folder / "olga/keys/olga", letter(watched))
    opened = subprocess.run(command, check=True, capture_output=True).stdout
    club = open_club(watched.folder / "club")
    assert opened == club.roots(GAME).text
    assert club.master.hex().encode() not in opened


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("audiences", [("scotland", "england"), ("public",)])
def test_bundles_and_the_letter_give_the_bundle_of_everything(
    watched: Story, ended: bool, audiences: tuple[str, ...]
) -> None:
    if ended:
        watched.act("concede alice", "by letter", watched.consent("concede alice", "alice"))
    sources = [watched.bundle(audience) for audience in audiences]
    whole = everything(watched)
    shutil.move(watched.folder / "club/keys", watched.folder / "gone")
    made, _ = completed(watched, *sources)
    assert files(made) == whole
    said = watched.pbem("audit", made).out
    assert "proven   played again, every exchange is as the ledger says" in said
    assert ("proven   the judge's secrets are those that the genesis fixes" in said) == ended


def test_what_the_players_hold_and_the_letter_give_it_too(watched: Story) -> None:
    """Nobody ever wrote a bundle: the players' homes are all there is."""
    for name in SIDES:
        watched.receive(name)
    whole = everything(watched)
    shutil.rmtree(watched.folder / "club/keys")
    homes = [watched.folder / name / "games" / GAME for name in SIDES]
    made, _ = completed(watched, *homes)
    assert files(made) == whole
    assert "refuted" not in watched.pbem("audit", made).out
    status, printed = verify_sh(made)
    assert status == 0, printed
    alone, _ = completed(watched, homes[0])
    assert files(alone) == whole, "the judge has passed on what bob sent"
    for path in (homes[0] / "held/relayed").iterdir():
        path.unlink()
    _, told = completed(watched, homes[0], status=1)
    assert "nothing here is signed by bob" in told


def test_another_judge_s_secrets_are_refused(watched: Story) -> None:
    """The attack: an official who wants other dice brings roots of his own."""
    bundle = watched.bundle("public")
    roots = watched.folder / "roots"
    roots.write_bytes(open_club(watched.folder / "club").roots("another").text)
    told = watched.pbem(
        "complete", bundle, "--roots", roots, "--into", watched.folder / "whole", home="olga", status=3
    )
    assert "the secrets are those that the judge fixed in the genesis: the anchor of gm.1" in told.err


def test_sources_that_contradict_each_other_are_refused(watched: Story) -> None:
    """The attack: the judge showed the sides two histories."""
    one, other = watched.bundle("scotland"), watched.bundle("england")
    leaves = (other / "log/leaves").read_text().splitlines()
    both = len((one / "log/leaves").read_text().splitlines())
    leaves[both - 1] = f"{both} {'a' * 64}"
    (other / "log/leaves").write_text("\n".join(leaves) + "\n")
    _, told = completed(watched, one, other, status=3)
    assert "two of the sources have a file log/leaves, and the files differ" in told


def test_a_hidden_entry_that_the_game_does_not_give_is_refused(watched: Story) -> None:
    """The attack: the judge has fixed another card than the one that was drawn."""
    bundle = watched.bundle("public")
    leaves = (bundle / "log/leaves").read_text().splitlines()
    hidden = max(n for n in range(1, len(leaves) + 1) if not (bundle / f"log/{n:04d}.entry").exists())
    leaves[hidden - 1] = f"{hidden} {'a' * 64}"
    (bundle / "log/leaves").write_text("\n".join(leaves) + "\n")
    _, told = completed(watched, bundle, status=3)
    assert f"entry {hidden} is not what the game gives" in told
