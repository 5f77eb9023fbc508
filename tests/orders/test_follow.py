"""Answers that orders give: each kind of question, what is consumed, what is left out, and when to stop."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.orders.base import Answer, Stop, Uncovered
from pbem.orders.hammer import LANGUAGE
from pbem.rules.base import Ask, Game
from tests.hammer.order_table import answers_of, followed, situation
from tests.orders.rows import rows

SCOTS = {"Fife": "Wallace 4, Douglas 4, Barclay 4", "Moray": "Moray, Fraser"}
ENGLISH = {"Mentieth": "Mentieth, York Infantry", "Lothian": "Cumbria Infantry"}


def moving(scots: dict[str, str] | None = None, card: str = "3", enemy: str = "1", **given: Any) -> Game:
    """The Scots' movement, as Player 1."""
    return situation(
        "first move",
        scotland=scots or SCOTS,
        england=given.pop("english", ENGLISH),
        first="scotland",
        cards={"scotland": card, "england": enemy},
        hands={"scotland": ["1", "1"], "england": ["1", "1"]},
        **given,
    )


def begins(answers: list[str], expected: str) -> bool:
    """Are these the first answers, as a table writes them?"""
    first = expected.split("; ")
    return answers[: len(first)] == first


@pytest.mark.parametrize(("text", "expected"), rows("follow.txt", "moves"))
def test_moves(text: str, expected: str) -> None:
    """4.2: a list of moves, each done once and in turn."""
    assert begins(answers_of(moving(), "scotland", text), expected)


def test_the_main_attack_goes_first() -> None:
    """5.32, R42: the first group to enter is the main attack, so the named one is moved first."""
    scots = {"Fife": "Wallace, Douglas", "Lennox": "Barclay, Grant"}
    text = (
        "move all from Lennox to Mentieth\nmove Wallace, Douglas to Mentieth\nmain attack Mentieth from Fife"
    )
    assert answers_of(moving(scots), "scotland", text)[:4] == [
        "move Wallace to Mentieth",
        "move Douglas to Mentieth",
        "move Barclay to Mentieth",
        "move Grant to Mentieth",
    ]
    by_grant = text.replace("from Fife", "by Grant").replace("all from Lennox", "Grant, Barclay")
    game = moving(scots)
    answers_of(game, "scotland", by_grant)
    assert game.view("public")["attacks"]["Mentieth"]["origin"] == "Lennox"


def test_what_is_left_out_is_told_with_the_reason() -> None:
    """R113: the smallest faulty part is dropped, and its writer learns why."""
    game = moving({"Fife": "Wallace, Douglas, Barclay", "Moray": "Fraser, Grant"})
    text = "move all from Fife to Atholl\nmove Keith to Mar\nmove Douglas to Angus\nmove Fraser to Ross\n"
    text += "move Barclay, Grant, Keith from Fife to Angus"
    follower = followed(game, "scotland", text)
    given = []
    while game.asks[0].side == "scotland" and game.asks[0].kind == "move":
        reply = follower.reply(game.asks[0], game.view("scotland"))
        assert isinstance(reply, Answer)
        given.append(reply.text)
        game.answer("scotland", reply.text)
    moves = ["Wallace to Atholl", "Douglas to Atholl", "Fraser to Ross", "Barclay to Angus"]
    assert given == [*(f"move {way}" for way in moves), "done"]
    barclay = "line 5: 'move Barclay, Grant, Keith from Fife to Angus' was left out"
    assert [str(dropped) for dropped in follower.dropped] == [
        f"{barclay}: Grant is in Moray (4.2)",
        f"{barclay}: Keith is not on the map (4.2)",
        "line 2: 'move Keith to Mar' was left out: Keith is in the draw pool (4.2)",
        "line 3: 'move Douglas to Angus' was left out: Douglas has moved already this turn (4.0)",
    ]


def test_what_the_rules_did_not_even_ask_for_is_left_out_too() -> None:
    """A list whose rest nobody asks about any more: the card was spent."""
    game = moving({"Fife": "Wallace"}, card="1")
    follower = followed(game, "scotland", "move Wallace to Atholl\nmove Keith to Mar")
    assert follower.reply(game.asks[0], game.view("scotland")) == Answer("move Wallace to Atholl")
    later = fighting()
    follower.reply(later.asks[0], {**later.view("scotland"), "phase": "battles"})
    assert [str(dropped) for dropped in follower.dropped] == [
        (
            "line 2: 'move Keith to Mar' was left out: your moves were over: no Group Move "
            "was left, or no block could move (4.2)"
        )
    ]


