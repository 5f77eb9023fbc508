"""The lines for which a pause would tell a secret (protocol 13), and which of them are refused beforehand.

Everybody sees a pause, so none may hang on what the writer of a line alone can judge. Where the rows say that
a kind of question is always waited for, it can be told from the file that a line would do that: then `check`
and the judge refuse it, in the same words. Where it shows only when the question is asked, nobody waits
(`KitFollower.reply`), and `check` remarks it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from pbem.orders.base import Dropped
from pbem.orders.kit.parsed_orders import ASK, DONE, Case, Choice, Condition, Order, Orders, Parts, Plan
from pbem.orders.kit.rows import NO_PAUSE, Rows
from pbem.orders.kit.text import Writer
from pbem.orders.kit.traversal import with_conditions
from pbem.orders.kit.vocabulary import Written
from pbem.rules.base import View, read_head

REFUSED = f"{NO_PAUSE}; add a line about the same question without such a condition"
"""The reason told of a line that is refused, by `check` and by the judge."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A line that depends on a secret of its writer, with no line beside it that answers in any case."""

    order: Order
    is_refused: bool
    """Whether the line is refused beforehand; if not, the question shows whether everybody sees it asked."""


def telling_lines(orders: Orders, rows: Rows, view: View) -> tuple[Telling, ...]:
    """Return the lines of a file that would tell a secret, by its writer's view of a moment."""
    waited = rows.asking.waited_for(read_head(view).options)
    hangs = partial(_hangs, rows=rows, side=orders.side)
    every = [parts for _, parts in orders.sections]
    settled = frozenset[str]().union(*(_settled_kinds(parts, rows, hangs) for parts in every))
    found = []
    for order, conditions in (one for parts in every for one in with_conditions(parts)):
        kinds = _kinds(order, rows)
        if not settled.issuperset(kinds) and any(hangs(when, kinds) for when in conditions):
            found.append(Telling(order, kinds[0] in waited - settled))
    return tuple(found)


def without_refused(
    orders: Orders, rows: Rows, view: View, number: int
) -> tuple[Orders, tuple[Dropped, ...]]:
    """Return a file as the judge follows it, and the lines that are refused.

    `number`: number of the writer's files that came before this one.
    """
    refused = [one.order for one in telling_lines(orders, rows, view) if one.is_refused]
    if not refused:
        return orders, ()
    out = {id(order) for order in refused}
    sections = tuple((name, without(parts, out)) for name, parts in orders.sections)
    writer = Writer(rows)
    dropped = (Dropped(one.line, writer.order(one), REFUSED, "protocol 13", number) for one in refused)
    return replace(orders, sections=sections), tuple(dropped)


def _kinds(order: Order, rows: Rows) -> tuple[str, ...]:
    """Return the kinds of Ask that an order answers, the one for which it is written first."""
    return () if order.verb in (ASK, DONE) else rows.kinds(order)


def _hangs(when: Condition | None, kinds: Collection[str], *, rows: Rows, side: str) -> bool:
    """Tell whether only the writer can judge a condition, under a topic for which somebody may be waited."""
    topics = [one for one in rows.topics if not one.refused and not set(one.kinds).isdisjoint(kinds)]
    return any(
        rows.is_secret(when, partial(Written, side=side, in_plan=True, topic=topic.name)) for topic in topics
    )


Hangs = Callable[[Condition | None, Collection[str]], bool]


def _settled_kinds(parts: Parts, rows: Rows, hangs: Hangs) -> frozenset[str]:
    """Return the kinds of Ask about which some line speaks, whatever its writer alone can judge."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, Order):
            kinds = _kinds(part, rows)
            found.update(() if hangs(part.when, kinds) else kinds)
        elif isinstance(part, Plan):
            found |= _settled_kinds(part.parts, rows, hangs)
        else:
            found.update(_settled_by_choice(part, rows, hangs))
    return frozenset(found)


def _settled_by_choice(choice: Choice, rows: Rows, hangs: Hangs) -> Iterator[str]:
    """Yield the kinds of Ask about which a choice speaks in any case.

    A kind counts if each case speaks of it and one case must hold, or if no case's condition depends on a
    secret.
    """
    each = [_settled_kinds(case.parts, rows, hangs) for case in choice.cases]
    for kind in frozenset[str]().union(*each):
        is_whole = choice.cases[-1].when is None and all(kind in one for one in each)
        if is_whole or not any(hangs(case.when, (kind,)) for case in choice.cases):
            yield kind


def without(parts: Iterable[Order | Plan | Choice], out: Container[int]) -> Parts:
    """Return the parts without some orders; `out` holds their identities."""
    found: list[Order | Plan | Choice] = []
    for part in parts:
        if isinstance(part, Order):
            found += () if id(part) in out else (part,)
        elif isinstance(part, Plan):
            found.append(replace(part, parts=without(part.parts, out)))  # type: ignore[arg-type]
        else:
            cases = (_case_without(case, out) for case in part.cases)
            found.append(replace(part, cases=tuple(cases)))
    return tuple(found)


def _case_without(case: Case, out: Container[int]) -> Case:
    return replace(case, parts=without(case.parts, out))  # type: ignore[arg-type]
