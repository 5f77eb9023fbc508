"""The parser, which makes orders from statements: what each line says, and what it opens or ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from pbem.orders.base import Fault
from pbem.orders.cursor import Cursor, Faults, Names, Wrong
from pbem.orders.kit.nesting import Nesting, Open
from pbem.orders.kit.parsed_orders import (
    ASK,
    DONE,
    EVERYTHING,
    Case,
    Condition,
    Order,
    Orders,
    Pick,
)
from pbem.orders.kit.reader import OrderReader, find_verb, is_unfilled
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.vocabulary import Verb
from pbem.orders.lines import BLANK, Statement, Text, Token, read_text, surplus_in_words, unknown_signs

ANY = ("any", "all", "every", "rest")
MAX_HEADINGS = 8
"""Maximum number of section and plan headings on one line, each after the colon of the one before."""


class Parser:
    """The parser of one text, which builds the tree of its orders."""

    def __init__(self, text: Text, rows: Rows, side: str) -> None:
        self.rows = rows
        self.side = side
        self.faults = Faults(text)
        self.nest = Nesting(rows, side, self.faults)
        self._headings = 0  # number of headings on the line that is read

    def read(self, statements: list[Statement]) -> Nesting:
        """Read every statement, and return the nesting with what is still open.

        A faulty statement leaves only a fault.
        """
        for statement in self._join_conditions(statements):
            cursor = Cursor(statement.tokens, self.faults)
            self._headings = 0
            try:
                if not cursor.done:
                    self._statement(cursor)
            except Wrong:
                continue
        return self.nest

    def parse(self, statements: list[Statement]) -> Orders:
        """Return the orders in these statements."""
        self.read(statements)
        found = self.nest.all_found()
        return Orders(
            side=self.side,
            sections=tuple(
                (section.name, tuple(found[section.name]))
                for section in self.rows.sections
                if section.name in found and (found[section.name] or section.standing)
            ),
            source=tuple(self.faults.text.lines),
        )

    def _join_conditions(self, statements: list[Statement]) -> Iterator[Statement]:
        """Yield the statements, with each condition that a mail program broke over two lines joined again."""
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
            if statement.words[0] in ("if", "when") and not self._has_condition(statement):
                held = statement
            else:
                yield statement
        if held is not None:
            yield held

    def _has_condition(self, statement: Statement) -> bool:
        """Tell whether a statement holds its whole condition, so that the next line is not needed for it."""
        return ":" in statement.words or self._reads_condition(statement)

    def _reads_condition(self, statement: Statement) -> bool:
        """Tell whether the condition of an `if ...` can be read."""
        cursor = Cursor(statement.tokens[1:], Faults(self.faults.text))
        if not statement.tokens[1:] or cursor.word == BLANK:
            return True  # of a form and not filled in, or none at all, which is told when it is read
        try:
            OrderReader(cursor, self.rows, self.side, in_plan=True).condition()
        except Wrong:
            return False
        return True

    def _statement(self, cursor: Cursor) -> None:
        word = cursor.word
        if word == "end":
            self._end(cursor)
        elif cursor.sees("or", "ask") and (before := self.nest.latest_order()):
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

    def _follows(self, cursor: Cursor) -> None:
        """Read what stands on the line of a heading, after its colon."""
        cursor.skip(":")
        self._headings += 1
        if self._headings > MAX_HEADINGS:
            cursor.wrong(
                cursor.ahead(1), f"a line has {MAX_HEADINGS} headings at most; write the rest on new lines"
            )
        if not cursor.done:
            self._statement(Cursor(cursor.rest, self.faults))

    def _end(self, cursor: Cursor) -> None:
        """Read an `end`, perhaps with the name of what it ends."""
        token = cursor.take()
        plan = self.rows.plan
        if cursor.word in ("if", "case"):
            self.nest.close_if_open("case")
        elif plan and cursor.word in (plan.word, *plan.other_words):
            self.nest.close_if_open("plan")
        elif cursor.word in self.rows.headings:
            self.nest.close_if_open("section", cursor.word)
        if len(self.nest.open) == 1 and cursor.word != "orders":
            cursor.remark([token], "this 'end' closes nothing: no 'if', plan or section is open above it")
        if len(self.nest.open) > 1:
            inner = self.nest.top.what
            self.nest.close(ended=True)
            if inner == "plan" and self.nest.top.what == "case":
                self.nest.top.plan_ended = True

    def _is_heading(self, cursor: Cursor) -> bool:
        named = any(cursor.word == section.name for section in self.rows.sections[1:])
        return named and cursor.words[1:2] in ((), (":",))

    def _section(self, cursor: Cursor) -> None:
        name = cursor.take().word
        self.nest.close_to_first()
        self.nest.open.append(Open("section", cursor.tokens, section=name))
        if self.rows.by_section[name].standing:
            self.nest.found.setdefault(name, [])
        self._follows(cursor)

    def _is_plan(self, cursor: Cursor) -> bool:
        """Tell whether the heading of a plan stands here: `plan Ford`, or `battle Ford:` with its colon."""
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
        self.nest.close_plan()
        if self.nest.section not in (plan.sections or (self.nest.first.section,)):
            self.nest.close_to_first()
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
        self.nest.open.append(Open("plan", cursor.tokens, names=tuple(dict.fromkeys(names))))
        self._follows(cursor)

    def _reader(self, cursor: Cursor) -> OrderReader:
        return OrderReader(cursor, self.rows, self.side, self.nest.like_plan)

    def _if(self, cursor: Cursor) -> None:
        """Read the condition of an `if`, and the order or the case that it begins.

        The condition is for the order on its line, or for all lines up to the next case.
        """
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
        """Tell whether a faulty `if ...` is the head of a case, with nothing after its colon."""
        words = [token.word for token in cursor.tokens]
        if ":" in words:
            return words[-1] == ":"
        return not any(word in self.rows.verb_words for word in words[1:])

    def _unfilled_condition(self, cursor: Cursor) -> None:
        """Read a form's `if ____: ...`; note a fault if the order after the colon is filled in."""
        blank = cursor.tokens[cursor.place - 1 : cursor.place]
        cursor.skip(":")
        verb = None if cursor.done else find_verb(cursor, self.rows)
        if verb is None or not is_unfilled(cursor, verb, self.rows):
            cursor.wrong(blank, "the condition after 'if' is not filled in")

    def _otherwise(self, cursor: Cursor) -> None:
        cursor.take()
        cursor.skip(":")
        before = self.nest.latest_order()
        case = self.nest.top.refused
        if case is None and before is not None and before.when is not None:
            case = Case(when=before.when, parts=(replace(before, when=None),), line=before.line)
        if case is not None and case.when is not None and self.nest.top.what != "case":
            if self.nest.in_plan and self.nest.speaks_of(case.when, "outside"):
                cursor.wrong(cursor.tokens[:1], "write the case above in lines of its own, outside the plan")
            if case.parts:
                self.nest.top.parts.pop()
            self.nest.top.refused = None
            opened = Open("case", cursor.tokens, cases=[case])
            self.nest.open.append(opened)
            if not cursor.done:
                self._order(Cursor(cursor.rest, self.faults), None)
                if self.nest.top is opened:
                    self.nest.close(ended=True)
            return
        if all(found.what != "case" for found in self.nest.open):
            self.nest.open.append(Open("case", cursor.tokens, dead=True))
            cursor.wrong(cursor.tokens[:1], "'otherwise' must come after an 'if'")
        self.nest.close_to("case")
        self._case(cursor, None)
        if not cursor.done:
            self._order(Cursor(cursor.rest, self.faults), None)

    def _case(self, cursor: Cursor, when: Condition | None) -> None:
        """Open a case: one more of the choice that is open, or the first of a new choice."""
        while self.nest.in_plan and when is not None and self.nest.speaks_of(when, "outside"):
            self.nest.close()
        dead = when is None and self.nest.top.what == "case" and self.nest.top.dead  # after a faulty `if`
        self.nest.open.append(
            Open("case", cursor.tokens, cases=self.nest.earlier_cases(), when=when, dead=dead)
        )

    def _leave_out(self, what: Literal["case", "plan"], cursor: Cursor) -> None:
        """Mark a case or plan with a faulty heading, so that its lines do not count."""
        if what == "plan":
            self.nest.open.append(Open("plan", cursor.tokens))
        self.nest.top.dead = True
        said = self.rows.plan.word if what == "plan" and self.rows.plan else what
        message = f"the first line of this {said} is wrong, so its other lines are left out"
        self.faults.note(cursor.tokens[:1], message, remark=True)

    def _order(self, cursor: Cursor, when: Condition | None) -> None:
        """Read one order, and put it where it belongs."""
        head = cursor.rest[:1]
        verb = find_verb(cursor, self.rows)
        if verb is None:
            raise self._unknown_verb(cursor, head)
        if is_unfilled(cursor, verb, self.rows):
            return
        self.nest.make_room(verb)
        if when is None:  # else the line begins before its verb
            self.nest.look_at_layout(head)
        try:
            order = self._reader(cursor).read(verb, when)
        finally:
            if self.rows.in_list(verb):
                self.nest.top.last_list = verb.topic
        self.nest.keep(order, head)
        if not cursor.done:
            self._after(cursor, order, verb)

    def _unknown_verb(self, cursor: Cursor, head: tuple[Token, ...]) -> Wrong:
        known = sorted({*self.rows.by_verb, *self.rows.openers} - {"when", "else"})
        self._name_without_verb(cursor, head)
        if said := self.rows.help.instead.get(head[0].word):
            cursor.wrong(head, f"no order begins with {cursor.quoted(head)}: {said}")
        if head[0].word in self.rows.by_section or (self.rows.plan and head[0].word == self.rows.plan.word):
            cursor.wrong(head, f"a colon is missing: write '{head[0].word}:', and its lines below it")
        near = () if self.faults.full else Names(known).near(head[0].word)
        legal = () if near else [verb.name for verb in self.rows.verbs]
        cursor.wrong(head, f"no order begins with {cursor.quoted(head)}", meant=near, legal=legal)

    def _name_without_verb(self, cursor: Cursor, head: tuple[Token, ...]) -> None:
        """Note a fault where a line begins with a name and lacks a verb: `Jack: Wood to Mill`."""
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
            goes = any(word == "to" or self._is_place(word, way) for word in cursor.words[match.words :])
            likely = (way or fits or [verb])[0] if goes else verb
            said = cursor.ahead(match.words)
            cursor.wrong(
                said or head,
                f"{cursor.quoted(said)} is {noun.what.removesuffix(' of yours')}; begin the line with "
                f"what you do: '{likely.form}'",
                likely.rule,
            )

    def _is_place(self, word: str, ways: list[Verb]) -> bool:
        """Tell whether a word names a place to which one of these verbs may lead."""
        nouns = {clause.noun for verb in ways for clause in verb.clauses if clause.way}
        return any(self.rows.by_noun[noun].of(self.side).read((word,)).name for noun in nouns)

    def _after(self, cursor: Cursor, order: Order, verb: Verb) -> None:
        """Read what is left after an order: `or ask`, or something that cannot be read."""
        cursor.skip(",")
        if cursor.done:
            return
        if cursor.sees("or", "ask"):
            self._or_ask(order, cursor.rest)
            return
        said = cursor.quoted(cursor.rest[:1])
        message = f"{said} cannot stand here; write '{verb.form}'"
        self.faults.note(cursor.rest[:1], message, verb.rule)

    def _or_ask(self, order: Order, said: tuple[Token, ...]) -> None:
        """Read the `or ask` after an order, which wants its writer to be asked about the same topic."""
        topic = self.rows.by_verb[order.verb].topic or EVERYTHING
        picks: tuple[Pick, ...] = (Pick(topic),)
        if order.verb in (ASK, DONE):
            picks = order.picks
        elif self.nest.in_plan and self.rows.plan and topic == self.rows.plan.topic:
            picks = ()
        self.nest.keep(Order(verb=ASK, picks=picks, when=order.when, line=order.line), said)