def test_a_newer_file_replaces_what_an_older_one_says_about_the_same() -> None:
    older = "move Wallace to Angus\nbattles Mar"
    assert answers_of(moving(), "scotland", older, "move Douglas to Angus")[:2] == [
        "move Douglas to Angus",
        "done",
    ]
    assert answers_of(moving(), "scotland", older, "card 2")[:2] == ["move Wallace to Angus", "done"]


def test_orders_of_a_turn_end_with_it() -> None:
    game = moving()
    follower = followed(game, "scotland", "move none\nraid rest")
    later = {**game.view("scotland"), "turn": 2}
    assert isinstance(follower.reply(game.asks[0], later), Uncovered)


# -- second player, guards


@pytest.mark.parametrize(("condition", "holds"), rows("follow.txt", "conditions"))
def test_conditions_outside_battles(condition: str, holds: str) -> None:
    """Design 4: conditions over what the side sees at that moment."""
    game = situation(
        "second move",
        scotland={"Fife": "Wallace 4, Douglas 4, Barclay 4", "Moray": "Moray, Fraser"},
        england={"Fife": "York Infantry, Mentieth", "Lothian": "Cumbria Infantry, Angus"},
        first="england",
        cards={"scotland": "2", "england": "3"},
        hands={"scotland": ["1"], "england": ["1"]},
        attacks={
            "Fife": {
                "attacker": "england",
                "origin": "Mentieth",
                "border": "Mentieth-Fife",
                "reserve_blocks": ["Mentieth"],
            }
        },
    )
    [answer, *_] = answers_of(game, "scotland", f"if {condition}: move Fraser to Ross")
    assert answer == ("move Fraser to Ross" if holds == "yes" else "Uncovered")


def test_a_guard_on_reinforcements() -> None:
    """Decisions 3: plans that hold only if at most n enemy blocks reinforce."""
    for guard, expected in (
        ("none of my battles is reinforced", "Uncovered"),
        ("at most 1 reinforce", "battle Lothian"),
        ("at most 2 reinforce", "battle Lothian"),
    ):
        game = situation(
            "battles",
            scotland={"Mentieth": "Wallace, Douglas", "Lothian": "Barclay"},
            england={"Mentieth": "Mentieth, York Infantry", "Lothian": "Durham Infantry"},
            first="scotland",
            attacks={
                "Mentieth": {
                    "attacker": "scotland",
                    "origin": "Fife",
                    "border": "Mentieth-Fife",
                    "reserve_blocks": ["York Infantry"],
                },
                "Lothian": {"attacker": "scotland", "origin": "Lanark", "border": "Lanark-Lothian"},
            },
        )
        assert answers_of(game, "scotland", f"if {guard}: battles Lothian, rest")[0] == expected


# -- battles


def fighting(**given: Any) -> Game:
    """Wallace, Keith and two of infantry attack Mentieth from Fife."""
    return situation(
        "battles",
        scotland=given.pop(
            "scots", {"Mentieth": "Wallace 4, Keith 3, Douglas 4, Barclay 4", "Fife": "Fraser"}
        ),
        england=given.pop("english", {"Mentieth": "Mentieth 3, York Infantry 4, Lancaster Archers 3"}),
        first="scotland",
        attacks={"Mentieth": {"attacker": "scotland", "origin": "Fife", "border": "Mentieth-Fife"}},
        **given,
    )


def kinds(answers: list[str]) -> list[str]:
    """The first words of answers."""
    return [answer.split()[0] for answer in answers]


def test_a_plan_fights_a_battle_to_its_end() -> None:
    text = "plan Mentieth:\nfire\nhits Barclay, rest\nforced retreat all to Fife\nregroup rest stay"
    answers = answers_of(fighting(), "scotland", text)
    assert answers[0] == "fire Wallace"
    assert {"fire Keith", "fire Douglas", "hit Barclay"} <= set(answers)


def test_who_has_nobody_to_fire_at_waits() -> None:
    """R63: the only enemy is dead and his friends come in round 2; a plan to fight is none to retreat."""
    game = situation(
        "battles",
        scotland={"Mentieth": "Wallace 4, Keith 3", "Fife": "Fraser"},
        england={"Mentieth": "York Infantry 1, Lancaster Archers 3"},
        first="scotland",
        seed=1,
        attacks={
            "Mentieth": {
                "attacker": "scotland",
                "origin": "Fife",
                "border": "Mentieth-Fife",
                "reserve_blocks": ["Lancaster Archers"],
            }
        },
    )
    assert answers_of(game, "scotland", "plan any:\nfire")[:3] == [
        "fire Wallace",
        "pass Keith",
        "fire Wallace",
    ]


