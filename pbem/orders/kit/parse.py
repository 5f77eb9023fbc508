"""From statements to orders: sections, cases and plans.

    plan Ford:            lines for some names only; ends at the first line that cannot be part of a plan
    if first:             a case; ends at the next case, or at `end`
    winter:  doctrine:    sections; end at `end`, or at the first line that cannot be part of them

Indentation means nothing. `end` closes whatever was opened last and is still open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from pbem.orders.cursor import Cursor, Faults, Wrong
from pbem.orders.faults import Fault
from pbem.orders.kit.reader import OrderReader, find_verb, is_unfilled
from pbem.orders.kit.rows import Rows, Verb, Written
from pbem.orders.kit.tree import (
    ASK,
    DONE,
    EVERYTHING,
    Case,
    Choice,
    Condition,
    Order,
    Orders,
    Part,
    Pick,
    Plan,
)
from pbem.orders.kit.walk import terms
from pbem.orders.lines import BLANK, Statement, Text, Token, read_text
from pbem.orders.names import Names

ANY = ("any", "all", "every", "rest")


@dataclass(slots=True)
class _Open:
    """Something that has been opened: a section, a case or a plan, and what stands in it so far."""

    what: Literal["section", "case", "plan"]
    tokens: tuple[Token, ...] = ()
    parts: list[Part] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)  # of a "case": the earlier ones of its choice
    when: Condition | None = None
    names: tuple[str, ...] = ()  # of a plan: for which it is
    last_list: str = ""  # topic of the latest list line, for a bare `ask`
    refused: Case | None = None  # the latest line, if it was an `ask` under a condition that it may not have
    section: str = ""
    dead: bool = False  # its heading is faulty, so whatever stands in it is left out
    plan_ended: bool = False  # an `end` closed a plan in this case
    doubtful: tuple[Token, ...] = ()  # the line after that, which its writer may have meant to stand outside
    indented: bool = False  # its first line stands farther right than its heading


class Parser:
    """Builds the tree of one text."""

    def __init__(self, text: Text, rows: Rows, side: str) -> None:
        self.rows = rows
        self.side = side
        self.faults = Faults(text)
        self.first = _Open("section", section=rows.sections[0].name)
        self.found: dict[str, list[Part]] = {}
        self.open: list[_Open] = [self.first]

    def parse(self, statements: list[Statement]) -> Orders:
        """Read every statement; a faulty one leaves a fault and nothing else."""
        for statement in self._unwrapped(statements):
            cursor = Cursor(statement.tokens, self.faults)
            try:
                if not cursor.done:
                    self._statement(cursor)
            except Wrong:
                continue
        while len(self.open) > 1:
            self._close()
        found = {self.first.section: self.first.parts, **self.found}
        return Orders(
            side=self.side,
            sections=tuple(
                (section.name, tuple(found[section.name]))
                for section in self.rows.sections
                if section.name in found and (found[section.name] or section.standing)
            ),
            source=tuple(self.faults.text.lines),
        )

    def _unwrapped(self, statements: list[Statement]) -> Iterator[Statement]:
        """The statements, a condition that a mail program has broken over two lines joined again."""
        held: Statement | None = None
        for statement in statements:
            if held is not None:
                both = Statement((*held.tokens, *statement.tokens))
                if self._reads_condition(both):
                    yield both
                    held = None
                    continue
                yield held
                held = None
            if statement.words[0] in ("if", "when") and not self._reads_condition(statement):
                held = statement
            else:
                yield statement
        if held is not None:
            yield held

    def _reads_condition(self, statement: Statement) -> bool:
        """Can the condition of an `if ...` be read?"""
        cursor = Cursor(statement.tokens[1:], Faults(self.faults.text))
        if not statement.tokens[1:] or cursor.word == BLANK:
            return True  # of a form and not filled in, or none at all, which is told when it is read
        try:
            OrderReader(cursor, self.rows, self.side, self.section, in_plan=True).condition()
        except Wrong:
            return False
        return True

    # -- what is open

    @property
    def top(self) -> _Open:
        """What was opened last."""
        return self.open[-1]

    @property
    def section(self) -> str:
        """The section we are in."""
        return next(opened.section for opened in reversed(self.open) if opened.section)

    @property
    def in_plan(self) -> bool:
        """Are we in a plan, or among the lines of a case in it?"""
        return any(opened.what == "plan" for opened in self.open)

    @property
    def like_plan(self) -> bool:
        """May a condition here speak of what a plan speaks of?"""
        return self.in_plan or self.rows.by_section[self.section].is_plan

    def _close(self, *, ended: bool = False) -> None:
        """Close what was opened last; `ended`: by an `end` of its own."""
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

    def _warn(self, closed: _Open) -> None:
        """Tell of a line that its writer may have meant to stand outside what has no `end`."""
        if closed.doubtful:
            what = closed.section if closed.what == "section" else f"the {closed.what}"
            message = f"this line is part of {what} above; write 'end' before it if it should not be"
            self.faults.note(closed.doubtful, message, remark=True)

    def _close_to(self, what: str, section: str = "") -> None:
        """Close until this is on top."""
        while self.top.what != what or (section and self.top.section != section):
            self._close()

    def _close_to_first(self) -> None:
        while len(self.open) > 1:
            self._close()

    def _close_plan(self) -> None:
        """Close the plan; a case just begun in it turns out to be none of its cases, and stays open."""
        begun = self.top if self.in_plan and self.top.what == "case" else None
        if begun and (begun.parts or begun is self._case_of_plan()):
            begun = None
        if begun:
            self.open.pop()
            self._add_choice(begun.cases)
            begun.cases = []
        while self.in_plan:
            self._close()
        if begun:
            if begun.when is not None and self._speaks_of(begun.when, "plan"):
                assert self.rows.plan is not None
                said = self.rows.plan.only_here.format(said="this").partition(";")[0]
                message = f"{said}, and what follows is no part of a plan"
                self.faults.note(begun.tokens, message, self.rows.plan.rule)
                begun.dead = True
            elif begun.when is None:
                self.faults.note(begun.tokens[:1], "'otherwise' comes after an 'if', and the plan ends here")
                begun.dead = True
            begun.cases = self._earlier_cases()
            self.open.append(begun)

    def _earlier_cases(self) -> list[Case]:
        """The cases of the choice that is open, its last case closed now; none if no case is open."""
        if self.top.what != "case":
            return []
        before = self.open.pop()
        self._warn(before)
        if not before.dead:
            before.cases.append(_case_of(before))
        return before.cases

    def _add_choice(self, cases: list[Case]) -> None:
        """Keep a choice, unless it is one of an order form that was left blank."""
        if any(case.parts for case in cases):
            self.top.parts.append(Choice(cases=tuple(cases)))

    def _case_of_plan(self) -> _Open | None:
        """The case that holds the plan which is open, not one inside it."""
        kinds = [opened.what for opened in self.open]
        place = kinds.index("plan") - 1
        return self.open[place] if kinds[place] == "case" else None

    def _speaks_of(self, condition: Condition, scope: str) -> bool:
        """Does it use something that only a plan (or only what is outside plans) knows?"""
        return any(
            self.rows.by_term[term.what].scope == scope
            for term in terms(condition)
            if term.what in self.rows.by_term
        )

    # -- one statement

    def _statement(self, cursor: Cursor) -> None:
        word = cursor.word
        if word == "end":
            self._end(cursor)
        elif cursor.sees("or", "ask") and (before := self._latest_order()):
            self._or_ask(before, cursor.tokens)
        elif word in ("if", "when"):
            self._if(cursor)
        elif word in ("otherwise", "else"):
            self._otherwise(cursor)
        elif self._is_plan(cursor):
            self._plan(cursor)
        elif self._is_heading(cursor):
            self._section(cursor)
        else:
            self._order(cursor, None)

    def _latest_order(self) -> Order | None:
        latest = self.top.parts[-1] if self.top.parts else None
        return latest if isinstance(latest, Order) else None

    def _follows(self, cursor: Cursor) -> None:
        """What stands on the line of a heading, after its colon."""
        cursor.skip(":")
        if not cursor.done:
            self._statement(Cursor(cursor.rest, self.faults))

    def _end(self, cursor: Cursor) -> None:
        """`end`, perhaps with the name of what it ends."""
        token = cursor.take()
        plan = self.rows.plan
        if cursor.word in ("if", "case"):
            self._close_if_open("case")
        elif plan and cursor.word in (plan.word, *plan.other_words):
            self._close_if_open("plan")
        elif cursor.word in self.rows.headings:
            self._close_if_open("section", cursor.word)
        if len(self.open) == 1 and cursor.word != "orders":
            cursor.remark([token], "nothing is open that this could end")
        if len(self.open) > 1:
            inner = self.top.what
            self._close(ended=True)
            if inner == "plan" and self.top.what == "case":
                self.top.plan_ended = True

    def _close_if_open(self, what: str, section: str = "") -> None:
        if any(opened.what == what and opened.section == section for opened in self.open):
            self._close_to(what, section)

    def _is_heading(self, cursor: Cursor) -> bool:
        named = any(cursor.word == section.name for section in self.rows.sections[1:])
        return named and cursor.words[1:2] in ((), (":",))

    def _section(self, cursor: Cursor) -> None:
        name = cursor.take().word
        self._close_to_first()
        self.open.append(_Open("section", cursor.tokens, section=name))
        if self.rows.by_section[name].standing:
            self.found.setdefault(name, [])
        self._follows(cursor)

    def _is_plan(self, cursor: Cursor) -> bool:
        """`plan Ford`, or `battle Ford:` with its colon."""
        if (plan := self.rows.plan) is None:
            return False
        if cursor.word == plan.word:
            return True
        colon = next((index for index, token in enumerate(cursor.tokens) if token.word == ":"), 0)
        return cursor.word in plan.other_words and colon > 1

    def _plan(self, cursor: Cursor) -> None:
        assert self.rows.plan is not None
        plan, noun = self.rows.plan, self.rows.by_noun[self.rows.plan.noun]
        head = cursor.take()
        self._close_plan()
        if self.section not in (plan.sections or (self.first.section,)):
            self._close_to_first()
        names: list[str] = []
        named = False
        stops = self.rows.verb_words | self.rows.openers
        while not cursor.done and cursor.word != ":" and cursor.word not in stops:
            if cursor.skip(",", "and", "or"):
                continue
            if cursor.skip(*ANY):
                named = True
                continue
            try:
                names.append(cursor.name(noun.of(self.side), noun.what, noun.rule))
            except Wrong:
                self._leave_out("plan", cursor)
                raise
        if not names and not named:
            self._leave_out("plan", cursor)
            cursor.wrong([head], plan.missing, plan.rule)
        self.open.append(_Open("plan", cursor.tokens, names=tuple(dict.fromkeys(names))))
        self._follows(cursor)

    def _reader(self, cursor: Cursor) -> OrderReader:
        return OrderReader(cursor, self.rows, self.side, self.section, self.like_plan)

    def _if(self, cursor: Cursor) -> None:
        """A condition: for the order on its line, or for all lines up to the next case."""
        cursor.take()
        if cursor.skip(BLANK):
            self._unfilled_condition(cursor)
            return
        try:
            when = self._reader(cursor).condition()
        except Wrong:
            if self._heads_lines(cursor):
                self._case(cursor, None)
                self._leave_out("case", cursor)
            raise
        if self._is_plan(Cursor(cursor.rest, self.faults)):
            self._case(cursor, when)
            self._plan(Cursor(cursor.rest, self.faults))
        elif not cursor.done:
            self._order(Cursor(cursor.rest, self.faults), when)
        else:
            self._case(cursor, when)

    def _heads_lines(self, cursor: Cursor) -> bool:
        """Is this faulty `if ...` the head of a case? Then nothing stands after its colon."""
        words = [token.word for token in cursor.tokens]
        if ":" in words:
            return words[-1] == ":"
        return not any(word in self.rows.verb_words for word in words[1:])

    def _unfilled_condition(self, cursor: Cursor) -> None:
        """A form's `if ____: ...`; if something is written after the colon, the condition is missing."""
        blank = cursor.tokens[cursor.place - 1 : cursor.place]
        cursor.skip(":")
        verb = None if cursor.done else find_verb(cursor, self.rows)
        if verb is None or not is_unfilled(cursor, verb, self.rows):
            cursor.wrong(blank, "the condition after 'if' is not filled in")

    def _otherwise(self, cursor: Cursor) -> None:
        cursor.take()
        cursor.skip(":")
        before = self._latest_order()
        case = self.top.refused
        if case is None and before is not None and before.when is not None:
            case = Case(when=before.when, parts=(replace(before, when=None),), line=before.line)
        if case is not None and case.when is not None and self.top.what != "case":
            if self.in_plan and self._speaks_of(case.when, "outside"):
                cursor.wrong(cursor.tokens[:1], "write the case above in lines of its own, outside the plan")
            if case.parts:
                self.top.parts.pop()
            self.top.refused = None
            opened = _Open("case", cursor.tokens, cases=[case])
            self.open.append(opened)
            if not cursor.done:
                self._order(Cursor(cursor.rest, self.faults), None)
                if self.top is opened:
                    self._close(ended=True)
            return
        if all(found.what != "case" for found in self.open):
            self.open.append(_Open("case", cursor.tokens, dead=True))
            cursor.wrong(cursor.tokens[:1], "'otherwise' comes after an 'if'")
        self._close_to("case")
        self._case(cursor, None)
        if not cursor.done:
            self._order(Cursor(cursor.rest, self.faults), None)

    def _case(self, cursor: Cursor, when: Condition | None) -> None:
        """Open a case: one more of the choice that is open, or the first of a new one."""
        while self.in_plan and when is not None and self._speaks_of(when, "outside"):
            self._close()
        dead = when is None and self.top.what == "case" and self.top.dead  # otherwise than what?
        self.open.append(_Open("case", cursor.tokens, cases=self._earlier_cases(), when=when, dead=dead))

    def _leave_out(self, what: Literal["case", "plan"], cursor: Cursor) -> None:
        """Open a case or plan of which the heading is faulty: its lines must not count without it."""
        if what == "plan":
            self.open.append(_Open("plan", cursor.tokens))
        self.top.dead = True
        said = self.rows.plan.word if what == "plan" and self.rows.plan else what
        message = f"the lines of this {said} are left out as long as its first line is wrong"
        self.faults.note(cursor.tokens[:1], message, remark=True)

    def _order(self, cursor: Cursor, when: Condition | None) -> None:
        """One order, put where it belongs."""
        head = cursor.rest[:1]
        verb = find_verb(cursor, self.rows)
        if verb is None:
            raise self._unknown(cursor, head)
        if is_unfilled(cursor, verb, self.rows):
            return
        self._make_room(verb)
        if when is None:  # else the line begins before its verb
            self._look_at_layout(head)
        try:
            order = self._reader(cursor).read(verb, when)
        finally:
            if verb.in_list:
                self.top.last_list = verb.topic
        self._keep(order, head)
        if not cursor.done:
            self._after(cursor, order, verb)

    def _unknown(self, cursor: Cursor, head: tuple[Token, ...]) -> Wrong:
        known = sorted({*self.rows.by_verb, *self.rows.openers} - {"when", "else"})
        self._name_without_verb(cursor, head)
        near = () if self.faults.full else Names(known).near(head[0].word)
        legal = () if near else [verb.name for verb in self.rows.verbs]
        cursor.wrong(head, f"no order begins with {cursor.quoted(head)}", meant=near, legal=legal)

    def _name_without_verb(self, cursor: Cursor, head: tuple[Token, ...]) -> None:
        """`Jack: Wood to Mill`: what is missing is the verb."""
        for verb in self.rows.verbs:
            noun = self.rows.by_noun.get(verb.takes)
            if noun is None or not (match := noun.of(self.side).read(cursor.words)).name:
                continue
            fits = [
                other
                for other in self.rows.verbs
                if other.takes == verb.takes and any(clause.word == "to" for clause in other.clauses)
            ]
            way = [other for other in fits if any(clause.way for clause in other.clauses)]
            likely = (way or fits or [verb])[0] if any(t.word == "to" for t in cursor.rest) else verb
            said = cursor.ahead(match.words)
            cursor.wrong(
                said or head,
                f"{cursor.quoted(said)} is {noun.what.removesuffix(' of yours')}, and a line begins with "
                f"what is done: '{likely.form}'",
                likely.rule,
            )

    def _after(self, cursor: Cursor, order: Order, verb: Verb) -> None:
        """What is left after an order: `or ask`, or something that cannot be read."""
        cursor.skip(",")
        if cursor.done:
            return
        if cursor.sees("or", "ask"):
            self._or_ask(order, cursor.rest)
            return
        said = cursor.quoted(cursor.rest[:1])
        message = f"{said} cannot stand here; a line with '{verb.name}' reads '{verb.form}'"
        self.faults.note(cursor.rest[:1], message, verb.rule)

    def _or_ask(self, order: Order, said: tuple[Token, ...]) -> None:
        """`or ask` after an order: to be asked about the same."""
        topic = self.rows.by_verb[order.verb].topic or EVERYTHING
        picks: tuple[Pick, ...] = (Pick(topic),)
        if order.verb in (ASK, DONE):
            picks = order.picks
        elif self.in_plan and self.rows.plan and topic == self.rows.plan.topic:
            picks = ()
        self._keep(Order(verb=ASK, picks=picks, when=order.when, line=order.line), said)

    def _make_room(self, verb: Verb) -> None:
        """Close what this verb cannot be part of."""
        where = self.rows.where(verb)
        if self.in_plan and "plan" not in where:
            self._close_plan()
        if self.section not in where:
            self._close_to_first()

    def _look_at_layout(self, head: tuple[Token, ...]) -> None:
        """Note whether a line, by its first word, stands farther right than the heading of its lines."""
        top = self.top
        stands_out = bool(top.tokens) and head[0].column <= top.tokens[0].column
        if not top.parts and not top.indented and head[0].line > (top.tokens[0].line if top.tokens else 0):
            top.indented = not stands_out
        elif not top.doubtful and (top.plan_ended or (top.indented and stands_out)):
            top.doubtful = head

    def _keep(self, order: Order, said: tuple[Token, ...]) -> None:
        """Add an order to what is open; a bare `ask` or `done` is about the list before it."""
        if order.verb in (ASK, DONE) and len(order.picks) > 1:
            for pick in order.picks:
                self._keep(replace(order, picks=(pick,)), said)
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
        """Why the pause of this `ask` would show what others may not know; empty if it does not."""
        topic = self.rows.topic(order)
        if topic.refused:
            return topic.refused
        cases = (when for opened in self.open for when in (*(c.when for c in opened.cases), opened.when))
        for term in (term for when in (*cases, order.when) for term in terms(when)):
            row = self.rows.by_term.get(term.what)
            if row and row.secret and row.secret(Written(term, self.side, self.like_plan, topic.name)):
                return "this pause would show whether the condition holds, and only you can see that"
        return ""


def _case_of(opened: _Open) -> Case:
    """A case with the lines read for it."""
    parts = tuple(part for part in opened.parts if isinstance(part, Order | Plan))
    return Case(when=opened.when, parts=parts, line=opened.tokens[0].line)


def parse(text: str, rows: Rows, side: str) -> tuple[Orders, tuple[Fault, ...]]:
    """The orders in a text, and everything that is wrong or doubtful about how they are written."""
    read = read_text(text)
    parser = Parser(read, rows, side)
    orders = parser.parse(read.statements)
    for statement in read.outside:
        if statement.words[0] in rows.verb_words and _is_order(statement, read, rows, side):
            parser.faults.note(
                statement.tokens,
                "this stands outside the order form, so it is not read as an order",
                remark=True,
            )
    faults = sorted(parser.faults.found, key=lambda fault: (fault.line, fault.column))
    return orders, tuple(faults)


def _is_order(statement: Statement, text: Text, rows: Rows, side: str) -> bool:
    """Would the statement be a faultless order?"""
    trial = Parser(text, rows, side)
    return bool(trial.parse([statement])) and not trial.faults.found
