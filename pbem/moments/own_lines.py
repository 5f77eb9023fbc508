"""The lines of a player's own orders beside what they decided, and why others of them did not apply.

Nothing is known here but the player's own orders and what their own report shows: the orders are followed
once more, question by question, with the view that the report gives. Where that does not lead to what
happened, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pbem.orders.base import Answer, Language, Parsed, Uncovered
from pbem.orders.kit.conditions import holds, write_condition, write_term
from pbem.orders.kit.follow import serves_here
from pbem.orders.kit.language import KitLanguage
from pbem.orders.kit.parsed_orders import (
    ASK,
    DONE,
    NUMBER,
    Both,
    Compare,
    Condition,
    Either,
    Line,
    Not,
    Order,
    Orders,
    Part,
    Parts,
    Plan,
    Term,
)
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.vocabulary import Measure, Occasion
from pbem.playback import Decision, Step
from pbem.rules.base import Ask, Event, View, read_head
from pbem.titles import load

NOT_POSSIBLE = "it was not possible"
NO_LINE = "none of your lines answers this"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A line of the player's orders, beside a decision of theirs to which it belongs."""

    said: str
    """The line of orders that answered, as its player wrote it, with its condition; "" if none did."""
    exchange: int
    line: int
    """The number of the line in its file, counted from 1 below the head; 0 if no line answered."""
    applied: bool
    why: str
    """The reason why the line did not apply."""


@dataclass(frozen=True, slots=True)
class _File:
    exchange: int
    orders: Orders
    moment: Any


@dataclass(frozen=True, slots=True)
class _Case:
    """An order with the conditions on which it depends, each as it had to be, and how they are written."""

    order: Order
    conditions: tuple[Condition, ...]
    head: str
    plan: Plan | None


@lru_cache(maxsize=512)  # a game's files are looked at again with each report that follows them
def _parse_orders(language: Any, text: str, side: str) -> Parsed:
    found: Parsed = language.parse(text, side)
    return found


def parse_own_orders(language: Language, text: str, side: str) -> Parsed:
    """Return what is understood of the text of a side's own orders."""
    hashable: Any = language
    return _parse_orders(hashable, text, side)


