"""Twice forty mistakes, and whether what people are told of them says what they would want to know."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.forecast import forecast_of
from pbem.practice.table import Table
from pbem.reports.base import Echo

TESTS = Path(__file__).parents[1]
FOLDERS = (("hammer", "hammer"), ("lords", "lords"), ("first-war", "first_war"))


def listed(file: str) -> list[dict[str, Any]]:
    """The mistakes of all games in files of this name."""
    return [
        {"game": game, **mistake}
        for game, folder in FOLDERS
        for mistake in tomllib.loads((TESTS / folder / file).read_text(encoding="utf-8"))["mistake"]
    ]


LISTS = {"mistakes.toml": listed("mistakes.toml"), "newcomer.toml": listed("newcomer.toml")}
STRANGER = listed("stranger.toml")
"""By those who wrote the answers; and, later, by somebody who had read reports and pages alone."""
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
    view = {**at.view(side), **({"hand": mistake["hand"]} if "hand" in mistake else {})}
    parsed = language.parse(mistake["orders"], side)
    faults = (*parsed.faults, *language.check(parsed.orders, view))
    echo = Echo(
        game="",
        exchange=0,
        player="",
        side=side,
        said=language.say(parsed.orders) if parsed.orders else "",
        faults=faults,
        forecast=forecast_of(at.setting.title.forecast, parsed.orders, view, at.play.follower(side)),
    )
    return " ".join(at.setting.style.check_words(echo).split())


def missing(mistake: dict[str, Any]) -> list[str]:
    """What is wanted of the answer and does not stand in it."""
    said = told(mistake).lower()
    return [want for want in mistake["wants"] if want.lower() not in said]


@pytest.mark.parametrize("file", LISTS)
def test_there_are_forty(file: str) -> None:
    assert len({(one["game"], one["orders"]) for one in LISTS[file]}) == len(LISTS[file]) == 40


NOT_TOLD = {
    "battle order Fife, Mar": "no area called 'order' is told, though 'battles' is what is meant",
    "Wallace attacks Atholl": "the way is not filled in: that the line should begin with 'move' is told",
    "strategy sea travel": "it is not a mistake: Sea Travel is played as a Strategy card",
}
"""What is wanted of these and not told, and why."""


@pytest.mark.ci(but=("newcomer.toml",))
@pytest.mark.parametrize("file", LISTS)
def test_thirty_eight_are_answered_as_people_would_want(file: str) -> None:
    left = {one["orders"]: missing(one) for one in LISTS[file] if missing(one)}
    assert {orders.splitlines()[-1] for orders in left} <= set(NOT_TOLD), left
    assert len(left) <= 2


@pytest.mark.ci
def test_a_third_reader_s_mistakes_are_answered() -> None:
    """With twelve commands (tests/player/stranger.toml) these are forty; two are not told."""
    left = {one["orders"] for one in STRANGER if missing(one)}
    assert left <= {"if in winter: event raid", "card 2\nbuild Wallace"}, "what is done in winter is not told"


ENDS = "  regroup none\n  forced retreat all\n"
CONDITIONAL = "plan Mentieth:\n  if round 2: retreat all to Fife\n"


@pytest.mark.parametrize(
    ("orders", "stops"),
    [
        (f"{CONDITIONAL}end", True),
        (f"{CONDITIONAL}  fire\n{ENDS}end", False),
        (f"{CONDITIONAL}  fire\nend", True),  # who regroups, and where blocks retreat that must
        (f"{CONDITIONAL}  fire\n  regroup none\nend", True),
        (f"{CONDITIONAL}  fire\n  forced retreat all\n  ask regroup\nend", False),
        (f"plan any:\n{ENDS}end\nplan Mentieth: fire", False),
        (f"plan Fife:\n{ENDS}end\nplan Mentieth: fire", True),
        (f"{CONDITIONAL}  fire Wallace\nend", True),
        (f"{CONDITIONAL}  fire rest\n{ENDS}end", False),
        (f"{CONDITIONAL}  ask\nend", False),  # whoever asks for it wants to be asked
        (f"{CONDITIONAL}{ENDS}end\nplan any: fire", True),  # in other battles it is not said
        (f"{CONDITIONAL}end\nplan any:\n  fire\n{ENDS}end", False),
        ("plan Mentieth:\n  hits nobles\n  fire\nend", True),
        (f"plan Mentieth:\n  hits nobles, rest\n  fire\n{ENDS}end", False),
        ("plan Mentieth:\n  regroup none\nend", False),
    ],
)
def test_what_may_stop_the_game_is_said_first(orders: str, stops: bool) -> None:
    """With the line that would spare it; and nothing is said where nothing stops for it."""
    said = told({"game": "hammer", "orders": f"card 2\n{orders}"})
    assert said.startswith("Orders for Scotland, not sent yet THE GAME MAY STOP HERE") == stops
    assert ("to prevent that, write" in said) == stops
