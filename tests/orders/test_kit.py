"""The kit: all rows of Hammer's language walked, and what serves a language that says nothing of it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from pbem.orders.base import Answer, Uncovered
from pbem.orders.cursor import Names
from pbem.orders.hammer import LANGUAGE
from pbem.orders.hammer.form import PLAN, QUESTIONS
from pbem.orders.kit.language import KitLanguage
from pbem.practice.table import SeededChance
from pbem.rules.hammer.facts import SIDES
from pbem.titles import load
from tests.hammer.order_table import new_game, situation
from tests.orders import kit_rules


@pytest.mark.ci
def test_every_row_of_hammer_is_read_said_and_written_back() -> None:
    kit_rules.check_verbs(LANGUAGE, SIDES)
    kit_rules.check_conditions(LANGUAGE, SIDES)
    kit_rules.check_topics(LANGUAGE.rows)
    assert kit_rules.check_pauses(LANGUAGE, SIDES, new_game(1).view("scotland"))


@pytest.mark.ci
def test_every_verb_of_hammer_is_in_a_form_and_answers_an_ask() -> None:
    tried = kit_rules.Answered(LANGUAGE)
    forms = ["\n".join(PLAN), *("\n".join(q.lines) for q in QUESTIONS.values() if not callable(q.lines))]
    for seed in range(6):
        game, dice = new_game(seed), random.Random(seed)
        while game.asks and tried.left:
            ask = game.asks[0]
            view = game.view(ask.side)
            tried.try_at(ask, view)
            if ask.kind in ("home", "build"):
                forms.append(LANGUAGE.form(view, game.asks))
            game.answer(ask.side, dice.choice(ask.legal))
    raided = situation(
        "turn end",
        scotland={"England": "Wallace"},
        england={"Lothian": "York Infantry, Edward", "Mentieth": "Mentieth"},
        first="scotland",
        cards={"scotland": "1", "england": "1"},
        hands={"scotland": ["1"], "england": ["1"]},
    )
    crowning = situation(
        "events",
        scotland={"Fife": "Bruce, Douglas"},
        england={"Mentieth": "Mentieth"},
        scotland_out={"off map": "Wallace"},
        first="scotland",
        cards={"scotland": "herald", "england": "1"},
        hands={"scotland": ["1"], "england": ["1"]},
    )
    for game in (raided, crowning):
        tried.try_at(game.asks[0], game.view(game.asks[0].side))
    assert tried.left == {}
    kit_rules.check_form(LANGUAGE.rows, forms)


def test_one_is_no_beginning_of_eleven() -> None:
    assert Names(("scott-11", "scott-5")).read(("scott", "1")).name == ""
    assert Names(("scott-11", "scott-1")).read(("sco", "1")).name == "scott-1"


def test_where_no_row_says_what_is_in_force_a_file_is_over_when_its_moment_is() -> None:
    game = load("lords").rules.start({"first": "red"}, SeededChance(1))
    ask, view = game.asks[0], game.view("red")
    bare = KitLanguage(replace(load("lords").language.rows, in_force=None))  # type: ignore[attr-defined]
    follower = bare.follower("red")
    follower.receive(bare.parse("recruit 1", "red").orders, view)
    assert follower.reply(ask, view) == Answer("recruit 1", 1, 0)
    for later in ({**view, "round": 2}, view):
        assert isinstance(follower.reply(ask, later), Uncovered)
