"""Games between bots, and how often one of them wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt

from pbem.bots import Bot
from pbem.bots.hammer import BOTS
from pbem.bots.hammer.random_player import RandomPlayer
from pbem.practice.table import Record, Table, play_bots
from pbem.rules.hammer.facts import SIDES

SCENARIOS = ("braveheart", "the-bruce")


def seated(name: str, side: str, seed: int) -> Bot:
    """A bot by name; the random one gets the game's seed."""
    return RandomPlayer(side, seed) if name == "random" else BOTS[name](side)


def match(seed: int, names: Mapping[str, str]) -> Record:
    """A whole game; the scenario alternates with the seed. `names`: side -> bot."""
    table = Table("hammer", {"scenario": SCENARIOS[seed % 2]}, seed)
    return play_bots(table, {side: seated(names[side], side, seed) for side in SIDES})


def wins_from(side: str, seeds: range, told: Callable[[str], None] | None = None) -> int:
    """How many of these games the captain wins from this side against the random player."""
    won = 0
    for seed in seeds:
        record = match(seed, {one: "captain" if one == side else "random" for one in SIDES})
        won += record.outcome.winner == side
        if told:
            told(f"{side} {seed}: {record.outcome.winner or 'nobody'}, {record.outcome.reason}")
    return won


def interval(won: int, games: int) -> tuple[float, float]:
    """Wilson's interval for a share, at 95 percent."""
    z = 1.96
    share = won / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - half, min(1.0, middle + half)
