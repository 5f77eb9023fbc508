"""Games between bots: at which tables they are measured, and who sits there.

A game says so in a module of its own, tests/<game>/matches.py, under the name MATCHES.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from pbem.bots import Bot
from pbem.play.resolve import Answered
from pbem.practice.table import Table
from pbem.titles import Title, load, names
from tests.bots.playing import play_bots
from tests.properties.random_play import Options

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True, kw_only=True)
class Matches:
    """How the bots of a game are measured."""

    tables: Mapping[str, Options]
    """What is said of a table -> the options of its games."""
    seatings: Mapping[str, tuple[str, ...]]
    """Who plays -> bots that sit down in turn, with each seed one seat further."""
    players: Mapping[str, Callable[[str], Bot]] = field(default_factory=dict)
    """Bots that are measured besides those of the title."""
    words: int = 1
    """How many words of a moment name the part of a game for which exchanges are counted."""
    learns: Callable[[Answered], bool] = lambda _: False
    """After this answer its own side sees something new, and would have to be asked once more."""


GAMES = tuple(name for name in names() if (TESTS / name.replace("-", "_") / "matches.py").exists())
"""The titles whose bots can be measured."""


def matches_of(title: str) -> Matches:
    """How the bots of a title are measured."""
    found: Matches = import_module(f"tests.{title.replace('-', '_')}.matches").MATCHES
    return found


def seated(title: str, bot: str, side: str) -> Bot:
    """A bot by name: one of the title's, or of those that are measured besides."""
    return {**load(title).bots, **matches_of(title).players}[bot](side)


def best_of(title: Title) -> Callable[[str], Bot]:
    """The first of a title's bots."""
    return next(iter(title.bots.values()))


def best_wins(title: str, options: Options, side: str, seed: int, against: str = "random") -> bool:
    """Does the best bot win from this side, the others being played by another?"""
    table, best = Table(title, options, seed), best_of(load(title))
    bots = {one: best(one) if one == side else seated(title, against, one) for one in table.sides}
    return play_bots(table, bots).outcome.winner == side


def seats(title: str) -> list[tuple[str, Options, str]]:
    """Every seat at every table: what is said of the table, its options, the side."""
    rules = load(title).rules
    tables = matches_of(title).tables.items()
    return [(said, options, side) for said, options in tables for side in rules.sides(options)]
