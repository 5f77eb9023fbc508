"""RULINGS.md and what it speaks of agree: its index, the code, the cases, the house rules and editions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.rules.hammer.facts import AREAS, EDITIONS, SWITCHES
from tests.cases.casefile import Case, all_cases
from tests.hammer.index_rulings import written

PROJECT = Path(__file__).parent.parent
RULES = PROJECT / "pbem/rules/hammer"
CASES = PROJECT / "tests/cases/hammer"

ALL = 116
ABOUT_PLAY = 112  # the rest is about mail, and no case can show it
CITATION = re.compile(r"\bR(\d+)(?:-R?(\d+))?\b")
DEPARTURE = ["The text says", "We play", "Because"]
DEPARTS = {15, 18, 19, 28, 36, 40, 42, 43, 49, 65, 72, 81, 97}  # do not play the letter of rulebook 4.0
ENTRY = re.compile(r"(?m)^### (?=R\d)")
HOUSE_RULE = re.compile(r"^- House rule: `(\w+)` (.*)$")


@dataclass(frozen=True, slots=True)
class Entry:
    """One ruling of RULINGS.md."""

    number: int
    text: str
    points: tuple[str, ...]  # its list: house rules, editions, cases, code

    def listed(self, name: str) -> list[str]:
        """What stands behind `- Cases:` or `- Code:`, without the full stop."""
        found = next((point for point in self.points if point.startswith(f"- {name}: ")), None)
        return found.removeprefix(f"- {name}: ").removesuffix(".").split(", ") if found else []

    @property
    def house_rules(self) -> dict[str, str]:
        """The switches of the ruling, and what is said of their values."""
        found = (HOUSE_RULE.match(point) for point in self.points)
        return {match[1]: match[2] for match in found if match}


@cache
def entries() -> tuple[Entry, ...]:
    text = (RULES / "RULINGS.md").read_text(encoding="utf-8")
    return tuple(_entry(part.partition("\n## ")[0]) for part in ENTRY.split(text)[1:])


def _entry(text: str) -> Entry:
    joined = re.sub(r"\n  (?=\S)", " ", text)
    points = tuple(line for line in joined.splitlines() if line.startswith("- "))
    return Entry(int(text[1:].split(maxsplit=1)[0]), text, points)


@cache
def cases() -> dict[str, Case]:
    return {case.number: case for case in all_cases(CASES)}


def cited(text: str) -> Iterator[int]:
    """The rulings that a text cites; `R42-R47` stands for all six."""
    for first, last in CITATION.findall(text):
        yield from range(int(first), int(last or first) + 1)


def test_every_ruling_stands_in_it_once_and_in_order() -> None:
    assert [entry.number for entry in entries()] == list(range(1, ALL + 1))


def test_its_index_is_that_of_its_headings() -> None:
    text = (RULES / "RULINGS.md").read_text(encoding="utf-8")
    assert text == written(text), "python -m tests.hammer.index_rulings writes it anew"


def test_an_index_that_says_something_else_is_noticed() -> None:
    text = (RULES / "RULINGS.md").read_text(encoding="utf-8")
    assert written(text.replace("### R39 Counting at a border (4.3)", "### R39 Counting (4.4)")) != text


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: f"R{entry.number}")
def test_a_ruling_that_departs_from_the_letter_says_so(entry: Entry) -> None:
    """What the text says, what is played and why, in this order; no other ruling says half of it."""
    heads = [point[2:].partition(":")[0] for point in entry.points]
    assert heads[:3] == DEPARTURE if entry.number in DEPARTS else not set(heads) & set(DEPARTURE)


def test_what_code_and_cases_cite_stands_in_it() -> None:
    known = set(range(1, ALL + 1))
    sources = [path for kind in ("*.py", "*.toml") for path in sorted((PROJECT / "pbem").rglob(kind))]
    unknown = {
        f"{path.relative_to(PROJECT)}: R{number}"
        for path in sources
        for number in cited(path.read_text(encoding="utf-8"))
        if number not in known
    }
    unknown |= {
        f"case {case.number}: R{number}"
        for case in cases().values()
        for number in cited(" ".join(case.shows))
        if number not in known
    }
    assert not sorted(unknown)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: f"R{entry.number}")
def test_its_cases_exist_and_show_it(entry: Entry) -> None:
    numbers = entry.listed("Cases")
    assert numbers or entry.number > ABOUT_PLAY, "a ruling about play names the cases that show it"
    wrong = [
        number
        for number in numbers
        if number not in cases() or f"R{entry.number}" not in cases()[number].shows
    ]
    assert not wrong, "there is no such case, or it shows something else"


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: f"R{entry.number}")
def test_its_modules_exist_and_cite_it(entry: Entry) -> None:
    paths = [PROJECT / name if "/" in name else RULES / name for name in _modules(entry)]
    assert paths or entry.number > ABOUT_PLAY, "a ruling about play names the module that holds it"
    assert not [path for path in paths if not path.is_file()]
    if entry.number <= ABOUT_PLAY:
        silent = [path.name for path in paths if entry.number not in cited(path.read_text(encoding="utf-8"))]
        assert not silent, "these modules do not cite it"


def _modules(entry: Entry) -> list[str]:
    return [name.strip("`") for name in entry.listed("Code")]


def test_the_coasts_it_lists_are_those_of_the_map() -> None:
    listed = re.search(r"Coasts: ([^.]*)\. Inland: ([^.]*)\.", " ".join(entries()[50].text.split()))
    assert listed is not None
    coasts, inland = (names.split(", ") for names in listed.groups())
    assert coasts == sorted(name for name, area in AREAS.items() if area.coastal)
    assert inland == sorted(name for name, area in AREAS.items() if not area.coastal)


def test_every_house_rule_stands_in_one_ruling_with_all_its_values() -> None:
    named = {switch: values for entry in entries() for switch, values in entry.house_rules.items()}
    assert sorted(named) == sorted(SWITCHES)
    for switch, values in SWITCHES.items():
        listed = re.sub(r" \([^)]*\)", "", named[switch]).removesuffix(".").split(", ")
        assert listed == [_plain(value) for value in values], switch


def _plain(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def test_what_an_edition_changes_is_said() -> None:
    data = tomllib.loads((RULES / "editions.toml").read_text(encoding="utf-8"))["edition"]
    for edition in EDITIONS:
        for switch, value in data[edition].items():
            if switch not in SWITCHES:
                continue
            entry = next(entry for entry in entries() if switch in entry.house_rules)
            said = next((point for point in entry.points if point.startswith("- Editions: ")), "")
            assert edition in re.findall(r"\b3(?:-de)?(?![\w-])", said), (edition, switch)
            assert _plain(value) in said, (edition, switch)


def test_no_edition_is_said_to_change_what_it_does_not() -> None:
    data = tomllib.loads((RULES / "editions.toml").read_text(encoding="utf-8"))["edition"]
    for entry in entries():
        said = next((point for point in entry.points if point.startswith("- Editions: ")), "")
        if not said or not entry.house_rules:
            continue
        for edition in re.findall(r"\b3(?:-de)?(?![\w-])", said):
            assert any(switch in data[edition] for switch in entry.house_rules), (entry.number, edition)
