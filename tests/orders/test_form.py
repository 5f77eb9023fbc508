"""The order form of a report: what it asks, what it puts in advance, and that it reads as no orders."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pbem.orders.hammer import LANGUAGE, TOPICS
from pbem.orders.hammer.form import QUESTIONS
from pbem.orders.hammer.sight import Sight
from pbem.practice.table import Table
from pbem.rules.base import Game
from pbem.rules.hammer.facts import SIDES
from tests.hammer.order_table import new_game, situation

CARDS = (Path(__file__).parent / "form.txt").read_text(encoding="utf-8")


def start_of_turn() -> Game:
    """The English hold 1 and 2."""
    return situation(
        "cards",
        stops=True,
        scotland={"Fife": "Wallace"},
        england={"Mentieth": "Mentieth"},
        hands={"england": ["1", "2"], "scotland": ["1", "herald"]},
    )


def test_the_form_at_the_start_of_a_turn() -> None:
    game = start_of_turn()
    game.go_on()
    assert LANGUAGE.form(game.view("england"), game.asks) == CARDS


def test_moves_are_put_in_advance_to_whoever_moves_second() -> None:
    game = situation(
        "first move",
        scotland={"Fife": "Wallace"},
        england={"Mentieth": "Mentieth"},
        first="england",
        cards={"scotland": "2", "england": "3"},
    )
    assert "\nmove ____" in LANGUAGE.form(game.view("scotland"), ())
    assert "\nmove ____" not in LANGUAGE.form(game.view("england"), ())


def test_events_are_put_in_advance_to_whoever_holds_their_cards() -> None:
    game = start_of_turn()
    form = LANGUAGE.form(game.view("scotland"), ())
    assert "\nherald ____\n" in form
    assert "\ncrown ____\n" in form
    assert "\nsail" not in form
    assert "\nraid" not in form


@pytest.mark.parametrize(
    ("side", "lines"),
    [
        ("england", ["home Bruce to ____", "winter ____", "keep ____", "disband ____", "build ____"]),
        (
            "scotland",
            [
                "home Bruce to ____",
                "home Moray to ____",
                "home King to ____",
                "home Wallace to ____",
                "keep ____",
                "disband ____",
                "build ____",
                "draw ____",
            ],
        ),
    ],
)
def test_the_winter_s_hidden_questions_are_put_in_advance(side: str, lines: list[str]) -> None:
    """Design 4, When the judge stops: applicable or not, in the form of the last stop before them."""
    game = situation(
        "english nobles",
        turn=6,
        stops=True,
        scotland={"Fife": "Wallace, King", "Moray": "Moray", "Annan": "Bruce"},
        england={"Lothian": "Edward"},
    )
    assert game.at_stop == "winter"
    form = LANGUAGE.form(game.view(side), game.asks)
    asked = [line for line in form.splitlines() if "____" in line]
    assert asked == lines
    assert "winter:\n" in form


def test_builds_have_a_form_of_their_own() -> None:
    game = situation(
        "french knights", turn=6, stops=True, scotland={"Fife": "Wallace 2"}, england={"Lothian": "Edward"}
    )
    assert game.at_stop == "builds"
    assert "\nbuild ____\ndraw ____\nend\n" in LANGUAGE.form(game.view("scotland"), ())
    assert "\nbuild ____\nend\n" in LANGUAGE.form(game.view("england"), ())
    game.go_on()
    assert "ASKED NOW: How do you use your replacement points" in LANGUAGE.form(
        game.view("scotland"), game.asks
    )


def test_every_kind_of_question_has_words() -> None:
    kinds = {kind for topic in TOPICS for kind in topic.kinds} | {"card"}
    assert set(QUESTIONS) == kinds


@pytest.mark.ci(but=("2",))
@pytest.mark.parametrize("seed", range(6))
def test_a_form_sent_back_blank_is_no_order_and_fits_a_mail(seed: int) -> None:
    """At every question of a random game, and quoted: no line of it is an order, none is too wide."""
    game, dice = new_game(seed), random.Random(seed)
    while game.asks:
        ask = game.asks[0]
        if dice.random() < 0.1:
            for side in SIDES:
                form = LANGUAGE.form(game.view(side), game.asks)
                assert max(map(len, form.splitlines())) <= 66
                quoted = "".join(f"> {line}\n" for line in form.splitlines())
                parsed = LANGUAGE.parse(quoted, side)
                assert not parsed.orders
                assert parsed.faults == ()
        game.answer(ask.side, dice.choice(ask.legal))


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(3))
def test_examples_in_a_form_can_be_ordered(seed: int) -> None:
    """What a form gives as an example is read, and names the side's own blocks."""
    game, dice = new_game(seed), random.Random(seed)
    while game.asks:
        ask = game.asks[0]
        if dice.random() < 0.1:
            view = game.view(ask.side)
            text = " ".join(
                line.removeprefix("note ") for line in LANGUAGE.form(view, game.asks).splitlines()
            )
            for example in text.split("For example: ")[1:]:
                order = example.split(". ")[0].split(";")[0].split(" / ")[0]
                plan = "plan any: " if order.startswith("if round") else ""
                parsed = LANGUAGE.parse(plan + order, ask.side)
                assert [str(fault) for fault in parsed.faults] == [], order
                assert all(
                    name not in order or Sight(view, ask.side).own(name) for name in ("Wallace", "Edward")
                ), order
        game.answer(ask.side, dice.choice(ask.legal))


def test_the_form_of_a_year_s_last_turn_mentions_winter() -> None:
    """Whoever writes the winter ahead spares a pause; the turns before say nothing of it."""
    hands = {"england": ["1"], "scotland": ["2"]}
    table = Table("hammer", {}, 3)
    first = {**table.view("scotland"), "hand": ["1", "2"]}
    last = {**first, "turn": 5, "hand": ["2"], "hand_sizes": dict.fromkeys(hands, 1)}
    form = LANGUAGE.form(last, ())
    assert "winter" not in LANGUAGE.form(first, ()).lower()
    assert "note WINTER COMES AFTER THIS TURN" in form
    assert "\nwinter:\n" in form
    assert not LANGUAGE.parse(form, "scotland").orders, "left blank it says nothing"
    written = form.replace("build ____", "build Wallace")
    assert "Wallace" in LANGUAGE.say(LANGUAGE.parse(written, "scotland").orders)