@pytest.mark.parametrize(("plan", "expected"), rows("follow.txt", "combat"))
def test_combat_turns(plan: str, expected: str) -> None:
    """5.31: conditions first, then names, then all; only over what is face up."""
    assert answers_of(fighting(), "scotland", f"plan Mentieth:\n{plan}")[0] == expected
    assert answers_of(fighting(), "scotland", f"doctrine:\n{plan}")[0] == expected
    assert answers_of(fighting(), "scotland", f"plan Lanark:\n{plan}")[0] == "Uncovered"


def test_plans_for_an_area_come_before_plans_for_any_and_both_before_the_doctrine() -> None:
    any_, here, doctrine = "plan any: pass", "plan Mentieth: fire", "doctrine: retreat Wallace to Fife"
    assert answers_of(fighting(), "scotland", f"{any_}\n{here}\n{doctrine}")[0] == "fire Wallace"
    assert answers_of(fighting(), "scotland", f"{doctrine}\n{any_}")[0] == "pass Wallace"
    assert answers_of(fighting(), "scotland", f"{any_}\nplan Mentieth: hits rest")[0] == "pass Wallace"
    assert answers_of(fighting(), "scotland", any_, here)[0] == "fire Wallace"
    assert answers_of(fighting(), "scotland", here, any_)[0] == "pass Wallace"
    assert answers_of(fighting(), "scotland", doctrine, "doctrine:\nend")[0] == "Uncovered"


def test_an_ask_stops_once_in_a_round() -> None:
    """After it the lines below it count; the player, now asked, may say more."""
    game = fighting()
    follower = followed(game, "scotland", "plan any:\nif round 1: ask\nfire")
    game.answer("england", game.asks[0].default) if game.asks[0].side == "england" else None
    ask = game.asks[0]
    assert follower.reply(ask, game.view("scotland")) == Stop(2)
    assert follower.reply(ask, game.view("scotland")) == Answer("fire Wallace")


def test_combat_step_by_step() -> None:
    """Outside a plan a line answers one question, once."""
    answers = answers_of(fighting(), "scotland", "fire Keith\nfire Wallace\nhit Barclay\nhits rest")
    assert [answer for answer in answers if answer.startswith("fire")] == ["fire Wallace", "fire Keith"]
    assert answers[-1] == "Uncovered"
    assert answers.count("hit Barclay") == 1


def test_who_is_named_for_hits_fires_with_the_rest() -> None:
    """Of the others only a line that fires, passes or retreats takes somebody out of `fire rest`."""
    assert answers_of(fighting(), "scotland", "fire rest\nhits Wallace")[0] == "fire Wallace"


def test_forced_retreats_name_who_goes_first_and_where() -> None:
    """5.3, 5.5: after round 3 the attacker must go, A before B before C."""
    text = "plan any:\npass\nhits rest\nforced retreat Douglas to Atholl, Fife\nforced retreat all to Fife"
    english = {"Mentieth": "Mentieth 1, Durham Infantry 1"}
    answers = answers_of(fighting(english=english), "scotland", text)
    retreats = [answer for answer in answers if answer.startswith("retreat")]
    assert retreats[0] == "retreat Wallace to Fife"
    assert "retreat Douglas to Atholl" in retreats


def test_regroups_end_with_done_and_those_who_stay_stay() -> None:
    """5.6: who regroups where; the end of the lines means done."""
    english = {"Mentieth": "Durham Infantry 1"}
    text = "plan any:\nfire\nregroup Wallace, Keith to Atholl, Fife\nregroup rest stay"
    answers = answers_of(fighting(english=english), "scotland", text)
    assert answers[answers.index("regroup Wallace to Atholl") :][:3] == [
        "regroup Wallace to Atholl",
        "regroup Keith to Atholl",
        "done",
    ]
    asked = answers_of(
        fighting(english=english), "scotland", text.replace("regroup rest stay", "ask regroup")
    )
    assert asked[-1] == "Stop"


