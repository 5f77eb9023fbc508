"""Forty mistakes, and whether what people are told of them says what they would want to know."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.orders.faults import faults_in_words
from pbem.practice.table import Table

LIST: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text())["mistake"]
OPTIONS: dict[str, dict[str, Any]] = {"lords": {"players": 3}}
SIDE = {"hammer": "scotland", "lords": "red", "first-war": "scots"}


@cache
def table(game: str) -> Table:
    """Where each game begins."""
    return Table(game, OPTIONS.get(game, {}), 3)


def told(mistake: dict[str, Any]) -> str:
    """What is said of the orders before they are sent."""
    at, side = table(mistake["game"]), SIDE[mistake["game"]]
    language = at.setting.language
    parsed = language.parse(mistake["orders"], side)
    faults = (*parsed.faults, *language.check(parsed.orders, at.view(side)))
    return " ".join(faults_in_words(faults).split()) if faults else ""


def missing(mistake: dict[str, Any]) -> list[str]:
    """What is wanted of the answer and does not stand in it."""
    said = told(mistake).lower()
    return [want for want in mistake["wants"] if want.lower() not in said]


def test_there_are_forty() -> None:
    assert len(LIST) == 40
    assert len({(one["game"], one["orders"]) for one in LIST}) == 40


@pytest.mark.parametrize("mistake", LIST, ids=lambda one: one["orders"].replace("\n", " | ")[:50])
def test_the_answer_says_what_is_wanted(mistake: dict[str, Any]) -> None:
    assert missing(mistake) == [], told(mistake)
