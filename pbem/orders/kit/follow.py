"""The follower of order files: answers a side's questions from its files while they are in force.

The newest file with a line that applies to a question answers it; then the standing section on file. Nothing
but the orders, the side's own view and the question decides an answer.

A question that plans answer goes, in each file, to the lines outside plans that answer one question only,
then to the plan for what is at stake here, to the plan for any, and to the other lines outside plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pbem.orders.base import Answer, Dropped, OnFile, Reply, Stop, Uncovered, possible_was
from pbem.orders.kit import proposals
from pbem.orders.kit.checker import without_refused
from pbem.orders.kit.conditions import holds, settled
from pbem.orders.kit.orders_in_force import File, load, on_file, save
from pbem.orders.kit.parsed_orders import (
    ASK,
    DONE,
    EVERYTHING,
    Compare,
    Condition,
    Line,
    Order,
    Orders,
    Parts,
    Plan,
    Term,
    every_order,
    judged,
    lines,
    plans,
    possible,
    with_conditions,
)
from pbem.orders.kit.proposals import make_list, next_step
from pbem.orders.kit.rows import NO_PAUSE, Rows
from pbem.orders.kit.text import Writer
from pbem.orders.kit.vocabulary import Occasion, Written
from pbem.rules.base import Ask, View


def serves_here(plan: Plan, sight: Any) -> bool:
    """Tell whether a plan is for what is at stake now, or for anything."""
    return not plan.names or sight.here in plan.names


class KitFollower:
    """The follower of one side's orders through a game; one is kept as long as the game goes on."""

    def __init__(self, rows: Rows, side: str) -> None:
        self.rows = rows
        self.side = side
        self.dropped: list[Dropped] = []
        self._files: list[File] = []  # newest first
        self._standing = File(Orders(side=side), None)
        self._memory = rows.memory()
        self._moment: Any = None
        self._received = 0

    def _sight(self, view: View) -> Any:
        return self.rows.sight(view, self.side, self._memory)

    # -- files

    def receive(self, orders: Orders, view: View | None) -> None:
        """Put a new file in force; without a view it counts as come at the moment of the next question."""
        first = self.rows.sections[0].name
        for older in self._files:
            for made in older.lists.values():
                left = made.left_over(self.rows) if made else ()
                self.dropped += (replace(one, file=older.number) for one in left)
            older.spent |= {(id(order), "") for order in every_order(older.orders.section(first))}
        moment = None if view is None else self._sight(view).moment
        is_standing = bool(self.rows.standing and orders.has(self.rows.standing.name))
        if view is not None:
            orders, refused = without_refused(orders, self.rows, view, self._received)
            self.dropped += refused
        self._files.insert(0, File(orders, moment, self._received))
        if is_standing:
            self._standing = File(orders, None, self._received)
        self._received += 1

    def copy(self) -> KitFollower:
        """Return another follower in the same state; its list of dropped orders is empty."""
        other = KitFollower(self.rows, self.side)
        other._files = [file.copy() for file in self._files]
        other._standing = self._standing.copy()
        other._memory = self._memory and self._memory.copy()
        other._moment = self._moment
        other._received = self._received
        return other

    def save(self) -> Any:
        """Return all of the follower's state, JSON-able."""
        return save(self)

    def load(self, data: Any) -> None:
        """Take over the state of a follower that was saved."""
        load(self, data)

    @property
    def judged(self) -> frozenset[Term | Compare]:
        """The facts and comparisons on which the follower's answers may depend."""
        files = (*self._files, self._standing)
        sections = (parts for file in files for _, parts in file.orders.sections)
        return frozenset(term for parts in sections for term in judged(parts))

    def may_answer(self, kinds: Iterable[str], here: str = "") -> bool:
        """Tell whether a line could answer one of these kinds of question.

        Lines count outside plans, in a plan for `here` and in one for anything; without `here` in every plan.
        """
        verbs = {verb for kind in kinds for verb in self.rows.speaking(kind)} - {ASK, DONE}
        files = (*self._files, self._standing)
        return any(
            order.verb in verbs
            for file in files
            for _, parts in file.orders.sections
            for order, _ in with_conditions(
                parts, serves=lambda plan: not here or not plan.names or here in plan.names
            )
        )

    def on_file(self, view: View) -> tuple[OnFile, ...]:
        """Return the lines that may still answer something, in plain words, the newest file first.

        The standing section comes last.
        """
        return tuple(on_file(self._files, self._standing, self._sight(view), self.rows))

    def _in_force(self, sight: Any, kinds: frozenset[str]) -> list[tuple[File, Parts]]:
        """Return the files that are in force now, newest first, with those of their lines that are."""
        found: list[tuple[File, Parts]] = []
        for file in tuple(self._files):
            if file.moment is None:
                file.moment = sight.moment
            if self.rows.in_force:
                parts = self.rows.in_force.now(file.orders, file.moment, sight, kinds)
            else:
                first = file.orders.section(self.rows.sections[0].name)
                parts = first if file.moment == sight.moment else None
            if parts is None:
                self._files.remove(file)
            elif parts:
                found.append((file, parts))
        return found

    def _standing_parts(self) -> Parts:
        return self._standing.orders.section(self.rows.standing.name) if self.rows.standing else ()

    # -- questions

    def covers(self, kinds: frozenset[str], view: View) -> bool:
        """Tell whether orders given in advance, or standing ones, speak of these kinds of question of a stop.

        They do not if one of them is an `ask` about these: this is the place where everybody may see the
        pause. An `ask` whose condition cannot hold any more does not count.
        """
        sight = self._sight(view)
        asked = kinds & self.rows.asking.covering or kinds
        given = (parts for _, parts in self._in_force(sight, kinds))
        asks: set[str] = set()
        spoken: set[str] = set()
        for parts in (*given, self._standing_parts()):
            asking = {id(order) for order in possible(parts, lambda when: settled(when, sight, self.rows))}
            for order in every_order(parts):
                if order.verb == ASK and id(order) not in asking:
                    continue
                if order.verb == ASK and _is_about_everything(order):
                    asks |= asked - spoken  # whatever the lines leave open
                elif order.verb != DONE:
                    found = asks if order.verb == ASK else spoken
                    found |= asked.intersection(self.rows.kinds(order))
        return bool(spoken) and not asks

    def reply(self, ask: Ask, view: View) -> Reply:
        """Return what the orders say to this question."""
        sight = self._sight(view)
        self._look(ask, sight)
        self._end_lists(ask)
        files = self._in_force(sight, frozenset((ask.kind,)))
        if stop := self._asked_each_turn(files, ask, sight):
            return stop
        reply = (
            self._from_files(files, ask, sight)
            or self._implied_reply(files, ask)
            or self._stop_at_everything(files, ask, sight)
            or self._from_standing(ask, sight)
            or Uncovered()
        )
        if not isinstance(reply, Answer) and ask.public and (lines := self._telling(files, ask, sight)):
            return Uncovered(tuple(lines))
        return reply

    def _telling(self, files: Sequence[tuple[File, Parts]], ask: Ask, sight: Any) -> list[Dropped]:
        """Return the lines about a question that depend on a secret of their writer (protocol 13).

        A pause would show that, whether they answer or not, and whatever an `ask` beside them says.
        """
        topic = next((topic.name for topic in self.rows.topics if ask.kind in topic.kinds), "")
        found = []
        for file, parts in (*files, (self._standing, self._standing_parts())):
            for order, conditions in with_conditions(parts, serves=lambda plan: serves_here(plan, sight)):
                if order.verb in (ASK, DONE) or ask.kind not in self.rows.kinds(order):
                    continue
                if any(
                    self.rows.is_secret(when, lambda term: Written(term, self.side, True, topic))
                    for when in conditions
                ):
                    text = Writer(self.rows).order(order)
                    found.append(Dropped(order.line, text, NO_PAUSE, "protocol 13", file.number))
        return found

    def _look(self, ask: Ask, sight: Any) -> None:
        if self._moment != sight.moment:
            self._moment = sight.moment
            self._standing.lists.clear()
        if self._memory is not None:
            self._memory.look(sight, ask)

    def _end_lists(self, ask: Ask) -> None:
        """Note as dropped the rest of those lists that are no longer asked for."""
        for file in self._files:
            for kind, made in file.lists.items():
                if made is not None and ask.kind not in (kind, *self.rows.by_steps[kind].beside):
                    self.dropped += (replace(one, file=file.number) for one in made.left_over(self.rows))

    def _from_files(
        self, files: Sequence[tuple[File, Parts]], ask: Ask, sight: Any, *, standing: bool = False
    ) -> Reply | None:
        """Return the reply of the newest file that has one for a question; None if no file has one."""
        if standing and (stop := self._asked_each_turn(files, ask, sight)):
            return stop
        hidden: set[tuple[str, ...]] = set()
        for file, parts in files:
            if self.rows.plan and ask.kind in self.rows.plan.kinds:
                reply = self._by_plan(file, parts, ask, sight, hidden, standing=standing)
            elif ask.kind in self.rows.by_steps:
                reply = self._next_step(file, parts, ask, sight)
                reply = reply or (None if standing else self._done(file, parts, ask, sight))
            elif found := self._applying(parts, ask, sight):
                reply = self._choice(file, found, ask, sight) or self._otherwise(parts, ask)
                return replace(reply, file=file.number) if isinstance(reply, Answer) else reply
            else:
                reply = None
            reply = reply or self._otherwise(parts, ask)
            if reply is not None:
                return replace(reply, file=file.number) if isinstance(reply, Answer) else reply
        return None

    def _asked_each_turn(self, files: Sequence[tuple[File, Parts]], ask: Ask, sight: Any) -> Reply | None:
        """Return a Stop for an `ask` of any file, if lines about the question have a fallback.

        What of them can be done depends on a hand, and a pause must not tell it.
        """
        if not any(row.answer in ask.legal for row in self.rows.fallbacks(ask.kind).values()):
            return None
        moment = (ask.kind, sight.moment, sight.pace)
        wishes = [
            (file, line.order)
            for file, parts in files
            for line in self._applying(parts, ask, sight)
            if line.order.verb == ASK
        ]
        first = [file.first_stop(order, moment) for file, order in wishes]
        return Stop(wishes[0][1].line) if wishes and all(first) else None

    def _otherwise(self, parts: Parts, ask: Ask) -> Reply | None:
        """Return the fallback answer of a file that has lines about a question, none of which can be done."""
        rows = self.rows.fallbacks(ask.kind)
        for order in every_order(parts) if rows else ():
            if order.verb in rows and rows[order.verb].answer in ask.legal:
                return Answer(rows[order.verb].answer)
        return None

    def _judge(self, sight: Any) -> Any:
        def judge(condition: Condition | None) -> bool:
            return holds(condition, sight, self.rows)

        return judge

    def _applying(self, parts: Iterable[Any], ask: Ask, sight: Any) -> list[Line]:
        """Return the lines outside plans that apply now and speak to this very question."""
        return [
            line
            for line in lines(parts, self._judge(sight), self.rows.speaking(ask.kind))
            if self._speaks_to(line.order, ask, sight) and holds(line.order.when, sight, self.rows)
        ]

    def _speaks_to(self, order: Order, ask: Ask, sight: Any) -> bool:
        verb = self.rows.by_verb[order.verb]
        if ask.kind not in (*self.rows.kinds(order), *verb.beside_plans.once) or _is_about_everything(order):
            return False
        return self._is_about(order, ask, sight)

    def _is_about(self, order: Order, ask: Ask, sight: Any) -> bool:
        about = self.rows.by_verb[order.verb].about
        return about is None or about(order, ask, sight)

    def _propose(self, order: Order, ask: Ask, sight: Any, others: Sequence[Line]) -> Iterator[str]:
        proposes = self.rows.by_verb[order.verb].proposes or proposals.by_name
        return proposes(Occasion(order, ask, sight, others))

    # -- one choice

    def _choice(self, file: File, found: Sequence[Line], ask: Ask, sight: Any) -> Reply | None:
        """Return the first answer proposed by these lines that is legal, or a Stop for an `ask` before it."""
        for line in found:
            order = line.order
            if order.verb == ASK:
                if file.first_stop(order, (ask.kind, sight.moment, sight.pace)):
                    return Stop(order.line)
                continue
            once = ask.kind in self.rows.by_verb[order.verb].beside_plans.once
            if once and (id(order), "") in file.spent:
                continue
            for text in self._propose(order, ask, sight, found):
                if text in ask.legal:
                    if once:
                        file.spent.add((id(order), ""))
                    return Answer(text, order.line)
            if not self.rows.by_verb[order.verb].fallback:
                self._drop(file, order, ask)
        for line in found:
            fallback = self.rows.by_verb[line.order.verb].fallback
            if fallback and fallback.passed_over:
                for dropped in fallback.passed_over(line.order, sight):
                    self._note(replace(dropped, file=file.number))
        return None

    def _note(self, dropped: Dropped) -> None:
        if dropped not in self.dropped:
            self.dropped.append(dropped)

    def _drop(self, file: File, order: Order, ask: Ask) -> None:
        """Note as dropped a line of which nothing could be done."""
        alike = [answer for answer in ask.legal if answer.startswith(f"{order.verb} ")] or ask.legal
        reason = possible_was(self.rows.asking.spoken(ask, answer) for answer in alike)
        text = Writer(self.rows).order(order)
        if ask.kind in self.rows.by_verb[order.verb].kinds_after:
            said_after = [" ".join((word, ", ".join(names))) for word, names in order.clauses if names]
            text, reason = " ".join(said_after) or text, f"the rest of the line was done; {reason}"
        self._note(Dropped(order.line, text, reason, ask.rule, file.number))

    # -- steps

    def _next_step(self, file: File, parts: Parts, ask: Ask, sight: Any) -> Reply | None:
        """Return the next step of a file's list; the list is made when it is first asked for."""
        kind = ask.kind
        if kind not in file.lists:
            found = [
                line
                for line in lines(parts, self._judge(sight), self.rows.speaking(kind))
                if kind in self.rows.kinds(line.order) and not _is_about_everything(line.order)
            ]
            made = make_list(kind, found, sight, self.rows, self.dropped.append) if found else None
            file.lists[kind] = made
        made = file.lists[kind]
        return None if made is None else next_step(made, ask, sight, self.rows, self.dropped.append)

    # -- plans

    def _by_plan(
        self,
        file: File,
        parts: Parts,
        ask: Ask,
        sight: Any,
        hidden: set[tuple[str, ...]],
        *,
        standing: bool,
    ) -> Reply | None:
        """Return the reply by one-time lines, then plans, then other lines outside plans.

        A newer file's plan hides older ones.
        """
        found = list(plans(parts, self._judge(sight)))
        if standing:
            bare = list(lines(parts, self._judge(sight)))
            reply = self._from_plans(file, found, ask, sight)
            return reply or self._from_lines(file, bare, ask, sight)
        reply = self._one_time(file, parts, ask, sight)
        if reply is None:
            shown = [plan for plan in found if plan.names not in hidden]
            reply = self._from_plans(file, shown, ask, sight)
            hidden |= {plan.names for plan in found}
        if reply is None:
            serving = [
                line for line in self._applying(parts, ask, sight) if self._serves(file, line, ask, sight)
            ]
            reply = self._from_lines(file, serving, ask, sight)
        return reply or self._done(file, parts, ask, sight)

    def _from_plans(self, file: File, found: Sequence[Plan], ask: Ask, sight: Any) -> Reply | None:
        """Return the reply by the plan for what is at stake here, else by the plan for anything."""
        for plan in sorted(found, key=lambda plan: not plan.names):
            if serves_here(plan, sight):
                inner = list(lines(plan.parts, self._judge(sight)))
                reply = self._from_lines(file, inner, ask, sight)
                if reply is not None:
                    return reply
        return None

    def _from_lines(self, file: File, found: Sequence[Line], ask: Ask, sight: Any) -> Reply | None:
        """Return what the lines of one plan say to a question; None if they say nothing."""
        assert self.rows.plan is not None
        relevant = [
            line
            for line in found
            if ask.kind in self.rows.kinds(line.order)
            and self._is_about(line.order, ask, sight)
            and holds(line.order.when, sight, self.rows)
        ]
        if ask.kind in self.rows.plan.each:
            relevant.sort(key=lambda line: 0 if line.conditional else 2 if self._is_for_all(line) else 1)
        for line in relevant:
            if line.order.verb == ASK:
                if file.first_stop(line.order, sight.pace):
                    return Stop(line.order.line)
                continue
            for text in self._propose(line.order, ask, sight, found):
                if text in ask.legal:
                    return Answer(text, line.order.line)
        if ask.kind in self.rows.plan.done and any(line.order.verb != ASK for line in relevant):
            return Answer(DONE)
        return None

    def _is_for_all(self, line: Line) -> bool:
        return line.order.verb == ASK or self.rows.is_for_all(line.order)

    def _one_time(self, file: File, parts: Parts, ask: Ask, sight: Any) -> Reply | None:
        """Return the reply by a line outside plans that answers one question only.

        `fire Tom` is done once; `fire all` serves in the round in which it begins.
        """
        for line in self._applying(parts, ask, sight):
            order, beside = line.order, self.rows.by_verb[line.order.verb].beside_plans
            if ask.kind not in beside.once or (id(order), "") in file.spent:
                continue
            if beside.bare_kinds and not order.picks:
                continue  # outside a plan it is about something else
            for text in self._propose(order, ask, sight, ()):
                name = proposals.subject(text)
                if text not in ask.legal or (id(order), name) in file.spent:
                    continue
                if name in order.names:
                    file.spent.add((id(order), name))
                elif file.is_bound_elsewhere(order, sight.pace):
                    continue
                return Answer(text, order.line)
        return None

    def _serves(self, file: File, line: Line, ask: Ask, sight: Any) -> bool:
        """Tell whether a line outside plans may answer a question in the present fight or other affair.

        A line for one affair serves only that affair in which it is first used.
        """
        beside = self.rows.by_verb[line.order.verb].beside_plans
        if ask.kind in beside.once:
            return False
        if beside.one_affair or line.order.verb == DONE:
            return not file.is_bound_elsewhere(line.order, sight.affair)
        return True

    # -- what stands in for an order

    def _implied_reply(self, files: Sequence[tuple[File, Parts]], ask: Ask) -> Reply | None:
        given = (order for _, parts in files for order in every_order(parts))
        text = self.rows.asking.implied(ask, given)
        return Answer(text) if text else None

    def _done(self, file: File, parts: Parts, ask: Ask, sight: Any) -> Reply | None:
        """Return the answer `done` if a `done` that stands by itself ends the list that is asked for."""
        if DONE not in ask.legal:
            return None
        for line in lines(parts, self._judge(sight), _DONE):
            order = line.order
            if not _is_about_everything(order) or (id(order), "") in file.spent:
                continue
            if holds(order.when, sight, self.rows):
                file.spent.add((id(order), ""))
                return Answer(DONE, order.line)
        return None

    def _stop_at_everything(self, files: Sequence[tuple[File, Parts]], ask: Ask, sight: Any) -> Reply | None:
        """Return a Stop for an `ask everything` if no line of this turn answers the question."""
        for file, parts in files:
            for line in lines(parts, self._judge(sight), _ASK):
                order = line.order
                wants = _is_about_everything(order)
                moment = (ask.kind, sight.moment, sight.pace, ask.legal)
                if wants and holds(order.when, sight, self.rows) and file.first_stop(order, moment):
                    return Stop(order.line)
        return None

    def _from_standing(self, ask: Ask, sight: Any) -> Reply | None:
        section = self.rows.standing
        if section is None or ask.kind in section.not_for:
            return None
        return self._from_files([(self._standing, self._standing_parts())], ask, sight, standing=True)


_ASK, _DONE = frozenset((ASK,)), frozenset((DONE,))


def _is_about_everything(order: Order) -> bool:
    return order.verb in (ASK, DONE) and order.names == (EVERYTHING,)
