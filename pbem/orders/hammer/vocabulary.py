"""The nouns of Hammer's orders: areas, blocks, kinds of block, cards (R1: other spellings are accepted)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from pbem.orders.hammer.sight import Sight
from pbem.orders.kit.parsed_orders import Order
from pbem.orders.kit.vocabulary import EVERYBODY, Noun
from pbem.orders.names import Names
from pbem.rules.hammer.facts import (
    ALIASES,
    AREAS,
    BLOCKS,
    DECK,
    EVENT_CARDS,
    MOVE_CARDS,
    NOBLES,
    BlockFact,
)

OUR, THEIR = "our", "their"

GROUPS: dict[str, str] = {
    "leaders": "leader",
    "nobles": "noble",
    "infantry": "infantry",
    "cavalry": "cavalry",
    "archers": "archers",
    "knights": "knights",
}
"""2.2: the words by which a list names all blocks of a kind. Norse and Hobelars are one block each."""

AREA_NAMES = Names(AREAS, ALIASES)
ALL_BLOCKS = Names(BLOCKS, ALIASES)


def may_be(fact: BlockFact, side: str) -> bool:
    """2.22: tell whether a block can be this side's.

    Nobles can be either side's, except the one who never changes sides.
    """
    return fact.side in (None, side)


@cache
def blocks_of(side: str) -> Names:
    """Return the blocks that can be a side's."""
    return Names((name for name, fact in BLOCKS.items() if may_be(fact, side)), ALIASES)


def can_hold(side: str, name: str) -> bool:
    """Tell whether the block of this name can be this side's."""
    return name in BLOCKS and may_be(BLOCKS[name], side)


def is_of_group(name: str, group: str) -> bool:
    """2.2: tell whether a block is in a group such as `nobles` or `infantry`."""
    return group in GROUPS and BLOCKS[name].kind == GROUPS[group]


def _offered_areas(order: Order, clause: str, sight: Sight) -> Iterator[str]:
    """Yield areas worth offering to a player who composes a line.

    They are where the player's blocks stand, or where the named blocks can go: `from` a named block's own
    area is not offered.
    """
    picked = next((block.area for name in order.names if (block := sight.own(name))), "")
    if clause == "from" and picked:
        return iter(())
    if clause != "to":
        return (area for area in AREAS if sight.blocks_in(area, sight.side))
    if order.verb in ("sail", "home"):
        return iter(AREAS)
    way = order.all("to") if order.verb == "move" else ()
    here = way[-1] if way else order.one("from") or picked or sight.battle
    return iter(AREAS[here].neighbours if here in AREAS else AREAS)


def _offered_fights(order: Order, _: str, sight: Sight) -> Iterator[str]:
    """Yield areas that are fought over, or could be pillaged."""
    fits = sight.is_theirs if order.verb == "pillage" else sight.is_contested
    return (area for area in AREAS if fits(area))


def _offered_blocks(order: Order, _: str, sight: Sight) -> Iterator[str]:
    """Yield the side's own blocks; for a line that names a block to move, those that stand with it."""
    first = next((block for name in order.names if (block := sight.own(name))), None)
    here = first.area if first and order.verb in ("move", "sail", "retreat", "regroup") else ""
    return iter(
        sight.mine(here or (sight.battle if order.verb in ("fire", "pass", "retreat", "hit") else ""))
    )


def _offered_cards(_: Order, __: str, sight: Sight) -> Iterator[str]:
    """Yield the cards in the side's hand."""
    return iter(dict.fromkeys(card for card in sight.hand if card in DECK))


_AREA = Noun(name="area", what="an area", names=AREA_NAMES, rule="1.1", everybody={}, offers=_offered_areas)
_BLOCK = Noun(name="block", what="a block", names=ALL_BLOCKS, rule="2.2", everybody={})
_OWN = Noun(
    name="own block",
    what="a block",
    names=blocks_of,
    rule="2.2",
    everybody={},
    offers=_offered_blocks,
    mistaken={
        "block": "{name} is not yours",
        "area": "{name} is an area, not a block; before an area comes 'from', 'to' or 'in'",
    },
)
_LIST = replace(_OWN, name="own blocks", groups=tuple(GROUPS), everybody=EVERYBODY)
_CARD = Noun(
    name="card",
    what="a card",
    names=Names(dict.fromkeys(DECK), {"one": "1", "two": "2", "three": "3"}),
    rule="3.0",
    everybody={},
    sorts={"event": EVENT_CARDS, "move": MOVE_CARDS},
    offers=_offered_cards,
)

NOUNS = (
    _AREA,
    _BLOCK,
    _CARD,
    replace(_AREA, name="areas", everybody=dict.fromkeys(EVERYBODY, "rest"), offers=_offered_fights),
    replace(_BLOCK, name="block or kind", groups=tuple(GROUPS)),
    _OWN,
    _LIST,
    replace(_LIST, name="steps", everybody={**EVERYBODY, "drawn": "drawn"}),
    Noun(name="noble", what="a noble", names=Names(NOBLES, ALIASES), rule="2.22", everybody={}),
    Noun(
        name="candidate",
        what="a candidate for the crown",
        names=Names(("Bruce", "Comyn", "Balliol")),
        rule="6.2",
        everybody={},
    ),
    Noun(
        name="whose",
        what="'our' or 'their'",
        names=Names((OUR, THEIR), {"my": OUR, "his": THEIR, "enemy": THEIR}),
        everybody={},
    ),
)
