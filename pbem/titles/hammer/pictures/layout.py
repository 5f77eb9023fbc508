"""The layout of an area's blocks: near its middle, upon no name, and beside other blocks if there is room.

They are tried as large as they are drawn, then smaller; in more or fewer columns; and further off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from math import inf
from typing import NamedTuple

from pbem.pictures.base import Layer
from pbem.pictures.svg import group
from pbem.titles.hammer.pictures.blocks import FRAME_HEIGHT, FRAME_WIDTH

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
    """Return the best ways to lay these numbers of blocks so near that they cover no name."""
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
    """Return the blocks of an area, and the rectangle that they take.

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
