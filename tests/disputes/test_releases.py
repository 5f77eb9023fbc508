"""A club upgrades the program in the middle of its games (12.12)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.disputes.story import GAME, Story


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

    def pbem(self, *words: str, status: int = 0) -> str:
        """Run a command of this release in the club."""
        places = {"PYTHONPATH": str(self.folder), "PBEM_CLUB": str(self.story.folder / "club")}
        done = subprocess.run(
            [sys.executable, "-m", "pbem", *words],
            env=os.environ | places,
            cwd=self.story.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, f"{done.stdout}{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture
def release(project: Path, tmp_path_factory: pytest.TempPathFactory, played: Story) -> Release:
    """A release with nothing changed yet."""
    return Release(project, tmp_path_factory.mktemp("release"), played)


def test_a_release_that_plays_alike_goes_on_with_an_entry(release: Release) -> None:
    story = release.story
    with (release.folder / "pbem/rules/hammer/battles_5.py").open("a") as file:
        file.write("\n# said in better words\n")
    assert release.pbem("replay", "--all") == "stirling: alike in all 3 exchanges\n"
    for name in ("alice", "bob"):
        story.send(name, "done\n")
    release.pbem("run")
    log = story.folder / "bundle"
    release.pbem("export", GAME, "--as", "all", "--into", str(log))
    assert sum(path.read_text().startswith("rules ") for path in log.glob("log/*.entry")) == 1
    assert "proven   played again, every exchange comes out" in release.pbem("audit", str(log))
    for name in ("alice", "bob"):
        assert "Exchange 4 has been played" in story.receive(name)  # their programs accept the new entry


def test_a_release_that_changes_a_ruling_holds_the_game(release: Release) -> None:
    """The attack: an upgrade decides battles that have been fought another way."""
    story = release.story
    release.change(
        "pbem/rules/hammer/battles_5.py",
        "    number = block.fact.number\n",
        "    number = block.fact.number + (block.side == SCOTLAND)\n",
    )
    told = release.pbem("replay", "--all", status=1)
    assert told.startswith("stirling: plays exchange 3 differently, first in the ")
    for name in ("alice", "bob"):
        story.send(name, "done\n")
    told = release.pbem("run", status=1)
    assert "stirling: stopped: held: the installed release" in told
    assert story.pbem("status").out.startswith("stirling: ")
    assert "exchange 4 resolved" in story.pbem("run").out  # the old release is back
    story.bundle()


def test_an_auditor_with_another_release_is_told_so(release: Release) -> None:
    with (release.folder / "pbem/play/resolve.py").open("a") as file:
        file.write("\n# another release\n")
    bundle = release.story.bundle()
    told = release.pbem("audit", str(bundle))
    assert "open     the rules that play it again" in told
    assert "audit it with that release as well" in told