@pytest.mark.parametrize(("kind", "legal", "text", "expected"), rows("follow.txt", "choices"))
def test_of_several_that_may_be_chosen(kind: str, legal: str, text: str, expected: str) -> None:
    """Which one a line means, where of those that it names the first can do nothing or something else."""
    texts = tuple(legal.split("; "))
    ask = Ask("scotland", kind, "5.0", lambda: texts, public=True, preferred=lambda: texts[-1])
    game = fighting()
    reply = followed(game, "scotland", text).reply(ask, game.view("scotland"))
    assert (reply.text if isinstance(reply, Answer) else type(reply).__name__) == expected


# -- events


def with_event(card: str, enemy: str = "1", **given: Any) -> Game:
    """The Scots have played an event card."""
    return situation(
        "events",
        scotland=given.pop("scots", SCOTS),
        england=given.pop("english", ENGLISH),
        first="scotland",
        cards={"scotland": card, "england": enemy},
        hands={"scotland": ["1", "1"], "england": ["1", "1"]},
        **given,
    )


@pytest.mark.parametrize(("card", "text", "expected"), rows("follow.txt", "events"))
def test_events(card: str, text: str, expected: str) -> None:
    """3.12: lists of preference; the card Truce means the truce."""
    assert answers_of(with_event(card, seed=3), "scotland", text)[0] == expected


@pytest.mark.parametrize(("text", "expected"), rows("follow.txt", "victuals"))
def test_victuals(text: str, expected: str) -> None:
    """R28: steps in the order written."""
    scots = {"Fife": "Wallace 1, Douglas 3, Barclay 3", "Moray": "Moray, Fraser"}
    assert begins(answers_of(with_event("victuals", scots=scots), "scotland", text), expected)


def test_what_was_built_in_part_is_not_told_as_left_out() -> None:
    game = with_event("victuals", scots={"Fife": "Wallace 3, Douglas 1"})
    follower = followed(game, "scotland", "build Wallace 2, Douglas")
    for expected in ("build Wallace", "build Douglas"):
        assert follower.reply(game.asks[0], game.view("scotland")) == Answer(expected, 1)
        game.answer("scotland", expected)
    assert follower.dropped == []


def test_coronation() -> None:
    """6.2: a crown instead of the event, if it is possible; else the event."""
    scots = {"Fife": "Bruce, Douglas"}
    for text, expected in (
        ("crown Comyn, Bruce", "crown Bruce"),
        ("event", "event"),
        ("crown Comyn", "Uncovered"),
        ("herald none", "Uncovered"),
        ("if against event: event\ncrown Bruce", "crown Bruce"),
    ):
        game = with_event("herald", scots=scots, scotland_out={"off map": "Wallace"})
        assert answers_of(game, "scotland", text)[0] == expected


# -- winter


def winter(phase: str, text: str, **given: Any) -> list[str]:
    """What the Scots answer in a winter."""
    game = situation(phase, turn=6, england=given.pop("english", {"Lothian": "York Infantry"}), **given)
    return answers_of(game, "scotland", text)


@pytest.mark.parametrize(("text", "expected"), rows("follow.txt", "homes"))
def test_homes(text: str, expected: str) -> None:
    """7.1, R92: asked block by block."""
    assert winter("moray", text, scotland={"Fife": "Moray, Douglas"})[0] == expected


@pytest.mark.parametrize(
    ("condition", "where", "holds"),
    [
        ("Edward winters in Mar", "Mar", True),
        ("Edward winters in Mar", "Lothian", False),
        ("Edward winters in Mar", None, False),
        ("Edward winters", "Lothian", True),
        ("Edward winters", None, False),
        ("not Edward winters in Mar", "Lothian", True),
    ],
)
def test_edward_s_quarters_may_decide_who_goes_where(condition: str, where: str | None, holds: bool) -> None:
    """7.4, R95: where Edward winters is told, before Wallace is asked for his own quarters (7.5)."""
    english = {where: "Edward"} if where else {"Lothian": "York Infantry"}
    game = situation(
        "wallace", turn=6, scotland={"Fife": "Wallace"}, england=english, edward_winters=where is not None
    )
    text = f"if {condition}: home Wallace to Selkirk\nhome Wallace stay"
    assert answers_of(game, "scotland", text)[0] == f"home Wallace to {'Selkirk' if holds else 'Fife'}"


@pytest.mark.parametrize(("text", "expected"), rows("follow.txt", "disbanding"))
def test_disbanding(text: str, expected: str) -> None:
    """7.5: `keep` says who stays where too many stand; `disband` who goes besides."""
    scots = {"Moray": "Keith 3, Douglas 4, Barclay 2", "Angus": "Fraser"}
    assert begins(winter("scottish disbanding", text, scotland=scots), expected)


