"""Which cases show what the rulebooks say: for every section, ruling and difference of an edition.

    python -m tests.hammer.list_cases                   every section of rulebook 4.0, every difference
    python -m tests.hammer.list_cases 4.4 R43 row-31    these alone, with the titles of their cases

Sections are listed in tests/cases/hammer/sections.toml, the differences of editions in editions.toml beside
it. tests/test_case_coverage.py demands that none that states a rule is without a case.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.cases.casefile import Case, all_cases

CASES = Path(__file__).parent.parent / "cases/hammer"


@dataclass(frozen=True, slots=True)
class Row:
    """One point at which the editions' texts differ."""

    number: int
    section: str
    about: str
    plays: tuple[str, ...]  # editions that play it otherwise than 4
    cases: tuple[str, ...]


@cache
def cases() -> dict[str, Case]:
    """Every case by its number."""
    return {case.number: case for case in all_cases(CASES)}


def sections() -> dict[str, dict[str, str]]:
    """The sections of rulebook 4.0: title, and why one has no case."""
    found: dict[str, dict[str, str]] = _read("sections.toml")["section"]
    return found


def rows() -> tuple[Row, ...]:
    """The differences between the editions."""
    return tuple(
        Row(
            entry["number"],
            entry["section"],
            entry["about"],
            tuple(entry["plays"].split()),
            tuple(entry["cases"].split()),
        )
        for entry in _read("editions.toml")["row"]
    )


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((CASES / name).read_text(encoding="utf-8"))


def showing(number: str) -> list[Case]:
    """The cases that show a section or ruling."""
    return [case for case in cases().values() if number in case.shows]


def overview() -> Iterator[str]:
    """A line for every section and row: how many cases, and which."""
    for number, section in sections().items():
        found = [case.number for case in showing(number)]
        why = f"none: {section['cases']}" if "cases" in section else "none"
        yield f"{number:5} {section['title']}: {_listed(found) or why}"
    for row in rows():
        yield f"row-{row.number} ({row.section}) {row.about}: {_listed(row.cases)}"


def _listed(numbers: Sequence[str]) -> str:
    return f"{len(numbers)} case{'s' if len(numbers) > 1 else ''}: {', '.join(numbers)}" if numbers else ""


def in_full(wanted: str) -> Iterator[str]:
    """One section, ruling or row, with the titles of its cases."""
    row = next((row for row in rows() if wanted == f"row-{row.number}"), None)
    found = [cases()[number] for number in row.cases] if row else showing(wanted)
    title = row.about if row else sections().get(wanted, {}).get("title", "")
    yield f"{wanted}  {title}".rstrip()
    for case in found:
        options = ", ".join(f"{name} {value}" for name, value in case.options.items())
        yield f"  {case.number}  {case.title}" + (f"  [{options}]" if options else "")
    if not found:
        yield "  no case"


def main(wanted: Sequence[str]) -> None:
    """Print what is asked for."""
    for line in overview() if not wanted else (line for name in wanted for line in in_full(name)):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
