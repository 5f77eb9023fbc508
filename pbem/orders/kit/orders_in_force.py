"""Order files in force: what was used of each, which of its lines may still answer, and all of it as JSON.

What was used is known by the identity of a line; saved, it is the line's place in its file.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pbem.orders.base import Dropped, NotSaved, OnFile, pack, unpack
from pbem.orders.kit.parsed_orders import (
    ASK,
    Both,
    Case,
    Choice,
    Compare,
    Either,
    Not,
    Order,
    Orders,
    Part,
    Parts,
    Pick,
    Plan,
    Term,
    every_order,
)
from pbem.orders.kit.proposals import StepList
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.text import INDENT, Speaker
from pbem.orders.kit.vocabulary import Step


@dataclass(slots=True)
class File:
    """One order file in force (or the standing section), with what of it has been used."""

    orders: Orders
    moment: Any  # the moment in which the file came
    number: int = -1  # number of files that came before it
    lists: dict[str, StepList | None] = field(default_factory=dict)
    spent: set[tuple[int, str]] = field(default_factory=set)  # one-time answers: (order, name)
    bound: dict[int, object] = field(default_factory=dict)  # order -> the affair or pace it serves
    stopped: set[tuple[int, object]] = field(
        default_factory=set
    )  # `ask` lines, each with the moment at which it stopped the judge

    @property
    def finished(self) -> set[str]:
        """The kinds of Ask whose lists have no steps left."""
        return {kind for kind, made in self.lists.items() if made is None or not made.steps}

    def copy(self) -> File:
        """Return a copy of the file, with the same lines marked as used."""
        lists = {kind: made and made.copy() for kind, made in self.lists.items()}
        used = self.spent.copy(), self.bound.copy(), self.stopped.copy()
        return File(self.orders, self.moment, self.number, lists, *used)

    def first_stop(self, order: Order, moment: object) -> bool:
        """Tell whether this line stops the judge for the first time at this moment, and note the stop."""
        key = (id(order), moment)
        if key in self.stopped:
            return False
        self.stopped.add(key)
        return True

    def is_bound_elsewhere(self, order: Order, to: object) -> bool:
        """Tell whether the order serves something else already; bind it to `to` if it serves nothing yet."""
        return self.bound.setdefault(id(order), to) != to


def on_file(files: Sequence[File], standing: File, sight: Any, rows: Rows) -> Iterator[OnFile]:
    """Yield the files that are in force, the newest first, with the lines that may still answer.

    The standing section comes last.
    """
    speaker = Speaker(rows)
    coming = frozenset(kind for kind in rows.all_kinds if rows.asking.may_come(sight, kind))
    for file in files:
        lines: list[str] = []
        kinds: set[str] = set()
        ruling = _ruling(file, sight, rows, coming)
        for section in rows.sections:
            if section.standing:
                continue
            parts = _remaining_parts(file.orders.section(section.name), file, ruling, rows)
            if parts and section.heading:
                lines.append(section.heading)
            lines += speaker.parts(parts, INDENT if section.heading else "")
            kinds |= _kinds_answered(parts, rows) & set().union(*ruling.values())
        if lines:
            yield OnFile(file.number, tuple(lines), frozenset(kinds))
    if rows.standing and (parts := standing.orders.section(rows.standing.name)):
        kinds = _kinds_answered(parts, rows) - rows.standing.not_for
        yield OnFile(
            standing.number, (rows.standing.heading, *speaker.parts(parts, INDENT)), frozenset(kinds)
        )


def _kinds_answered(parts: Parts, rows: Rows) -> set[str]:
    """Return the kinds of Ask that the lines of these parts may answer."""
    orders = every_order(parts, into_plans=True)
    return {kind for order in orders if order.verb != ASK for kind in rows.kinds(order)}


def _ruling(file: File, sight: Any, rows: Rows, coming: frozenset[str]) -> dict[int, set[str]]:
    """Return, for each order's identity, the kinds of Ask in `coming` that it may still answer."""
    found: dict[int, set[str]] = {}
    for group in _groups(coming - file.finished, rows):
        if in_force := rows.in_force:
            lines = in_force.later or in_force.now
            parts = lines(file.orders, file.moment, sight, frozenset((min(group),))) or ()
        else:
            parts = file.orders.section(rows.sections[0].name) if file.moment == sight.moment else ()
        for order in every_order(parts, into_plans=True):
            found.setdefault(id(order), set()).update(group)
    return found


def _groups(kinds: frozenset[str], rows: Rows) -> Iterator[frozenset[str]]:
    """Yield the kinds of Ask in groups for which the same lines are in force."""
    in_force = rows.in_force
    apart = (in_force.apart or tuple(frozenset((kind,)) for kind in kinds)) if in_force else ()
    yield from filter(None, (kinds & group for group in apart))
    if rest := kinds.difference(*apart):
        yield rest


