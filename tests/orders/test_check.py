"""What a file's writer is told before it counts: only what his own view and the rules show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
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


@pytest.mark.parametrize(
    "text",
    [
        "card 2\nmove Wallace, Douglas from Fife to Mentieth\nmove Fraser to Ross",
        "card herald\nherald Ross, Mentieth",
        "card herald\nherald none",
        "card sea move\nsail Wallace, Douglas to Moray",
        "card 2\nif first:\nmove Norse to Ross\nif second:\nmove Bruce to Carrick, Lanark",
        (
            "plan any:\nfire\nhits Barclay, rest\nif round 2: retreat King to Fife\n"
            "forced retreat all\nregroup none\n"
        ),
        "home Bruce to Annan, Carrick\nhome Moray to Moray\nhome King stay\nhome Wallace to Selkirk",
        "keep Wallace, rest\ndisband Grant\ndraw Fife 2\nif drawn French: build French full\nbuild rest",
    ],
)
def test_nothing_is_said_about_what_is_right(text: str) -> None:
    assert found(text) == []


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


def findings() -> list[tuple[str, str]]:
    """findings.txt: orders, and one thing that is found wrong or doubtful about them."""
    blocks = (Path(__file__).parent / "findings.txt").read_text(encoding="utf-8").split("\n\n")[1:]
    rows = [block.strip("\n").split("\n") for block in blocks]
    return [("\n".join(line.removeprefix("| ") for line in lines), expected) for *lines, expected in rows]


@pytest.mark.parametrize(("text", "expected"), findings(), ids=lambda value: value.replace("\n", "; "))
def test_findings(text: str, expected: str) -> None:
    """Which border or limit stops it, with the section; what can never apply."""
    assert expected in found(text)


def test_of_which_area_is_all_that_is_asked() -> None:
    """Not also of each block that it cannot get there."""
    (said,) = found("move all except Norse to Badenoch")
    assert "of which area?" in said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("crown Bruce", "line 1: only the Scots crown a king (6.2)"),
        ("raid Mentieth", "line 1: a border raid never costs you a noble (5.9)"),
        ("draw Mentieth", "line 1: only the Scots draw blocks; the English have their levy (7.62)"),
        (
            "card 1\nif second against 1: move none",
            "line 2, a remark: this condition can never be true with the card 1 (4.1)",
        ),
        ("move Cumbria Infantry to Lanark, Carrick", None),
    ],
)
def test_findings_for_the_english(text: str, expected: str | None) -> None:
    assert found(text, side="england") == ([expected] if expected else [])


def test_ways_to_a_distant_area_are_named() -> None:
    """Several ways of equal length: which is tried first, and how to choose."""
    game = cards_to_play(scots={"Lanark": "Steward", "Mar": "Mar"})
    assert found("move Steward to Lennox, Mentieth", game) == []
    assert found("move Steward to Mentieth", game) == []
    [remark] = found("move Lennox to Lothian", cards_to_play(scots={"Lennox": "Lennox"}))
    assert remark == (
        "line 1, a remark: Lennox can go to Lothian by Lanark or Mentieth; write which "
        "way, or the judge tries the way by Lanark first (4.2)"
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


@pytest.mark.parametrize(
    ("order", "marked"),
    [("main attack Mentieth from Fife", "Fife"), ("main attack Mentieth by Keith", "Keith")],
)
def test_what_is_wrong_of_a_main_attack_is_marked(order: str, marked: str) -> None:
    parsed = LANGUAGE.parse(f"move Wallace to Angus\n{order}", "scotland")
    [fault] = LANGUAGE.check(parsed.orders, cards_to_play().view("scotland"))
    _, line, mark, *_ = str(fault).splitlines()
    assert line[mark.rstrip("^").rfind(" ") + 1 : len(mark)] == marked


def test_orders_that_were_never_text_are_shown_in_the_language_s_own_layout() -> None:
    parsed = LANGUAGE.parse("card 3", "scotland")
    bare = type(parsed.orders)(side="scotland", sections=parsed.orders.sections)
    [fault] = LANGUAGE.check(bare, cards_to_play().view("scotland"))
    assert str(fault).splitlines()[1] == "    card 3"


def test_pinned_blocks() -> None:
    """4.6: known to the second player when he writes."""
    game = situation(
        "second move",
        scotland={"Fife": "Wallace, Douglas, Barclay"},
        england={"Fife": "York Infantry, Mentieth"},
        first="england",
        cards={"scotland": "2", "england": "3"},
        hands={"scotland": ["1"], "england": ["1"]},
        attacks={"Fife": {"attacker": "england", "origin": "Mentieth", "border": "Mentieth-Fife"}},
    )
    assert found("move Wallace to Angus", game) == []
    assert found("move Wallace, Douglas to Angus", game) == [
        "line 1: every block still in Fife is pinned (4.6)"
    ]
    assert found("card 2\nherald Mar\nif first: move none", game) == [
        "line 1, a remark: it is too late in the turn for 'card' (4.0)",
        "line 2, a remark: it is too late in the turn for 'herald' (4.0)",
        "line 2: Mar is dead (5.8)",
        "line 3, a remark: this condition cannot be true: the cards are 2 against 3 (4.1)",
    ]


def test_orders_for_a_turn_are_remarked_upon_in_winter() -> None:
    game = situation("scottish builds", turn=6, scotland={"Fife": "Wallace 2"}, england={})
    assert found("build Wallace\ndraw Fife\nmove Wallace to Mar", game) == [
        "line 3, a remark: 'move' has no use in winter (7.0)"
    ]


def test_points_that_stay_unspent_are_remarked_upon() -> None:
    game = situation("scottish builds", turn=6, scotland={"Fife": "Wallace 2"}, england={})
    unspent = "points that your blocks do not need are not used; 'draw Fife' brings new blocks (7.62)"
    assert found("build Wallace, rest", game) == [f"line 1, a remark: {unspent}"]
    for said in ("build rest\ndraw none", "build rest\nask", "build none"):
        assert found(said, game) == []
    ahead = found("winter:\nbuild rest")
    assert ahead == [f"line 2, a remark: {unspent}"]
    assert found("card 2\nbuild rest") == []


def test_only_infantry_and_nobles_of_the_english_are_built_up() -> None:
    game = situation("english builds", turn=6, scotland={}, england={"Mar": "York Knights 1, Mar 1"})
    assert found("build York Knights, Mar", game, "england") == [
        "line 1: in winter you can build up only infantry and nobles, not York Knights (7.63)"
    ]


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
