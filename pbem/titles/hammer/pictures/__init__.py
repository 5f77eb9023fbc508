"""1.0: the map as a picture and in words: areas, borders, castles, and the blocks as a reader sees them.

The two sides differ in shape as well as in colour: English blocks have square corners and an upright cross
on their backs, Scottish ones round corners and a saltire. Over a border drawn as one line six blocks may
pass, over a dashed one two (4.3); where a light line runs in it, one with each Group Move (4.4). What is no
place on the map stands beside it: the time, the hand, the nobles.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from textwrap import wrap
from typing import Any

from pbem.pictures.base import Board, CardFace, Layer, Picture
from pbem.pictures.svg import group, path, rectangle, standing_for, text
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import AREAS, EVENTS, MOVE_CARDS, SCOTLAND, SIDES, WINTER_TURN
from pbem.titles.hammer.pictures.blocks import (
    SWORDS,
    Box,
    arrow,
    arrows,
    battle_marks,
    drawn,
    fought,
    laid,
    noble_sample,
    ratings_sample,
    sample,
    steps_sample,
    ways,
)

SEA, ABROAD, INK, RED, PAPER = "#a9c3cc", "#c3cfcf", "#2b2620", "#a3342c", "#f4eedd"
TINTS = ("#e9dfc3", "#d9c99c", "#e2d3ad", "#cfbd8c")
"""The tones of land, so that neighbours can be told apart by more than their border."""
ENGLISH_LAND = "#cfc8ba"
NAME_SIZE = 21
LETTER = 13.5
"""The average width, at most, of the letters of a name."""
PLATE_WIDTH, MARK = 140, 16
SEAS = ((885, 800, "North Sea"), (70, 960, "Irish Sea"))
PANEL, PANEL_SIZE = (8, 8), (224, 300)
"""The place of the panel for what is no place on the map, and its width and height."""
LINE = 18
LEGEND, LEGEND_SIZE = (692, 12), (282, 318)
"""The place of the legend, and its width and height."""


class MapPainter:
    """The painter of a reader's view on the map; a `Painter`."""

    def draw(self, view: View, told: Sequence[Event]) -> Picture:
        """Return a picture of where everything stands, with the moves and battles that were told."""
        battles = list(battle_marks(view, told, centres()))
        blocks = list(stacks(view, battles))
        ways = arrows(told, centres(), list(map(Box.around, blocks)))
        layers = (side_panel(view), *ways, *plates(), *blocks, *battles)
        return Picture(board(), layers, caption(view, told))

    def card_faces(self, view: View) -> dict[str, CardFace]:
        """Return the faces of the reader's own cards, as `CardPainter` wants them."""
        held: Counter[str] = Counter(view.get("hand", ()))
        return {f"card {name}": CardFace(added=effect(name), copies=held[name]) for name in held}


def stacks(view: View, marks: Sequence[Layer] = ()) -> Iterator[Layer]:
    """Yield the blocks of all areas, those with most blocks laid first.

    They cover no name, and none of `marks`.
    """
    known = named_blocks(view)
    yield from _stack_blocks(
        tuple(tuple(_blocks_in(view, area, known)) for area in AREAS), tuple(map(Box.around, marks))
    )


@lru_cache(maxsize=64)  # many a moment of a battle moves no block
def _stack_blocks(
    blocks: tuple[tuple[tuple[str, ...], ...], ...], marks: tuple[Box, ...]
) -> tuple[Layer, ...]:
    """Return the blocks of all areas, in the order of `AREAS`, laid where they cover none of `marks`."""
    spots, edge = centres(), Box(0, 0, board().width, board().height)
    taken, found = list(marks), list[Layer]()
    drawn_in = dict(zip(AREAS, blocks, strict=True))
    for area in sorted(AREAS, key=lambda one: -sum(map(len, drawn_in[one]))):
        if sides := drawn_in[area]:
            box, layers = laid(sides, spots[area], names(), taken, edge)
            taken.append(box)
            found += layers
    return tuple(found)


