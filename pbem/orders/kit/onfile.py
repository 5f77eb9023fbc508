"""Which lines of the files in force may still answer something, for their writer to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pbem.orders.base import OnFile
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.text import INDENT, Speaker
from pbem.orders.kit.tree import Choice, Order, Part, Parts, Plan

if TYPE_CHECKING:
    from pbem.orders.kit.follow import File


def on_file(files: Sequence[File], standing: File, sight: Any, rows: Rows) -> Iterator[OnFile]:
    """The files that still rule, the newest first, with the lines that may still answer; then doctrine."""
    speaker = Speaker(rows)
    for file in files:
        lines: list[str] = []
        ruling = _ruling(file, sight, rows)
        for section in rows.sections:
            if section.standing:
                continue
            parts = _left(file.orders.section(section.name), file, ruling, rows)
            if parts and section.heading:
                lines.append(section.heading)
            lines += speaker.parts(parts, INDENT if section.heading else "")
        if lines:
            yield OnFile(file.number, tuple(lines))
    if rows.standing and (parts := standing.orders.section(rows.standing.name)):
        yield OnFile(standing.number, (rows.standing.heading, *speaker.parts(parts, INDENT)))


def _ruling(file: File, sight: Any, rows: Rows) -> dict[int, set[str]]:
    """Part (by its identity) -> the kinds of Ask that it may still answer."""
    kinds = {kind for verb in rows.verbs for kind in (*verb.kinds, *verb.once, *verb.bare_kinds)}
    if rows.may_come is not None:
        kinds = {kind for kind in kinds if rows.may_come(sight, kind)}
    found: dict[int, set[str]] = {}
    for kind in kinds - file.finished:
        if rows.in_force:
            parts = rows.in_force(file.orders, file.moment, sight, frozenset((kind,))) or ()
        else:
            parts = file.orders.section(rows.sections[0].name) if file.moment == sight.moment else ()
        for part in parts:
            found.setdefault(id(part), set()).add(kind)
    return found


def _left(parts: Parts, file: File, ruling: dict[int, set[str]], rows: Rows) -> Parts:
    """These parts without what has been done, or cannot be asked for any more."""
    found = []
    for part in parts:
        kinds = ruling.get(id(part), set())
        if kinds and (left := _without_spent(part, file, kinds, rows)) is not None:
            found.append(left)
    return tuple(found)


def _without_spent(part: Part, file: File, kinds: set[str], rows: Rows) -> Any:
    """A part as far as it may still answer questions of these kinds; None if nothing is left of it."""
    if isinstance(part, Order):
        verb, own = rows.by_verb[part.verb], {*rows.kinds(part), *rows.by_verb[part.verb].once}
        if verb.once and own <= set(verb.once) and (id(part), "") in file.spent:
            return None
        return part if not own or own & kinds else None
    if isinstance(part, Plan):
        inside = tuple(
            left for one in part.parts if (left := _without_spent(one, file, kinds, rows)) is not None
        )
        return replace(part, parts=inside) if inside else None
    cases = tuple(
        replace(
            case,
            parts=tuple(
                left for one in case.parts if (left := _without_spent(one, file, kinds, rows)) is not None
            ),
        )
        for case in part.cases
    )
    return Choice(cases=cases) if any(case.parts for case in cases) else None
