"""2.0: blocks as they are drawn, face up or face down, and a story's moves and battles between them.

Blocks lie near the middle of an area, upon no name, and beside other blocks if there is room. They are tried
as large as they are drawn, then smaller; in more or fewer columns; and further off. Moves are arrows, battles
crossed swords.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from math import hypot, inf
from typing import NamedTuple

from pbem.pictures.base import Layer
from pbem.pictures.svg import element, group, path, rectangle, standing_for, text
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import BLOCKS, ENGLAND, SCOTLAND

WIDTH, HEIGHT, MARGIN = 64, 40, 4
FRAME_WIDTH, FRAME_HEIGHT = WIDTH + MARGIN + 2, HEIGHT + MARGIN + 1
NAME_SIZE = 13
COLOUR = {"england": "#8f2f2a", "scotland": "#21466b"}
LIGHT = "#f7f2e4"
LONGEST = 10
"""Maximum number of letters of a name that fit on a block."""
LONG = 8
"""Maximum number of letters of a name that is written in full size; a longer name is written smaller."""
SHORT = {"Infantry": "inf", "Archers": "arch", "Knights": "kn", "Hobelars": "hob", "Cavalry": "cav"}


def drawn(side: str, known: Sequence[tuple[str, int]], hidden: int, area: str) -> Iterator[str]:
    """Yield the SVG of a side's blocks: the known ones by name, then one for the number of all others."""
    yield from (face_up(side, name, strength, area) for name, strength in known)
    if hidden:
        yield face_down(side, hidden)


@cache
def face_up(side: str, name: str, strength: int, area: str) -> str:
    """2.1: return the SVG of a block that the reader knows: its name, the steps left, and its ratings."""
    x, y = MARGIN, MARGIN
    steps = BLOCKS[name].max
    said = short(name)
    size = NAME_SIZE if len(said) <= LONG else NAME_SIZE - 2
    return standing_for(
        name,
        (
            body(side, x, y),
            text(x + WIDTH / 2, y + 13, said, size, fill=LIGHT),
            pips(x + WIDTH / 2, y + 21, steps, strength),
            ratings(name, area, x, y + 35),
        ),
    )


def ratings(name: str, area: str, x: float, y: float) -> str:
    """1.4, 2.12, 2.13: return the marks of a block's ratings.

    They show a noble, and one at home; how the block fights, and how far it moves.
    """
    fact = BLOCKS[name]
    mark = crown(x + 9, y - 4) if fact.noble else ""
    mark += house(x + WIDTH - 9, y - 4) if area in fact.homes else ""
    return mark + text(x + WIDTH / 2, y, f"{fact.letter}{fact.number} m{fact.move}", 10, fill=LIGHT)


def crown(x: float, y: float) -> str:
    """Return the mark of a noble."""
    return path(f"M{x - 5},{y + 4}v-8l3,3l2,-4l2,4l3,-3v8Z", fill=LIGHT)


def house(x: float, y: float) -> str:
    """Return the mark of a noble in a home of their own."""
    return path(f"M{x - 5},{y}l5,-5l5,5v4h-10Z", fill=LIGHT)


def pips(x: float, y: float, steps: int, strength: int) -> str:
    """2.3: return a filled spot for each step that is left, a hollow one for each that is lost."""
    left = x - (steps * 11 - 4) / 2 + 3.5
    return "".join(
        element("circle", cx=left + 11 * step, cy=y, r=3.6, fill=LIGHT)
        if step < strength
        else element("circle", cx=left + 11 * step, cy=y, r=3, fill="none", stroke=LIGHT, stroke_width=1)
        for step in range(steps)
    )


@cache
def face_down(side: str, count: int) -> str:
    """R2: return the SVG of blocks that the reader does not know: their number, and their side's mark."""
    x, y = MARGIN, MARGIN
    behind = body(side, x + 3, y - 3) if count > 1 else ""
    mark = cross(side, x + 17, y + HEIGHT / 2)
    return behind + body(side, x, y) + mark + text(x + 44, y + 27, f"{count}", 20, fill=LIGHT)


def sample(side: str, x: float, y: float) -> str:
    """Return a small face-down block for the legend."""
    return body(side, x - 23, y - 9, 46, 18) + cross(side, x, y, 6)


