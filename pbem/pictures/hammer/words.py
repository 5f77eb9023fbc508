"""The map in words, for those who do not see it."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.pictures.hammer.moves import fought, ways
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import SIDES

NAMES = {"england": "England", "scotland": "Scotland"}


def caption(view: View, told: Sequence[Event]) -> str:
    """Who holds how much, where it was fought, and how many blocks moved."""
    parts = []
    for side in SIDES:
        areas = [area for area, there in view["areas"].items() if there[side]]
        blocks = sum(there[side] for there in view["areas"].values())
        parts.append(f"{NAMES[side]} has {blocks} blocks in {len(areas)} areas")
    said = f"Map of Scotland. {parts[0]}, {parts[1]}."
    if battles := fought(view, told):
        said += f" Battles: {', '.join(battles)}."
    moved = ways(told)
    if moved:
        said += f" Arrows show {sum(moved.values())} moves."
    return f"{said} The table of the map below says the same by name."
