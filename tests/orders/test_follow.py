"""How long orders answer, which of several a line means, which stops they cover; the rest: test_marked.py."""

from __future__ import annotations

import pytest

from pbem.orders.base import Answer, Uncovered
from pbem.orders.hammer import LANGUAGE
from pbem.orders.hammer.vocabulary import Memory, Sight
from pbem.rules.base import Ask
from tests.hammer.order_table import followed, situation
from tests.orders.rows import rows
from tests.orders.test_marked import place


def test_what_the_rules_did_not_even_ask_for_is_left_out_too() -> None:
    """A list whose rest nobody asks about any more: the card was spent."""
    game = place("hammer", "one group")
    follower = followed(game, "scotland", "move Wallace to Atholl\nmove Keith to Mar")
    assert follower.reply(game.asks[0], game.view("scotland")) == Answer("move Wallace to Atholl")
    later = place("hammer", "battle")
    follower.reply(later.asks[0], {**later.view("scotland"), "phase": "battles"})
    assert [str(dropped) for dropped in follower.dropped] == [
        (
            "line 2: 'move Keith to Mar' was left out: your moves were over: no Group Move "
            "was left, or no block could move (4.2)"
        )
    ]


def test_another_file_ends_the_lists_of_all_before_it() -> None:
    """Those of a file that the newest has left in force, and each kind of one."""
    moves, disbanding = place("hammer", "one group"), place("hammer", "disbanding")
    builds = situation("scottish builds", turn=6, scotland={"Fife": "Wallace 2"}, england={})
    for texts, asked, left in (
        (("move Wallace to Atholl\nmove Keith to Mar", "battles Mar"), (moves,), ["move Keith to Mar"]),
        (
            ("draw Fife\nbuild Wallace\ndisband Keith, Barclay",),
            (disbanding, builds),
            ["disband Barclay", "build Wallace"],
        ),
    ):
        follower = LANGUAGE.follower("scotland")
        for text in texts:
            follower.receive(LANGUAGE.parse(text, "scotland").orders, asked[0].view("scotland"))
        for game in asked:
            assert isinstance(follower.reply(game.asks[0], game.view("scotland")), Answer)
        assert follower.dropped == []
        for one in (other := follower.copy(), follower):
            one.receive(LANGUAGE.parse("card 1", "scotland").orders, asked[-1].view("scotland"))
        assert other.save() == follower.save()
        assert [dropped.text for dropped in follower.dropped] == left


def test_who_is_kept_in_one_area_says_nothing_of_another() -> None:
    game = place("hammer", "disbanding")
    follower = followed(game, "scotland", "keep all in Ross\nkeep Barclay, Douglas in Moray")
    assert follower.reply(game.asks[0], game.view("scotland")) == Answer("disband Keith")


def test_orders_of_a_turn_end_with_it() -> None:
    game = place("hammer", "moves")
    seen = Memory((1296, 5), {"Mar"}, 2, frozenset(("Keith",)), ["Ross"])  # so does what it showed
    seen.look(now := Sight(game.view("scotland"), "scotland", seen), game.asks[0])
    assert seen == Memory(now.moment)
    follower = followed(game, "scotland", "move none\nraid rest")
    later = {**game.view("scotland"), "turn": 2}
    assert isinstance(follower.reply(game.asks[0], later), Uncovered)


@pytest.mark.parametrize(("kind", "legal", "text", "expected"), rows("follow.txt", "choices"))
def test_of_several_that_may_be_chosen(kind: str, legal: str, text: str, expected: str) -> None:
    """Which one a line means, where of those that it names the first can do nothing or something else."""
    texts = tuple(legal.split("; "))
    ask = Ask("scotland", kind, "5.0", lambda: texts, public=True, preferred=lambda: texts[-1])
    game = place("hammer", "battle")
    reply = followed(game, "scotland", text).reply(ask, game.view("scotland"))
    assert (reply.text if isinstance(reply, Answer) else type(reply).__name__) == expected


def test_a_winter_section_waits_for_the_winter_and_a_turns_lines_do_not() -> None:
    text = "build Wallace\nmove none\nwinter:\ndraw Fife\nend"
    game = situation("scottish builds", turn=6, scotland={"Fife": "Wallace 2"}, england={})
    follower = followed(game, "scotland")
    follower.receive(LANGUAGE.parse(text, "scotland").orders, {**game.view("scotland"), "turn": 3})
    view = game.view("scotland")
    assert follower.reply(game.asks[0], view) == Answer("draw Fife")
    assert follower.reply(game.asks[0], {**view, "year": 1298}) == Uncovered()


def test_the_newest_file_that_speaks_of_a_question_answers_it() -> None:
    game = place("hammer", "moves")
    follower = LANGUAGE.follower("scotland")
    for text in ("move Wallace to Angus", "battles Mar"):
        follower.receive(LANGUAGE.parse(text, "scotland").orders, None)
    assert follower.reply(game.asks[0], game.view("scotland")) == Answer("move Wallace to Angus")


@pytest.mark.parametrize(("text", "winter", "builds"), rows("follow.txt", "stops"))
def test_which_stops_of_the_winter_are_covered(text: str, winter: str, builds: str) -> None:
    """Decisions 3: winter in two exchanges, or in fewer if both sides have written ahead."""
    follower = followed(place("hammer", "moves"), "scotland", text)
    later = {**place("hammer", "moves").view("scotland"), "turn": 6, "first": None}
    later["cards"] = dict.fromkeys(later["cards"])
    assert follower.covers(frozenset({"home", "edward", "disband"}), later) is (winter == "yes")
    assert follower.covers(frozenset({"build", "home"}), later) is (builds == "yes")


def test_a_file_that_answers_a_winter_needs_no_heading() -> None:
    follower = followed(place("hammer", "moves"), "scotland")
    winter = {**place("hammer", "moves").view("scotland"), "turn": 6}
    follower.receive(LANGUAGE.parse("build Wallace", "scotland").orders, winter)
    assert follower.covers(frozenset({"build", "home"}), winter)
