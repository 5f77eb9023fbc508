"""L18, L21, L32: a face-down Follower that somebody marks is where its marker says."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pbem.playback import EnemyBlock
from pbem.rules import load
from pbem.rules.base import Event, View
from pbem.rules.lords.facts import CARDS
from pbem.titles.lords.playback import TRACKER
from tests.properties.random_play import LabelledChance

MARK = EnemyBlock(side="blue", area="blue/#2")


def down(card: str = "?") -> dict[str, Any]:
    return {"card": card, "up": False, "active": False, "copied": None, "kept": False}


def view(**armies: list[dict[str, Any]]) -> View:
    """A view of Red's in a real game, with these armies."""
    game = load("lords").start(options={"players": 3, "discard_pile_public": False}, chance=LabelledChance(1))
    return {**game.view("red"), "armies": {"red": [], "blue": [], "green": []} | armies}


BEFORE = view(blue=[down(), down()], green=[{**down("makgill-9"), "up": True}])
POWER: dict[str, Any] = {
    "event": "ferguson",
    "side": "green",
    "given": "makgill-9",
    "other": "blue",
    "up": False,
}


def follow(*told: Event, after: View) -> tuple[tuple[str, ...], str]:
    trace = TRACKER.follow(MARK, [(3, [], BEFORE), (4, told, after)])
    return trace.areas, trace.said


def test_the_face_down_followers_of_others_can_be_marked() -> None:
    seen = view(red=[down("makgill-1")], blue=[down(), {**down("scott-2"), "up": True}, down("scott-3")])
    assert [(one.area, one.name, one.said) for one in TRACKER.enemies(seen)] == [
        ("blue/#1", "", "a face-down card, number 1 of Blue's army"),
        ("blue/#3", "scott-3", "Scott 3, face-down, number 3 of Blue's army"),
    ]


def test_it_goes_with_the_card_into_another_army() -> None:
    after = view(blue=[down(), {**down("makgill-9"), "up": True}], green=[down()])
    assert follow({**POWER, "number": 2}, after=after) == (
        ("green/#1",),
        "a face-down card, number 1 of Green's army",
    )


def test_another_that_goes_changes_its_number() -> None:
    after = view(blue=[down(), {**down("makgill-9"), "up": True}], green=[down()])
    assert follow({**POWER, "number": 1}, after=after)[0] == ("blue/#1",)


def test_whoever_takes_it_knows_it() -> None:
    gone: Event = {**POWER, "side": "red", "given": "scott-2", "number": 2, "card": "makgill-4"}
    start = view(blue=[down(), down()], red=[{**down("scott-2"), "up": True}])
    after = view(blue=[down(), {**down("scott-2"), "up": True}], red=[down("makgill-4")])
    trace = TRACKER.follow(MARK, [(3, [], start), (4, [gone], after)])
    assert trace.said == "Makgill 4, face-down, number 1 of your army"


def test_it_ends_where_the_card_is_discarded_or_turned_up() -> None:
    gone: Event = {"event": "wemyss", "side": "green", "other": "blue", "number": 2, "up": False}
    after = view(blue=[down()])
    assert follow(gone, after=after) == ((), "discarded in exchange 4")
    assert (
        follow({**gone, "card": "makgill-4"}, after=after)[1] == "discarded in exchange 4; it was Makgill 4"
    )
    shown = [{"event": "reveal", "side": "blue", "card": name} for name in ("makgill-3", "makgill-4")]
    assert follow(*shown, after=view())[1] == "turned up in exchange 4: it was Makgill 4"


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_a_marked_card_is_where_its_marker_says(seed: int, public: bool) -> None:
    dice = random.Random(seed)
    options = {"players": 3, "discard_pile_public": public}
    game = load("lords").start(options=options, chance=LabelledChance(seed))
    heard = {side: len(game.told(side)) for side in game.view("gm")["hands"]}
    marks: list[tuple[str, str, EnemyBlock, list[Any]]] = []
    followed = turned_up = discarded = moved = 0
    for exchange in range(1, 400):
        for _ in range(dice.randint(1, 6)):
            if game.asks:
                ask = dice.choice(game.asks)
                game.answer(ask.side, dice.choice(ask.legal))
        if not game.asks:
            break
        true = game.view("gm")["armies"]
        for side, known in heard.items():
            seen, told = game.view(side), game.told(side, known)
            heard[side] = known + len(told)
            for mark in [one for one in marks if one[0] == side]:
                _, name, block, later = mark
                later.append((exchange, told, seen))
                trace = TRACKER.follow(block, later)
                if trace.areas:
                    army, _, number = trace.areas[0].partition("/#")
                    assert true[army][int(number) - 1]["card"] == name
                    followed += 1
                    moved += army != block.side
                    continue
                marks.remove(mark)
                turned_up += trace.said.endswith(f": it was {CARDS[name].title}")
                discarded += trace.said.startswith("discarded")
                assert "it was" not in trace.said or CARDS[name].title in trace.said
            for block in TRACKER.enemies(seen):
                army, _, number = block.area.partition("/#")
                name = true[army][int(number) - 1]["card"]
                assert block.name in ("", name)
                marks.append((side, name, block, [(exchange, (), seen)]))
    assert followed > 50
    assert turned_up
    assert moved or discarded
