"""The kit: all rows of Hammer's language walked, and a small language for three sides made of it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from pbem.orders.base import Answer, Stop, Uncovered
from pbem.orders.hammer import LANGUAGE
from pbem.orders.hammer.form import PLAN, QUESTIONS
from pbem.orders.kit.language import KitLanguage
from pbem.orders.kit.rows import PlanHeading, Rows, Section, Steps, Topic
from pbem.orders.kit.text import else_
from pbem.orders.kit.vocabulary import (
    Clause,
    Count,
    Fact,
    Measure,
    Noun,
    Occasion,
    Problem,
    Verb,
    Written,
    phrases,
)
from pbem.orders.names import Names
from pbem.rules.base import Ask, Head, View
from pbem.rules.hammer.facts import SIDES
from tests.hammer.order_table import new_game, situation
from tests.orders import kit_rules
from tests.orders.rows import rows

# -- all rows of a language


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


# -- a language for three, as Lords and First War need them

SEATS = ("red", "blue", "green")
CARDS = ("scott-1", "scott-5", "scott-11", "bruce-3")


class SmallSight:
    """What a seat of the small game sees: armies by number, the turn, its own hand."""

    def __init__(self, view: View, side: str, memory: None) -> None:
        self.side = side
        self.view = view

    @property
    def moment(self) -> int:
        """A file holds for a round."""
        return int(self.view["round"])

    @property
    def here(self) -> str:
        """A plan is for a turn of the round."""
        return str(self.view["turn"])

    pace = affair = moment

    def army(self, side: str) -> int:
        """How strong a seat is."""
        return int(self.view["armies"][side])


def muster(occasion: Occasion) -> Iterator[str]:
    """Up if the line says so."""
    order = occasion.order
    how = "up" if order.has("up") else "down"
    targets = [f"use {target}" for target in order.all("use")] if how == "up" else []
    yield from (f"muster {order.names[0]} {how} {target}" for target in targets)
    yield f"muster {order.names[0]} {how}"


def only_own_hand(written: Written) -> Problem | None:
    """Other hands are hidden."""
    me = written.term.name() == written.side
    return None if me else Problem("you do not see other hands", "3")


def seats(side: str) -> Names:
    """Every seat by its colour; one's own also as `my army`."""
    return Names(SEATS, {"me": side, "my": side})


SMALL = Rows(
    name="small",
    sight=SmallSight,
    nouns=(
        Noun(name="card", what="a card", names=Names(CARDS), rule="2"),
        Noun(name="seat", what="a player", names=seats, sorts={"anybody": SEATS}),
        Noun(name="turn number", what="a turn", names=Names(("1", "2", "3"))),
    ),
    verbs=(
        Verb(
            name="muster",
            form="muster CARD up or down",
            rule="4",
            example="muster scott-5 up use bruce-3",
            takes="card",
            many=False,
            clauses=(Clause(word="up"), Clause(word="down"), Clause(word="use", noun="card", many=True)),
            needs_one_of=("up", "down"),
            missing="up or down? write '{form}'",
            kinds=("turn",),
            where=("round", "plan"),
            proposes=muster,
            says=lambda order: f"You muster {order.names[0]} {'up' if order.has('up') else 'down'}",
        ),
        Verb(
            name="claim",
            form="claim CARDS, rest",
            rule="5",
            example="claim scott-11, rest",
            takes="card",
            kinds=("claim",),
            where=("round", "doctrine"),
            says=lambda order: f"You claim {else_(order.names)}",
        ),
        Verb(
            name="deploy",
            form="deploy CARDS 2",
            example="deploy all except scott-1",
            takes="card",
            counted=Count("cards"),
            kinds=("deploy",),
            where=("round",),
            topic="deploy",
            clauses=(Clause(word="max", number=Count("cards", 9)),),
        ),
    ),
    facts=(
        Fact(
            name="holds",
            phrases=phrases("{seat} holds|hold|hold {card}"),
            refuse=only_own_hand,
            holds=lambda term, sight: term.name(1) in sight.view["hand"],
            example="me hold scott-5",
        ),
    ),
    measures=(
        Measure(
            name="army",
            phrases=phrases("army {seat}", "{seat} army", "army of {seat+}"),
            value=lambda term, sight: max(sight.army(seat) for seat in term.names()),
            example="army red at least 9",
        ),
    ),
    topics=(Topic(name="turns", kinds=("turn",)), Topic(name="deploy", kinds=("deploy",))),
    sections=(Section(name="round"), Section(name="doctrine", heading="Always:", standing=True, empty="-")),
    plan=PlanHeading(
        word="turn",
        noun="turn number",
        said="In turn {names}:",
        said_any="In any turn:",
        kinds=frozenset(("turn",)),
        topic="turns",
    ),
    steps=(Steps(kind="deploy", over=Problem("no more cards may go down", "2")),),
)
LANGUAGE_OF_THREE = KitLanguage(SMALL)


