"""R2: a block that somebody marks without knowing it is where its marker says."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.playback import EnemyBlock
from pbem.rules import load
from pbem.titles.hammer.tracking import TRACKER
from tests.hammer.simulated_battles import SeededChance
from tests.hammer.test_sightings import whole_steps

FACES = {"Edward": {"side": "england", "strength": 4}}


def view(blocks: dict[str, Any] | None = None, **counts: int) -> dict[str, Any]:
    """A view of the Scots with so many English blocks in some areas."""
    from pbem.rules.hammer.facts import AREAS

    areas = {area: {"england": counts.get(area, 0), "scotland": 0} for area in AREAS}
    return {"viewer": "scotland", "areas": areas, "blocks": blocks or {}, "battle": None}


def move(*path: str) -> dict[str, Any]:
    """An English block that nobody sees moves."""
    return {"event": "move", "side": "england", "path": list(path)}


MARK = EnemyBlock(side="england", area="Fife")


def test_where_all_go_the_marked_one_goes() -> None:
    trace = TRACKER.follow(MARK, [(2, [move("Fife", "Angus")], view(Angus=1))])
    assert trace.areas == ("Angus",)
    assert trace.said == "in Angus"


def test_where_some_go_it_may_be_one_of_them() -> None:
    trace = TRACKER.follow(MARK, [(2, [move("Fife", "Angus")], view(Fife=1, Angus=1))])
    assert trace.areas == ("Fife", "Angus")


def test_a_marker_ends_where_blocks_are_shown_that_it_may_be() -> None:
    shown = {"event": "revealed", "area": "Fife", "round": 1, "blocks": FACES}
    trace = TRACKER.follow(MARK, [(2, [shown], view(Fife=1)), (3, [move("Fife", "Angus")], view(Angus=1))])
    assert trace.areas == ()
    assert trace.said == "followed until exchange 2: it may be what was shown in Fife: Edward"
    elsewhere = {**shown, "area": "Angus"}
    assert TRACKER.follow(MARK, [(2, [elsewhere], view(Fife=1))]).areas == ("Fife",)


@pytest.mark.parametrize(("side", "left"), [("england", ()), ("scotland", ("Fife",))])
def test_a_marker_ends_where_a_block_of_its_side_falls(side: str, left: tuple[str, ...]) -> None:
    """The event names no area."""
    dead = {"event": "dead", "block": "Edward", "side": side}
    assert TRACKER.follow(MARK, [(2, [dead], view(Fife=1))]).areas == left


def test_a_marker_ends_in_winter() -> None:
    trace = TRACKER.follow(MARK, [(9, [{"event": "winter", "year": 1297}], view(Fife=1))])
    assert trace.areas == ()
    assert trace.said.startswith("followed until exchange 9: in winter")


def test_a_block_that_is_known_is_where_the_report_says() -> None:
    known = EnemyBlock(side="england", area="Fife", name="Edward")
    up = view({"Edward": {"side": "england", "area": "Angus", "strength": 3}}, Angus=1)
    assert TRACKER.follow(known, [(2, [], up)]).areas == ("Angus",)
    assert TRACKER.follow(known, [(2, [], view(Angus=1))]).areas == ()


def test_blocks_that_can_be_marked_are_those_that_a_reader_can_tell_apart() -> None:
    up = view({"Edward": {"side": "england", "area": "Angus", "strength": 3}}, Angus=1, Fife=2)
    assert [(one.name, one.area) for one in TRACKER.enemies(up)] == [("", "Fife"), ("Edward", "Angus")]


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(2))
def test_a_marked_block_is_where_its_marker_says(seed: int) -> None:
    game = load("hammer").start({"scenario": "campaign"}, SeededChance(seed))
    heard = {side: len(game.told(side)) for side in ("england", "scotland")}
    marks: list[tuple[str, str, EnemyBlock, list[Any]]] = []
    followed = sure = ended = 0
    for number in whole_steps(game, seed, answers=600):
        true = game.view("gm")["blocks"]
        for side, known in heard.items():
            seen, told = game.view(side), game.told(side, known)
            heard[side] = known + len(told)
            for viewer, name, block, later in marks:
                if viewer != side:
                    continue
                later.append((number, told, seen))
                trace = TRACKER.follow(block, later)
                if trace.areas:
                    assert true[name]["area"] in trace.areas or "pool" in trace.said, (name, trace)
                    followed += 1
                    sure += len(trace.areas) == 1
                else:
                    ended += 1
            marks = [one for one in marks if one[0] != side or len(one[3]) < 40]
            if number % 25 == 0 and seen["battle"] is None:
                named = {one.name for one in TRACKER.enemies(seen)}
                marks += [
                    (side, name, EnemyBlock(side=fact["side"], area=fact["area"]), [])
                    for name, fact in true.items()
                    if fact["side"] not in (side, None)
                    and fact["area"] in seen["areas"]
                    and name not in named
                ]
    assert followed > 100
    assert sure > 20
    assert ended
