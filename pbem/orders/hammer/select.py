"""Which lines of a file speak to a question, and which answers a line proposes, best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pbem.orders.hammer.sight import Sight, is_of_group
from pbem.orders.hammer.tree import Choice, Order, Part, Plan
from pbem.orders.hammer.truth import Memory, holds
from pbem.orders.hammer.verbs import TOPICS, VERBS
from pbem.orders.hammer.vocabulary import GROUPS

WINTER_ONLY = frozenset(("home", "winter", "keep", "draw"))
"""Verbs that belong to a winter wherever they stand."""

WINTER_TOPICS = (("home",), ("edward",), ("disband",))
"""The same of what an `ask` is about."""


def is_for_winter(order: Order) -> bool:
    """Can the order be about nothing but a winter?"""
    return order.verb in WINTER_ONLY or (order.verb == "ask" and order.names[:1] in WINTER_TOPICS)


@dataclass(frozen=True, slots=True)
class Line:
    """An order that applies now. `conditional`: it stands in a case, or has a condition of its own."""

    order: Order
    conditional: bool


def lines(parts: Sequence[Part], sight: Sight, memory: Memory, *, cased: bool = False) -> Iterator[Line]:
    """The orders that stand outside plans, of every choice those of the case that holds."""
    for part in parts:
        if isinstance(part, Order):
            yield Line(part, cased or part.when is not None)
        elif isinstance(part, Choice):
            for case in part.cases:
                if holds(case.when, sight, memory):
                    yield from lines(case.parts, sight, memory, cased=True)
                    break


def plans(parts: Sequence[Part], sight: Sight, memory: Memory) -> Iterator[Plan]:
    """The plans that apply now."""
    for part in parts:
        if isinstance(part, Plan):
            yield part
        elif isinstance(part, Choice):
            for case in part.cases:
                if holds(case.when, sight, memory):
                    yield from (inner for inner in case.parts if isinstance(inner, Plan))
                    break


def every_order(parts: Sequence[Part]) -> Iterator[Order]:
    """Every order, whether it applies or not, those of plans left out."""
    for part in parts:
        if isinstance(part, Order):
            yield part
        elif isinstance(part, Choice):
            for case in part.cases:
                yield from every_order(case.parts)


def speaks_to(order: Order, kind: str) -> bool:
    """Is the order about questions of this kind?"""
    if order.verb in ("ask", "done"):
        topic = order.names[0] if order.picks else "combat"
        return kind in TOPICS[topic]
    if order.verb == "pass" and kind != "combat" and order.picks:
        return False  # `pass Wallace` is about a combat turn, a bare `pass` also about an event
    return kind in VERBS[order.verb].kinds


# -- blocks that a list means


def picked(order: Order, candidates: Sequence[str], named_elsewhere: Iterable[str] = ()) -> list[str]:
    """The blocks of `candidates` that the order's list means, in its order.

    A group or `all` stands for its members in the order of `candidates`; `rest` for those that neither
    this list nor another names.
    """
    named = {*order.names, *named_elsewhere}
    chosen: dict[str, None] = {}
    for name in order.names or ("all",):
        if name == "rest":
            found = [block for block in candidates if block not in named]
        elif name == "all":
            found = list(candidates)
        elif name in GROUPS:
            found = [block for block in candidates if is_of_group(block, name)]
        else:
            found = [name] if name in candidates else []
        chosen.update(dict.fromkeys(block for block in found if block not in order.but))
    return list(chosen)


def by_block(legal: Iterable[str], verb: str) -> dict[str, list[str]]:
    """The legal answers with this verb, by block: the areas it may go to (or one empty text)."""
    found: dict[str, list[str]] = {}
    for text in legal:
        said, _, rest = text.partition(" ")
        if said == verb:
            name, _, area = rest.partition(" to ")
            found.setdefault(name, []).append(area)
    return found


def going(verb: str, order: Order, legal: Iterable[str], sight: Sight) -> Iterator[str]:
    """Answers like `retreat Wallace to Selkirk`; without areas in the order, to where most of ours are."""
    ways = by_block(legal, verb)
    for name in picked(order, list(ways)):
        areas = order.areas or sorted(ways[name], key=lambda area: (-sight.blocks_in(area, sight.side), area))
        for area in areas:
            if area in ways[name]:
                yield f"{verb} {name} to {area}"
