"""Answers a side's questions from its order files, for as long as those are in force.

A file's turn section holds for the turn in which it came, its winter section until that winter is
over, a doctrine until the next one. The newest file with a line that applies to a question answers it.
Nothing but the orders, the side's own view and the question decides an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pbem.orders.base import Answer, Dropped, Reply, Stop, Uncovered
from pbem.orders.hammer import choices, fights, steps
from pbem.orders.hammer.select import (
    Line,
    every_order,
    is_for_winter,
    lines,
    plans,
    speaks_to,
)
from pbem.orders.hammer.sight import Sight
from pbem.orders.hammer.tree import Choice, Order, Orders, Part, Plan
from pbem.orders.hammer.truth import Memory, holds
from pbem.orders.hammer.write import write_order
from pbem.rules.base import Ask, View

WINTER_KINDS = frozenset(("home", "edward", "disband", "build"))
"""Questions that only a winter asks."""

ONE_TIME = frozenset(("fire", "pass", "retreat", "hit", "battle"))
"""Verbs that, outside a plan, answer one question once."""

Parts = tuple[Part, ...]


@dataclass(slots=True)
class _File:
    """One order file in force (or the doctrine), and what of it has been used."""

    orders: Orders
    moment: tuple[int, int] | None  # year and turn in which it came
    number: int = -1  # how many came before it
    lists: dict[str, steps.StepList | None] = field(default_factory=dict)
    spent: set[tuple[int, str]] = field(default_factory=set)  # one-time answers: (order, block)
    bound: dict[int, object] = field(default_factory=dict)  # orders for one battle or round: which
    stops: fights.Stops = field(default_factory=fights.Stops)

    def copy(self) -> _File:
        """The same file, used as far."""
        lists = {kind: made and made.copy() for kind, made in self.lists.items()}
        return replace(
            self, lists=lists, spent=set(self.spent), bound=dict(self.bound), stops=self.stops.copy()
        )


class HammerFollower:
    """Follows one side's orders through a game. Keep one as long as the game goes on."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.dropped: list[Dropped] = []
        self._files: list[_File] = []  # newest first
        self._doctrine = _File(Orders(side=side), None)
        self._memory = Memory()
        self._received = 0

    # -- files

    def receive(self, orders: Orders, view: View | None) -> None:
        """A new file; without a view it is taken to have come in the turn of the next question."""
        for older in self._files:
            for kind, made in older.lists.items():
                self.dropped += made.left_over(kind) if made else ()
            older.spent |= {(id(order), "") for order in every_order(older.orders.turn)}
        moment = None if view is None else Sight(view, self.side).moment
        self._files.insert(0, _File(orders, moment, self._received))
        if orders.doctrine is not None:
            self._doctrine = _File(orders, None, self._received)
        self._received += 1

    def copy(self) -> HammerFollower:
        """Another follower that stands where this one does; nothing has been left out by it yet."""
        other = HammerFollower(self.side)
        other._files = [file.copy() for file in self._files]
        other._doctrine = self._doctrine.copy()
        other._memory = self._memory.copy()
        other._received = self._received
        return other

    def _in_force(self, sight: Sight, winter: bool) -> list[tuple[_File, Parts]]:
        """The files that count now, newest first, with those of their lines that do."""
        found: list[tuple[_File, Parts]] = []
        for file in tuple(self._files):
            if file.moment is None:
                file.moment = sight.moment
            turn = file.orders.turn
            if file.moment[0] != sight.year:
                self._files.remove(file)
            elif winter:
                answers_winter = file.moment == sight.moment  # then it needs no heading
                found.append(
                    (file, (*file.orders.winter, *(turn if answers_winter else _winter_lines(turn))))
                )
            elif file.moment == sight.moment:
                found.append((file, turn))
        return found

    # -- questions

    def covers(self, kinds: frozenset[str], view: View) -> bool:
        """Do orders given in advance, or the doctrine, speak of these questions of the winter?

        Not if one of them is an `ask` about these: this is the place where everybody may see the pause.
        """
        sight = Sight(view, self.side)
        asked = kinds & {"build"} or kinds  # where blocks are built, a home is asked only by the way
        given = (parts for _, parts in self._in_force(sight, winter=True))
        asks: set[str] = set()
        spoken: set[str] = set()
        for parts in (*given, self._doctrine.orders.doctrine or ()):
            for order in every_order(parts):
                if order.verb == "ask" and _is_about_everything(order):
                    asks |= asked - spoken  # whatever the lines leave open
                elif order.verb != "done":
                    found = asks if order.verb == "ask" else spoken
                    found |= {kind for kind in asked if speaks_to(order, kind)}
        return bool(spoken) and not asks

    def reply(self, ask: Ask, view: View) -> Reply:
        """What the orders say to this question."""
        sight = Sight(view, self.side)
        self._look(ask, sight)
        self._end_lists(ask)
        files = self._in_force(sight, sight.is_winter and ask.kind in WINTER_KINDS)
        return (
            (
                self._in_battle(files, ask, sight)
                if ask.kind in fights.KINDS
                else self._from_files(files, ask, sight)
            )
            or self._implied(files, ask)
            or self._stop_at_everything(files, ask, sight)
            or self._from_doctrine(ask, sight)
            or Uncovered()
        )

    def _look(self, ask: Ask, sight: Sight) -> None:
        if self._memory.moment != sight.moment:
            self._doctrine.lists.clear()
        self._memory.look(sight)
        if ask.kind == "build":
            self._memory.look_at_draws(sight)

    def _end_lists(self, ask: Ask) -> None:
        """Lists that are not asked for any more: what is left of them could not be done."""
        for file in self._files:
            for kind, made in file.lists.items():
                if made is None or kind == ask.kind or {kind, ask.kind} <= WINTER_KINDS:
                    continue
                for dropped in made.left_over(kind):
                    self.dropped.append(dropped)

    def _from_files(self, files: Sequence[tuple[_File, Parts]], ask: Ask, sight: Sight) -> Reply | None:
        """A choice or the next step, from the newest file that has a line for it."""
        for file, parts in files:
            if ask.kind in steps.KINDS:
                reply = self._next_step(file, parts, ask, sight) or self._done(file, parts, ask, sight)
                if reply is not None:
                    return _of(file, reply)
            elif found := self._applying(parts, ask, sight):
                return _of(file, self._choice(file, found, ask, sight))
        return None

    def _applying(self, parts: Parts, ask: Ask, sight: Sight) -> list[Line]:
        return [
            line
            for line in lines(parts, sight, self._memory)
            if speaks_to(line.order, ask.kind)
            and not _is_about_everything(line.order)
            and choices.is_about(line.order, ask)
            and holds(line.order.when, sight, self._memory)
        ]

    def _choice(self, file: _File, found: Sequence[Line], ask: Ask, sight: Sight) -> Reply | None:
        """The first proposal of these lines that is legal."""
        for line in found:
            order = line.order
            if order.verb == "ask":
                if file.stops.first(order, (ask.kind, sight.moment, sight.battle_moment)):
                    return Stop(order.line)
                continue
            if order.verb == "battle" and self._is_spent(file, order, ""):
                continue
            for text in choices.proposed(order, ask, sight):
                if text in ask.legal:
                    if order.verb == "battle":
                        file.spent.add((id(order), ""))
                    return Answer(text, order.line)
            self._drop(order, ask)
        return None

    def _drop(self, order: Order, ask: Ask) -> None:
        """Note a line of which nothing could be done."""
        reason = f"possible was {', '.join(ask.legal[:6])}{'' if len(ask.legal) <= 6 else ' and more'}"
        dropped = Dropped(order.line, write_order(order), reason, ask.rule)
        if dropped not in self.dropped:
            self.dropped.append(dropped)

    def _next_step(self, file: _File, parts: Parts, ask: Ask, sight: Sight) -> Reply | None:
        """The next step of a file's list, which is made when it is first asked for."""
        kind = ask.kind
        if kind not in file.lists:
            found = [
                line
                for line in lines(parts, sight, self._memory)
                if speaks_to(line.order, kind) and not _is_about_everything(line.order)
            ]
            made = steps.make_list(kind, found, sight, self._memory, self.dropped.append) if found else None
            file.lists[kind] = made
        made = file.lists[kind]
        if made is None:
            return None
        reply = steps.next_step(made, ask, sight, self._memory, self.dropped.append)
        return None if isinstance(reply, Uncovered) else reply

    # -- battles

    def _in_battle(self, files: Sequence[tuple[_File, Parts]], ask: Ask, sight: Sight) -> Reply | None:
        hidden: set[tuple[str, ...]] = set()
        for file, parts in files:
            reply = self._one_time(file, parts, ask, sight)
            if reply is None:
                found = list(plans(parts, sight, self._memory))
                shown = [plan for plan in found if plan.areas not in hidden]
                reply = self._from_plans(file, shown, ask, sight)
                hidden |= {plan.areas for plan in found}
            if reply is None:
                standing = [
                    line for line in self._applying(parts, ask, sight) if self._serves(file, line, sight)
                ]
                reply = fights.reply_from_plan(standing, ask, sight, self._memory, file.stops)
            reply = reply or self._done(file, parts, ask, sight)
            if reply is not None:
                return _of(file, reply)
        return None

    def _from_plans(self, file: _File, found: Sequence[Plan], ask: Ask, sight: Sight) -> Reply | None:
        """The plan for this area, then the one for any."""
        for plan in sorted(found, key=lambda plan: not plan.areas):
            if not plan.areas or sight.battle in plan.areas:
                inner = list(lines(plan.parts, sight, self._memory))
                reply = fights.reply_from_plan(inner, ask, sight, self._memory, file.stops)
                if reply is not None:
                    return reply
        return None

    def _one_time(self, file: _File, parts: Parts, ask: Ask, sight: Sight) -> Reply | None:
        """`fire Wallace` outside a plan: done once; `fire all`: for the round in which it begins."""
        for line in self._applying(parts, ask, sight):
            order = line.order
            if order.verb not in ONE_TIME or self._is_spent(file, order, ""):
                continue
            if order.verb == "pass" and not order.picks:
                continue  # outside a plan it declines an event
            for text in fights.proposals(order, ask, ask.legal, sight):
                name = text.split(" ", 1)[-1].partition(" to ")[0]
                if text not in ask.legal or self._is_spent(file, order, name):
                    continue
                if name in order.names:
                    file.spent.add((id(order), name))
                elif file.bound.setdefault(id(order), sight.battle_moment) != sight.battle_moment:
                    continue
                return Answer(text, order.line)
        return None

    def _is_spent(self, file: _File, order: Order, name: str) -> bool:
        return (id(order), name) in file.spent

    def _serves(self, file: _File, line: Line, sight: Sight) -> bool:
        """A `regroup` or `forced retreat` outside a plan serves the battle in which it is first used."""
        order = line.order
        if order.verb in ONE_TIME:
            return False
        if order.verb in ("regroup", "forced retreat", "done"):
            number = sight.battle_moment[0]
            return file.bound.setdefault(id(order), number) == number
        return True

    # -- what stands in for an order

    def _implied(self, files: Sequence[tuple[_File, Parts]], ask: Ask) -> Reply | None:
        """R10: who has ordered the card Truce means the truce, unless he wrote `pass`."""
        if ask.kind != "truce":
            return None
        ordered = any(
            order.verb == "card" and order.names == ("truce",)
            for _, parts in files
            for order in every_order(parts)
        )
        return Answer("truce") if ordered else None

    def _done(self, file: _File, parts: Parts, ask: Ask, sight: Sight) -> Reply | None:
        """A `done` that stands by itself ends the list that is asked for next."""
        if "done" not in ask.legal:
            return None
        for line in lines(parts, sight, self._memory):
            order = line.order
            if order.verb != "done" or not _is_about_everything(order) or self._is_spent(file, order, ""):
                continue
            if holds(order.when, sight, self._memory):
                file.spent.add((id(order), ""))
                return Answer("done", order.line)
        return None

    def _stop_at_everything(
        self, files: Sequence[tuple[_File, Parts]], ask: Ask, sight: Sight
    ) -> Reply | None:
        """`ask everything`: whatever no line of this turn answers."""
        for file, parts in files:
            for line in lines(parts, sight, self._memory):
                order = line.order
                if (
                    order.verb == "ask"
                    and _is_about_everything(order)
                    and holds(order.when, sight, self._memory)
                ):
                    question = (ask.kind, sight.moment, sight.battle_moment, ask.legal)
                    if file.stops.first(order, question):
                        return Stop(order.line)
        return None

    def _from_doctrine(self, ask: Ask, sight: Sight) -> Reply | None:
        parts = self._doctrine.orders.doctrine or ()
        if ask.kind in fights.KINDS:
            found = list(plans(parts, sight, self._memory))
            reply = self._from_plans(self._doctrine, found, ask, sight)
            if reply is None:
                bare = list(lines(parts, sight, self._memory))
                reply = fights.reply_from_plan(bare, ask, sight, self._memory, self._doctrine.stops)
            return _of(self._doctrine, reply)
        if ask.kind in ("victuals", "pillage-build"):
            return None  # a doctrine's `build` lines are for winters
        return self._from_files([(self._doctrine, parts)], ask, sight)


def _of(file: _File, reply: Reply | None) -> Reply | None:
    """The reply, with the file that it comes from."""
    return replace(reply, file=file.number) if isinstance(reply, Answer) else reply


def _is_about_everything(order: Order) -> bool:
    return order.verb in ("ask", "done") and order.names == ("everything",)


def _winter_lines(parts: Sequence[Part]) -> Iterator[Part]:
    """The lines of a turn's section that can only be about the winter."""
    for part in parts:
        if isinstance(part, Order | Choice) and any(is_for_winter(order) for order in every_order((part,))):
            yield part
