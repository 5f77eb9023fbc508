"""The order language of Lords of Scotland: alternatives, powers, chains, copies, claims, and its stops."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

import pbem
from pbem.orders.base import Answer, Uncovered
from pbem.orders.kit.checker import REFUSED
from pbem.orders.kit.rows import NO_PAUSE
from pbem.orders.kit.vocabulary import Noun
from pbem.orders.lords import LANGUAGE
from pbem.practice.table import SeededChance, Table
from pbem.rules.base import Game
from pbem.rules.lords import RULES
from pbem.rules.lords.facts import CARDS, SIDES
from pbem.titles import load
from tests.orders import kit_rules

PAGE = Path(pbem.__file__).parent / "docs" / "orders-lords.md"
ALL = frozenset({"turn", "power", "target", "muster", "claim"})


def up(*names: str) -> list[dict[str, Any]]:
    return [{"card": name, "up": True} for name in names]


def start(**position: Any) -> Game:
    """Round 2, turn 3 of red and blue: red is to move."""
    given = {
        "round": 2,
        "turn": 3,
        "holder": "red",
        "supporters": ["scott-11", "forsyth-6"],
        "recruits": ["wemyss-2", "cochrane-9", "forsyth-3", "makgill-10", "scott-8"],
        "hands": {"red": ["cockburn-2", "makgill-3", "scott-4", "wemyss-1"], "blue": ["ferguson-5"]},
    }
    return RULES.start({}, SeededChance(1), {**given, **position})


@pytest.mark.ci
def test_every_row() -> None:
    kit_rules.check_verbs(LANGUAGE, SIDES)
    kit_rules.check_conditions(LANGUAGE, SIDES)
    kit_rules.check_topics(LANGUAGE.rows)
    for pace, some in (("turn", False), ("strict", True)):
        view = Table("lords", {"players": 3, "pace": pace}, 1).view("red")
        assert bool(kit_rules.check_pauses(LANGUAGE, SIDES, view)) == some


def test_every_verb_answers_what_it_is_for_and_the_form_shows_it() -> None:
    answered = kit_rules.Answered(LANGUAGE)
    forms = set()
    for seed in range(3):
        game, dice = RULES.start({"players": 3}, SeededChance(seed)), random.Random(seed)
        while game.outcome is None:
            ask = game.asks[0]
            answered.try_at(ask, game.view(ask.side))
            forms.add(LANGUAGE.form(game.view(ask.side), game.asks))
            game.answer(ask.side, dice.choice(ask.legal))
    assert set(answered.left) == {"then muster"}  # its cards are in no canonical answer; see the chains below
    kit_rules.check_form(LANGUAGE.rows, forms)


def test_a_face_down_follower_that_was_seen_is_known_by_its_place() -> None:
    game = start(
        armies={"blue": [*up("scott-1"), {"card": "macdonnell-1", "up": False}]},
        known={"macdonnell-1": ["blue", "red"]},
    )
    sight = LANGUAGE.rows.sight(game.view("red"), "red", LANGUAGE.rows.memory())
    found = {target: sight.card_of(target) for target in ("blue/#2", "blue/#3", "scott-11")}
    assert found == {"blue/#2": "macdonnell-1", "blue/#3": "?", "scott-11": "scott-11"}


def test_a_claim_counts_whenever_in_the_round_it_was_written_and_the_last_one_most() -> None:
    game = start(turn=5, armies={"red": up("scott-1")})
    follower = LANGUAGE.follower("red")
    early = RULES.start({}, SeededChance(1), {**game.view("gm"), "turn": 2})
    follower.receive(LANGUAGE.parse("claim best", "red").orders, early.view("red"))
    follower.receive(LANGUAGE.parse("claim forsyth-6, best", "red").orders, game.view("red"))
    game.answer("red", "recruit 1")
    game.answer("blue", "muster ferguson-5 down")
    ask = next(ask for ask in game.asks if ask.kind == "claim")
    side = ask.side
    while side != "red":
        game.answer(side, "claim scott-11")
        if not game.asks or game.asks[0].kind != "claim":
            return
        side = game.asks[0].side
    assert follower.reply(game.asks[0], game.view("red")) == Answer("claim forsyth-6")


def test_orders_end_with_their_turn_and_plans_with_their_round() -> None:
    game = start()
    follower = LANGUAGE.follower("blue")
    follower.receive(LANGUAGE.parse("recruit 1\nturn 4: recruit best", "blue").orders, game.view("blue"))
    game.answer("red", "recruit 1")
    assert follower.reply(game.asks[0], game.view("blue")) == Answer("recruit 1")
    game.answer("blue", "recruit 1")
    game.answer("red", "recruit 1")
    assert isinstance(follower.reply(game.asks[0], game.view("blue")), Answer)
    game.answer("blue", "recruit 1")
    game.answer("red", "recruit 1")
    assert follower.reply(game.asks[0], game.view("blue")) == Uncovered()


def test_a_stop_is_passed_where_all_have_written_their_turns() -> None:
    table = Table("lords", {"players": 3}, 1)
    plan = "turn any: recruit best, hidden\nturn any: muster best down\n"
    table.exchange(dict.fromkeys(table.sides, plan))
    assert (table.view("red")["round"], table.view("red")["turn"]) == (2, 1)
    table.exchange({**dict.fromkeys(table.sides, plan), "blue": "turn 1, 2, 3: recruit best, hidden"})
    assert (table.view("red")["round"], table.view("red")["turn"]) == (2, 4)


def test_a_stop_is_passed_where_all_who_are_left_have_written_their_turns() -> None:
    """After a concession nobody waits for orders of a side that sends none any more."""
    table = Table("lords", {"players": 3}, 1)
    plan = "turn any: recruit best, hidden\nturn any: muster best down\n"
    texts = {**dict.fromkeys(table.sides, plan), "blue": None}
    seen = table.play.resolve(2, texts, gone=["blue"]).seen["public"].after
    assert (seen["round"], seen["turn"]) == (2, 1)
    still = Table("lords", {"players": 3}, 1).play.resolve(2, texts).seen["public"].after
    assert (still["round"], still["turn"]) == (1, 2), "who is only silent is waited for at the next stop"


@pytest.mark.parametrize(
    ("more", "next_one", "why"),
    [
        ("", "blue", REFUSED),
        ("\nask turn", "blue", REFUSED),
        ("\nask", "blue", REFUSED),
        ("\nmuster {missing} up", "green", NO_PAUSE),
        ("\nif i hold {missing}: ask", "blue", REFUSED),
    ],
)
def test_no_pause_hangs_on_a_hand(more: str, next_one: str, why: str) -> None:
    """Protocol 13: whether a card is held or not, the judge stops at the same place.

    A line that stands alone is refused. If another stands beside it which a hand alone makes impossible, that
    shows only when the question is asked, and then nobody waits.
    """
    moved = []
    for card in ("held", "not held"):
        table = Table("lords", {"players": 3, "pace": "strict", "first": "red"}, 1)
        hand = table.view("blue")["hands"]["blue"]
        missing = [one for one in CARDS if one not in hand]
        orders = f"if i hold {hand[0] if card == 'held' else missing[0]}: recruit 1{more}"
        orders = orders.format(missing=missing[1])
        result = table.play.resolve(2, {"red": "recruit best", "blue": orders, "green": "note nothing yet"})
        moved.append(result.seen["public"].after["to_move"])
        told = [one.reason for one in result.dropped["blue"]]
        assert (why in told) == (why == REFUSED or card == "not held")
    assert moved == [next_one, next_one]


def test_the_check_says_beforehand_which_lines_are_refused_and_where_nobody_waits() -> None:
    def said(orders: str, pace: str = "strict") -> list[str]:
        view = Table("lords", {"players": 3, "pace": pace}, 1).view("blue")
        faults = LANGUAGE.check(LANGUAGE.parse(orders, "blue").orders, view)
        return [("remark: " * fault.remark) + fault.message for fault in faults if NO_PAUSE in fault.message]

    assert said("if i hold scott-5: recruit 1") == [REFUSED]
    assert said("doctrine:\nif i hold scott-5: recruit 1") == [REFUSED]
    assert said("if i hold scott-5: recruit 1\nrecruit 2") == []
    assert said("if i hold scott-5:\nrecruit 1\notherwise:\nrecruit 2") == []
    assert said("if i hold scott-5:\nrecruit 1\notherwise:\nuse best") == [REFUSED, REFUSED]
    assert said("if score red at least 9: recruit 1") == []
    nobody = f"remark: the game does not stop to ask you what this line answers: {NO_PAUSE}"
    assert said("if i hold scott-5: recruit 1", "turn") == [nobody]


def test_a_line_that_hangs_on_what_all_see_is_asked_about() -> None:
    table = Table("lords", {"players": 3, "pace": "strict", "first": "red"}, 1)
    texts = {"red": "recruit best", "blue": "if score red at least 9: recruit 1", "green": "note nothing yet"}
    assert table.play.resolve(2, texts).seen["public"].after["to_move"] == "blue"


@pytest.mark.parametrize("pace", ["turn", "strict"])
def test_pace(pace: str) -> None:
    """Strict stops whenever somebody is asked who has written nothing about it; turn once in a turn."""
    table = Table("lords", {"players": 3, "pace": pace, "first": "red"}, 1)
    table.exchange({"red": "recruit best", "blue": "", "green": "note nothing yet"})
    moved = {"turn": ("red", 2), "strict": ("blue", 1)}[pace]
    view = table.view("public")
    assert (view["to_move"], view["turn"]) == moved
    assert bool(table.open_asks("blue")) == (pace == "strict")


def test_an_article_is_understood_and_alternatives_are_said_to_be_some() -> None:
    text = "if a forsyth is among the recruits: recruit forsyth\nrecruit 3\nmuster best down\nclaim best"
    parsed = LANGUAGE.parse(text, "red")
    assert not (
        *parsed.faults,
        *LANGUAGE.check(parsed.orders, start(recruits=["", "", "", "", ""]).view("red")),
    )
    assert LANGUAGE.say(parsed.orders).splitlines() == [
        "If forsyth is among the recruits: you recruit a Forsyth.",
        "Else you recruit the one in slot 3.",
        "Else you muster the strongest face-down.",
        "You claim the strongest.",
    ]


@pytest.mark.parametrize(("holder", "said"), [("blue", "Blue plays before you."), ("red", "")])
def test_a_forecast_says_who_plays_before(holder: str, said: str) -> None:
    view = start(holder=holder, to_move=holder).view("red")
    forecast = load("lords").forecast
    assert forecast is not None
    first = forecast.forecast(LANGUAGE.parse("recruit 1", "red").orders, view)[0]
    assert first.startswith(said or "What do you recruit")


def test_a_forecast_names_what_is_drawn_as_a_report_does() -> None:
    forecast = load("lords").forecast
    assert forecast is not None
    told = forecast.forecast(LANGUAGE.parse("recruit 1", "red").orders, start().view("red"))
    assert told[-3:] == (
        "What do you recruit or muster (On Your Turn): recruit 1.",
        "Then slot 1 of the Recruits is filled from the draw pile: what comes after",
        "  it depends on that.",
    )


@pytest.mark.ci
@pytest.mark.parametrize("noun", LANGUAGE.rows.nouns, ids=lambda noun: noun.name)
def test_a_condition_with_any_noun_in_any_place_is_read_or_told_to_be_wrong(noun: Noun) -> None:
    """What a player may write where something else belongs: never an exception."""
    names = noun.of("red").names
    said = {names[0], names[-1], *list(noun.everybody)[:1], "forsyth", "fors", "black", "4", "____"}
    game = start()
    ask, view = game.asks[0], game.view("red")
    for row in (*LANGUAGE.rows.facts, *LANGUAGE.rows.measures):
        for phrase in row.phrases:
            text = re.sub(r"\[|\]", "", phrase.text)
            for name in sorted(said):
                condition = re.sub(r"\{[^}]*\}", name, text)
                parsed = LANGUAGE.parse(
                    f"if {condition}: recruit 1\nrecruit 1 if {condition} at most 9", "red"
                )
                assert parsed.orders or parsed.faults or name == "____", condition
                LANGUAGE.check(parsed.orders, view)
                LANGUAGE.say(parsed.orders)
                follower = LANGUAGE.follower("red")
                follower.receive(parsed.orders, view)
                follower.reply(ask, view)


def test_a_name_with_a_wrong_number_is_not_the_name_alone() -> None:
    assert not LANGUAGE.parse("recruit bruce-12", "red").orders
    (order,) = kit_rules.orders_of(LANGUAGE.parse("recruit bruce-12, best", "red").orders)
    assert order.names == ("best",)


def test_a_long_list_of_names_is_cut() -> None:
    (fault,) = LANGUAGE.parse("use gold", "red").faults
    assert len(fault.message) < 250


def test_a_claim_among_the_lines_of_a_turn_does_not_end_them() -> None:
    parsed = LANGUAGE.parse("turn 4:\n  recruit 1\n  claim best\n  recruit 2\nend\nrecruit 3", "red")
    assert parsed.faults == ()
    plan, line = parsed.orders.section("round")
    assert [order.verb for order in plan.parts] == ["recruit", "claim", "recruit"]
    assert line.names == ("3",)


@pytest.mark.parametrize(
    ("turn", "left"),
    [
        (1, ["2", "3", "any", "claims", "if"]),
        (2, ["2", "3", "any", "claims", "if"]),
        (3, ["3", "any", "claims", "if"]),
        (4, ["any", "claims"]),
    ],
)
def test_lines_for_this_turn_and_later_ones_stand_on_file(turn: int, left: list[str]) -> None:
    text = (
        "claim best\nturn 2: recruit 2\nturn 3: recruit 3\nturn any: recruit 4\n"
        "if army blue at least 5:\nturn 3: recruit 5\nend"
    )
    follower = LANGUAGE.follower("red")
    follower.receive(LANGUAGE.parse(text, "red").orders, start(turn=1).view("red"))
    said = [line for one in follower.on_file(start(turn=turn).view("red")) for line in one.lines]
    heads = {
        "2": "In turn 2 of this round:",
        "3": "In turn 3 of this round:",
        "any": "In every turn of this round:",
        "claims": "You claim the strongest.",
        "if": "If army blue at least 5:",
    }
    assert [name for name, head in heads.items() if head in said] == left
    over = start(round=3, turn=1).view("red")
    assert follower.on_file(over) == ()


def test_what_a_chain_says() -> None:
    orders = LANGUAGE.parse("muster wemyss-1 down\nthen muster scott-4 down", "red").orders
    assert LANGUAGE.say(orders).strip().split("\n") == [
        "You muster wemyss-1 face-down.",
        "If a power lets you, you also muster scott-4 face-down.",
    ]


@pytest.mark.parametrize(("turns", "over"), [("2", True), ("1, 2", True), ("2, 3", False), ("3", False)])
def test_only_a_plan_whose_turns_are_all_over_is_remarked_upon(turns: str, over: bool) -> None:
    parsed = LANGUAGE.parse(f"turn {turns}: recruit best", "red")
    assert parsed.faults == ()
    assert bool(LANGUAGE.check(parsed.orders, start().view("red"))) is over


def test_the_page_begins_with_a_whole_file_and_its_lines_are_right() -> None:
    """What a player may copy is understood as it stands; the page fits on one screen."""
    page = PAGE.read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 80
    blocks = page.split("```")[1::2]
    assert page.index("```") < 500
    for block in blocks:
        parsed = LANGUAGE.parse(block, "red")
        assert not parsed.faults, block
        assert parsed.orders
    verbs = {verb.name for verb in LANGUAGE.rows.verbs}
    used = {
        order.verb for block in blocks for order in kit_rules.orders_of(LANGUAGE.parse(block, "red").orders)
    }
    assert verbs <= used


def test_the_conditions_of_the_page_are_conditions() -> None:
    """Each stands after `if` as it is printed, what is counted before `at least`."""
    page = PAGE.read_text(encoding="utf-8").split("## Conditions")[1]
    cells = [row.split("|")[1] for row in re.findall(r"^\|.*\|$", page, re.MULTILINE)[2:]]
    said = [condition for cell in cells for condition in re.findall("`([^`:]+)`", cell)]
    assert len(said) >= 20
    for condition in said:
        whole = re.sub(r"^\.\.\.", "wemyss-2 is among", condition)
        faults = [
            LANGUAGE.parse(f"if {whole}{number}: recruit best", "red").faults
            for number in ("", " at least 2")
        ]
        assert () in faults, condition