def small_view(**given: object) -> View:
    """What red sees."""
    head = Head("small", "red", ("round 1", "turn 1"), {}, None)
    armies = {"red": 4, "blue": 9, "green": 5}
    return head.view(**{"round": 1, "turn": 1, "armies": armies, "hand": ["scott-5"], **given})


def asked(kind: str, *legal: str) -> Ask:
    """A question to red; its last answer is the default."""
    return Ask("red", kind, "1", lambda: legal, public=True, preferred=lambda: legal[-1])


def reply(text: str, ask: Ask, **given: object) -> str:
    """What an order text of red's answers; a fault fails."""
    parsed = LANGUAGE_OF_THREE.parse(text, "red")
    assert [str(fault) for fault in parsed.faults] == []
    follower = LANGUAGE_OF_THREE.follower("red")
    follower.receive(parsed.orders, small_view(**given))
    found = follower.reply(ask, small_view(**given))
    return found.text if isinstance(found, Answer) else type(found).__name__


def test_every_row_of_the_small_language_is_read_said_and_written_back() -> None:
    kit_rules.check_verbs(LANGUAGE_OF_THREE, SEATS)
    kit_rules.check_conditions(LANGUAGE_OF_THREE, SEATS)
    kit_rules.check_topics(SMALL)


TURN = asked("turn", "muster scott-5 up", "muster scott-5 up use bruce-3", "muster scott-5 down")


@pytest.mark.parametrize(("text", "expected"), rows("lines.txt", "three sides"))
def test_three_sides_with_plans_for_turns(text: str, expected: str) -> None:
    assert reply(text, TURN) == expected


def test_a_list_of_steps_with_counts_ends_in_done() -> None:
    follower = LANGUAGE_OF_THREE.follower("red")
    view = small_view()
    follower.receive(LANGUAGE_OF_THREE.parse("deploy scott-5 2, bruce-3, scott-1", "red").orders, view)
    open_ = asked("deploy", "deploy scott-5", "deploy bruce-3", "done")
    said = [follower.reply(open_, view) for _ in range(5)]
    texts = [one.text if isinstance(one, Answer) else "" for one in said]
    assert texts == ["deploy scott-5", "deploy scott-5", "deploy bruce-3", "done", "done"]
    assert [str(dropped) for dropped in follower.dropped] == [
        "line 1: 'deploy scott-1' was left out: 'deploy scott-1' is not possible here (1)"
    ]


def test_a_standing_section_answers_when_no_order_does() -> None:
    claim = asked("claim", "claim bruce-3", "claim scott-1")
    assert reply("doctrine: claim scott-11, bruce-3", claim) == "claim bruce-3"
    assert reply("claim scott-1\ndoctrine: claim bruce-3", claim) == "claim scott-1"


def test_a_file_is_over_when_its_moment_is() -> None:
    follower = LANGUAGE_OF_THREE.follower("red")
    follower.receive(LANGUAGE_OF_THREE.parse("muster scott-5 up", "red").orders, small_view())
    assert isinstance(follower.reply(TURN, small_view(turn=2)), Answer)
    assert isinstance(follower.reply(TURN, small_view(round=2)), Uncovered)
    assert isinstance(follower.reply(TURN, small_view()), Uncovered)


@pytest.mark.parametrize(("text", "told"), rows("lines.txt", "three sides, wrong"))
def test_faults_name_what_is_wrong(text: str, told: str) -> None:
    parsed = LANGUAGE_OF_THREE.parse(text, "red")
    assert not parsed.orders
    assert told in str(parsed.faults[0])


def test_one_is_no_beginning_of_eleven() -> None:
    assert Names(("scott-11", "scott-5")).read(("scott", "1")).name == ""
    assert Names(("scott-11", "scott-1")).read(("sco", "1")).name == "scott-1"


def test_the_form_asks_what_is_open_and_puts_the_rest_in_advance() -> None:
    form = LANGUAGE_OF_THREE.form(small_view(), [TURN])
    assert "ASKED NOW: Your turn? (1)" in form
    assert "\nmuster ____\n" in form
    assert "\nclaim ____\n" in form
    parsed = LANGUAGE_OF_THREE.parse(form, "red")
    assert parsed.faults == ()
    assert not parsed.orders


def test_an_ask_stops_once() -> None:
    follower = LANGUAGE_OF_THREE.follower("red")
    follower.receive(LANGUAGE_OF_THREE.parse("ask", "red").orders, small_view())
    assert isinstance(follower.reply(TURN, small_view()), Stop)
    assert isinstance(follower.copy().reply(TURN, small_view()), Uncovered)
