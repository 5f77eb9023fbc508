"""The order language of First War: what lines mean in play, what never stops the judge, and its page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import pbem
from pbem.orders.base import Answer, Stop, Uncovered
from pbem.orders.first_war import LANGUAGE, ROWS
from pbem.practice.table import SeededChance, Table
from pbem.rules import Ask, Game
from pbem.rules.base import View
from pbem.rules.first_war import RULES
from pbem.rules.first_war.facts import NUMBERS, SIDES
from pbem.titles.first_war.reports import sentences
from tests.orders import kit_rules

PAGE = (Path(pbem.__file__).parent / "docs" / "orders-first-war.md").read_text(encoding="utf-8")


def game_at(phase: str, options: dict[str, Any] | None = None, **position: Any) -> Game:
    """A game at a phase, with these cards in play and in hands."""
    return RULES.start(options or {}, SeededChance(1), {"phase": phase, **position})


# -- every row, and the page


def test_every_row() -> None:
    kit_rules.check_verbs(LANGUAGE, SIDES)
    kit_rules.check_conditions(LANGUAGE, SIDES)
    kit_rules.check_topics(ROWS)
    for pace, some in (("season", False), ("strict", True)):
        view = Table("first-war", {"pace": pace}, 1).view("scots")
        assert bool(kit_rules.check_pauses(LANGUAGE, SIDES, view)) == some
    table = Table("first-war", {}, 1)
    forms = [LANGUAGE.form({**table.view("scots"), "season": season}, ()) for season in ("spring", "fall")]
    kit_rules.check_form(ROWS, forms)


def test_the_file_on_the_page_is_read_and_written_back_as_the_same() -> None:
    (sheet,) = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)
    parsed = LANGUAGE.parse(sheet, "scots")
    assert parsed.faults == ()
    assert LANGUAGE.parse(LANGUAGE.write(parsed.orders), "scots").orders == parsed.orders
    assert PAGE.index("```") < 250, "the page begins with a whole order file"
    assert len(PAGE.splitlines()) <= 70
    assert NUMBERS.full_hand == 5
    assert "if you hold more than five cards," in PAGE


def test_what_the_enemy_must_not_notice_is_never_asked() -> None:
    for topic in ("deploy", "bonus", "replace", "keep", "quarter"):
        assert LANGUAGE.parse(f"ask {topic}", "scots").faults
    assert LANGUAGE.parse("if needed: ask strategy", "english").faults
    assert not LANGUAGE.parse("if behind: ask strategy", "english").faults


def test_a_check_says_what_is_not_in_the_hand_and_when_winter_is() -> None:
    table = Table("first-war", {}, 1)
    orders = LANGUAGE.parse("event raid\nquarter leader", "scots").orders
    said = [fault.message for fault in LANGUAGE.check(orders, table.view("scots"))]
    assert said == [
        "Raid is not in your hand now",
        "this does not count: winter comes after fall; write this line in fall, or under 'doctrine:'",
    ]


# -- pauses


@pytest.mark.parametrize("hand", [["raid-1"], ["infantry-1"], []])
@pytest.mark.parametrize("heading", ["", "doctrine:\n"])
def test_no_pause_tells_what_is_in_a_hand(hand: list[str], heading: str) -> None:
    """Strict pace: a sheet that speaks of events is never asked about them, whatever can be played."""
    game = game_at("event", {"pace": "strict"}, hands={"scots": hand})
    game.answer("english", "pass")
    follower = LANGUAGE.follower("scots")
    follower.receive(
        LANGUAGE.parse(f"{heading}event raid\nlose infantry", "scots").orders, game.view("scots")
    )
    (ask,) = game.asks
    assert isinstance(follower.reply(ask, game.view("scots")), Answer)
    silent = LANGUAGE.follower("scots")
    silent.receive(LANGUAGE.parse("lose infantry", "scots").orders, game.view("scots"))
    assert isinstance(silent.reply(ask, game.view("scots")), Uncovered)


def test_whoever_wants_to_be_asked_is_asked_at_each_turn() -> None:
    game = game_at("event", {"pace": "strict"}, hands={"scots": ["raid-1"]})
    follower = LANGUAGE.follower("english")
    follower.receive(LANGUAGE.parse("ask events\nevent rest", "english").orders, game.view("english"))
    (ask,) = game.asks
    for one in (follower.copy(), follower):  # who tries a copy out spends nothing
        assert isinstance(one.reply(ask, game.view("english")), Stop)
    assert isinstance(follower.reply(ask, game.view("english")), Answer)


@pytest.mark.parametrize("hand", [["raid-1", "kill_traitor-1"], ["kill_traitor-1"], []])
def test_a_later_sheet_does_not_end_the_wish_to_be_asked(hand: list[str]) -> None:
    """Asked at each turn of the season, whether or not the newest sheet has a line that can be done."""
    game = game_at("event", {"pace": "strict"}, hands={"scots": hand})
    game.answer("english", "pass")
    follower = LANGUAGE.follower("scots")
    follower.receive(LANGUAGE.parse("ask events", "scots").orders, game.view("scots"))
    (ask,) = game.asks
    assert isinstance(follower.reply(ask, game.view("scots")), Stop)
    follower.receive(LANGUAGE.parse("event raid\nask events", "scots").orders, game.view("scots"))
    reply = follower.reply(ask, game.view("scots"))
    assert isinstance(reply, Answer), "nobody is asked twice at one turn"
    game.answer("scots", reply.text)
    if reply.text == "pass":
        return
    (ask,) = game.asks
    assert isinstance(follower.reply(ask, game.view("scots")), Stop)
    assert isinstance(follower.reply(ask, game.view("scots")), Answer)


def test_an_older_sheet_still_asks_at_the_next_turn() -> None:
    game = game_at("event", {"pace": "strict"}, hands={"scots": ["raid-1", "kill_traitor-1"]})
    game.answer("english", "pass")
    follower = LANGUAGE.follower("scots")
    follower.receive(LANGUAGE.parse("ask events", "scots").orders, game.view("scots"))
    said: list[str] = []
    for _ in range(2):
        (ask,) = game.asks
        stopped = follower.reply(ask, game.view("scots"))
        assert isinstance(stopped, Stop), said
        follower.receive(LANGUAGE.parse("event raid", "scots").orders, game.view("scots"))
        reply = follower.reply(ask, game.view("scots"))
        assert isinstance(reply, Answer)
        said.append(reply.text)
        game.answer("scots", reply.text)
    assert said == ["event raid", "pass"]


@pytest.mark.parametrize("hand", [["raid-1"], ["infantry-1"]])
def test_the_place_of_ask_among_the_lines_tells_nothing_of_a_hand(hand: list[str]) -> None:
    game = game_at("event", {"pace": "strict"}, hands={"scots": hand})
    game.answer("english", "pass")
    for heading in ("", "doctrine:\n"):
        follower = LANGUAGE.follower("scots")
        follower.receive(
            LANGUAGE.parse(f"{heading}event raid\nask events", "scots").orders, game.view("scots")
        )
        (ask,) = game.asks
        assert isinstance(follower.reply(ask, game.view("scots")), Stop)


def test_several_things_are_asked_for_in_one_line() -> None:
    parsed = LANGUAGE.parse("ask events, strategy, victory and loss", "scots")
    assert parsed.faults == ()
    lines = "ask events\nask strategy\nask victory\nask loss\n"
    assert LANGUAGE.write(parsed.orders) == lines
    assert LANGUAGE.parse("ask events, stratgy", "scots").faults
    assert LANGUAGE.parse("ask events, keep", "scots").faults


def test_the_sheet_of_fall_is_for_the_winter_too_and_no_other() -> None:
    for season, wanted in (("fall", ["disband archers"]), ("summer", [])):
        view: View = game_at("recruit", hands={"scots": ["infantry-1", "archers-1"]}, season=season).view(
            "scots"
        )
        follower = LANGUAGE.follower("scots")
        follower.receive(LANGUAGE.parse("quarter infantry\ndeploy all", "scots").orders, view)
        game = game_at(
            "quartering",
            season="winter",
            play={"scots": ["infantry-1", "infantry-2", "infantry-3", "archers-1"]},
        )
        (ask,) = game.asks
        assert isinstance(ask, Ask)
        reply = follower.reply(ask, game.view("scots"))
        assert ([reply.text] if isinstance(reply, Answer) else []) == wanted


def test_what_a_doctrine_deploys_it_deploys_in_each_season() -> None:
    follower, said = LANGUAGE.follower("scots"), []
    orders = LANGUAGE.parse("doctrine:\ndeploy infantry", "scots").orders
    for season in ("spring", "summer"):
        game = game_at("recruit", season=season, hands={"scots": ["infantry-1"]})
        if season == "spring":
            follower.receive(orders, game.view("scots"))
        for ask in game.asks:
            if ask.side == "scots":
                reply = follower.reply(ask, game.view("scots"))
                said.append(reply.text if isinstance(reply, Answer) else "")
    assert said == ["deploy infantry"] * 2


def test_two_doctrines_that_deploy_play_on_without_a_pause() -> None:
    table = Table("first-war", {"years": 1}, 2)
    table.exchange(dict.fromkeys(SIDES, "doctrine:\ndeploy all\nevent rest\nstrategy all if needed\n"))
    assert table.outcome is not None
    table = Table("first-war", {"years": 1}, 2)
    table.exchange(dict.fromkeys(SIDES, "doctrine:\nevent rest\n"))
    assert table.outcome is None


def test_reports_and_faults_use_words() -> None:
    """Answers as lines say them, plurals as people write them, and of the Truce that nobody fights."""
    (fault,) = LANGUAGE.parse("if my siege is 0: event rest", "scots").faults
    assert "no thing to count called 'siege'" in str(fault)
    assert "strategys" not in str(LANGUAGE.parse("keep strategie", "scots").faults)
    assert not LANGUAGE.parse("keep strategies, victories, rest", "scots").faults
    story = sentences([{"event": "play", "side": "scots", "card": "truce-1", "target": ""}])
    assert story == ["The Scots play Truce: there is no battle in this season."]


def test_alternatives_plurals_and_groups_are_said_back() -> None:
    text = "deploy lowland nobles\nevent betrayal on english noble\nif my score is 3: event rest"
    parsed = LANGUAGE.parse(text, "english")
    assert not parsed.faults
    assert LANGUAGE.say(parsed.orders).splitlines() == [
        "You deploy all lowland nobles.",
        "You play Betrayal on my nobles.",
        "Else, if my territories are 3: you play Events: all others.",
    ]


@pytest.mark.parametrize("what", ["units", "nobles", "territories"])
def test_what_is_counted_is_said_back_in_the_plural(what: str) -> None:
    parsed = LANGUAGE.parse(f"if my {what} is 3: event rest", "scots")
    assert not parsed.faults
    assert LANGUAGE.say(parsed.orders) == f"If my {what} are 3: you play Events: all others.\n"


def test_articles_and_english_spelling_are_read() -> None:
    parsed = LANGUAGE.parse("event betrayal on a noble\nstrategy the favourable ground, the rest", "scots")
    assert parsed.faults == ()
    assert LANGUAGE.say(parsed.orders).split("\n")[:2] == [
        "You play Betrayal on nobles.",
        "You play Strategy cards: favorable ground, all others.",
    ]


def test_answers_are_shown_as_lines_say_them() -> None:
    table = Table("first-war", {}, 3)
    played = table.exchange(dict.fromkeys(SIDES, "doctrine:\ndeploy all\nevent rest"))
    assert any("_" in one.text for one in played.answers)
    assert all(one.said and "_" not in one.said for one in played.answers)


def test_a_report_tells_what_is_on_file_from_what_silence_means() -> None:
    """In the form: of what is asked now what they answer, of what may come that they speak of it."""
    table = Table("first-war", {}, 3)
    assert "earlier orders" not in table.report("scots")
    doctrine = "ask events\ndoctrine:\nevent none\nlose lowland noble"
    table.exchange({"scots": doctrine, "english": "deploy all\nevent rest"})
    form = " ".join(table.play.form("scots").replace("\nnote ", " ").split())
    assert [ask.kind for ask in table.open_asks("scots")] == ["event"]
    assert "Your earlier orders answer: event none." in form
    assert "If you say nothing: event none." not in form
    later = "If they cannot: infantry, cavalry, archers, nobles, the leader. lose ____"
    assert f"Your earlier orders answer this if they can. {later}" in form
    assert "If you say nothing: victory, strategy, event, units. keep ____" in form
    assert "If you say nothing: none. if ____: strategy ____" in form
    other = LANGUAGE.form(table.view("scots"), table.open_asks("scots"))
    assert "note If you say nothing: event none." in other
    for side in SIDES:
        assert "_" not in table.report(side, form=False).split("FOR PROGRAMS")[0]


def test_a_card_passed_over_is_told_to_its_writer_alone() -> None:
    """Two games that differ in lines of which nothing could be done, or in the enemy's hand."""
    sheet = "event rest except truce\nstrategy rest if needed\nvictory rest\n"
    silent, told = Table("first-war", {"years": 2}, 3), Table("first-war", {"years": 2}, 3)
    for table in (silent, told):
        table.exchange(dict.fromkeys(SIDES, sheet))
        scots = sheet if table is told else sheet.replace("victory rest\n", "")
        table.exchange({"scots": scots, "english": sheet})
    assert str(told.last.dropped["scots"][-1]) == (
        "line 3: 'victory submission' was left out: the enemy had no noble in play (F12)"
    )
    assert "victory submission" in told.report("scots")
    assert "victory submission" not in silent.report("scots")
    for reader in ("english", "public"):
        assert told.report(reader) == silent.report(reader)

    dropped = []
    for hand in (["siege-1", "castle-1"], ["decisive_victory-1", "lowland_noble-3"]):
        hands = {"scots": ["submission-1", "massacre-1"], "english": hand}
        game = game_at("battle", {"pace": "strict"}, hands=hands, play={"scots": ["scottish_leader-1"]})
        follower = LANGUAGE.follower("scots")
        follower.receive(LANGUAGE.parse("victory rest", "scots").orders, game.view("scots"))
        while not any(ask.kind == "victory" for ask in game.asks):
            game.answer(game.asks[0].side, "pass")
        assert follower.reply(game.asks[0], game.view("scots")) == Answer("done", file=0)
        dropped.append(follower.dropped)
    assert dropped[0] == dropped[1]
    assert len(dropped[0]) == 2


def test_the_conditions_of_the_page_are_conditions() -> None:
    """Each stands after `if` as it is printed, or before `at least`; the second cell names some more."""
    rows = [row.split("|")[1:3] for row in re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)[2:]]
    assert len(rows) >= 6
    said = [condition for when, meaning in rows for condition in re.findall("`([^`]+)`", when + meaning)]
    assert {"behind", "my nobles at least 2", "my lowland nobles", "my force"} <= set(said)
    for side in SIDES:
        for condition in said:
            counted = condition.startswith("my ") and condition[-1].isalpha()
            number = " at least 2" if counted else ""
            if condition != "enemy":  # which is said of the others' counts
                parsed = LANGUAGE.parse(f"if {condition}{number}: event rest", side)
                assert [str(fault) for fault in parsed.faults] == [], condition
