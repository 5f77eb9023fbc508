"""How a line of orders may begin or go on, for whoever composes it by hand: made of the rows.

What a noun `offers` to an order so far is all that is offered of it, and a line that is whole is offered only
if `check` finds no fault in it: so nothing that the writer's own view forbids. What the view does not show
may forbid it all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.orders.base import Offer
from pbem.orders.faults import Fault
from pbem.orders.kit.checker import Checker
from pbem.orders.kit.parse import parse
from pbem.orders.kit.rows import Clause, Rows, Verb
from pbem.orders.kit.tree import Order, Pick
from pbem.rules.base import View

MOST = 80
"""Names of one noun that are offered at a time."""


def asked_verbs(form: str, rows: Rows) -> tuple[str, ...]:
    """The verbs of the lines that a form holds, in its order."""
    found: dict[str, None] = {}
    for line in form.splitlines():
        words = f"{line.strip()} "
        fitting = [verb.name for verb in rows.verbs if words.startswith(f"{verb.name} ")]
        if fitting:
            found[max(fitting, key=len)] = None
    return tuple(found)


def offers(line: str, view: View, verbs: Sequence[str], rows: Rows) -> tuple[Offer, ...]:
    """The ways in which `line` may go on; an empty one may begin with `verbs`."""
    sight = rows.sight(view, view["viewer"], rows.memory())
    if not line.strip():
        return tuple(_beginnings([rows.by_verb[name] for name in verbs], view, sight, rows))
    order = started(line, rows)
    return () if order is None else tuple(_continued(order, view, sight, rows))


def started(line: str, rows: Rows) -> Order | None:
    """A line as this module writes it, whole or not; None if it is another one."""
    words = f"{line.strip()} "
    verb = max(
        (verb for verb in rows.verbs if words.startswith(f"{verb.name} ")),
        key=lambda one: len(one.name),
        default=None,
    )
    if verb is None or ":" in line:
        return None
    rest = words[len(verb.name) :].strip()
    marks = "|".join(re.escape(clause.word) for clause in verb.clauses)
    parts = re.split(rf"(?:^|\s+)({marks})(?=\s|$)", rest) if marks else [rest]
    picks = tuple(Pick(name) for name in _names(parts[0]))
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return Order(verb=verb.name, picks=picks, clauses=tuple((word, _names(names)) for word, names in pairs))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in (part.strip() for part in text.split(",")) if name)


def _beginnings(verbs: Sequence[Verb], view: View, sight: Any, rows: Rows) -> Iterator[Offer]:
    for verb in verbs:
        order = Order(verb=verb.name)
        if verb.bare or not verb.takes:
            yield from _if_right(Offer(verb.name, "", "", verb.name), view, rows)
        yield from _list(order, verb, view, sight, rows)
        if verb.none:
            yield from _if_right(Offer(verb.name, "", "none", f"{verb.name} none"), view, rows)


def _continued(order: Order, view: View, sight: Any, rows: Rows) -> Iterator[Offer]:
    verb = rows.by_verb[order.verb]
    if order.nobody:
        return
    if not order.clauses and (verb.many or not order.picks):
        yield from _list(order, verb, view, sight, rows)
    last = order.clauses[-1][0] if order.clauses else ""
    for clause in verb.clauses:
        if clause.number or (order.has(clause.word) and clause.word != last):
            continue
        yield from _clause(order, clause, view, sight, rows)


def _list(order: Order, verb: Verb, view: View, sight: Any, rows: Rows) -> Iterator[Offer]:
    """Another entry of the list."""
    for name in _offered(order, verb.takes, sight, rows):
        names = ", ".join((*order.names, name))
        offer = Offer(verb.name, "", name, f"{verb.name} {names}")
        yield from (offer,) if verb.needs else _if_right(offer, view, rows)


def _clause(order: Order, clause: Clause, view: View, sight: Any, rows: Rows) -> Iterator[Offer]:
    """A clause, or another name in the one that is written last."""
    before = text_of(order)
    if not clause.noun or (clause.bare and not order.has(clause.word)):
        if not order.has(clause.word):
            yield from _if_right(Offer(order.verb, clause.word, "", f"{before} {clause.word}"), view, rows)
        if not clause.noun:
            return
    known = order.all(clause.word)
    if known and not (clause.many or clause.way):
        return
    for name in _offered(order, clause.noun, sight, rows, clause.word):
        line = (
            f"{before}, {name}"
            if known
            else f"{before} {'' if order.has(clause.word) else clause.word + ' '}{name}"
        )
        needs = rows.by_verb[order.verb].needs
        offer = Offer(order.verb, clause.word, name, line)
        whole = not needs or clause.word in needs or any(order.has(word) for word in needs)
        yield from _if_right(offer, view, rows) if whole else (offer,)


def _offered(order: Order, noun: str, sight: Any, rows: Rows, clause: str = "") -> Iterator[str]:
    if not noun:
        return
    row = rows.by_noun[noun]
    names = row.offers(order, clause, sight) if row.offers else row.of(sight.side).names
    there = {*order.names} if not clause else {*order.all(clause)}
    yield from [name for name in dict.fromkeys(names) if name not in there][:MOST]


def _if_right(offer: Offer, view: View, rows: Rows) -> Iterator[Offer]:
    """The offer, unless its line would not count."""
    orders, faults = parse(offer.line, rows, view["viewer"])
    found: tuple[Fault, ...] = (*faults, *Checker(orders, rows, view).check())
    if all(fault.remark for fault in found):
        yield offer


def text_of(order: Order) -> str:
    """An order as a line."""
    clauses = "".join(f" {word} {', '.join(names)}".rstrip() for word, names in order.clauses)
    return f"{order.verb} {', '.join(order.names)}".rstrip() + clauses