def parse(text: str, rows: Rows, side: str) -> tuple[Orders, tuple[Fault, ...]]:
    """Return the orders in a text, with the faults and remarks about how they are written."""
    read = read_text(text, rows.headings)
    parser = Parser(read, rows, side)
    orders = parser.parse(read.statements)
    for unread, where in ((read.outside, "outside the order form"), (read.noted, "in a note")):
        for statement in unread:
            if statement.words[0] in rows.verb_words and _is_order(statement, read, rows, side):
                message = f"this stands {where}, so it is not read as an order"
                parser.faults.note(statement.tokens, message, remark=True)
    for tokens, message in surplus_in_words(read):
        parser.faults.found.append(read.fault(tokens, message))  # told however many faults there are
    for token, message in unknown_signs(read):
        parser.faults.note((token,), message, remark=True)
    faults = sorted(parser.faults.found, key=lambda fault: (fault.line, fault.column))
    return orders, tuple(faults)


def open_after(text: str, rows: Rows, side: str) -> Nesting:
    """Return the nesting at the end of a text: the parts to which a line below it would belong."""
    read = read_text(text, rows.headings)
    return Parser(read, rows, side).read(read.statements)


def _is_order(statement: Statement, text: Text, rows: Rows, side: str) -> bool:
    """Tell whether a statement would be an order without a fault."""
    trial = Parser(text, rows, side)
    return bool(trial.parse([statement])) and not trial.faults.found
