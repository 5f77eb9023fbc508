"""Where an `ask` may stand: a pause is seen by everybody, so it may depend only on what everybody sees."""

from __future__ import annotations

from pbem.orders.hammer.conditions import singles
from pbem.orders.hammer.tree import OUR, Compare, Condition, Fact, Order, Quantity
from pbem.orders.hammer.vocabulary import can_hold

FACE_UP = frozenset(("combat", "hits"))
"""Topics that are asked while the blocks of a battle are face up."""

ANSWERED_IN_WINTER = {
    "edward": "write 'winter Edward' or 'disband Edward'",
    "disband": "write 'keep ...' or 'disband ...'",
}
"""Topics that only their player sees asked; written ahead, `ask` makes the judge stop before the winter."""


def hidden_reason(order: Order, above: tuple[Condition, ...], side: str) -> str:
    """Why the pause of this `ask` would show what the enemy may not know; empty if it does not.

    `above`: the conditions of the cases that it stands in, and of those that failed before them.
    """
    topic = order.names[0] if order.picks else "combat"
    if topic == "crown":
        said = "whether a king can be crowned depends on where your blocks are, and a pause would show it"
        return f"{said}: write 'crown NAME' or 'event'"
    conditions = (*above, *([order.when] if order.when else []))
    if any(_is_hidden(single, topic, side) for when in conditions for single in singles(when)):
        return "this pause would show your enemy whether the condition holds, and only you can see that"
    return ""


def _is_hidden(single: Fact | Compare, topic: str, side: str) -> bool:
    """Does a part of a condition use what only its writer sees at that moment?"""
    if isinstance(single, Compare):
        return any(_is_hidden_number(quantity, topic, side) for quantity in (single.left, single.right))
    return single.what in ("in", "on map", "drawn") or (single.what == "we have" and topic not in FACE_UP)


def _is_hidden_number(quantity: Quantity, topic: str, side: str) -> bool:
    if quantity.what != "strength":
        return False
    if quantity.block:
        return can_hold(side, quantity.block)
    return quantity.whose == OUR and (bool(quantity.area) or topic not in FACE_UP)
