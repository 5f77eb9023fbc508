"""The one walk over a tree of orders, by which all code looks for orders, plans or conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pbem.orders.kit.parsed_orders import (
    Both,
    Case,
    Choice,
    Compare,
    Condition,
    Either,
    Not,
    Order,
    Part,
    Plan,
    Term,
)

Judge = Callable[[Condition | None], bool]
"""Function that tells whether a condition holds now."""


@dataclass(frozen=True, slots=True)
class Line:
    """An order in its place. `conditional`: whether it stands in a case, or has a condition of its own."""

    order: Order
    conditional: bool


def walk(
    parts: Iterable[Part], *, judge: Judge | None = None, into_plans: bool = False, cased: bool = False
) -> Iterator[Line | Plan]:
    """Yield the lines and plans in these parts; `into_plans`: the lines of plans as well.

    With a judge only the first case of a choice that holds is walked, else all are.
    """
    for part in parts:
        if isinstance(part, Order):
            yield Line(part, cased or part.when is not None)
        elif isinstance(part, Plan):
            yield part
            if into_plans:
                yield from walk(part.parts, judge=judge, into_plans=True, cased=cased)
        else:
            for case in _cases(part, judge):
                yield from walk(case.parts, judge=judge, into_plans=into_plans, cased=True)


def _cases(choice: Choice, judge: Judge | None) -> tuple[Case, ...]:
    if judge is None:
        return choice.cases
    return tuple(case for case in choice.cases if judge(case.when))[:1]


def lines(parts: Iterable[Part], judge: Judge, verbs: frozenset[str] | None = None) -> Iterator[Line]:
    """Yield the lines outside plans that apply now, with a verb of `verbs`.

    Their own conditions are not judged.

    A choice that has no such line is not judged: most questions are spoken of by few lines of a file.
    """
    if verbs is not None:
        parts = [
            part
            for part in parts
            if (part.verb in verbs if isinstance(part, Order) else _may_say(part, verbs))
        ]
    found = (found for found in walk(parts, judge=judge) if isinstance(found, Line))
    return found if verbs is None else (line for line in found if line.order.verb in verbs)


def _may_say(part: Plan | Choice, verbs: frozenset[str]) -> bool:
    return isinstance(part, Choice) and not verbs.isdisjoint(part.verbs)


def plans(parts: Iterable[Part], judge: Judge | None = None) -> Iterator[Plan]:
    """Yield the plans in these parts; with a judge only those that apply now."""
    able = (part for part in parts if isinstance(part, Plan) or (isinstance(part, Choice) and part.has_plans))
    return (found for found in walk(able, judge=judge) if isinstance(found, Plan))


def every_order(parts: Iterable[Part], *, into_plans: bool = False) -> Iterator[Order]:
    """Yield every order, whether it applies or not."""
    return (found.order for found in walk(parts, into_plans=into_plans) if isinstance(found, Line))


def with_conditions(
    parts: Iterable[Part],
    above: tuple[Condition | None, ...] = (),
    serves: Callable[[Plan], bool] = lambda _: True,
) -> Iterator[tuple[Order, tuple[Condition | None, ...]]]:
    """Yield every order, also of plans that serve, with all conditions on which it depends."""
    for part in parts:
        if isinstance(part, Order):
            yield part, (*above, part.when)
        elif isinstance(part, Plan):
            if serves(part):
                yield from with_conditions(part.parts, above, serves)
        else:
            cases = tuple(case.when for case in part.cases)
            for place, case in enumerate(part.cases, 1):
                yield from with_conditions(case.parts, (*above, *cases[:place]), serves)


def possible(parts: Iterable[Part], settled: Callable[[Condition | None], bool | None]) -> Iterator[Order]:
    """Yield the orders outside plans whose conditions hold or may still come to hold."""
    for part in parts:
        if isinstance(part, Order):
            if settled(part.when) is not False:
                yield part
        elif not isinstance(part, Plan):
            for case in part.cases:
                holds = settled(case.when)
                if holds is not False:
                    yield from possible(case.parts, settled)
                if holds:
                    break


def judged(parts: Iterable[Part]) -> Iterator[Term | Compare]:
    """Yield every fact and comparison that is judged anywhere in these parts."""
    for part in parts:
        if isinstance(part, Order):
            yield from singles(part.when)
        elif isinstance(part, Plan):
            yield from judged(part.parts)
        else:
            for case in part.cases:
                yield from singles(case.when)
                yield from judged(case.parts)


def singles(condition: Condition | None) -> Iterator[Term | Compare]:
    """Yield the facts and comparisons that a condition is made of."""
    if isinstance(condition, Both | Either):
        for part in condition.parts:
            yield from singles(part)
    elif isinstance(condition, Not):
        yield from singles(condition.what)
    elif condition is not None:
        yield condition


def terms(condition: Condition | None) -> Iterator[Term]:
    """Yield every fact and number in a condition."""
    for single in singles(condition):
        if isinstance(single, Compare):
            yield from (single.left, single.right)
        else:
            yield single
