"""Every section and ruling has its case and its place in the code; every house rule is tried both ways."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.rules.hammer.facts import EDITIONS, SWITCHES, Options, read_options
from tests.cases.casefile import Case, all_cases
from tests.hammer.list_cases import Row, in_full, overview, rows

CASES = Path(__file__).parent / "cases/hammer"
CODE = Path(__file__).parent.parent / "pbem/rules/hammer"

RULING = re.compile(r"\bR(\d+)(?:-R?(\d+))?")
SECTION = re.compile(r"(?<![\d.])[1-9]\.\d{1,2}(?![\d.]*\d)")


@cache
def cases() -> tuple[Case, ...]:
    return tuple(all_cases(CASES))


@cache
def index() -> dict[str, dict[str, Any]]:
    """Sections, exceptions among the rulings, and the rulebook's examples."""
    data: dict[str, Any] = tomllib.loads((CASES / "sections.toml").read_text(encoding="utf-8"))
    return data


def rulings() -> list[str]:
    return [f"R{number}" for number in range(1, index()["ruling"]["last"] + 1)]


def numbers(text: str) -> Iterator[str]:
    """Every section and ruling that a text cites; `R42-R47` stands for all six."""
    yield from SECTION.findall(text)
    for first, last in RULING.findall(text):
        yield from (f"R{number}" for number in range(int(first), int(last or first) + 1))


@cache
def cited() -> frozenset[str]:
    """The sections and rulings that docstrings of the rules cite."""
    found: set[str] = set()
    for path in sorted(CODE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found.update(numbers(ast.get_docstring(node) or ""))
    return frozenset(found)


def shown() -> set[str]:
    return {number for case in cases() for number in case.shows}


def test_every_section_has_a_case() -> None:
    sections = index()["section"]
    missing = [number for number in sections if number not in shown() and "cases" not in sections[number]]
    assert not missing, "no case shows these sections"


def test_every_ruling_has_a_case() -> None:
    assert not [number for number in rulings() if number not in shown()], "no case shows these rulings"


def test_every_section_is_cited_where_it_is_played() -> None:
    sections = index()["section"]
    missing = [number for number in sections if number not in cited() and "code" not in sections[number]]
    assert not missing, "no docstring of the rules cites these sections"


def test_every_ruling_is_cited_where_it_is_played() -> None:
    assert not [number for number in rulings() if number not in cited()], "no docstring cites these rulings"


@pytest.mark.parametrize("exception", ["cases", "code"])
def test_an_exception_is_needed(exception: str) -> None:
    found = shown() if exception == "cases" else cited()
    sections = index()["section"]
    assert not [number for number in sections if exception in sections[number] and number in found]


def test_nothing_is_shown_or_cited_that_the_rulebook_does_not_have() -> None:
    known = {*index()["section"], *rulings()}
    assert not sorted(shown() - known)
    assert not sorted(cited() - known)


def test_a_case_has_a_number_of_its_own_below_a_section_or_ruling() -> None:
    count = Counter(case.number for case in cases())
    assert not [number for number, times in count.items() if times > 1], "numbers given twice"
    known = {*index()["section"], *rulings(), "tournament"}
    assert not [case.number for case in cases() if case.number.partition("/")[0] not in known]


def test_there_are_three_hundred_cases_and_more() -> None:
    assert len(cases()) >= 300


@pytest.mark.parametrize("switch", SWITCHES)
def test_every_value_of_a_house_rule_is_played(switch: str) -> None:
    """The default by the cases without options, every other value by one that names it or its edition."""
    played = {getattr(options, switch) for options in _played()}
    assert not [value for value in SWITCHES[switch] if value not in played]


def test_every_edition_and_scenario_is_played() -> None:
    assert {case.options.get("edition", EDITIONS[0]) for case in cases()} >= set(EDITIONS)
    scenarios = {case.options.get("scenario", "braveheart") for case in cases()}
    assert scenarios >= {"braveheart", "the-bruce", "campaign"}


@cache
def _played() -> tuple[Options, ...]:
    return tuple(read_options(_options(case)) for case in cases() if _legal(case))


def _options(case: Case) -> dict[str, str]:
    return {name: value for name, value in case.options.items() if name != "stops"}


def _legal(case: Case) -> bool:
    """Is the case about anything but options that are refused?"""
    return not case.script[0].text.startswith("start !")


@pytest.mark.parametrize("what", ["example", "sidebar"])
def test_every_example_and_sidebar_of_the_rulebook_has_its_case(what: str) -> None:
    known = {case.number for case in cases()}
    listed = {name: entry["cases"].split() for name, entry in index()[what].items()}
    assert not [name for name, numbers in listed.items() if not numbers]
    assert not [number for numbers in listed.values() for number in numbers if number not in known]


# -- the differences between the editions (editions.toml)


def test_the_rows_are_numbered_and_speak_of_sections_and_cases_that_exist() -> None:
    known = {case.number for case in cases()}
    assert [row.number for row in rows()] == list(range(1, len(rows()) + 1))
    assert len(rows()) >= 36
    assert not [row.number for row in rows() if row.section not in index()["section"]]
    assert not [(row.number, number) for row in rows() for number in row.cases if number not in known]


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"row-{row.number}")
def test_every_difference_of_an_edition_has_its_case(row: Row) -> None:
    assert row.cases
    assert set(row.plays) <= set(EDITIONS[1:])
    shown_by = {read_options(_options(case)).edition for case in cases() if case.number in row.cases}
    assert set(row.plays) <= shown_by, "no case plays the edition that differs"


def test_what_an_edition_changes_stands_in_a_row() -> None:
    """Every switch that an edition sets: a row says so, one of whose cases shows the switch's ruling."""
    text = (CODE / "editions.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    ruling = dict(re.findall(r"(?m)^(\w+) = \[.*# (R\d+)", text))
    by_number = {case.number: case for case in cases()}
    told: set[tuple[str, str]] = set()
    for row in rows():
        for number in row.cases:
            told.update((edition, shows) for edition in row.plays for shows in by_number[number].shows)
    for edition in EDITIONS[1:]:
        changed = [switch for switch in data["edition"][edition] if switch in SWITCHES]
        assert not [switch for switch in changed if (edition, ruling[switch]) not in told], edition


def test_the_list_of_cases_names_every_section_and_row() -> None:
    lines = list(overview())
    named = [line.split()[0] for line in lines]
    assert named == [*index()["section"], *(f"row-{row.number}" for row in rows())]
    without = [line for line in lines if not re.search(r"\d+ cases?: ", line)]
    assert all("none: " in line for line in without), "a section without a case says why"
    assert next(iter(in_full("5.33"))) == "5.33  The defender's reserves"
    assert list(in_full("9.99"))[1] == "  no case"
