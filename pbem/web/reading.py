"""What a report and a forecast say, in parts that a page lays out: paragraphs, tables, what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Any

from pbem import pages
from pbem.reports.base import NOTHING_ASKED
from pbem.reports.words import Table

NOTE, ASKED_NOW = "note ", "ASKED NOW: "
"""How a remark in a form begins, and how the first of those on what is asked now goes on."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a form asks, with what is possible and what silence means."""

    said: str
    now: bool
    """Is it asked now, and not in advance?"""
    verbs: tuple[str, ...]
    """The words that begin the lines which answer it."""


def form_of(report: str) -> str:
    """The order form of a report, without its head and its marks."""
    _, _, rest = report.partition(f"\n{pages.FORM_FIRST[1]}\n")
    return rest.partition(f"\n{pages.FORM_LAST}")[0].strip("\n")


def questions(form: str) -> tuple[Question, ...]:
    """What a form asks, in its order: the remarks above the lines that are to be filled in."""
    found = [block.splitlines() for block in form.split("\n\n") if block.startswith(NOTE)]
    return tuple(one for lines in found if "?" in (one := _question(lines)).said)


def _question(block: Sequence[str]) -> Question:
    """Return the question of one block of a form: remarks, and the lines below them."""
    remarks = list(takewhile(lambda line: line.startswith(NOTE), block))
    said = " ".join(line.removeprefix(NOTE) for line in remarks)
    lines = (line for line in block[len(remarks) :] if not line.startswith(("if ", " ")))
    verbs = dict.fromkeys(line.partition(" ____")[0].strip() for line in lines)
    return Question(said.removeprefix(ASKED_NOW), said.startswith(ASKED_NOW), tuple(verbs))


def shown(section: pages.Section) -> dict[str, Any]:
    """A section without the order form, and without the line before it or in its place: commands."""
    parts = [
        _part(part)
        for part, after in pairwise((*section.parts, None))
        if part
        and not part.form
        and not (after and after.form)
        and not part.said.startswith(f"{NOTHING_ASKED}:")
    ]
    return {
        "title": section.title,
        "parts": parts,
        "table": _table(section.table),
        "small": section.small,
        "asked": section.asked,
    }


def foretold(lines: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """A forecast in paragraphs; letters, for which its lines were broken, have it two columns further in."""
    found = pages.paragraphs([f"  {line}" for line in lines])
    return tuple(_part(replace(part, indent=part.indent - 2)) for part in found)


def _part(part: pages.Part) -> dict[str, Any]:
    return {"said": part.said, "indent": part.indent, "apart": part.apart}


def _table(table: Table | None) -> dict[str, Any] | None:
    return None if table is None else {"head": list(table.head), "rows": [list(row) for row in table.rows]}
