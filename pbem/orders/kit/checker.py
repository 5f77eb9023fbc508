"""The check of a file against its writer's own view: what cannot be, and what is probably not meant.

A fault is something that is wrong whatever the others hide or do; everything else is a remark. Here is what
all languages share: lines and cases that can never apply, and what verbs' rows check of their own lines.

Everybody sees a pause, so none may hang on what the writer of a line alone can judge (protocol 13). Where the
rows say that a kind of question is always waited for, it can be told from the file that a line would do that:
then `check` and the judge refuse it, in the same words. Where it shows only when the question is asked,
nobody waits (`KitFollower.reply`), and `check` remarks it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pbem.orders.base import Dropped, Fault
from pbem.orders.cursor import MAX_FAULTS
from pbem.orders.kit.conditions import truth
from pbem.orders.kit.parsed_orders import (
    ASK,
    DONE,
    Case,
    Choice,
    Condition,
    Order,
    Orders,
    Part,
    Parts,
    Plan,
    Term,
    every_order,
    plans,
    with_conditions,
)
from pbem.orders.kit.rows import NO_PAUSE, Rows
from pbem.orders.kit.text import Writer
from pbem.orders.kit.vocabulary import FOR_ALL, Fact, Problem, Written
from pbem.orders.lines import Text, Token, tokens_on
from pbem.rules.base import View, read_head

WRAPPED = 6
"""Number of lines in which the words of an order are looked for, in case it was wrapped."""


class Checker:
    """The check of one order file; `sight` is what its writer sees."""

    def __init__(self, orders: Orders, rows: Rows, view: View) -> None:
        self.orders = orders
        self.rows = rows
        self.view = view
        self.side = orders.side
        self.sight: Any = rows.sight(view, orders.side, rows.memory())
        self.section = ""  # the section of the order that is looked at
        self.plan: Plan | None = None  # the plan of the order that is looked at
        self._found: dict[tuple[int, int, str], Fault] = {}
        self._text = Text(list(orders.source))
        self._lines: dict[int, tuple[list[Token], dict[str, list[Token]]]] = {}

    def check(self) -> tuple[Fault, ...]:
        """Return every fault and remark, in the order of the text."""
        rows, orders = self.rows, self.orders
        if rows.check:
            rows.check(self)
        if rows.never and (worlds := rows.never.worlds(self)):
            self._never(orders.section(rows.sections[0].name), worlds, rows.never.why(self))
        self._look_at_pauses()
        for self.section, parts in orders.sections:
            self._unreachable(parts)
            self._check_each(every_order(parts))
            for plan in plans(parts):
                self.plan = plan
                self._unreachable(plan.parts)
                self._check_each(every_order(plan.parts))
                self.plan = None
        return tuple(self._found[key] for key in sorted(self._found))

    def _look_at_pauses(self) -> None:
        """Note the lines that are refused because a pause for them would tell a secret (protocol 13).

        Of the lines that are not refused and for which nobody waits, remark on the first alone.
        """
        telling = telling_lines(self.orders, self.rows, self.view)
        for one in telling:
            if one.is_refused:
                self.note(one.order, "", REFUSED, "protocol 13")
        for one in [one for one in telling if not one.is_refused][:1]:
            reason = f"the game does not stop to ask you what this line answers: {NO_PAUSE}"
            self.remark_on_line(one.order.line, Problem(reason, "protocol 13"))

    def _check_each(self, orders: Iterable[Order]) -> None:
        for order in orders:
            if checks := self.rows.by_verb[order.verb].checks:
                checks(order, self)

    @property
    def in_plan(self) -> bool:
        """Whether the order that is looked at stands in a plan."""
        return self.plan is not None

    # -- noting

    def note(
        self,
        order: Order,
        about: str,
        message: str,
        rule: str = "",
        *,
        legal: Iterable[str] = (),
        remark: bool = False,
        pause: bool = False,
    ) -> None:
        """Note a fault in an order, at the name that it is about (or at the whole line)."""
        if len(self._found) < MAX_FAULTS:
            text = self._text
            tokens = self._place(order.line, about)
            if not tokens:  # orders that were not read from a text
                written = Writer(self.rows).line(order)
                text, tokens = Text([written]), [Token("", 1, 1, len(written))]
            self._add(text.fault(tokens, message, rule, legal=legal, remark=remark, pause=pause))

    def remark_on_line(self, line: int, problem: Problem, *, pause: bool = False) -> None:
        """Note a remark about a whole line, be it an order or the head of a case."""
        tokens = self._place(line, "")
        if tokens and len(self._found) < MAX_FAULTS:
            self._add(self._text.fault(tokens, problem.reason, problem.rule, remark=True, pause=pause))

    def _add(self, fault: Fault) -> None:
        self._found.setdefault((fault.line, fault.column, fault.message), fault)

    def _place(self, line: int, about: str) -> list[Token]:
        """Return the words that mean `about` in an order that begins on `line`.

        If no words mean it, return all the words of the line.
        """
        last = min(line + WRAPPED - 1, len(self._text.lines))
        rows = [self._words_on(number) for number in range(line, last + 1)] if line > 0 else []
        found = next((named[about] for _, named in rows if about in named), None)
        return found or next((tokens for tokens, _ in rows if tokens), [])

    def _words_on(self, number: int) -> tuple[list[Token], dict[str, list[Token]]]:
        """Return the words of a line, and where each word and name of it first stands.

        Each line is looked through only once.
        """
        if number not in self._lines:
            nouns = {id(names): names for names in (noun.of(self.side) for noun in self.rows.nouns)}
            tokens = tokens_on(self._text.lines, number)
            words = tuple(token.word for token in tokens)
            named: dict[str, list[Token]] = {}
            for place, word in enumerate(words):
                matches = [names.read(words[place : place + 4]) for names in nouns.values()]
                here = {match.name: match.words for match in sorted(matches, key=lambda one: one.words)}
                for name, count in {**here, word: 1}.items():
                    named.setdefault(name, tokens[place : place + count])
            named.pop("", None)
            self._lines[number] = tokens, named
        return self._lines[number]

    # -- lines that can never apply

    def _never(self, parts: Sequence[Part], worlds: Sequence[Any], why: Problem) -> None:
        """Remark on lines that apply in none of `worlds`, such as every card that the enemy may hold."""
        for line, problem in self._without_use(parts, worlds, why):
            self.remark_on_line(line, problem)

    def _without_use(
        self, parts: Sequence[Part], worlds: Sequence[Any], why: Problem
    ) -> Iterator[tuple[int, Problem]]:
        def impossible(when: Condition | None, among: Sequence[Any]) -> bool:
            return all(self.judged(when, world) is False for world in among)

        for part in parts:
            if isinstance(part, Order):
                if impossible(part.when, worlds):
                    yield part.line, why
            elif isinstance(part, Choice):
                left = worlds
                for case in part.cases:
                    if impossible(case.when, worlds):
                        yield case.line, why
                    elif impossible(case.when, left):
                        reason = "this case never counts: an earlier case always comes first"
                        yield case.line, Problem(reason, why.rule)
                    else:
                        inside = [world for world in left if self.judged(case.when, world) is not False]
                        for order in case.parts:
                            if isinstance(order, Order) and impossible(order.when, inside):
                                yield (
                                    order.line,
                                    Problem("this condition can never be true in its case", why.rule),
                                )
                    left = [world for world in left if self.judged(case.when, world) is not True]

    def judged(self, condition: Condition | None, world: Any) -> bool | None:
        """Tell whether a condition holds in this world; None if that depends on something else as well."""

        def of_term(term: Term) -> bool | None:
            row = self.rows.by_term.get(term.what)
            return row.in_world(term, world) if isinstance(row, Fact) and row.in_world else None

        return truth(condition, of_term)

    def _unreachable(self, parts: Sequence[Part | Plan]) -> None:
        """Remark on lines below one that has settled the same question for everybody."""
        settled: dict[str, int] = {}
        for part in parts:
            if not isinstance(part, Order) or part.when is not None:
                continue
            verb = self.rows.by_verb[part.verb]
            kind = verb.kinds[0] if verb.kinds else ""
            if not verb.settles:
                if (line := settled.get(f"all {kind}")) and not self._names_somebody(part):
                    message = (
                        f"this never counts: line {line} already counts for all; give this line a condition"
                    )
                    self.note(part, part.verb, message, remark=True)
                continue
            if kind in settled and not self._names_somebody(part):
                message = f"this never counts: line {settled[kind]} already counts for all"
                self.note(part, part.verb, message, remark=True)
            if not part.but and (not part.picks or any(name in FOR_ALL for name in part.names)):
                settled.setdefault(kind, part.line)
                if verb.settles == "each":
                    settled.setdefault(f"all {kind}", part.line)

    def _names_somebody(self, order: Order) -> bool:
        """Tell whether an order gives a name, so that it counts before a line for all."""
        verb = self.rows.by_verb[order.verb]
        return verb.settles != "all" and any(name not in (*self.rows.whole, "none") for name in order.names)


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
    """Return the kinds of Ask that an order answers; none for an `ask` or a `done`."""
    return () if order.verb in (ASK, DONE) else rows.kinds(order)


def _hangs(when: Condition | None, kinds: Collection[str], *, rows: Rows, side: str) -> bool:
    """Tell whether its writer alone can judge a condition of lines about questions that may stop the game."""
    topics = [one for one in rows.topics if not one.refused and not set(one.kinds).isdisjoint(kinds)]
    return any(
        rows.is_secret(when, partial(Written, side=side, in_plan=True, topic=topic.name)) for topic in topics
    )


Hangs = Callable[[Condition | None, Collection[str]], bool]


def _settled_kinds(parts: Parts, rows: Rows, hangs: Hangs) -> frozenset[str]:
    """Return the kinds of Ask that lines answer even if what their writer alone can judge is left aside."""
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
    """Return the parts of an order file without some orders; `out` holds the identities of these."""
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
