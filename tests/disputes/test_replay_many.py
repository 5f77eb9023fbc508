"""`pbem replay` of several games, in one process and in several."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.disputes.story import GAME, Story

pytestmark = pytest.mark.ci


@pytest.mark.parametrize("processes", [1, 2])
def test_a_game_that_cannot_be_played_is_named_and_the_others_are_played(
    played: Story, processes: int
) -> None:
    games = ("not-there", GAME)
    assert played.pbem("replay", GAME, GAME, "--processes", processes).out == 2 * (
        f"{GAME}: alike in all 3 exchanges\n"
    )
    run = played.pbem("replay", *games, "--processes", processes, status=1)
    assert run.out == f"{GAME}: alike in all 3 exchanges\n"
    assert run.err.startswith("pbem: not-there: ")


def test_several_processes_change_nothing(played: Story) -> None:
    def stored() -> str:
        with closing(sqlite3.connect(played.folder / "club" / "club.db")) as db:
            return "\n".join(db.iterdump())

    before = stored()
    one = played.pbem("replay", "--all").out
    assert played.pbem("replay", "--all", "--processes", 2).out == one
    assert stored() == before
