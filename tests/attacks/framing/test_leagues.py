"""The campaign of leagues: a few whenever the heavier tests run, a thousand in the slow suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.framing.league_campaign import compose, main
from tests.attacks.framing.league_cheats import LATE, LIVE
from tests.attacks.framing.league_moves import ENTRANTS, STRANGERS


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(60))
def test_what_was_claimed_of_a_league_comes_out(tmp_path: Path, seed: int) -> None:
    compose(seed, tmp_path, script=seed % 20 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 2_000, 50))
def test_and_of_a_thousand(first: int) -> None:
    assert main(50, first) == 0


def test_every_move_says_what_it_does() -> None:
    assert len(STRANGERS) >= 8
    assert len(ENTRANTS) >= 14
    assert len(LIVE) + len(LATE) >= 26
    assert all(move.__doc__ for move in (STRANGERS | ENTRANTS).values())
    assert all(cheat.do.__doc__ and cheat.told for cheat in LIVE.values())