def noble_sample(x: float, y: float, *, home: bool) -> str:
    """Return a small block with the mark of a noble, or of one at home, for the legend."""
    return body(SCOTLAND, x - 23, y - 9, 46, 18) + (house(x, y + 1) if home else crown(x, y))


def ratings_sample(x: float, y: float) -> str:
    """Return a small block with ratings for the legend."""
    return body(SCOTLAND, x - 23, y - 9, 46, 18) + text(x, y + 4, "B2 m3", 11, fill=LIGHT)


def steps_sample(x: float, y: float) -> str:
    """Return a small block with 2 of 3 steps for the legend."""
    return body(SCOTLAND, x - 23, y - 9, 46, 18) + pips(x, y, 3, 2)


def body(side: str, x: float, y: float, width: float = WIDTH, height: float = HEIGHT) -> str:
    """Return the body of a block as SVG: square corners for England, round ones for Scotland."""
    return rectangle(
        x,
        y,
        width,
        height,
        rx=1 if side == ENGLAND else 10,
        fill=COLOUR[side],
        stroke=LIGHT,
        stroke_width=1.5,
    )


def cross(side: str, x: float, y: float, size: float = 9) -> str:
    """Return the mark of a side: an upright cross, or a saltire."""
    upright = f"M{x - size:.1f},{y:.1f}h{2 * size:.1f}M{x:.1f},{y - size:.1f}v{2 * size:.1f}"
    saltire = (
        f"M{x - size:.1f},{y - size:.1f}l{2 * size:.1f},{2 * size:.1f}"
        f"M{x - size:.1f},{y + size:.1f}l{2 * size:.1f},{-2 * size:.1f}"
    )
    return path(upright if side == ENGLAND else saltire, stroke=LIGHT, stroke_width=3.4, fill="none")


def short(name: str) -> str:
    """Return a block's name in a form that fits on the block: `York inf`, `Northum inf`."""
    words = name.split(" ")
    if len(words) == 1:
        return name
    kind = SHORT.get(words[-1], words[-1])
    return f"{words[0][: LONGEST - 1 - len(kind)]} {kind}"


Rows = list[list[str]]
"""The elements of blocks as they are drawn, row by row."""
TUCK = 8
"""The distance by which the first row of blocks reaches above the middle of its area."""
SMALL = 0.72
FURTHEST, STEP = 96, 12
NEAR = (24, 60, 200)
"""The distances from an area's middle within which blocks are laid, the first that is possible."""
CHOICES = 400
"""Maximum number of ways, for each distance, that are tried to find one that covers no other blocks."""
SMALLER = 26
"""The distance by which blocks are laid further off rather than drawn smaller."""
MAX_COLUMNS = 4


class Box(NamedTuple):
    """A rectangle on the board of a picture."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, layer: Layer) -> Box:
        """Return the rectangle that a layer takes."""
        return cls(layer.x, layer.y, layer.x + layer.width, layer.y + layer.height)

    def covers(self, other: Box) -> bool:
        """Tell whether two rectangles have a part in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, other: Box) -> bool:
        """Tell whether this rectangle lies wholly in the other."""
        return (
            other.left <= self.left
            and other.top <= self.top
            and self.right <= other.right
            and self.bottom <= other.bottom
        )

    def reached(self, start: tuple[float, float], along: tuple[float, float]) -> float:
        """Return how far from `start` a line in the direction `along` enters; infinite if it never does."""
        first, last = -inf, inf
        for axis, (low, high) in enumerate(((self.left, self.right), (self.top, self.bottom))):
            if along[axis]:
                ends = sorted((edge - start[axis]) / along[axis] for edge in (low, high))
                first, last = max(first, ends[0]), min(last, ends[1])
            elif not low < start[axis] < high:
                return inf
        return first if first < last else inf


class Place(NamedTuple):
    """A way to lay blocks out; of two ways that look as good the wider one comes first."""

    cost: int
    columns_left_out: int
    small: bool
    right: int
    down: int

    @property
    def columns(self) -> int:
        """The number of blocks that lie side by side."""
        return MAX_COLUMNS - self.columns_left_out


