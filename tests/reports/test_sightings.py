"""LAST SEEN: what a report says of enemy blocks that were face up earlier."""

from __future__ import annotations

from typing import Any

from pbem.rules.base import Event
from pbem.titles import load
from pbem.titles.hammer.reports.position import Sightings
from tests.hammer.map_scenes import played

REVEALED: list[Event] = [
    {"event": "turn", "year": 1298, "turn": 3, "cards": 3},
    {
        "event": "revealed",
        "area": "Fife",
        "round": 1,
        "blocks": {"York Knights": {"side": "england", "strength": 3}},
    },
    {"event": "hit", "block": "York Knights", "side": "england", "strength": 2},
]
LEFT: Event = {"event": "move", "side": "england", "path": ["Fife", "Angus"], "role": ""}


def view(viewer: str, **standing: int) -> dict[str, Any]:
    """A view in which so many English blocks stand in these areas."""
    shown = played(1, 5).view(viewer)
    shown["areas"] = {area: {"england": standing.get(area, 0), "scotland": 0} for area in shown["areas"]}
    return shown


def lines(seen: dict[str, Any], *more: Event, viewer: str = "scotland") -> list[str]:
    memory = load("hammer").words.memory(viewer)
    memory.hear(REVEALED)
    memory.hear(more)
    return memory.lines(seen)


def test_where_a_block_that_was_shown_may_be_is_said() -> None:
    for standing, more, said in (
        ({"Fife": 1}, (), "still there"),
        ({"Fife": 1, "Angus": 1}, (LEFT,), "there or in Angus"),
        ({"Angus": 1}, (LEFT,), "in Angus"),
    ):
        expected = [f"York Knights        2/4 in Fife, 1298 turn 3; now {said}"]
        assert lines(view("scotland", **standing), *more) == expected
    assert lines(view("england", Fife=1), viewer="england") == []


def test_a_report_has_a_memory_of_its_own() -> None:
    one, other = Sightings("scotland"), Sightings("scotland")
    one.hear(REVEALED)
    assert one.lines(view("scotland", Fife=1))
    assert other.lines(view("scotland", Fife=1)) == []
