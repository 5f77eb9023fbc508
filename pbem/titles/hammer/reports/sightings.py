"""R2: which enemy blocks were shown, and where they can be since, in lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from pbem.reports.layout import hung
from pbem.reports.words import Memory
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import BLOCKS, POOL
from pbem.rules.hammer.sightings import LAST_SEEN, Sighting, Watcher
from pbem.titles.hammer.reports.words import SIDE

COLUMN = 20
LAST_TURN = 5
"""Winter comes after it."""


class Sightings(Memory):
    """Remembers for one reader which enemy blocks were face up."""

    def __init__(self, reader: str) -> None:
        self._watcher = Watcher(reader)

    def hear(self, told: Sequence[Event]) -> None:
        """Take in what was told since the last time."""
        self._watcher.hear(told)

    def lines(self, view: View) -> list[str]:
        """One block a line: `York Knights  2/4 in Fife, 1298 turn 3; since then there or in Lothian`."""
        return [line for one in self._watcher.seen(view) for line in hung(one.block, said(one, view), COLUMN)]

    def reminded(self, view: View) -> View:
        """The view with the blocks that can be followed, the last seen first."""
        seen = self._watcher.seen(view)
        return {**view, LAST_SEEN: [{**asdict(one), "may_be": list(one.may_be)} for one in seen]}


def said(one: Sighting, view: View) -> str:
    """Where a block was seen, and where it can be."""
    when = f"{one.year} {'winter' if one.turn > LAST_TURN else f'turn {one.turn}'}"
    strength = f"{one.strength}/{BLOCKS[one.block].max}" if one.strength else "strength unknown"
    whose = f"{SIDE[one.side]}, " if view["viewer"] == "public" else ""
    places = [
        "in the pool" if area == POOL else "there" if area == one.area else f"in {area}"
        for area in one.may_be
    ]
    now = "still there" if places == ["there"] else " or ".join(places)
    return f"{whose}{strength} in {one.area}, {when}; now {now}"
