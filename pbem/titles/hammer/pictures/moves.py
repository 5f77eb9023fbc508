"""The moves and battles of a story, as arrows and crossed swords between and in areas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import hypot

from pbem.pictures.base import Layer
from pbem.pictures.svg import element, path, text
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import ENGLAND
from pbem.titles.hammer.pictures.blocks import COLOUR, LIGHT, Box

Spots = Mapping[str, tuple[int, int]]
"""The middle of each area, by the area's name."""
INK = "#2b2620"
EDGE = 18
"""The width of the room around an arrow."""
ROOM = (42.0, 30.0)
"""The distances beside an area's middle, and above or below it, at which an arrow ends: a block fits
between."""
HEAD = 20.0
"""The length of an arrow's head."""
GAP = 3.0
"""The gap between an arrow's head and a block."""
Way = tuple[str, tuple[str, ...]]
"""A side, and the areas that it went through."""


def ways(told: Sequence[Event]) -> Counter[Way]:
    """Return how many blocks went which way by moves, sea moves, retreats and regroups that were told.

    A block that retreats to nowhere, as to a pool, has no arrow.
    """
    found: Counter[Way] = Counter()
    for event in told:
        kind = event["event"]
        if kind == "move":
            found[event["side"], tuple(event["path"])] += 1
        elif kind == "sea move":
            found[event["side"], (event["origin"], event["to"])] += event["count"]
        elif kind in ("retreat", "regroup"):
            for area, number in event["to"].items():
                found[event["side"], (event["area"], area)] += number
    return Counter({way: number for way, number in found.items() if None not in way[1]})


def arrows(told: Sequence[Event], spots: Spots, blocks: Sequence[Box] = ()) -> Iterator[Layer]:
    """Yield one arrow for each way that blocks went, with their number if several did; England's are hollow.

    An arrow ends before the first of `blocks`, so that its head is seen.
    """
    for (side, areas), number in sorted(ways(told).items()):
        points = [spots[area] for area in areas]
        if len(points) > 1 and points[0] != points[-1]:
            yield arrow(side, points, number, blocks)


def tip_of(points: Sequence[tuple[int, int]], blocks: Sequence[Box] = ()) -> tuple[float, float]:
    """Return the end of an arrow: short of the middle of the last area, and of the blocks before it."""
    (x1, y1), (x2, y2) = points[-2:]
    length = hypot(x2 - x1, y2 - y1)
    along, across = (x2 - x1) / length, (y2 - y1) / length
    off = min(ROOM[axis] / abs(part) for axis, part in enumerate((along, across)) if part)
    free = length - min(off, length / 2)
    begun = [box.reached((x1, y1), (along, across)) for box in blocks]
    free = min([free, *(far - GAP for far in begun if far >= HEAD + GAP)])
    return x1 + along * free, y1 + across * free


def arrow(side: str, points: Sequence[tuple[int, int]], number: int, blocks: Sequence[Box] = ()) -> Layer:
    """Return the layer of an arrow: a line with a head."""
    left, top = (min(point[axis] for point in points) - EDGE for axis in (0, 1))
    right, low = (max(point[axis] for point in points) + EDGE for axis in (0, 1))
    inner = [(float(x - left), float(y - top)) for x, y in points]
    (x1, y1), (x2, y2) = inner[-2:]
    length = hypot(x2 - x1, y2 - y1)
    along, across = (x2 - x1) / length, (y2 - y1) / length
    end = tip_of(points, blocks)
    tip = (end[0] - left, end[1] - top)
    neck = (tip[0] - along * HEAD, tip[1] - across * HEAD)
    line = lines([*inner[:-1], neck])
    head = lines(
        [
            tip,
            (neck[0] - across * 12, neck[1] + along * 12),
            (neck[0] + across * 12, neck[1] - along * 12),
        ]
    )
    style = {"fill": "none", "stroke_linejoin": "round"}
    colour = COLOUR[side]
    parts = [
        path(line, stroke=LIGHT, stroke_width=11, **style),
        path(line, stroke=colour, stroke_width=8, **style),
        path(line, stroke=LIGHT, stroke_width=2.5, **style) if side == ENGLAND else "",
        path(f"{head}Z", fill=colour, stroke=LIGHT, stroke_width=2),
    ]
    if number > 1:
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        parts.append(element("circle", cx=x, cy=y, r=11, fill=LIGHT, stroke=colour, stroke_width=2))
        parts.append(text(x, y + 5.5, f"{number}", 16, fill=colour))
    return Layer("".join(parts), left, top, right - left, low - top)


def lines(points: Sequence[tuple[float, float]]) -> str:
    """Return SVG path data of straight lines from point to point."""
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points)


def fought(view: View, told: Sequence[Event]) -> list[str]:
    """Return areas in which a battle was fought, or is still to be."""
    found = [event["area"] for event in told if event["event"] == "battle"]
    found += list(view["attacks"])
    return sorted(set(found))


def battle_marks(view: View, told: Sequence[Event], spots: Spots) -> Iterator[Layer]:
    """Yield crossed swords above the name of each area that was or is fought over."""
    for area in fought(view, told):
        x, y = spots[area]
        yield Layer(SWORDS, x - 16, y - 82, 32, 32)


def _swords() -> str:
    blades = "M8,8l14,14M24,8l-14,14M18,24l6,-6M14,24l-6,-6"
    disc = element("circle", cx=16, cy=16, r=14.5, fill=LIGHT, stroke=INK, stroke_width=1.5)
    return disc + path(blades, fill="none", stroke=INK, stroke_width=2.6, stroke_linecap="round")


SWORDS = _swords()
