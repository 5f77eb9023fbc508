"""Nothing is lost by playing through exchanges: whatever a stepwise player does, order files can say.

The dice depend on their labels alone here, so that the same answers meet the same dice; with the judge's
real ones, which depend on the exchange as well, each game replays to itself.
"""

from __future__ import annotations

import pytest

from pbem.practice.table import Table
from tests.hammer.recorded import Stepwise, play_one_by_one, play_stepwise, play_whole_turns

pytestmark = pytest.mark.ci


def assert_same_game(table: Table, stepwise: Stepwise) -> None:
    again = table.play.game
    for audience in ("england", "scotland", "public", "gm"):
        assert again.told(audience) == stepwise.game.told(audience)
    assert again.view("gm") == stepwise.game.view("gm")
    assert table.outcome == stepwise.game.outcome


@pytest.mark.parametrize("seed", range(4))
def test_asked_everywhere_it_is_the_stepwise_game(seed: int) -> None:
    stepwise = play_stepwise(seed)
    assert_same_game(play_one_by_one(stepwise), stepwise)


@pytest.mark.parametrize("seed", range(6))
def test_spelled_out_it_is_the_same_game_in_few_exchanges(seed: int) -> None:
    stepwise = play_stepwise(seed)
    table = play_whole_turns(stepwise)
    assert_same_game(table, stepwise)
    told = [event["event"] for event in stepwise.game.told("public")]
    assert table.number <= 1 + told.count("turn") + 2 * told.count("winter")
    assert 5 * table.number < len(stepwise.said)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 400))
def test_many_games_are_the_same_either_way(seed: int) -> None:
    stepwise = play_stepwise(seed)
    assert_same_game(play_one_by_one(stepwise), stepwise)
    assert_same_game(play_whole_turns(stepwise), stepwise)
