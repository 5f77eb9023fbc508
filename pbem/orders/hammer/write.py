"""Orders back into text, in the language's own layout: parsed again they are the same orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.orders.hammer.conditions import write_condition
from pbem.orders.hammer.tree import FULL, Choice, Order, Orders, Part, Pick, Plan
from pbem.orders.hammer.vocabulary import GROUPS

INDENT = "    "
WHOLE_LISTS = frozenset(("all", "rest", *GROUPS))
"""List entries that go on as long as they can, unless they have a count."""


def write_orders(orders: Orders) -> str:
    """A whole order file, without its header."""
    text = list(_parts(orders.turn, ""))
    for heading, parts in (("winter", orders.winter), ("doctrine", orders.doctrine)):
        if parts or (heading == "doctrine" and parts is not None):
            text += [f"{heading}:", *_parts(parts, INDENT), "end"]
    return "".join(f"{line}\n" for line in text)


def _parts(parts: Sequence[Part], indent: str) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Order):
            yield indent + write_line(part)
        elif isinstance(part, Plan):
            yield f"{indent}plan {', '.join(part.areas) or 'any'}:"
            yield from _parts(part.parts, indent + INDENT)
            yield f"{indent}end"
        else:
            yield from _choice(part, indent)


def _choice(choice: Choice, indent: str) -> Iterator[str]:
    for case in choice.cases:
        yield f"{indent}{'otherwise' if case.when is None else f'if {write_condition(case.when)}'}:"
        yield from _parts(case.parts, indent + INDENT)
    yield f"{indent}end"


def write_line(order: Order) -> str:
    """One line, with its condition."""
    condition = "" if order.when is None else f"if {write_condition(order.when)}: "
    return condition + write_order(order)


def write_order(order: Order) -> str:
    """One order, without its condition."""
    parts = [order.verb]
    if order.picks:
        parts.append(", ".join(write_pick(pick, counted=order.verb == "build") for pick in order.picks))
    if order.but:
        parts.append(f"except {', '.join(order.but)}")
    if order.start:
        parts.append(f"from {order.start}")
    if order.by:
        parts.append(f"by {order.by}")
    if order.within:
        parts.append(f"in {order.within}")
    if order.areas:
        parts.append(f"to {', '.join(order.areas)}")
    if order.stay:
        parts.append("stay")
    return " ".join(parts)


def write_pick(pick: Pick, *, counted: bool) -> str:
    """One entry of a list, with its count where it is not the usual one; `build rest` has no end."""
    usual = FULL if counted and pick.name in WHOLE_LISTS else 1
    if pick.count == usual:
        return pick.name
    return f"{pick.name} full" if pick.count == FULL else f"{pick.name} {pick.count}"
