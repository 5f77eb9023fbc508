"""What a file's writer is told before it counts: only what his own view and the rules show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pbem.orders.base import Answer
from pbem.orders.hammer import LANGUAGE
from pbem.orders.kit.language import KitLanguage
from pbem.rules.base import Game
from tests.hammer.order_table import situation
from tests.orders.rows import rows

SCOTS = {
    "Fife": "Wallace, Douglas, Barclay",
    "Moray": "Moray, Fraser, Norse",
    "Annan": "Bruce, Keith, Grant, Lindsay",
}
ENGLISH = {"Mentieth": "Mentieth, York Infantry", "Lothian": "Cumbria Infantry", "Ross": "Ross"}


def cards_to_play(**given: Any) -> Game:
    """The start of a turn; the Scots hold 1, 2, herald, sea move."""
    return situation(
        "cards",
        scotland=given.pop("scots", SCOTS),
        england=ENGLISH,
        hands={"scotland": ["1", "2", "2", "herald", "sea move"], "england": ["1", "1", "1", "2", "3"]},
        **given,
    )


def found(text: str, game: Game | None = None, side: str = "scotland") -> list[str]:
    """The first lines of what is found wrong or doubtful; the text itself must be faultless."""
    parsed = LANGUAGE.parse(text, side)
    assert [str(fault) for fault in parsed.faults] == []
    view = (game or cards_to_play()).view(side)
    return [str(fault).splitlines()[0] for fault in LANGUAGE.check(parsed.orders, view)]


@pytest.mark.ci
def test_a_plan_of_another_section_is_looked_at_and_offered_where_it_may_stand() -> None:
    plan = "plan Fife:\nfire\nretreat Wallace to Ross\nregroup none\nforced retreat all\nend"
    for text, line in ((plan, 3), (f"doctrine:\n{plan}\nend", 4)):
        said = f"line {line}, a remark: Ross has no border with Fife, "
        assert f"{said}so no block can retreat there by land (5.5)" in found(text)
    view = cards_to_play().view("scotland")
    offered = {
        above: any(one.line.startswith("plan ") for one in LANGUAGE.offers("", view, ("card",), above))
        for above in ("", "winter:", "doctrine:", "plan any:")
    }
    assert offered == {"": True, "winter:": False, "doctrine:": True, "plan any:": False}


def test_each_way_that_is_shut_is_told_with_what_shuts_it() -> None:
    """Of two ways that are equally short the enemy stands in one, and the other is over a red border."""
    game = situation(
        "cards",
        scotland={"Moray": "Moray"},
        england={"Strathspey": "York Infantry"},
        hands={"scotland": ["2", "3"], "england": ["1", "1"]},
    )
    by = "by Badenoch: Moray must stop in Badenoch: the border Moray to Badenoch is red; "
    by += "by Strathspey: Moray must stop in Strathspey: enemy blocks are there"
    assert found("card 2\nmove Moray to Buchan", game)[-1] == (
        f"line 2, a remark: at the moment, Moray cannot reach Buchan: {by} (4.0)"
    )
    between = "between them is Badenoch or Strathspey (1.1)"
    assert found("move Moray to Buchan, Mar", game)[-1] == (
        f"line 1: Moray has no border with Buchan; {between}"
    )


def test_a_place_is_shown_in_the_text_as_it_was_written() -> None:
    parsed = LANGUAGE.parse(">  move  doug,\n>  wallace  to  Angus,  Fife", "scotland")
    [fault, *_] = LANGUAGE.check(parsed.orders, cards_to_play().view("scotland"))
    assert str(fault).splitlines() == [
        "line 2: the path enters Fife twice (R40) (4.2)",
        "    >  wallace  to  Angus,  Fife",
        "                            ~~~^",
        "    possible: Buchan, Mar, Angus, Atholl, Lennox, Mentieth, Lanark, Lothian",
    ]


def test_orders_that_were_never_text_are_shown_in_the_language_s_own_layout() -> None:
    parsed = LANGUAGE.parse("card 3", "scotland")
    bare = type(parsed.orders)(side="scotland", sections=parsed.orders.sections)
    [fault] = LANGUAGE.check(bare, cards_to_play().view("scotland"))
    assert str(fault).splitlines()[1] == "    card 3"


@pytest.mark.parametrize(("text", "phase", "expected"), rows("lines.txt", "asks"))
def test_an_ask_for_which_the_judge_cannot_stop_is_a_fault(text: str, phase: str, expected: str) -> None:
    """Protocol 13: a pause shows that somebody is asked."""
    game = cards_to_play() if phase == "cards" else situation(phase, turn=6, scotland=SCOTS, england=ENGLISH)
    faults = found(text, game)
    assert len(faults) == bool(expected)
    assert all(expected in fault and "a remark" not in fault for fault in faults)


@pytest.mark.parametrize(
    "text",
    [
        "card 2\nmove Wallace, Douglas from Fife to Mentieth\nmain attack Mentieth by Douglas",
        "card 1\nmove Bruce from Fife to Mentieth\nmove rest from Fife to Caithness",
        "card herald\nherald Ross\nmove none\nmove Fraser to Ross",
    ],
)
def test_the_row_says_which_lines_are_moves(text: str) -> None:
    """A verb for the same that is called otherwise is checked and done as `move` is."""
    rows = LANGUAGE.rows
    (move,) = (verb for verb in rows.verbs if verb.name == "move")
    march = replace(move, name="march", example="march Ross to Moray")
    language = KitLanguage(replace(rows, verbs=(*rows.verbs, march)))
    game = cards_to_play()
    moving = situation(
        "first move",
        scotland=SCOTS,
        england=ENGLISH,
        first="scotland",
        cards={"scotland": "2", "england": "1"},
        hands={"scotland": ["1"], "england": ["1"]},
    )
    (ask,) = moving.asks
    heard = []
    for verb in ("move", "march"):
        orders = language.parse(text.replace("move ", f"{verb} "), "scotland").orders
        said = [str(fault).splitlines()[0] for fault in language.check(orders, game.view("scotland"))]
        follower = language.follower("scotland")
        follower.receive(orders, moving.view("scotland"))
        replies = follower.reply(ask, moving.view("scotland"))
        dropped = [(one.line, one.text.replace("march", "move"), one.reason) for one in follower.dropped]
        heard.append((said, replies, dropped))
    assert heard[0] == heard[1]
    assert isinstance(heard[0][1], Answer)