def _blocks_in(
    view: View, area: str, known: Mapping[tuple[str, str], Sequence[tuple[str, int]]]
) -> Iterator[tuple[str, ...]]:
    """Yield the blocks in an area by side, those that this view names by name."""
    here = view["areas"][area]
    for side in SIDES:
        if here[side]:
            named = tuple(known.get((area, side), ()))
            yield _drawn(side, named, here[side] - len(named), area)


@lru_cache(maxsize=4096)
def _drawn(side: str, named: tuple[tuple[str, int], ...], hidden: int, area: str) -> tuple[str, ...]:
    return tuple(drawn(side, named, hidden, area))


@cache
def geometry() -> dict[str, Any]:
    """Return the content of map.json.

    It has the size, the land, and for each area its outline and the middle of its room.
    """
    found: dict[str, Any] = json.loads(files(__package__).joinpath("map.json").read_text(encoding="utf-8"))
    return found


@cache
def centres() -> dict[str, tuple[int, int]]:
    """Return the point in each area where most room is."""
    return {name: (area["centre"][0], area["centre"][1]) for name, area in geometry()["areas"].items()}


@cache
def board() -> Board:
    """Return the board of sea, land, borders and legend, which is the same below every picture."""
    drawn = geometry()
    width, height = drawn["size"]
    parts = [
        rectangle(0, 0, width, height, fill=SEA),
        path(drawn["out_of_play"], fill=ABROAD, stroke="#8fa6a8", stroke_width=1),
        *(
            standing_for(name, [path(area["path"], fill=tint(name), stroke=INK, stroke_width=1.6)])
            for name, area in drawn["areas"].items()
        ),
        *(border(entry) for entry in drawn["borders"]),
        *(text(x, y, name, 24, fill="#5d7f8a") for x, y, name in SEAS),
        legend(),
    ]
    return Board(width, height, "".join(parts))


def tint(area: str) -> str:
    """Return the colour of an area."""
    return ENGLISH_LAND if area == "England" else TINTS[AREAS[area].order % len(TINTS)]


def border(entry: dict[str, Any]) -> str:
    """4.3: return a border, as one line or dashed by its kind."""
    first, second = entry["between"]
    between = AREAS[first].neighbours[second]
    return border_line(entry["path"], between.red, one_each=between.anglo_scottish)


def border_line(lines: str, red: bool, *, one_each: bool = False) -> str:
    """Return the line of a border of a kind.

    The land's own colour lies below the gaps of a dashed one, and a light line runs in one that is crossed by
    one block with each Group Move (4.4).
    """
    wide = 8 if one_each else 3.4
    inner = path(lines, fill="none", stroke=PAPER, stroke_width=3) if one_each else ""
    if not red:
        return path(lines, fill="none", stroke=INK, stroke_width=wide, stroke_linecap="round") + inner
    below = path(lines, fill="none", stroke=PAPER, stroke_width=wide + 1.6)
    return below + path(lines, fill="none", stroke=RED, stroke_width=wide, stroke_dasharray="9 6") + inner


@cache
def plates() -> tuple[Layer, ...]:
    """Return the layers with the names of the areas, which lie above arrows and below blocks."""
    return tuple(plate(area, x, y) for area, (x, y) in centres().items())


@cache
def names() -> tuple[Box, ...]:
    """Return the rectangles that blocks may not cover.

    They are the names with the marks below them, the legend, and the panel.
    """
    found = [
        Box(x, y, x + width, y + height)
        for (x, y), (width, height) in ((LEGEND, LEGEND_SIZE), (PANEL, PANEL_SIZE))
    ]
    for area, (x, y) in centres().items():
        half, marks = len(area) * LETTER / 2, MARK * len(marks_of(area)) / 2
        found += [Box(x - half, y - 50, x + half, y - 25), Box(x - marks, y - 25, x + marks, y - 9)]
    return tuple(found)


