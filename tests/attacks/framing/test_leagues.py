"""The campaigns of leagues and tables: sixty whenever the heavier tests run, a thousand in the slow suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.framing import league_campaign, table_campaign
from tests.attacks.framing.league_cheats import LATE, LIVE
from tests.attacks.framing.league_moves import ENTRANTS, STRANGERS


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(42))
def test_what_was_claimed_of_a_league_comes_out(tmp_path: Path, seed: int) -> None:
    league_campaign.compose(seed, tmp_path, script=seed % 20 == 0)


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(18))
def test_what_was_claimed_of_a_table_comes_out(tmp_path: Path, seed: int) -> None:
    table_campaign.compose(seed, tmp_path, script=seed % 6 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 1_800, 50))
def test_and_of_eight_hundred_leagues(first: int) -> None:
    assert league_campaign.main(50, first) == 0


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 1_200, 50))
def test_and_of_two_hundred_tables(first: int) -> None:
    assert table_campaign.main(50, first) == 0


def test_every_move_says_what_it_does() -> None:
    assert len(STRANGERS) >= 8
    assert len(ENTRANTS) >= 14
    assert len(LIVE) + len(LATE) >= 25
    assert all(move.__doc__ for move in (STRANGERS | ENTRANTS).values())
    assert all(cheat.do.__doc__ and cheat.told for cheat in LIVE.values())
