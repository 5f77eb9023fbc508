"""The names an order may use: areas, blocks, kinds of block, cards (R1: other spellings are accepted)."""

from __future__ import annotations

from functools import cache

from pbem.orders.names import Names
from pbem.rules.hammer.facts import ALIASES, AREAS, BLOCKS, DECK, NOBLES, BlockFact, enemy_of

GROUPS: dict[str, str] = {
    "leaders": "leader",
    "nobles": "noble",
    "infantry": "infantry",
    "cavalry": "cavalry",
    "archers": "archers",
    "knights": "knights",
}
"""2.2: the word by which a list names all blocks of a kind. Norse and Hobelars are one block each."""

CARDS = Names(dict.fromkeys(DECK))
AREA_NAMES = Names(AREAS, ALIASES)
NOBLE_NAMES = Names(NOBLES, ALIASES)
ALL_BLOCKS = Names(BLOCKS, ALIASES)
CANDIDATES = Names(("Bruce", "Comyn", "Balliol"))


def may_be(fact: BlockFact, side: str) -> bool:
    """2.22: can the block be this side's? Nobles can be either's, except the one who never changes."""
    return fact.side in (None, side)


@cache
def blocks_of(side: str) -> Names:
    """The blocks that can be a side's."""
    return Names((name for name, fact in BLOCKS.items() if may_be(fact, side)), ALIASES)


def can_hold(side: str, name: str) -> bool:
    """Can this block be this side's?"""
    return name in BLOCKS and may_be(BLOCKS[name], side)


__all__ = [
    "ALL_BLOCKS",
    "AREA_NAMES",
    "CANDIDATES",
    "CARDS",
    "GROUPS",
    "NOBLE_NAMES",
    "blocks_of",
    "can_hold",
    "enemy_of",
    "may_be",
]