def test_builds_follow_the_draws() -> None:
    """7.62, W9: each point in the order written; what is drawn may be built at once."""
    scots = {"Fife": "Wallace 2, Douglas 4", "Mentieth": "Mentieth"}
    answers = winter(
        "scottish builds", "draw Fife, Mentieth\nbuild drawn full\nbuild Wallace full", scotland=scots
    )
    assert answers[:2] == ["draw Fife", "draw Mentieth"]
    first, second = answers[2], answers[4]  # each area has two points left after its draw
    assert answers[2:] == [first, first, second, second, "Uncovered"]
    assert "build Wallace" not in answers


def test_a_winter_section_waits_for_the_winter_and_a_turns_lines_do_not() -> None:
    text = "build Wallace\nmove none\nwinter:\ndraw Fife\nend"
    game = situation("scottish builds", turn=6, scotland={"Fife": "Wallace 2"}, england={})
    follower = followed(game, "scotland")
    follower.receive(LANGUAGE.parse(text, "scotland").orders, {**game.view("scotland"), "turn": 3})
    view = game.view("scotland")
    assert follower.reply(game.asks[0], view) == Answer("draw Fife")
    assert follower.reply(game.asks[0], {**view, "year": 1298}) == Uncovered()


# -- being asked


def test_ask_everything_stops_where_no_line_answers() -> None:
    text = "move Wallace to Angus\nask everything\ndoctrine:\nbattles rest\nend"
    assert answers_of(moving(), "scotland", text)[:2] == ["move Wallace to Angus", "done"]
    assert answers_of(moving(), "scotland", "ask everything")[0] == "Stop"
    assert answers_of(fighting(), "scotland", "ask everything\ndoctrine: fire")[0] == "Stop"
    assert (
        answers_of(fighting(), "scotland", "plan any: fire\nask everything\ndoctrine: pass")[0]
        == "fire Wallace"
    )


def test_the_newest_file_that_speaks_of_a_question_answers_it() -> None:
    game = moving()
    follower = LANGUAGE.follower("scotland")
    for text in ("move Wallace to Angus", "battles Mar"):
        follower.receive(LANGUAGE.parse(text, "scotland").orders, None)
    assert follower.reply(game.asks[0], game.view("scotland")) == Answer("move Wallace to Angus")


# -- public stops


@pytest.mark.parametrize(("text", "winter", "builds"), rows("follow.txt", "stops"))
def test_which_stops_of_the_winter_are_covered(text: str, winter: str, builds: str) -> None:
    """Decisions 3: winter in two exchanges, or in fewer if both sides have written ahead."""
    follower = followed(moving(), "scotland", text)
    later = {**moving().view("scotland"), "turn": 6}
    assert follower.covers(frozenset({"home", "edward", "disband"}), later) is (winter == "yes")
    assert follower.covers(frozenset({"build", "home"}), later) is (builds == "yes")


def test_a_file_that_answers_a_winter_needs_no_heading() -> None:
    follower = followed(moving(), "scotland")
    winter = {**moving().view("scotland"), "turn": 6}
    follower.receive(LANGUAGE.parse("build Wallace", "scotland").orders, winter)
    assert follower.covers(frozenset({"build", "home"}), winter)


def test_edward_s_winter_quarters() -> None:
    """7.4: asked of the English alone."""
    for text, expected in (("winter Edward", "winter Edward"), ("disband Edward", "disband Edward")):
        game = situation("edward", turn=6, scotland={"Fife": "Wallace"}, england={"Lothian": "Edward"})
        assert answers_of(game, "england", text)[0] == expected


def test_a_raid_takes_the_first_of_a_list() -> None:
    """5.9: infantry before Edward, the rest as the rules would have it."""
    for text, expected in (
        ("raid York Infantry, rest", "disband York Infantry"),
        ("raid infantry", "disband York Infantry"),
        ("raid Edward", "disband Edward"),
        ("disband Edward", "disband Edward"),
        ("move none", "Uncovered"),
    ):
        game = situation(
            "turn end",
            scotland={"England": "Wallace"},
            england={"Lothian": "Edward, York Infantry, Lancaster Knights"},
            hands={"england": ["1"], "scotland": ["1"]},
        )
        assert answers_of(game, "england", text)[0] == expected
