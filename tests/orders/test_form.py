"""The order form of a report: what it asks, what it puts in advance, and that it reads as no orders."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pbem.orders.base import Standing
from pbem.orders.hammer import LANGUAGE, TOPICS
from pbem.orders.hammer.form import QUESTIONS
from pbem.orders.hammer.vocabulary import Sight
from pbem.orders.kit.language import KitLanguage
from pbem.practice.table import Table
from pbem.rules.hammer.facts import SIDES
from pbem.titles import load
from tests.hammer.order_table import new_game
from tests.kept import Telling, as_kept
from tests.orders.test_marked import PLACES, place


@pytest.mark.parametrize("game", PLACES)
def test_forms_are_as_they_were(game: str) -> None:
    """To each side in each place: with nothing on file, and with orders that speak of every question."""
    language, told = load(game).language, Telling()
    assert isinstance(language, KitLanguage)
    kinds = frozenset(kind for verb in language.rows.verbs for kind in verb.all_kinds)
    for name in PLACES[game]:
        begun = place(game, name)
        for side in load(game).rules.sides({}):
            view = begun.view(side)
            on_file = Standing(tuple((ask, "what is on file") for ask in begun.asks), kinds)
            for answered in (Standing(), on_file):
                form = language.form(view, begun.asks, answered)
                told.add(f"{name}, {side}, {len(answered.answers)} of {len(begun.asks)} answered", [form])
    as_kept(Path(__file__).parent / f"golden/{game}.forms.txt", str(told))


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


@pytest.mark.parametrize(("card", "moves"), [("truce", False), ("2", True)])
def test_whoever_plays_an_event_makes_no_moves(card: str, moves: bool) -> None:
    """3.12: an event is played instead of moves, so the form of the side that moves second asks for none."""
    begun = Table("hammer", {}, 3).view("scotland")
    cards = {"england": "3", "scotland": card}
    form = LANGUAGE.form({**begun, "turn": 1, "phase": "events", "first": "england", "cards": cards}, ())
    assert ("\nmove ____" in form) is moves
