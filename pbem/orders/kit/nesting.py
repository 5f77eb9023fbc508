"""The sections, cases and plans that are open while orders are read, with the lines that stand in each.

    plan Ford:            lines for some names only; ends at the first line that cannot be part of a plan
    if first:             a case; ends at the next case, or at `end`
    winter:  doctrine:    sections; end at `end`, or at the first line that cannot be part of them

Indentation means nothing. `end` closes whatever was opened last and is still open.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from pbem.orders.cursor import Faults
from pbem.orders.kit.parsed_orders import (
    ASK,
    DONE,
    EVERYTHING,
    Case,
    Choice,
    Condition,
    Order,
    Part,
    Pick,
    Plan,
    terms,
)
from pbem.orders.kit.rows import NO_PAUSE, Rows
from pbem.orders.kit.vocabulary import Verb, Written
from pbem.orders.lines import Token


@dataclass(slots=True)
class Open:
    """A section, case or plan that has been opened, with what stands in it so far."""

    what: Literal["section", "case", "plan"]
    tokens: tuple[Token, ...] = ()
    parts: list[Part] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)  # in a "case": the earlier cases of its choice
    when: Condition | None = None
    names: tuple[str, ...] = ()  # in a plan: the names that it is for
    last_list: str = ""  # topic of the latest list line, for a bare `ask`
    refused: Case | None = None  # the latest line, if it was an `ask` under a condition that it may not have
    section: str = ""
    dead: bool = False  # its heading is faulty, so whatever stands in it is left out
    plan_ended: bool = False  # an `end` closed a plan in this case
    doubtful: tuple[Token, ...] = ()  # the line after that, which its writer may have meant to stand outside
    indented: bool = False  # its first line stands farther right than its heading


class Nesting:
    """The nesting of one text: keeps each part that was read in the section, plan or case that holds it."""

    def __init__(self, rows: Rows, side: str, faults: Faults) -> None:
        self.rows = rows
        self.side = side
        self.faults = faults
        self.first = Open("section", section=rows.sections[0].name)
        self.found: dict[str, list[Part]] = {}
        self.open: list[Open] = [self.first]

    @property
    def top(self) -> Open:
        """The section, case or plan that was opened last."""
        return self.open[-1]

    @property
    def section(self) -> str:
        """The name of the section that the next line belongs to."""
        return next(opened.section for opened in reversed(self.open) if opened.section)

    @property
    def in_plan(self) -> bool:
        """Whether the next line belongs to a plan, or to a case in one."""
        return any(opened.what == "plan" for opened in self.open)

    @property
    def like_plan(self) -> bool:
        """Whether a condition in the next line may speak of what plans speak of."""
        return self.in_plan or self.rows.by_section[self.section].is_plan

    def latest_order(self) -> Order | None:
        """Return the order read last, if no heading or fault came after it."""
        latest = self.top.parts[-1] if self.top.parts else None
        return latest if isinstance(latest, Order) else None

    def speaks_of(self, condition: Condition, scope: str) -> bool:
        """Tell whether a condition uses a term of this scope: known only in a plan, or only outside plans."""
        return any(
            self.rows.by_term[term.what].scope == scope
            for term in terms(condition)
            if term.what in self.rows.by_term
        )

    def close(self, *, ended: bool = False) -> None:
        """Close what was opened last; `ended`: whether an `end` of its own closes it."""
        closed = self.open.pop()
        parts = tuple(closed.parts)
        line = closed.tokens[0].line if closed.tokens else 0
        if not ended:
            self._warn(closed)
        if closed.what == "case":
            if not closed.dead:
                closed.cases.append(_case_of(closed))
            self._add_choice(closed.cases)
        elif closed.what == "plan":
            if parts and not closed.dead:
                self.top.parts.append(Plan(names=closed.names, parts=parts, line=line))  # type: ignore[arg-type]
        else:
            self.found.setdefault(closed.section, []).extend(parts)

    def _warn(self, closed: Open) -> None:
        """Remark on a line that its writer may have meant to stand outside what has no `end`."""
        if closed.doubtful:
            what = closed.section if closed.what == "section" else f"the {closed.what}"
            message = f"this line is part of {what} above; write 'end' before it if it should not be"
            self.faults.note(closed.doubtful, message, remark=True)

    def close_to(self, what: str, section: str = "") -> None:
        """Close what is open until a part of this kind is on top."""
        while self.top.what != what or (section and self.top.section != section):
            self.close()

    def close_to_first(self) -> None:
        """Close everything that is open but the first section."""
        while len(self.open) > 1:
            self.close()

    def all_found(self) -> dict[str, list[Part]]:
        """Close everything, and return the parts in each section."""
        self.close_to_first()
        return {self.first.section: self.first.parts, **self.found}

    def close_if_open(self, what: str, section: str = "") -> None:
        """Close what is open until a part of this kind is on top, if one is open at all."""
        if any(opened.what == what and opened.section == section for opened in self.open):
            self.close_to(what, section)

    def close_plan(self) -> None:
        """Close the open plan; a case begun below it that turns out to stand outside the plan stays open."""
        begun = self.top if self.in_plan and self.top.what == "case" else None
        if begun and (begun.parts or begun is self._case_of_plan()):
            begun = None
        if begun:
            self.open.pop()
            self._add_choice(begun.cases)
            begun.cases = []
        while self.in_plan:
            self.close()
        if begun:
            if begun.when is not None and self.speaks_of(begun.when, "plan"):
                assert self.rows.plan is not None
                said = self.rows.plan.only_here.format(said="this").partition(";")[0]
                message = f"{said}, and what follows is not part of a plan"
                self.faults.note(begun.tokens, message, self.rows.plan.rule)
                begun.dead = True
            elif begun.when is None:
                self.faults.note(
                    begun.tokens[:1], "'otherwise' must come after an 'if', but the plan ends here"
                )
                begun.dead = True
            begun.cases = self.earlier_cases()
            self.open.append(begun)

    def earlier_cases(self) -> list[Case]:
        """Close the open case, and return the cases of its choice; none if no case is open."""
        if self.top.what != "case":
            return []
        before = self.open.pop()
        self._warn(before)
        if not before.dead:
            before.cases.append(_case_of(before))
        return before.cases

    def _add_choice(self, cases: list[Case]) -> None:
        """Keep a choice, unless all its cases are empty, as in an order form left blank."""
        if any(case.parts for case in cases):
            self.top.parts.append(Choice(cases=tuple(cases)))

    def _case_of_plan(self) -> Open | None:
        """Return the case that holds the plan which is open; None if it stands in no case."""
        kinds = [opened.what for opened in self.open]
        place = kinds.index("plan") - 1
        return self.open[place] if kinds[place] == "case" else None

    def make_room(self, verb: Verb) -> None:
        """Close the plan or section that a line with this verb cannot be part of."""
        where = self.rows.where(verb)
        if self.in_plan and "plan" not in where:
            self.close_plan()
        if self.section not in where:
            self.close_to_first()

    def look_at_layout(self, head: tuple[Token, ...]) -> None:
        """Note whether the lines below a heading are indented, and the first line that stands out again."""
        top = self.top
        stands_out = bool(top.tokens) and head[0].column <= top.tokens[0].column
        if not top.parts and not top.indented and head[0].line > (top.tokens[0].line if top.tokens else 0):
            top.indented = not stands_out
        elif not top.doubtful and (top.plan_ended or (top.indented and stands_out)):
            top.doubtful = head

    def keep(self, order: Order, said: tuple[Token, ...]) -> None:
        """Add an order to what is open; a bare `ask` or `done` is taken to be about the list before it."""
        if order.verb in (ASK, DONE) and len(order.picks) > 1:
            for pick in order.picks:
                self.keep(replace(order, picks=(pick,)), said)
            return
        if order.verb in (ASK, DONE) and not order.picks and not self.like_plan:
            order = replace(order, picks=(Pick(self.top.last_list or EVERYTHING),))
        if order.verb == ASK and (why := self._why_no_pause(order)):
            self.faults.note(said, why, "protocol 13")
            self.top.refused = Case(when=order.when, line=order.line)
            return
        self.top.refused = None
        self.top.parts.append(order)

    def _why_no_pause(self, order: Order) -> str:
        """Return why the pause of an `ask` would show what others may not know; empty if it would not."""
        topic = self.rows.topic(order)
        if topic.refused:
            return topic.refused
        cases = (when for opened in self.open for when in (*(c.when for c in opened.cases), opened.when))
        is_secret = any(
            self.rows.is_secret(when, lambda term: Written(term, self.side, self.like_plan, topic.name))
            for when in (*cases, order.when)
        )
        return NO_PAUSE if is_secret else ""


def _case_of(opened: Open) -> Case:
    """Return a case made of the lines that were read for it."""
    parts = tuple(part for part in opened.parts if isinstance(part, Order | Plan))
    return Case(when=opened.when, parts=parts, line=opened.tokens[0].line)
