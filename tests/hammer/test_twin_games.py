"""Whole games of which an observer learns nothing that he may not know, played by the real resolution."""

from __future__ import annotations

import pytest

from tests.hammer.phases import random_game
from tests.hammer.play import GAMES, option_mix
from tests.hammer.twins import Count, Twins

IN_CI = [("braveheart", "3-de"), ("campaign", "4")]
"""The other tables are played in the slow suite."""


def compare_games(scenario: str, edition: str, seed: int, one_in: int, count: Count) -> None:
    """Pairs of games from some turns and winters of a random game, for either observer."""
    options = option_mix(scenario, edition, seed)
    _, starts = random_game(options, seed)
    begun = [start.position for start in starts if start.position["phase"] in ("cards", "english nobles")]
    for number, position in list(enumerate(begun))[seed % one_in :: one_in]:
        for viewer in ("england", "scotland"):
            Twins(options, position, viewer, seed * 1000 + number, count).run()


@pytest.mark.ci
def test_an_observer_cannot_tell_whole_games_apart() -> None:
    count = Count()
    compare_games("braveheart", "4", 1, 20, count)
    assert count.exchanges > 3 * count.pairs > 6
    assert count.winters
    assert count.worked_out > 3


@pytest.mark.ci
@pytest.mark.parametrize(
    ("scenario", "edition"),
    [one if one in IN_CI else pytest.param(*one, marks=pytest.mark.slow) for one in GAMES],
)
def test_nor_those_of_another_edition(scenario: str, edition: str) -> None:
    count = Count()
    compare_games(scenario, edition, 0, 6, count)
    assert count.exchanges > 3 * count.pairs > 3


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "edition"), GAMES)
def test_no_observer_can_tell_many_whole_games_apart(scenario: str, edition: str, seeds: range) -> None:
    for seed in seeds:
        compare_games(scenario, edition, seed, 1, Count())