class Plans:
    """The orders of one side, file by file, and what they decided; decisions are explained in their order."""

    def __init__(self, language: Language, side: str) -> None:
        self._language = language
        self._side = side
        self._follower = language.follower(side)
        self._files: list[_File] = []
        self._memory = self.rows.memory() if self.rows else None

    @property
    def rows(self) -> Rows | None:
        """The rows of the order language; None for a language that is not made of rows."""
        return self._language.rows if isinstance(self._language, KitLanguage) else None

    def _sight(self, view: View) -> Any:
        assert self.rows is not None
        return self.rows.sight(view, self._side, self._memory)

    def is_of(self, view: View, other: View) -> bool:
        """Tell whether two views are of one moment, so that orders for the one view count in the other."""
        return bool(self._sight(view).moment == self._sight(other).moment)

    def stands(self, text: str) -> bool:
        """Tell whether orders have lines that stay in force until other orders are sent."""
        assert self.rows is not None
        standing = self.rows.standing
        return standing is not None and parse_own_orders(self._language, text, self._side).orders.has(
            standing.name
        )

    def receive(self, exchange: int, text: str, view: View) -> None:
        """Take up the order file that counted for an exchange; `view`: what its side saw at the opening."""
        orders = parse_own_orders(self._language, text, self._side).orders
        self._follower.receive(orders, view)
        if self.rows is not None:
            self._files.insert(0, _File(exchange, orders, self._sight(view).moment))

    def explain_all(self, steps: Iterable[Step]) -> tuple[tuple[Answered, ...], ...]:
        """Return the lines of orders that belong to each step."""
        return tuple(
            tuple(dict.fromkeys(line for one in step.decisions for line in self.explain(one)))
            for step in steps
        )

    def explain(self, decision: Decision) -> tuple[Answered, ...]:
        """Return the line that decided a question, then those that might have, and why they did not."""
        if self.rows is None or not self._files:
            return ()
        ask = self._ask(decision, (decision.answer, *decision.certain), decision.answer)
        if self._memory is not None:
            self._memory.look(self._sight(decision.view), ask)
        reply = self._follower.reply(ask, decision.view)
        if isinstance(reply, Uncovered):
            others = tuple(self._others(decision, None))
            none = Answered(said="", exchange=0, line=0, applied=False, why=NO_LINE)
            return (none, *(one for one in others if one.why != NOT_POSSIBLE))
        if not isinstance(reply, Answer) or reply.text != decision.answer:
            return ()
        used = next((one for one in self._cases(decision) if one[1].order.line == reply.line), None)
        if used is None:
            return ()
        applied = self._answer_of(*used, applied=True, why="")
        return (applied, *self._others(decision, used[1].order))

    def _ask(self, decision: Decision, legal: Iterable[str], default: str) -> Ask:
        answers = tuple(dict.fromkeys(legal))
        return Ask(
            self._side, decision.kind, decision.rule, lambda: answers, public=False, preferred=lambda: default
        )

    def _answer_of(self, file: _File, case: _Case, *, applied: bool, why: str) -> Answered:
        source = file.orders.source
        place = case.order.line - 1
        written = source[place].strip() if 0 <= place < len(source) else ""
        is_whole = not case.head or written.startswith(("if ", "otherwise"))
        said = written if is_whole else f"{case.head} {written}"
        return Answered(said=said, exchange=file.exchange, line=case.order.line, applied=applied, why=why)

    def _others(self, decision: Decision, used: Order | None) -> Iterator[Answered]:
        """Yield the lines of orders that would have answered the same question differently."""
        assert self.rows is not None
        sight = self._sight(decision.view)
        every = self._ask(decision, (decision.answer, *decision.others), decision.answer)
        found = list(self._cases(decision))
        lines = [Line(case.order, bool(case.conditions)) for _, case in found]
        passed = False
        for file, case in found:
            if case.order is used:
                passed = True
                continue
            if not case.conditions:
                continue
            able = self._proposals(case.order, every, sight, lines)
            if not able or able <= {decision.answer}:
                continue
            failed = next((one for one in case.conditions if not holds(one, sight, self.rows)), None)
            if failed is not None:
                why = why_not(failed, sight, self.rows)
            elif passed:
                continue
            else:
                why = NOT_POSSIBLE
            yield self._answer_of(file, case, applied=False, why=why)

    def _proposals(self, order: Order, ask: Ask, sight: Any, lines: Sequence[Line]) -> set[str]:
        assert self.rows is not None
        proposes = self.rows.by_verb[order.verb].proposes
        if proposes is None:
            return set()
        return set(proposes(Occasion(order, ask, sight, lines))).intersection(ask.legal)

    def _cases(self, decision: Decision) -> Iterator[tuple[_File, _Case]]:
        """Yield the lines of each order file that may answer a question, a plan's for its place first."""
        rows = self.rows
        assert rows is not None
        sight = self._sight(decision.view)
        for file, parts in self._in_force(sight, decision.kind):
            able = [
                case
                for case in _cases(parts, rows)
                if (case.plan is None or serves_here(case.plan, sight))
                and case.order.verb not in (ASK, DONE)
                and decision.kind in rows.kinds(case.order)
            ]
            able.sort(key=lambda case: 2 if case.plan is None else not case.plan.names)
            yield from ((file, case) for case in able)

    def _in_force(self, sight: Any, kind: str) -> Iterator[tuple[_File, Parts]]:
        rows = self.rows
        assert rows is not None
        first = rows.sections[0].name
        for file in self._files:
            if rows.in_force:
                parts = rows.in_force.now(file.orders, file.moment, sight, frozenset((kind,)))
            else:
                parts = file.orders.section(first) if file.moment == sight.moment else None
            if parts:
                yield file, parts
        if rows.standing:
            name = rows.standing.name
            if standing := next((file for file in self._files if file.orders.has(name)), None):
                yield standing, standing.orders.section(name)


def _cases(
    parts: Iterable[Part],
    rows: Rows,
    above: tuple[Condition, ...] = (),
    head: str = "",
    plan: Plan | None = None,
) -> Iterator[_Case]:
    """Yield every order in some parts of a file, with the conditions on which the order depends."""
    for part in parts:
        if isinstance(part, Order):
            own = () if part.when is None else (part.when,)
            yield _Case(part, (*above, *own), head, plan)
        elif isinstance(part, Plan):
            yield from _cases(part.parts, rows, above, head, part)
        else:
            before: tuple[Condition, ...] = ()
            for case in part.cases:
                own = () if case.when is None else (case.when,)
                said = f"if {write_condition(own[0], rows)}:" if own else "otherwise:"
                yield from _cases(case.parts, rows, (*above, *before, *own), said, plan)
                before += tuple(Not(one) for one in own)


