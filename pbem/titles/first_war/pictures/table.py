"""The table as a picture: Territory Tokens, Unit Cards in play by kind, hands and piles.

The sides differ in shape as well as in colour: English cards have square corners, Scottish ones round ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from textwrap import wrap

from pbem.pictures.base import Board, CardFace, Layer, Picture
from pbem.pictures.svg import group, path, rectangle, standing_for, text
from pbem.rules.base import Event, View
from pbem.rules.cards import size
from pbem.rules.first_war.battle import tally
from pbem.rules.first_war.facts import ENGLISH, KINDS, NUMBERS, SCOTS, SIDES, kind_of
from pbem.rules.first_war.position import Position

CLOTH, INK, PAPER, BACK, NEW = "#3f5d4a", "#2b2620", "#f4eedd", "#8a7a5c", "#ffd34d"
COLOUR = {SCOTS: "#2f5fa8", ENGLISH: "#a3342c"}
ROUND = {SCOTS: 9, ENGLISH: 0}
NAME = {SCOTS: "Scots", ENGLISH: "English"}
WIDTH, HEIGHT, MARGIN = 772, 684, 12
CARD, GAP, TALL, OVERLAP = 118, 8, 100, 10
"""The width, gap, height and overlap of cards. Cards of a kind overlap, so that below the top one only an
edge is seen."""
TOKEN, TOKENS_TOP = 37, 256
TOP = {SCOTS: 54, ENGLISH: 374}
"""The top of each side's Units; the Scots lie above, the English below, the territories between."""
BACK_WIDTH = 112
PILES = {"Deck": 320, "Discarded": 544}
"""The left edge of each pile of cards that nobody holds."""
LETTERS = 20
"""The height of letters that can be read on a telephone."""
COLUMNS_OF_HAND, MAX_LINES, HAND_TOP = 68, 3, 552
"""The letters in a line of the hand, its number of lines, and the top of the first."""
FROM_HAND = ("deploy", "event", "strategy", "victory", "replace", "keep")
"""The verbs of orders that are about cards in hand; others are about Units in play."""
COLUMNS = {
    kind.id: place
    for place, kind in enumerate((kind for kind in KINDS.values() if kind.unit and kind.type != "leader"), 1)
}
"""The column of each kind of Unit, in which leaders come before the first."""


class TablePainter:
    """The painter of a reader's view of the table; a `Painter`."""

    def draw(self, view: View, told: Sequence[Event]) -> Picture:
        """Return a picture of the table; Units that came into play in what was told have a bright rim."""
        new = {card for event in told if event["event"] == "deploy" for card in event["cards"]}
        new |= {event["card"] for event in told if event["event"] == "stolen"}
        layers = (
            *told_beside(view),
            *tokens(view),
            *(layer for side in SIDES for layer in units(view, side, new)),
            *piles(view),
        )
        return Picture(board(), layers, caption(view))

    def card_faces(self, view: View) -> dict[str, CardFace]:
        """Return the faces of cards of which the reader's hand holds several: a `CardPainter`."""
        hand = view["hands"].get(view["viewer"], ())
        held = Counter(kind_of(card).id.replace("_", " ") for card in (() if isinstance(hand, int) else hand))
        return {
            f"{verb} {name}": CardFace(copies=number)
            for name, number in held.items()
            for verb in FROM_HAND
            if number > 1
        }


@cache
def board() -> Board:
    """Return the board: the cloth, the names of the sides, and a place for each kind of Unit."""
    inner = [rectangle(0, 0, WIDTH, HEIGHT, fill=CLOTH)]
    for side in SIDES:
        y = TOP[side]
        inner.append(rectangle(MARGIN, y - 46, CARD, 40, rx=ROUND[side], fill=COLOUR[side]))
        inner.append(text(MARGIN + CARD / 2, y - 17, NAME[side], 26, fill=PAPER))
        for place in range(len(COLUMNS) + 1):
            x = column(place)
            inner.append(
                rectangle(x, y, CARD, TALL, rx=ROUND[side], fill="none", stroke=PAPER, stroke_opacity=0.25)
            )
    for sort, x in PILES.items():
        inner.append(text(x - 6, HEIGHT - 20, sort, LETTERS, fill=PAPER, text_anchor="end"))
    legend = rectangle(MARGIN + 3, HEIGHT - 43, 28, 28, rx=4, fill=PAPER, stroke=NEW, stroke_width=5)
    said = text(MARGIN + 42, HEIGHT - 20, "came into play now", LETTERS, fill=PAPER, text_anchor="start")
    inner += [legend, said, rectangle(MARGIN + 7, HEIGHT - 39, 20, 20, fill=INK)]
    return Board(WIDTH, HEIGHT, "".join(inner))


