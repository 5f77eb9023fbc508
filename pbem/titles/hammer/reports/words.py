"""The names and numbers in words, as reports of Hammer of the Scots use them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pbem.characters import capitalize
from pbem.orders.faults import listed
from pbem.reports.base import HARD
from pbem.reports.words import count
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND, SCOTLAND

SIDE = {ENGLAND: "England", SCOTLAND: "Scotland"}
LETTER = {ENGLAND: "E", SCOTLAND: "S"}

PHASE = {
    "set-up": "set-up",
    "cards": "cards",
    "events": "events",
    "first move": "first player's moves",
    "second move": "second player's moves",
    "battles": "battles",
    "turn end": "end of the turn",
    "english nobles": "nobles go home",
    "scottish nobles": "nobles go home",
    "moray": "nobles go home",
    "king": "the King's quarters",
    "edward": "Edward's quarters",
    "english disbanding": "the English disband",
    "wallace": "Wallace's quarters",
    "scottish disbanding": "the Scots disband",
    "french knights": "builds",
    "scottish builds": "Scottish builds",
    "english builds": "English builds",
    "levy": "feudal levy",
    "new cards": "new cards",
}
STOPS: dict[str, str] = {
    "cards": "your card, and orders for the turn that follows",
    "winter": "your winter: homes, the kings, disbanding",
    "builds": "your builds",
}
"""The orders that are wanted after a public stop, in words, by the stop."""


def card_name(card: str) -> str:
    """Return the name of a card for people: `3`, `Sea Move`."""
    return " ".join(map(capitalize, card.split(" ")))


def names(found: Iterable[str]) -> str:
    """Return names with commas alone, for tables; no line breaks inside a name."""
    return ", ".join(name.replace(" ", HARD) for name in found)


def spread(counts: Mapping[str, int], join: str = "to") -> str:
    """Return how many blocks go where: `2 blocks to Fife, 1 to Ross`."""
    parts = [f"{number} {join} {area}" for area, number in counts.items()]
    first = next(iter(counts.values()))
    parts[0] = parts[0].replace(str(first), count(first, "block"), 1)
    return ", ".join(parts)


def ways(who: Mapping[str, str], join: str = "to") -> str:
    """Return which blocks go where: `Wallace and Douglas to Fife, Barclay to Ross`."""
    by_area: dict[str, list[str]] = {}
    for block, area in who.items():
        by_area.setdefault(area, []).append(block)
    return ", ".join(f"{listed(blocks)} {join} {area}" for area, blocks in by_area.items())


def steps(added: Mapping[str, int]) -> str:
    """Return the steps added to each block: `Edward 2, York Knights 1`."""
    return ", ".join(f"{block} {number}" for block, number in added.items())


def rating(name: str, number: int | None = None) -> str:
    """Return the printed Combat Rating, and what is added to it: `A3`, `B2+1`."""
    fact = BLOCKS[name]
    bonus = 0 if number is None else number - fact.number
    return f"{fact.letter}{fact.number}{f'+{bonus}' if bonus else ''}"


def in_full(name: str, block: Mapping[str, Any]) -> str:
    """Return a block as its owner sees it: `Wallace 3/4 A3`."""
    return f"{name} {block['strength']}/{BLOCKS[name].max} {rating(name)}"


def by_order(found: Iterable[str]) -> list[str]:
    """Return names of blocks in the order of the block list."""
    return sorted(found, key=lambda name: BLOCKS[name].order)


def by_map(found: Iterable[str]) -> list[str]:
    """Return names of areas from north to south."""
    return sorted(found, key=lambda area: AREAS[area].order)