def plate(area: str, x: int, y: int) -> Layer:
    """1.2-1.4: return an area's name, and below it its castles, cathedral and coast."""
    middle, marks = PLATE_WIDTH / 2, marks_of(area)
    left = middle - (len(marks) - 1) * MARK / 2
    said = text(
        middle, 22, area, NAME_SIZE, fill=PAPER, stroke=PAPER, stroke_width=4, stroke_linejoin="round"
    )
    said += text(middle, 22, area, NAME_SIZE, fill=INK)
    drawn = said + "".join(mark(left + MARK * place, 35) for place, mark in enumerate(marks))
    return Layer(drawn, x - PLATE_WIDTH // 2, y - 52, PLATE_WIDTH, 44)


def marks_of(area: str) -> list[Callable[[float, float], str]]:
    """Return what is drawn below an area's name."""
    fact = AREAS[area]
    return [*[castle] * fact.castle_limit, *[cathedral] * fact.cathedral, *[coastline_wave] * fact.coastal]


def castle(x: float, y: float) -> str:
    """1.2: return the mark for one point of the castle limit."""
    tower = f"M{x - 6},{y + 6}V{y - 6}h3v3h2v-3h2v3h2v-3h3V{y + 6}Z"
    return path(tower, fill=INK)


def cathedral(x: float, y: float) -> str:
    """1.3: return the mark of a cathedral, which counts for the Scots."""
    return path(f"M{x - 1.5},{y - 7}h3v4h4v3h-4v7h-3v-7h-4v-3h4Z", fill=INK)


def coastline_wave(x: float, y: float) -> str:
    """1.4: return the mark of an area that lies on the coast."""
    line = f"M{x - 7},{y + 2}q3.5,-6 7,0t7,0"
    return path(line, fill="none", stroke="#2f6478", stroke_width=2.6)


@cache
def panel(lines: tuple[tuple[str, bool], ...]) -> str:
    """Return the panel beside the map as SVG, with lines of text, each with whether it is a heading."""
    parts = [rectangle(0, 0, *PANEL_SIZE, rx=6, fill=PAPER, stroke=INK, stroke_width=1)]
    for place, (said, heading) in enumerate(lines):
        size = 17 if heading else 13
        parts.append(text(10, 24 + LINE * place, said, size, fill=INK, text_anchor="start"))
    return "".join(parts)


def side_panel(view: View) -> Layer:
    """Return the panel with the time, the hand and the nobles, as the reader sees them."""
    return Layer(panel(tuple(beside(view))), *PANEL, *PANEL_SIZE)


MOVED = arrow(SCOTLAND, ((0, 0), (120, 0)), 1)
"""The arrow that stands for moves in the legend."""


def legend() -> str:
    """Return the legend, which says what the lines and marks mean."""
    x, y = LEGEND
    rows: list[tuple[str, str]] = [
        (border_line(f"M{x + 12},{y + 16}h46", red=False), "6 blocks may cross"),
        (border_line(f"M{x + 12},{y + 38}h46", red=True), "2 blocks, and stop"),
        (border_line(f"M{x + 12},{y + 60}h46", red=False, one_each=True), "one with each Group Move"),
        (castle(x + 35, y + 82), "castle: one point"),
        (cathedral(x + 35, y + 104), "cathedral: +1 for Scots"),
        (coastline_wave(x + 35, y + 126), "coast"),
        (sample("england", x + 35, y + 148), "England, face down"),
        (sample("scotland", x + 35, y + 170), "Scotland, face down"),
        (steps_sample(x + 35, y + 192), "steps left and lost"),
        (ratings_sample(x + 35, y + 214), "fights B2, moves 3 areas"),
        (noble_sample(x + 35, y + 236, home=False), "noble"),
        (noble_sample(x + 35, y + 258, home=True), "noble at home: +1"),
        (group([MOVED.svg], transform=f"translate({x + 9},{y + 271}) scale(0.5)"), "where blocks went"),
        (group([SWORDS], transform=f"translate({x + 22},{y + 289}) scale(0.8)"), "battle"),
    ]
    inner = [
        rectangle(x, y, *LEGEND_SIZE, rx=6, fill=PAPER, stroke=INK, stroke_width=1),
        *(
            mark + text(x + 70, y + 21 + 22 * place, said, 15, fill=INK, text_anchor="start")
            for place, (mark, said) in enumerate(rows)
        ),
    ]
    return group(inner)


NAMES = {"england": "England", "scotland": "Scotland"}
COLUMNS = 29
"""Maximum number of letters of a line beside the map."""
EFFECTS = {
    "herald": "a noble may join you",
    "pillage": f"{EVENTS.pillage_hits} steps change sides",
    "sea move": f"{EVENTS.sea_move_blocks} blocks sail",
    "truce": "no attack on you",
    "victuals": f"{EVENTS.victuals_steps} steps are added",
}
"""The effect of each event card in a few words (3.12)."""


def beside(view: View) -> Iterator[tuple[str, bool]]:
    """Yield the lines of the time, the hand and the nobles, each with whether it is a heading."""
    yield ", ".join(view["moment"]), True
    yield from ((line, False) for line in _wrapped(_phase(view)))
    yield "", False
    yield from ((line, False) for line in _wrapped(_hands(view)))
    yield "", False
    for side in SIDES:
        held = [name for name, owner in view["nobles"].items() if owner == side]
        yield f"{NAMES[side]}: {len(held)} noble{'s' * (len(held) != 1)}", True
        yield from ((line, False) for line in _wrapped(", ".join(held)))


def effect(card: str) -> str:
    """Return what a card does, in a few words."""
    if card in MOVE_CARDS:
        return f"{card} group{'s' * (card != '1')}"
    return EFFECTS.get(card, "")


def _phase(view: View) -> str:
    """Return in words which part of the turn it is, and who moves first."""
    if view["turn"] == WINTER_TURN:
        return "nobles go home, blocks disband and are built"
    first = f"; {NAMES[view['first']]} moves first" if view["first"] else ""
    return f"{view['phase']}{first}"


def _hands(view: View) -> str:
    """Return in words the reader's own cards, and how many the others hold."""
    side = view["viewer"]
    counts = [
        f"{NAMES[one]} holds {number} card{'s' * (number != 1)}"
        for one, number in view["hand_sizes"].items()
        if one != side
    ]
    own = [f"Your hand: {', '.join(view['hand']) or 'empty'}"] if "hand" in view else []
    return ". ".join([*own, *counts])


def caption(view: View, told: Sequence[Event]) -> str:
    """Return the whole position in words: time, hand and nobles, and area by area who stands there."""
    parts = [f"Map of Scotland, {', '.join(view['moment'])}: {_phase(view)}.", f"{_hands(view)}."]
    for side in SIDES:
        held = [name for name, owner in view["nobles"].items() if owner == side]
        parts.append(f"{NAMES[side]} has {len(held)} nobles: {', '.join(held) or 'none'}.")
    named = named_blocks(view)
    parts += [f"{area}: {said}." for area in AREAS if (said := _who_stands(view, area, named))]
    if battles := fought(view, told):
        parts.append(f"Battles: {', '.join(battles)}.")
    moved = [
        f"{NAMES[side]} {number} {' - '.join(areas)}" for (side, areas), number in sorted(ways(told).items())
    ]
    if moved:
        parts.append(f"Moves: {'; '.join(moved)}.")
    return " ".join(parts)


def named_blocks(view: View) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Return the blocks that a view names, with their strengths, by area and side."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for name, block in view["blocks"].items():
        found.setdefault((block["area"], block["side"]), []).append((name, block["strength"]))
    return found


def _who_stands(view: View, area: str, named: Mapping[tuple[str, str], Sequence[tuple[str, int]]]) -> str:
    """Return in words who stands in an area, as the reader sees them."""
    found = []
    for side in SIDES:
        here = named.get((area, side), ())
        hidden = view["areas"][area][side] - len(here)
        known = [f"{name} {strength}" for name, strength in here]
        known += [f"{hidden} hidden"] if hidden else []
        if known:
            found.append(f"{NAMES[side]} {', '.join(known)}")
    return "; ".join(found)


@lru_cache(maxsize=512)  # lists of nobles and phases come again and again in one game
def _wrapped(said: str) -> tuple[str, ...]:
    return tuple(wrap(said, COLUMNS))


PAINTER = MapPainter()
