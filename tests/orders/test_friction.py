"""What people write in good faith, and the answer that helps them."""

from __future__ import annotations

import pytest

from pbem.orders.hammer import LANGUAGE
from pbem.orders.kit.proposals import refusal
from pbem.titles.hammer.forecast import FORECAST
from tests.hammer.order_table import followed, situation
from tests.orders.test_check import cards_to_play, found

MOVE = "move BLOCKS from AREA to AREA, AREA"


def told(text: str) -> list[str]:
    """The first line of each fault of a Scottish player's text."""
    return [str(fault).splitlines()[0] for fault in LANGUAGE.parse(text, "scotland").faults]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "Grant: Buchan->Angus",
            f"line 1: 'Grant' is a block; begin the line with what you do: '{MOVE}' (4.2)",
        ),
        (
            "retreat if Grant is weak",
            (
                "line 1: 'weak' is not a condition: write how strong a block is, such as 'Grant "
                "strength at most 1'"
            ),
        ),
        (
            "move 2 blocks from Fife to Mar",
            "line 1: a number says how many, not which block: name each, or write one of these",
        ),
    ],
)
def test_what_is_meant_is_guessed(text: str, answer: str) -> None:
    assert told(text) == [answer]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("if first and Fife is\nattacked: move none", "if first and Fife is attacked: move none"),
        ("plan any:\nif they have\nknights: fire", "plan any:\n    if they have knights: fire\nend"),
        ("if first move none\nplan Fife: fire", "if first: move none\nplan Fife:\n    fire\nend"),
    ],
)
def test_a_condition_that_was_wrapped_is_joined(text: str, meaning: str) -> None:
    parsed = LANGUAGE.parse(text, "scotland")
    assert parsed.faults == ()
    assert LANGUAGE.write(parsed.orders).strip() == meaning


PART_OF = "a remark: this line is part of the {} above; write 'end' before it if it should not be"


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("if first:\n    move Wallace to Mar\nraid rest", f"line 3, {PART_OF.format('case')}"),
        ("plan Fife:\n    fire\nretreat Wallace to Mar", f"line 3, {PART_OF.format('plan')}"),
        ("if first:\n    move Wallace to Mar\nend\nraid rest", None),
        ("if first:\nmove Wallace to Mar\nraid rest", None),
        ("if first:\n    move Wallace to Mar\nif second:\n    raid rest", None),
    ],
)
def test_a_missing_end_is_told_where_the_layout_shows_it(text: str, remark: str | None) -> None:
    assert told(text) == ([remark] if remark else [])


def test_single_lines_for_first_and_second_are_no_two_moves() -> None:
    text = "card 2\nif first: move Wallace from Fife to Mentieth\nif second: move Wallace from Fife to Angus"
    assert found(text) == []
    unknown = "card 2\nif Ross is mine: move Wallace to Mentieth\nif Moray is mine: move Wallace to Angus"
    assert found(unknown) == []
    both = "card 2\nmove Wallace to Mentieth\nif second: move Wallace to Angus"
    assert found(both), "the same block moves twice if second"


def test_a_refused_draw_or_build_says_why() -> None:
    game = situation(
        "scottish builds",
        scotland={"Fife": "Wallace 2, Douglas, Barclay", "Mar": "Mar"},
        england={"Buchan": "Buchan"},
        turn=6,
    )
    (ask,) = [ask for ask in game.asks if ask.side == "scotland"]
    reasons = {text: str(refusal(ask, text)) for text in ("draw Buchan", "draw Fife", "build Mar")}
    assert reasons["draw Buchan"] == "Buchan is not friendly, so it has no replacement points (7.62)"
    assert reasons["draw Fife"] == "Fife is full: its castle limit is 3 blocks (7.62)"
    assert reasons["build Mar"] == "Mar is at full strength (7.62)"


@pytest.mark.ci
def test_the_forecast_of_a_herald_reckons_with_an_attack() -> None:
    game = cards_to_play()
    view = game.view("scotland")
    follower = followed(game, "scotland")
    orders = LANGUAGE.parse("card herald\nherald none", "scotland").orders
    lines = FORECAST.forecast(orders, view, follower)
    assert any("If the enemy moves after your herald and attacks" in line for line in lines), lines


def test_a_lone_if_is_told_and_breaks_nothing() -> None:
    for text in ("if", "if\nif", "when\n\nmove Wallace to Fife", "plan any:\nif"):
        parsed = LANGUAGE.parse(text, "scotland")
        assert any("condition" in str(fault) for fault in parsed.faults), text
