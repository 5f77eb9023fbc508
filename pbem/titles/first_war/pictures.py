"""The table of First War as a picture: Territory Tokens, Unit Cards in play by kind, hands, and piles.

It is drawn from a view alone. The sides differ in shape as well as in colour: English cards have square
corners, Scottish ones round ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from pbem.pictures.base import Board, CardFace, Layer, Picture
from pbem.pictures.svg import group, path, rectangle, standing_for, text
from pbem.rules.base import Event, View
from pbem.rules.cards import size
from pbem.rules.first_war.battle import tally
from pbem.rules.first_war.facts import ENGLISH, KINDS, NUMBERS, SCOTS, SIDES, Kind, kind_of
from pbem.rules.first_war.game import Position

CLOTH, INK, PAPER, BACK, NEW = "#3f5d4a", "#2b2620", "#f4eedd", "#8a7a5c", "#ffd34d"
NO_UNIT = "#62563f"
"""The colour of cards that never come into play."""
COLOUR = {SCOTS: "#2f5fa8", ENGLISH: "#a3342c"}
ROUND = {SCOTS: 9, ENGLISH: 0}
NAME = {SCOTS: "Scots", ENGLISH: "English"}
WIDTH, MARGIN = 772, 12
CARD, GAP, TALL, OVERLAP = 118, 8, 100, 10
"""The width, gap, height and overlap of cards. Cards of a kind overlap, so that below the top one only an
edge is seen."""
TOKEN, TOKENS_TOP = 37, 228
TOP = {SCOTS: 54, ENGLISH: 346}
"""The top of each side's Units; the Scots lie above, the English below, the territories between."""
BACK_WIDTH = 112
PILES = {"Deck": 320, "Discarded": 544}
"""The left edge of each pile of cards that nobody holds."""
LETTERS = 20
"""The height of letters that can be read on a telephone."""
LONG, SMALLER = 10, 17
"""The length of words that would not fit upon a card, and the height of their letters."""
HAND_TOP, HAND_HEAD, HAND_TALL, HAND_ACROSS = 490, 28, 82, 6
"""The top of the first hand, the height of its heading and of its cards, and how many lie in a row."""
HAND_ROWS = 2
"""The least number of rows of a hand: the table keeps its size while few kinds of card are held."""
FROM_HAND = ("deploy", "event", "strategy", "victory", "replace", "keep")
"""The verbs of orders that are about cards in hand; others are about Units in play."""
COLUMNS = {
    kind.id: place
    for place, kind in enumerate((kind for kind in KINDS.values() if kind.unit and kind.type != "leader"), 1)
}
"""The number of the column in which each kind of Unit lies; leaders lie in column 0."""


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
            *hands(view),
            *piles(view),
        )
        return Picture(board(height(view)), layers, caption(view))

    def card_faces(self, view: View) -> dict[str, CardFace]:
        """Return the faces of cards of which the reader's hand holds several, as `CardPainter` wants them."""
        hand = view["hands"].get(view["viewer"], ())
        held = Counter(in_orders(kind_of(card)) for card in (() if isinstance(hand, int) else hand))
        return {
            f"{verb} {name}": CardFace(copies=number)
            for name, number in held.items()
            for verb in FROM_HAND
            if number > 1
        }


def in_orders(kind: Kind) -> str:
    """Return the name of a kind of card as orders type it."""
    return kind.id.replace("_", " ")


@cache
def board(below: int) -> Board:
    """Return the board, which ends at `below`: the cloth, the sides' names, a place for each kind of Unit."""
    inner = [rectangle(0, 0, WIDTH, below, fill=CLOTH)]
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
        inner.append(text(x - 6, below - 20, sort, LETTERS, fill=PAPER, text_anchor="end"))
    legend = rectangle(MARGIN + 3, below - 43, 28, 28, rx=4, fill=PAPER, stroke=NEW, stroke_width=5)
    said = text(MARGIN + 42, below - 20, "came into play now", LETTERS, fill=PAPER, text_anchor="start")
    inner += [legend, said, rectangle(MARGIN + 7, below - 39, 20, 20, fill=INK)]
    return Board(WIDTH, below, "".join(inner))