class Ways:
    """The ways to lay blocks, the best first; each is looked for when it is needed, and kept."""

    def __init__(self, found: Iterator[tuple[Place, Box]]) -> None:
        self._rest = found
        self._known: list[tuple[Place, Box]] = []

    def __iter__(self) -> Iterator[tuple[Place, Box]]:
        """Yield the ways that are known, then those that are found after them."""
        place = 0
        while True:
            if place == len(self._known):
                self._known.extend(islice(self._rest, 1))
            if place == len(self._known):
                return
            yield self._known[place]
            place += 1


def rows_of(sides: Sequence[Sequence[str]], columns: int) -> Rows:
    """Return each side's blocks in rows, one side below the other."""
    return [list(side[place : place + columns]) for side in sides for place in range(0, len(side), columns)]


@lru_cache(maxsize=256)
def places(counts: tuple[int, ...]) -> tuple[Place, ...]:
    """Return every way to lay these numbers of blocks, one for each side.

    The one that looks best comes first.
    """
    off = range(-FURTHEST, FURTHEST + 1, STEP)
    found = []
    for columns in range(1, min(MAX_COLUMNS, max(counts)) + 1):
        width, height = size_of(counts, columns, small=False)
        for small in (False, True):
            plain = int(max(width / 2, height)) + small * SMALLER
            found += [
                Place(plain + max(abs(right), abs(down)), MAX_COLUMNS - columns, small, right, down)
                for right in off
                for down in off
            ]
    return tuple(sorted(found))


def size_of(counts: Sequence[int], columns: int, *, small: bool) -> tuple[float, float]:
    """Return the width and height of these numbers of blocks, one for each side, in rows."""
    size = SMALL if small else 1
    rows = sum(-(-count // columns) for count in counts)
    return min(max(counts), columns) * FRAME_WIDTH * size, rows * FRAME_HEIGHT * size


@lru_cache(maxsize=2048)
def free_places(
    counts: tuple[int, ...], spot: tuple[int, int], names: tuple[Box, ...], board: Box, near: int
) -> Ways:
    """Return the ways to lay blocks near a spot without covering a name, the best first."""
    x, y = spot
    middle = Box(x - near, y - near, x + near, y + near)
    boxes = ((way, box_of(counts, way, spot)) for way in places(counts))
    fitting = (
        (way, box)
        for way, box in boxes
        if box.covers(middle) and box.within(board) and not any(map(box.covers, names))
    )
    return Ways(islice(fitting, CHOICES))


def box_of(counts: Sequence[int], way: Place, spot: tuple[int, int]) -> Box:
    """Return the rectangle that these numbers of blocks, one for each side, take."""
    width, height = size_of(counts, way.columns, small=way.small)
    left, top = spot[0] + way.right - width / 2, spot[1] + way.down - TUCK
    return Box(left, top, left + width, top + height)


def laid(
    sides: Sequence[Sequence[str]],
    spot: tuple[int, int],
    names: tuple[Box, ...],
    taken: Sequence[Box],
    board: Box,
) -> tuple[Box, list[Layer]]:
    """Return the rectangle that an area's blocks take, and the layers of these blocks.

    The rectangle covers no name, and no rectangle in `taken` if that is possible.
    """
    counts = tuple(map(len, sides))
    fallback = [(way, box_of(counts, way, spot)) for way in places(counts)[:1]]
    found = (one for near in NEAR for one in free_places(counts, spot, names, board, near))
    way, box = next((one for one in found if not any(map(one[1].covers, taken))), fallback[0])
    return box, list(layers(rows_of(sides, way.columns), box, small=way.small))


def layers(rows: Rows, box: Box, *, small: bool) -> Iterator[Layer]:
    """Yield the blocks of rows, each row centred."""
    size = SMALL if small else 1
    width, height = round(FRAME_WIDTH * size), round(FRAME_HEIGHT * size)
    middle = (box.left + box.right) / 2
    for down, row in enumerate(rows):
        left = middle - len(row) * width / 2
        for right, svg in enumerate(row):
            drawn = group([svg], transform=f"scale({SMALL})") if small else svg
            yield Layer(drawn, round(left + right * width), round(box.top + down * height), width, height)


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
"""A side, and the areas through which blocks of that side went, in order."""


def ways(told: Sequence[Event]) -> Counter[Way]:
    """Return the number of blocks that went each way by moves, sea moves, retreats and regroups told.

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