def told_beside(view: View) -> Iterator[Layer]:
    """Yield the layers that tell the season, each side's counts, and the reader's own hand by name."""
    when = f"{view['season'].capitalize()} {view['year']}, {view['phase']}"
    yield Layer(text(160, 26, when, 24, fill=PAPER), WIDTH // 2 - 160, 10, 320, 36)
    for side in SIDES:
        said = text(0, 19, counted(view, side), LETTERS, fill=PAPER, text_anchor="start")
        y = TOKENS_TOP - 28 if side == SCOTS else TOKENS_TOP + TOKEN + 2
        yield Layer(said, MARGIN, y, WIDTH - 2 * MARGIN, 26)
    lines = [line for said in hands(view) for line in wrap(said, COLUMNS_OF_HAND)]
    for place, line in enumerate(lines[:MAX_LINES]):
        said = text(0, 19, line, LETTERS, fill=PAPER, text_anchor="start")
        yield Layer(said, MARGIN, HAND_TOP + 26 * place, WIDTH - 2 * MARGIN, 26)


def counted(view: View, side: str) -> str:
    """Return a side's territories, Units, and the Force that they would bring as they lie (F18, F19)."""
    points = tally(Position(play=view["play"], territories=view["territories"]))
    force = sum(owner == side for owner in points.values())
    return (
        f"{NAME[side]}: {view['territories'][side]} territories, {len(view['play'][side])} Units, "
        f"Force {force} now"
    )


def hands(view: View) -> Iterator[str]:
    """Yield the hands that the reader sees, with their cards by name."""
    for side in SIDES:
        if not isinstance(cards := view["hands"][side], int):
            names = ", ".join(
                f"{number} {name}" if number > 1 else name
                for name, number in Counter(kind_of(card).name for card in cards).items()
            )
            yield f"Hand of the {NAME[side]}: {names or 'no card'}"


def column(place: int) -> int:
    """Return the left edge of a column of cards of one kind."""
    return MARGIN + place * (CARD + GAP)


def place_of(card: str) -> int:
    """Return the number of a Unit's column; leaders have the first."""
    kind = kind_of(card)
    return 0 if kind.type == "leader" else COLUMNS[kind.id]


def units(view: View, side: str, new: set[str]) -> Iterator[Layer]:
    """Yield the layers of a side's Units, those of a kind overlapping, and of the number of cards in hand."""
    counts: dict[int, int] = {}
    all_of = Counter(place_of(card) for card in view["play"][side])
    for card in view["play"][side]:
        place = place_of(card)
        depth = counts.get(place, 0)
        counts[place] = depth + 1
        number = all_of[place] if depth + 1 == all_of[place] else 0
        yield Layer(
            face(kind_of(card).name, side, card in new, number),
            column(place),
            TOP[side] + depth * OVERLAP,
            CARD,
            TALL,
        )
    yield Layer(
        back(size(view["hands"][side]), "in hand", COLOUR[side], ROUND[side]),
        WIDTH - MARGIN - BACK_WIDTH,
        TOP[side] - 48,
        BACK_WIDTH,
        44,
    )


def face(name: str, side: str, is_new: bool, number: int = 1) -> str:
    """Return a Unit card: its side's colour in a band with its name.

    `number`: cards that lie in its column, told on the uppermost one; 0 for those below it, whose words are
    covered.
    """
    first, _, second = name.partition(" ")
    rim: dict[str, str | float] = {"stroke": NEW if is_new else INK, "stroke_width": 5 if is_new else 2}
    drawn = [
        rectangle(3, 3, CARD - 6, TALL - 6, rx=ROUND[side], fill=PAPER, **rim),
        rectangle(3, 3, CARD - 6, 28, rx=ROUND[side], fill=COLOUR[side]),
    ]
    if number:
        drawn += [text(CARD / 2, 24, first, LETTERS, fill=PAPER), emblem(side)]
    if number and second:
        drawn.append(text(CARD / 2, 52, second, LETTERS, fill=INK))
    if number > 1:
        drawn.append(text(CARD - 10, TALL - 14, f"x{number}", LETTERS, fill=INK, text_anchor="end"))
    return standing_for(name.lower(), drawn)


def emblem(side: str) -> str:
    """Return a saltire for the Scots, an upright cross for the English."""
    x, y, arm = CARD / 2, 74, 16
    ends = (
        ((-arm, -arm, arm, arm), (-arm, arm, arm, -arm))
        if side == SCOTS
        else ((0, -arm, 0, arm), (-arm, 0, arm, 0))
    )
    return group(
        [
            path(f"M{x + a:g},{y + b:g}L{x + c:g},{y + d:g}", stroke=COLOUR[side], stroke_width=7)
            for a, b, c, d in ends
        ]
    )


def back(number: int, said: str, colour: str, corner: int) -> str:
    """Return a stack of cards of which only the backs are seen, with their number."""
    parts = [
        rectangle(2, 2, BACK_WIDTH - 4, 40, rx=corner, fill=colour, stroke=PAPER, stroke_width=2),
        text(BACK_WIDTH / 2, 29, f"{number} {said}".strip(), LETTERS, fill=PAPER),
    ]
    return group(parts)


def piles(view: View) -> Iterator[Layer]:
    """Yield the layers of the deck and the discard pile, with their numbers of cards."""
    for number, x in zip((size(view["deck"]), len(view["discard"])), PILES.values(), strict=True):
        yield Layer(back(number, "", BACK, 4), x, HEIGHT - 50, BACK_WIDTH, 44)


def tokens(view: View) -> Iterator[Layer]:
    """Yield the twenty territories in a row: the Scots' from the left, after them those of the English."""
    scots = view["territories"][SCOTS]
    for place in range(NUMBERS.victory):
        side = SCOTS if place < scots else ENGLISH
        shape = rectangle(
            3,
            3,
            TOKEN - 7,
            TOKEN - 7,
            rx=15 if side == SCOTS else 0,
            fill=COLOUR[side],
            stroke=PAPER,
            stroke_width=2,
        )
        yield Layer(shape, MARGIN + place * TOKEN, TOKENS_TOP, TOKEN, TOKEN)


def caption(view: View) -> str:
    """Return the whole table in words, for those who do not see it."""
    parts = [f"{view['season'].capitalize()} {view['year']}, {view['phase']}."]
    for side in SIDES:
        units = Counter(kind_of(card).name for card in view["play"][side])
        said = ", ".join(f"{number} {name}" for name, number in units.items()) or "no Units"
        parts.append(f"{counted(view, side)}; in play: {said}; {size(view['hands'][side])} cards in hand.")
    parts += [f"{said}." for said in hands(view)]
    parts.append(f"Deck {size(view['deck'])}, discarded {len(view['discard'])}.")
    return " ".join(parts)
