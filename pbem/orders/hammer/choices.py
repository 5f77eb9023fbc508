"""Answers to the questions that are settled by one choice: card, events, order of battles, raid, homes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.orders.hammer.fights import preferred
from pbem.orders.hammer.sight import Sight
from pbem.orders.hammer.tree import Order
from pbem.rules.base import Ask


def is_about(order: Order, ask: Ask) -> bool:
    """Does a line of the right kind speak to this very question? A home is asked block by block."""
    if ask.kind == "home" and order.verb == "home":
        return any(text.startswith(f"home {name} to ") for name in order.names for text in ask.legal)
    if ask.kind == "edward":
        return order.verb in ("ask", "winter") or "Edward" in order.names
    return True


def proposed(order: Order, ask: Ask, sight: Sight) -> Iterator[str]:
    """The answers that one line proposes, best first; not all need be legal."""
    none = order.names == ("none",)
    match order.verb:
        case "card" | "crown":
            yield from (f"{order.verb} {name}" for name in order.names)
        case "event" | "truce" | "done":
            yield order.verb
        case "pass":
            yield "pass"
        case "herald" | "pillage":
            yield from ["pass"] if none else _named_or_any(order, ask.legal)
        case "battles" | "battle":
            yield from _battles(order, ask.legal, ask.default)
        case "raid" | "disband":
            yield from preferred(order, "disband", ask, ask.legal)
        case "winter":
            yield "winter Edward"
        case "hits" | "hit":
            yield from preferred(order, "hit", ask, ask.legal)
        case "home":
            yield from _homes(order, sight)


def _named_or_any(order: Order, legal: Iterable[str]) -> Iterator[str]:
    """The names in their order; `rest` is whatever else is possible."""
    for name in order.names:
        if name == "rest":
            yield from (text for text in legal if text != "pass")
        else:
            yield f"{order.verb} {name}"


def _battles(order: Order, legal: Iterable[str], default: str) -> Iterator[str]:
    for name in order.names:
        if name == "rest":
            named = {f"battle {area}" for area in order.names}
            left = [text for text in legal if text not in named]
            yield from (default, *left) if default in left else left
        else:
            yield f"battle {name}"


def _homes(order: Order, sight: Sight) -> Iterator[str]:
    for name in order.names:
        block = sight.block(name)
        areas = (block.area,) if order.stay and block else order.areas
        yield from (f"home {name} to {area}" for area in areas)
