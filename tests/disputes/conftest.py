"""A game in which a battle has been fought, played once for all stories; each gets a copy of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import chance
from tests.disputes.story import Story

PLAN = "plan any:\nfire all\nhits rest\nforced retreat all\nregroup none\nend\n"
MOVES = "move Wallace from Fife to Angus\nmove Bruce from Annan to Ross\ndone\n"
ATTACK = {"alice": f"if first:\n{MOVES}end\nif second:\n{MOVES}end\n{PLAN}", "bob": f"done\n{PLAN}"}
"""Orders for a battle in Angus; one line of them is illegal."""


@pytest.fixture(scope="session")
def _environment() -> Iterator[None]:
    """The commands find their folders through the environment; afterwards it is as before."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def fresh(tmp_path: Path, capsys: pytest.CaptureFixture[str], _environment: None) -> Story:
    """A folder in which nothing has happened yet."""
    return Story(tmp_path, capsys)


@pytest.fixture
def played(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    _environment: None,
) -> Story:
    """A game with three exchanges played. Wallace has attacked Angus; one order was illegal."""
    return battle_of_angus(tmp_path_factory.getbasetemp(), capsys).copied(tmp_path)


def battle_of_angus(base: Path, capture: pytest.CaptureFixture[str]) -> Story:
    """That game, which is to be copied."""

    def played(folder: Path) -> Story:
        play_a_battle(story := Story(folder, capture))
        return story

    return played_once(base / "battle-of-angus", capture, played)


def played_once(master: Path, capture: pytest.CaptureFixture[str], play: Callable[[Path], Story]) -> Story:
    """The story in this folder; if nobody has played it yet, it is played."""
    if not master.exists():
        master.mkdir()
        with chance.of(master.name):
            story = play(master)
        (master / "read").write_text("\n".join(sorted(story.read)))
    return Story(master, capture, read=_letters(master))


def _letters(folder: Path) -> set[str]:
    return {line for line in (folder / "read").read_text().splitlines() if line}


def play_a_battle(story: Story) -> None:
    """Set-up, cards, moves, a battle."""
    story.begin("--option", "scenario=braveheart")
    fight(story)


def fight(story: Story) -> None:
    """The same in a game that has begun."""
    story.exchange()
    story.exchange(alice="card 2\n", bob="card 1\n")
    story.exchange(**ATTACK)
