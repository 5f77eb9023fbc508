"""2.0: blocks as they are drawn: face up with name and strength, face down with their side's mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from pbem.pictures.svg import element, path, rectangle, standing_for, text
from pbem.rules.hammer.facts import BLOCKS, ENGLAND, SCOTLAND

WIDTH, HEIGHT, MARGIN = 64, 40, 4
FRAME_WIDTH, FRAME_HEIGHT = WIDTH + MARGIN + 2, HEIGHT + MARGIN + 1
NAME_SIZE = 13
COLOUR = {"england": "#8f2f2a", "scotland": "#21466b"}
LIGHT = "#f7f2e4"
LONGEST = 10
"""Maximum number of letters of a name that fit on a block."""
LONG = 8
"""Letters up to which a name is written in full size; a longer name is written smaller."""
SHORT = {"Infantry": "inf", "Archers": "arch", "Knights": "kn", "Hobelars": "hob", "Cavalry": "cav"}


def drawn(side: str, known: Sequence[tuple[str, int]], hidden: int, area: str) -> Iterator[str]:
    """Yield a side's blocks: the known ones by name, then how many others."""
    yield from (face_up(side, name, strength, area) for name, strength in known)
    if hidden:
        yield face_down(side, hidden)


@cache
def face_up(side: str, name: str, strength: int, area: str) -> str:
    """2.1: return a block whose reader knows it: its name, of its steps those left, and its ratings."""
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
    """R2: return blocks that their reader does not know: how many, behind the mark of their side."""
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
    """Return the block itself: square corners for England, round ones for Scotland."""
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
