"""Order files in force, with what of each has been used and which of its lines may still answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pbem.orders.base import OnFile
from pbem.orders.kit.parsed_orders import ASK, Choice, Order, Orders, Part, Parts, Plan
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.step_lists import StepList
from pbem.orders.kit.text import INDENT, Speaker
from pbem.orders.kit.traversal import every_order


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