def _remaining_parts(parts: Parts, file: File, ruling: dict[int, set[str]], rows: Rows) -> Parts:
    """Return the parts without what has been done, or cannot be asked for any more."""
    left = (_without_spent(part, file, ruling, rows) for part in parts)
    return tuple(part for part in left if part is not None)


def _without_spent(part: Part, file: File, ruling: dict[int, set[str]], rows: Rows) -> Any:
    """Return a part as far as it may still answer something; None if nothing is left of it."""
    if isinstance(part, Order):
        kinds = ruling.get(id(part), set())
        if not kinds:
            return None
        once = rows.by_verb[part.verb].beside_plans.once
        own = {*rows.kinds(part), *once}
        if once and own <= set(once) and (id(part), "") in file.spent:
            return None
        return part if not own or own & kinds else None
    if isinstance(part, Plan):
        inside = tuple(
            left for one in part.parts if (left := _without_spent(one, file, ruling, rows)) is not None
        )
        return replace(part, parts=inside) if inside else None
    cases = tuple(
        replace(
            case,
            parts=tuple(
                left for one in case.parts if (left := _without_spent(one, file, ruling, rows)) is not None
            ),
        )
        for case in part.cases
    )
    return Choice(cases=cases) if any(case.parts for case in cases) else None


TREE = (Both, Case, Choice, Compare, Either, Not, Order, Orders, Pick, Plan, Term)


def save(follower: Any) -> Any:
    """Return all of a follower's state, JSON-able.

    Raises:
        NotSaved: it holds a line that stands in none of its files, or the same one twice.
    """
    files = (*follower._files, follower._standing)
    trees = {file.number: file.orders for file in files}
    if any(trees[file.number] is not file.orders for file in files):
        raise NotSaved("two files have one number")
    places: dict[int, int] = {}
    for orders in trees.values():
        for place, order in enumerate(_lines(orders)):
            if places.setdefault(id(order), place) != place:
                raise NotSaved("a line stands twice in a file")
    try:
        rows = [_save_file(file, places) for file in files]
    except KeyError:
        raise NotSaved("something was used that stands in no file") from None
    return [
        [[number, pack(orders)] for number, orders in trees.items()],
        rows,
        pack(follower.dropped),
        pack(follower._memory),
        pack(follower._moment),
        follower._received,
    ]


def load(follower: Any, data: Any) -> None:
    """Give a new follower the state of the one that was saved."""
    found, rows, dropped, memory, moment, received = data
    trees = {number: unpack(orders, TREE) for number, orders in found}
    lines = {number: list(_lines(orders)) for number, orders in trees.items()}
    *files, standing = (_load_file(row, trees, lines) for row in rows)
    follower._files, follower._standing = files, standing
    follower.dropped = unpack(dropped, (Dropped,))
    follower._memory = unpack(memory, (type(follower._memory),))
    follower._moment, follower._received = unpack(moment), received


def _lines(orders: Orders) -> Iterator[Order]:
    """Yield every line of a file, always in the same order."""
    for _, parts in orders.sections:
        yield from every_order(parts, into_plans=True)


def _save_file(file: File, places: dict[int, int]) -> Any:
    return [
        file.number,
        pack(file.moment),
        [[kind, made and _save_list(made, places)] for kind, made in file.lists.items()],
        sorted([places[line], name] for line, name in file.spent),
        [[places[line], pack(to)] for line, to in file.bound.items()],
        sorted(([places[line], pack(when)] for line, when in file.stopped), key=repr),
    ]


def _load_file(data: Any, trees: dict[int, Orders], lines: dict[int, list[Order]]) -> File:
    number, moment, lists, spent, bound, stopped = data
    own = lines[number]
    return File(
        trees[number],
        unpack(moment),
        number,
        {kind: made and _load_list(made, own) for kind, made in lists},
        {(id(own[place]), name) for place, name in spent},
        {id(own[place]): unpack(to) for place, to in bound},
        {(id(own[place]), unpack(when)) for place, when in stopped},
    )


def _save_list(made: StepList, places: dict[int, int]) -> Any:
    steps = [[places[id(one.order)], one.name, one.left, one.named, one.used] for one in made.steps]
    return [made.kind, steps, made.covers, made.judged, [places[id(order)] for order in made.others]]


def _load_list(data: Any, own: list[Order]) -> StepList:
    kind, steps, covers, judged, others = data
    waiting = deque(Step(own[place], *rest) for place, *rest in steps)
    return StepList(kind, waiting, covers, judged, [own[place] for place in others])
