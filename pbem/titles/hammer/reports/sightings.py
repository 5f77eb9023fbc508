"""R2: the enemy blocks that were shown, and where they can be since, in lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.reports.base import hanging_indent
from pbem.reports.words import Memory
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import BLOCKS, POOL
from pbem.rules.hammer.sightings import LAST_SEEN, Sighting, Watcher
from pbem.titles.hammer.reports.words import SIDE

COLUMN = 20
LAST_TURN = 5
"""The last turn of a year, after which winter comes."""


class Sightings(Memory):
    """The memory of which enemy blocks one reader saw face up."""

    def __init__(self, reader: str) -> None:
        self._watcher = Watcher(reader)
        self._seen: tuple[View, list[Sighting]] | None = None
        """The view that was looked at last, with its sightings: the lines and the view for programs share
        them."""

    def hear(self, told: Sequence[Event]) -> None:
        """Take in the events that were told to the reader since the last call."""
        self._watcher.hear(told)
        self._seen = None

    def lines(self, view: View) -> list[str]:
        """Return in lines where each known block was seen, and where it can be since.

        The text of one block: `York Knights  2/4 in Fife, 1298 turn 3. Since then there or in Lothian`.
        """
        return [
            line
            for one in self._look(view)
            for line in hanging_indent(one.block, describe_sighting(one, view), COLUMN)
        ]

    def reminded(self, view: View) -> View:
        """Return the view with the blocks that can be followed, the last seen first."""
        seen = [
            {
                "block": one.block,
                "side": one.side,
                "strength": one.strength,
                "area": one.area,
                "year": one.year,
                "turn": one.turn,
                "may_be": list(one.may_be),
            }
            for one in self._look(view)
        ]
        return {**view, LAST_SEEN: seen}

    def save(self) -> Any:
        """Return what the memory's reader may still follow, JSON-able."""
        from pbem.orders.saving import pack  # only a judge saves

        return pack(self._watcher.known)

    def load(self, data: Any) -> None:
        """Take over the state of a memory that was saved."""
        from pbem.orders.saving import unpack

        self._watcher.known = unpack(data, (Sighting,))

    def _look(self, view: View) -> list[Sighting]:
        if self._seen is None or self._seen[0] is not view:
            self._seen = view, self._watcher.seen(view)
        return self._seen[1]


def describe_sighting(one: Sighting, view: View) -> str:
    """Return in words where a block was seen, and where it can be."""
    when = f"{one.year} {'winter' if one.turn > LAST_TURN else f'turn {one.turn}'}"
    strength = f"{one.strength}/{BLOCKS[one.block].max}" if one.strength else "strength unknown"
    whose = f"{SIDE[one.side]}, " if view["viewer"] == "public" else ""
    places = [
        "in the pool" if area == POOL else "there" if area == one.area else f"in {area}"
        for area in one.may_be
    ]
    now = "still there" if places == ["there"] else " or ".join(places)
    return f"{whose}{strength} in {one.area}, {when}; now {now}"
