"""Orders as text: what a player may write, what is wrong with it, and what it answers.

`load("hammer")` gives the order language of a game. What all languages share is here (lines, names,
faults, cursor); each game's own words are in a package of its own.
"""

from __future__ import annotations

from importlib.metadata import entry_points

from pbem.orders.base import (
    Answer,
    Dropped,
    Follower,
    Language,
    Orders,
    Parsed,
    Reply,
    Stop,
    Uncovered,
)
from pbem.orders.faults import Fault, told
from pbem.rules.base import UnknownRules

__all__ = [
    "Answer",
    "Dropped",
    "Fault",
    "Follower",
    "Language",
    "Orders",
    "Parsed",
    "Reply",
    "Stop",
    "Uncovered",
    "load",
    "told",
]

GROUP = "pbem.orders"


def load(name: str) -> Language:
    """The order language of the game called `name`.

    Raises:
        UnknownRules: no installed package offers one.
    """
    for found in entry_points(group=GROUP, name=name):
        language: Language = found.load()
        return language
    raise UnknownRules(name, tuple(sorted({found.name for found in entry_points(group=GROUP)})))
