"""What a page offers: cards that are alike, places by their number, and no block that is elsewhere."""

from __future__ import annotations

from pbem.orders.base import Asked, Offer
from pbem.pictures.base import CardFace, CardPainter
from pbem.titles import load
from pbem.web.reading import answers_in, within_heading


def offer(verb: str, name: str, line: str = "") -> Offer:
    return Offer(verb, "", name, line or f"{verb} {name}")


def test_where_blocks_regroup_only_those_that_are_there_are_offered() -> None:
    asks = (Asked("regroup", "5.6", ("done", "regroup Wallace to Fife", "regroup Bruce to Mar"), "done"),)
    there = [offer("regroup", "Wallace"), offer("regroup", "Bruce"), offer("regroup", "none")]
    others = [offer("plan", ""), offer("fire", "Moray"), offer("regroup", "Bruce", "regroup Wallace, Bruce")]
    assert answers_in([*there, offer("regroup", "Moray"), *others], asks) == (*there, *others)
    ways = [offer("regroup", name, f"regroup Wallace to {name}") for name in ("Fife", "Mar")]
    assert answers_in(ways, asks) == tuple(ways[:1])
    behind = offer("regroup", "Moray", "if Fife is attacked: regroup Moray")
    assert answers_in([behind], asks) == (behind,)


def test_a_question_about_one_block_leaves_what_may_be_ordered_of_the_next_one() -> None:
    asks = (Asked("combat", "5.31", ("fire Bruce", "pass Bruce"), "fire Bruce"),)
    assert len(answers_in([offer("fire", "Bruce"), offer("fire", "Wallace")], asks)) == 2


def test_a_line_in_a_plan_is_about_battles_to_come() -> None:
    assert within_heading("card 2\nplan any:\n    fire")
    assert not within_heading("card 2\nplan any:\n    fire\nend")


def test_cards_that_are_alike_are_counted_and_say_what_they_do() -> None:
    painter = load("hammer").pictures
    assert isinstance(painter, CardPainter)
    found = painter.card_faces({"hand": ["1", "2", "2", "sea move"]})
    assert found["card 1"] == CardFace(added="1 group")
    assert found["card 2"] == CardFace(added="2 groups", copies=2)
    assert found["card sea move"] == CardFace(added="2 blocks sail")
    assert painter.card_faces({}) == {}


def test_units_in_hand_are_counted_and_not_those_in_play() -> None:
    painter = load("first-war").pictures
    assert isinstance(painter, CardPainter)
    hand = ["archers-1", "archers-2", "lowland_noble-4"]
    found = painter.card_faces({"viewer": "scots", "hands": {"scots": hand, "english": 9}})
    assert found["deploy archers"] == CardFace(copies=2)
    assert "deploy lowland noble" not in found
    assert "lose archers" not in found
    assert painter.card_faces({"viewer": "english", "hands": {"scots": 7, "english": 9}}) == {}


def test_a_recruit_that_is_named_by_its_place_says_so_and_what_lies_there() -> None:
    painter = load("lords").pictures
    assert isinstance(painter, CardPainter)
    view = {"recruits": ["forsyth-5", "scott-8", None], "recruits_up": [True, False, False]}
    assert painter.card_faces(view) == {
        "recruit 1": CardFace(about="place 1", added="forsyth-5"),
        "recruit 2": CardFace(about="place 2", added="face-down"),
    }