def told_beside(view: View) -> Iterator[Layer]:
    """Yield the layers that say in words the season, and each side's territories, Units and Force."""
    when = f"{view['season'].capitalize()} {view['year']}, {view['phase']}"
    yield Layer(text(160, 26, when, 24, fill=PAPER), WIDTH // 2 - 160, 10, 320, 36)
    for side in SIDES:
        said = text(0, 19, counted(view, side), LETTERS, fill=PAPER, text_anchor="start")
        y = TOKENS_TOP - 28 if side == SCOTS else TOKENS_TOP + TOKEN + 2
        yield Layer(said, MARGIN, y, WIDTH - 2 * MARGIN, 26)


def counted(view: View, side: str) -> str:
    """Return a side's territories, Units, and the Force that they would bring as they lie (F18, F19)."""
    points = tally(Position(play=view["play"], territories=view["territories"]))
    force = sum(owner == side for owner in points.values())
    return (
        f"{NAME[side]}: {view['territories'][side]} territories, {len(view['play'][side])} Units, "
        f"Force {force} now"
    )


def kinds_in_hands(view: View) -> dict[str, Counter[str]]:
    """Return the hands that the reader sees: the number of cards of each kind, by side."""
    return {
        side: Counter(kind_of(card).id for card in cards)
        for side in SIDES
        if not isinstance(cards := view["hands"][side], int)
    }


def rows_of(held: Counter[str]) -> int:
    """Return the number of rows in which a hand is laid out."""
    return max(HAND_ROWS, -(-len(held) // HAND_ACROSS))


def height(view: View) -> int:
    """Return the height of the table: below the hands that the reader sees lie the piles."""
    rows = [rows_of(held) for held in kinds_in_hands(view).values()]
    return HAND_TOP + len(rows) * HAND_HEAD + sum(rows) * HAND_TALL + 56


def hands(view: View) -> Iterator[Layer]:
    """Yield the layers of the hands that the reader sees: a card for each kind, with its number."""
    y = HAND_TOP
    for side, held in kinds_in_hands(view).items():
        said = f"Hand of the {NAME[side]}{'' if held else ': no card'}"
        yield Layer(text(0, 19, said, LETTERS, fill=PAPER, text_anchor="start"), MARGIN, y, 320, HAND_HEAD)
        y += HAND_HEAD
        for place, (name, number) in enumerate(held.items()):
            row, across = divmod(place, HAND_ACROSS)
            yield Layer(
                in_hand(KINDS[name], side, number), column(across), y + row * HAND_TALL, CARD, HAND_TALL
            )
        y += rows_of(held) * HAND_TALL


def in_hand(kind: Kind, side: str, number: int) -> str:
    """Return the drawing of cards of one kind in a hand: their name, and their type below it."""
    said = f"{kind.type} x{number}" if number > 1 else kind.type
    return standing_for(
        in_orders(kind),
        [
            *sheet(kind.name, COLOUR[kind.user or side] if kind.unit else NO_UNIT, ROUND[side], HAND_TALL),
            text(CARD / 2, HAND_TALL - 9, said, LETTERS - 2, fill=INK),
        ],
    )


def sheet(name: str, colour: str, corner: int, tall: int, rim: str = INK) -> list[str]:
    """Return the SVG of a card without its picture: paper, and a band with its name, a word on each line."""
    words = name.split(" ")
    return [
        rectangle(
            3, 3, CARD - 6, tall - 6, rx=corner, fill=PAPER, stroke=rim, stroke_width=5 if rim == NEW else 2
        ),
        rectangle(3, 3, CARD - 6, 4 + 24 * len(words), rx=corner, fill=colour),
        *(
            text(CARD / 2, 24 + 22 * place, word, LETTERS if len(word) < LONG else SMALLER, fill=PAPER)
            for place, word in enumerate(words)
            if word
        ),
    ]


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
            face(kind_of(card), side, card in new, number),
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


def face(kind: Kind, side: str, is_new: bool, number: int) -> str:
    """Return a Unit card: its name in a band of its side's colour, and the side's sign.

    `number`: cards that lie in its column, told on the uppermost one; 0 for those below it, whose words are
    covered.
    """
    rim = NEW if is_new else INK
    drawn = sheet(kind.name if number else "", COLOUR[side], ROUND[side], TALL, rim)
    if number:
        drawn.append(emblem(side))
    if number > 1:
        drawn.append(text(CARD - 10, TALL - 14, f"x{number}", LETTERS, fill=INK, text_anchor="end"))
    return standing_for(in_orders(kind), drawn)


def emblem(side: str) -> str:
    """Return the mark of a side as SVG: a saltire for the Scots, an upright cross for the English."""
    x, y, arm = CARD / 2, 75, 15
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
        yield Layer(back(number, "", BACK, 4), x, height(view) - 50, BACK_WIDTH, 44)


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
    for side, held in kinds_in_hands(view).items():
        names = [
            f"{number} {KINDS[name].name}" if number > 1 else KINDS[name].name
            for name, number in held.items()
        ]
        parts.append(f"Hand of the {NAME[side]}: {', '.join(names) or 'no card'}.")
    parts.append(f"Deck {size(view['deck'])}, discarded {len(view['discard'])}.")
    return " ".join(parts)


PAINTER = TablePainter()
