"""Games between bots, and how often one of them wins."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from pbem.bots import Bot
from pbem.bots.hammer.captain import Captain
from pbem.bots.hammer.random_player import RandomPlayer
from pbem.practice.table import Table
from pbem.rules.hammer.facts import SIDES
from tests.bots.playing import Record, play_bots

SCENARIOS = ("braveheart", "the-bruce")

PLAYERS = ("captain", "asked captain", "random")
"""The asked captain writes for what he is asked and for no other case."""


def seated(name: str, side: str, seed: int) -> Bot:
    """A bot by name; the random one gets the game's seed."""
    return RandomPlayer(side, seed) if name == "random" else Captain(side, ahead=name == "captain")


def match(seed: int, names: Mapping[str, str], scenario: str = "") -> Record:
    """A whole game; without a scenario it alternates with the seed. `names`: side -> bot."""
    table = Table("hammer", {"scenario": scenario or SCENARIOS[seed % 2]}, seed)
    return play_bots(table, {side: seated(names[side], side, seed) for side in SIDES})


def captain_wins(side: str, seed: int, against: str = "random", scenario: str = "") -> bool:
    """Does the captain win this game from this side?"""
    names = {one: "captain" if one == side else against for one in SIDES}
    return match(seed, names, scenario).outcome.winner == side


def wins_from(side: str, seeds: range) -> int:
    """How many of these games the captain wins from this side against the random player."""
    return sum(captain_wins(side, seed) for seed in seeds)


def interval(won: int, games: int) -> tuple[float, float]:
    """Wilson's interval for a share, at 95 percent."""
    z = 1.96
    share = won / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return max(0.0, middle - half), min(1.0, middle + half)
