"""Lords and First War: headings, rulings, code and cases agree, as tests/test_rulings.py asks of Hammer."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.rules import parse_rulings
from pbem.rules.first_war import facts as first_war
from pbem.rules.lords import facts as lords
from tests.cases.casefile import Case, all_cases

PROJECT = Path(__file__).parent.parent
ENTRY = re.compile(r"(?m)^### ([LF]\d+) (.*) \((.*)\)$")


LORDS_HEADINGS = (
    *("Alternative Rules", "Bruce", "Clan Powers", "Cochrane", "Cockburn", "Content", "Ferguson"),
    *("Forsyth", "How to Play", "MacDonnell", "Makgill", "On Your Turn", "Reading the Cards"),
    *("Rules Clarification", "Scott", "Setting Up the Game", "The End of the Game"),
    *("The End of the Round", "The Goal of the Game", "Wemyss"),
)
FIRST_WAR_HEADINGS = (
    *("Battle Phase", "Card List Notation", "Common Deck Card List", "End Phase", "Event Phase"),
    *("Leader Cards", "Logistics Phase", "Quartering Phase", "Recruit Phase", "Recruitment Phase"),
    *("Seasonal Turn Sequence", "Setup", "Territory Tokens", "The Deck", "Turns", "Unit Cards"),
    *("Victory", "Victory Phase", "Winter Turn Sequence"),
)


@dataclass(frozen=True, eq=False)
class CardGame:
    """What is compared for one game."""

    title: str
    folder: str
    letter: str
    headings: tuple[str, ...]
    switches: Mapping[str, tuple[Any, ...]]
    rulings: int = 34

    def __str__(self) -> str:
        return self.title

    @property
    def code(self) -> Path:
        """The package of its rules."""
        return PROJECT / "pbem/rules" / self.folder

    @property
    def numbers(self) -> list[str]:
        """Its rulings."""
        return [f"{self.letter}{number}" for number in range(1, self.rulings + 1)]

    def cases(self) -> tuple[Case, ...]:
        """Its `.case` files."""
        return tuple(all_cases(PROJECT / "tests/cases" / self.folder))


GAMES = (
    CardGame("lords", "lords", "L", LORDS_HEADINGS, lords.SWITCHES),
    CardGame("first-war", "first_war", "F", FIRST_WAR_HEADINGS, first_war.SWITCHES),
)
each_game = pytest.mark.parametrize("game", GAMES, ids=str)


@cache
def shown(game: CardGame) -> dict[str, set[str]]:
    """For each case the headings and rulings that it shows."""
    found = {}
    by_hyphens = {heading.replace(" ", "-"): heading for heading in game.headings}
    for case in game.cases():
        found[case.number] = {by_hyphens.get(word, word) for word in case.shows}
    return found


@cache
def docstrings(game: CardGame) -> dict[str, str]:
    """All docstrings of each module."""
    found = {}
    for path in sorted(game.code.glob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        found[path.name] = "\n".join(
            ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds)
        )
    return found


def entries(game: CardGame) -> Iterator[tuple[str, tuple[str, ...], dict[str, list[str]]]]:
    """Number, headings and lists of each ruling in RULINGS.md."""
    text = (game.code / "RULINGS.md").read_text(encoding="utf-8")
    parts = ENTRY.split(text)[1:]
    for number, _, headings, body in zip(*(parts[at::4] for at in range(4)), strict=True):
        points: dict[str, list[str]] = {}
        for line in re.sub(r"\n  (?=\S)", " ", body).splitlines():
            if point := re.match(r"- ([A-Z][a-z ]+): (.*)\.$", line):
                points.setdefault(point[1], []).append(point[2])
        yield number, tuple(headings.split(", ")), points


@each_game
def test_every_heading_and_ruling_has_a_case_and_its_place_in_the_code(game: CardGame) -> None:
    wanted = {*game.headings, *game.numbers}
    assert set().union(*shown(game).values()) == wanted
    words = "\n".join(docstrings(game).values())
    assert not [name for name in wanted if not re.search(rf"\b{name}\b", words)], "no docstring cites these"
    assert not set(re.findall(rf"\b{game.letter}\d+\b", words)) - wanted, "there is no such ruling"


@each_game
def test_the_rulings_stand_in_order_under_headings_that_there_are(game: CardGame) -> None:
    found = list(entries(game))
    assert [number for number, _, _ in found] == game.numbers
    assert not {heading for _, headings, _ in found for heading in headings} - set(game.headings)
    text = (game.code / "RULINGS.md").read_text(encoding="utf-8")
    assert [(ruling.number, ruling.sections) for ruling in parse_rulings(text)] == [
        (number, headings) for number, headings, _ in found
    ]


@each_game
def test_a_ruling_names_cases_that_show_it_and_modules_that_cite_it(game: CardGame) -> None:
    for number, _, points in entries(game):
        (cases,), (modules,) = points["Cases"], points["Code"]
        assert not [case for case in cases.split(", ") if number not in shown(game).get(case, ())], number
        for module in modules.split(", "):
            assert re.search(rf"\b{number}\b", docstrings(game)[module.strip("`")]), (number, module)


@each_game
def test_every_house_rule_stands_in_one_ruling_and_every_value_is_played(game: CardGame) -> None:
    said = Counter(
        point.split("`")[1] for _, _, points in entries(game) for point in points.get("House rule", ())
    )
    assert said == {name: 1 for name in game.switches if name not in ("players", "pace")}
    for name, values in game.switches.items():
        if name in ("years", "first"):
            continue
        played = {case.options.get(name) for case in game.cases()}
        plain = {True: "yes", False: "no"}
        assert not [value for value in values[1:] if plain.get(value, str(value)) not in played], name


@each_game
def test_a_case_has_a_number_of_its_own_below_a_ruling_or_is_a_worked_one(game: CardGame) -> None:
    count = Counter(case.number for case in game.cases())
    assert not [number for number, times in count.items() if times > 1]
    places = {number.partition("/")[0] for number in count}
    assert not {one for one in places if not re.fullmatch(rf"{game.letter}C\d\d", one)} - set(game.numbers)
