"""The tree of an order file, once it is understood, and the one walk over it.

    Orders ── sections by name, each a sequence of parts
      part ── Order          one line, perhaps with a condition of its own
              Plan           `plan Ford:` and its lines
              Choice         `if ...:` `if ...:` `otherwise:` and theirs; the first case that holds counts

Everything is frozen. Line numbers take no part in comparison: the same orders in another layout are
equal. All code that looks for orders, plans or conditions in a tree goes through `walk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

FULL = 0
"""The count of a list entry that goes on as long as possible: `build Tom full`."""

ASK, DONE, EVERYTHING = "ask", "done", "everything"

Values: TypeAlias = tuple[tuple[str, ...], ...]
"""The values in the blanks of a phrase, one after the other; each is one name or a list."""


# -- conditions


@dataclass(frozen=True, slots=True)
class Term:
    """A fact (`first`, `they have archers`) or a number (`Tom strength`) in a condition.

    `what` is the name of its row.
    """

    what: str
    values: Values = ()

    def names(self, place: int = 0) -> tuple[str, ...]:
        """Return the names in one blank of the term's phrase."""
        return self.values[place] if place < len(self.values) else ()

    def name(self, place: int = 0) -> str:
        """Return the name in one blank of the term's phrase; empty if the phrase was written without it."""
        return next(iter(self.names(place)), "")


Factor: TypeAlias = Literal["", "half", "twice"]
Comparison: TypeAlias = Literal["is", "less than", "more than", "at most", "at least"]
NUMBER = "number"
"""The `what` of a term that is a plain number."""


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two numbers: `round at least 2`, `our strength less than half their strength`."""

    left: Term
    how: Comparison
    right: Term
    left_factor: Factor = ""
    right_factor: Factor = ""


@dataclass(frozen=True, slots=True)
class Not:
    """A condition that is negated: `not first`."""

    what: Condition


@dataclass(frozen=True, slots=True)
class Both:
    """Conditions joined by `and`, all of which must hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Conditions joined by `or`, one of which must hold."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Term | Compare | Not | Both | Either


# -- orders


@dataclass(frozen=True, slots=True)
class Pick:
    """One entry of a list: a name or a word such as `rest`, and how often (FULL: as often as possible)."""

    name: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One line: `if WHEN: VERB PICKS except BUT`, and clauses such as `from Ford` or `to Hill, Mill`."""

    verb: str
    picks: tuple[Pick, ...] = ()
    but: tuple[Pick, ...] = ()
    clauses: tuple[tuple[str, tuple[str, ...]], ...] = ()
    when: Condition | None = None
    line: int = field(default=0, compare=False)
    names: tuple[str, ...] = field(init=False, compare=False, repr=False)
    """The names of the order's list, without counts."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(pick.name for pick in self.picks))

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names after `except` in the order."""
        return tuple(pick.name for pick in self.but)

    @property
    def nobody(self) -> bool:
        """Whether the order wants nothing done, as `move none` does."""
        return self.names == ("none",)

    def has(self, word: str) -> bool:
        """Tell whether the order has a clause with this word."""
        return any(word == found for found, _ in self.clauses)

    def all(self, word: str) -> tuple[str, ...]:
        """Return all names in the order's clause with this word."""
        return next((names for found, names in self.clauses if found == word), ())

    def one(self, word: str) -> str:
        """Return the first name in the order's clause with this word; empty if there is none."""
        return next(iter(self.all(word)), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case of a choice: `if CONDITION:` or `otherwise:` (no condition), with the lines below it."""

    when: Condition | None
    parts: tuple[Order | Plan, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Cases that follow each other; only the first whose condition holds counts."""

    cases: tuple[Case, ...]

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The verbs of the choice's lines outside plans.

        A search for other verbs need not judge the choice.
        """
        parts = (part for case in self.cases for part in case.parts)
        return frozenset(part.verb for part in parts if isinstance(part, Order))

    @cached_property
    def has_plans(self) -> bool:
        """Whether a plan stands in the choice."""
        return any(isinstance(part, Plan) for case in self.cases for part in case.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan `plan Ford, Hill:` (or `plan any:`), whose lines count where one of its names is at stake."""

    names: tuple[str, ...] = ()
    parts: tuple[Order | Choice, ...] = ()
    line: int = field(default=0, compare=False)


Part: TypeAlias = Order | Plan | Choice
Parts: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The orders of one file. A standing section that is missing leaves the one on file as it is."""

    side: str
    sections: tuple[tuple[str, Parts], ...] = ()
    source: tuple[str, ...] = field(default=(), compare=False, repr=False)  # the lines as they were written

    def has(self, name: str) -> bool:
        """Tell whether the file has a section of this name, even an empty one."""
        return any(name == found for found, _ in self.sections)

    def section(self, name: str) -> Parts:
        """Return the parts of a section; none if the file does not have the section."""
        return next((parts for found, parts in self.sections if found == name), ())

    def __bool__(self) -> bool:
        return bool(self.sections)


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
    """Yield each order with all conditions on which it depends; of plans, the orders of those that serve."""
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