def why_not(condition: Condition, sight: Any, rows: Rows) -> str:
    """Return why a condition in orders does not hold, in words: "Wallace's strength is 2, not at most 1"."""
    if isinstance(condition, Both):
        failed = next(part for part in condition.parts if not holds(part, sight, rows))
        return why_not(failed, sight, rows)
    if isinstance(condition, Either):
        return ", and ".join(why_not(part, sight, rows) for part in condition.parts)
    if isinstance(condition, Not):
        return f"it is so: {write_condition(condition.what, rows)}"
    if isinstance(condition, Compare):
        return _comparison_in_words(condition, sight, rows)
    return f"not so: {write_condition(condition, rows)}"


def _comparison_in_words(condition: Compare, sight: Any, rows: Rows) -> str:
    left, right = _value(condition.left, sight, rows), _value(condition.right, sight, rows)
    name = _number_name(condition.left, rows)
    if left is None:
        return f"{name} is not known"
    how = "" if condition.how == "is" else f"{condition.how} "
    wanted = f"{condition.right_factor} {write_term(condition.right, rows)}".lstrip()
    known = "" if condition.right.what == NUMBER or right is None else f" of {right}"
    return f"{name} is {left}, not {how}{wanted}{known}"


def _value(term: Term, sight: Any, rows: Rows) -> int | None:
    row = rows.by_term.get(term.what)
    return row.value(term, sight) if isinstance(row, Measure) else None


def _number_name(term: Term, rows: Rows) -> str:
    """Return a condition's number in words: "Wallace's strength", "our strength", "the round"."""
    said = write_term(term, rows)
    name = term.name() if term.values else ""
    if name[:1].isupper() and said.startswith(f"{name} "):
        return f"{name}'s {said.removeprefix(name).strip()}"
    return said if name else f"the {said}"


OrdersOf = Callable[[int], str | None]
"""Function of an exchange that yields the player's orders that counted; "" for none, None if unknown."""

Shown = tuple[View, Sequence[Event]]
"""The part of a report for programs: the position, and the events told since the report before."""


def lines_beside(
    shown: Mapping[int, Shown], orders: OrdersOf, exchange: int, steps: Sequence[Step]
) -> tuple[tuple[Answered, ...], ...]:
    """Return for each step of a report the lines of its reader's orders that decided it, or did not.

    `shown` is what the reports before this one show, by exchange. Nothing is returned where orders that
    counted are not known.
    """
    nothing: tuple[tuple[Answered, ...], ...] = ((),) * len(steps)
    before = max((number for number in shown if number < exchange), default=None)
    if before is None or not any(step.decisions for step in steps):
        return nothing
    view, _ = shown[before]
    title, side = load(read_head(view).game), read_head(view).viewer
    plans = Plans(title.language, side)
    if plans.rows is None:
        return nothing
    for number, text, seen in _earlier(plans, shown, orders, before, view):
        plans.receive(number, text, seen)
        after, told = shown[number]
        if plans.is_of(view, seen):
            plans.explain_all(title.playback.steps(seen, told, after))
    counted = orders(exchange)
    if counted is None:
        return nothing
    if counted:
        plans.receive(exchange, counted, view)
    return plans.explain_all(steps)


def _earlier(
    plans: Plans, shown: Mapping[int, Shown], orders: OrdersOf, last: int, view: View
) -> list[tuple[int, str, View]]:
    """Return the order files that may still count at the last report: of its moment, and standing orders."""
    found: list[tuple[int, str, View]] = []
    in_moment = True
    for number in sorted((one for one in shown if 1 < one <= last), reverse=True):
        text = orders(number)
        if not text or not (in_moment or plans.stands(text)):
            continue
        if number - 1 not in shown:
            continue
        seen, _ = shown[number - 1]
        in_moment = in_moment and plans.is_of(view, seen)
        if in_moment or plans.stands(text):
            found.append((number, text, seen))
        if plans.stands(text) and not in_moment:
            break
    return found[::-1]
