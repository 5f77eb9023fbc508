"""The table of cards as a picture: Supporters, Recruits, each side's army and score, and the hand.

A face-down card shows its back; where the reader knows it, its name in grey on the back. A card whose power
is active has a token, one that was kept a ring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from pbem.pictures.base import Board, CardFace, Layer, Picture
from pbem.pictures.svg import element, group, rectangle, standing_for, text
from pbem.rules.base import Event, View
from pbem.rules.cards import size
from pbem.rules.lords.facts import CARDS, CLANS, NUMBERS, SIDES

CARD = (86, 100)
STEP = 94
LEFT, TOP, ROW, ENTRY = 190, 54, 112, 27
ACROSS = 7
"""Maximum number of cards beside each other; more go into a second line."""
WIDTH = LEFT + ACROSS * STEP + 6
LEGEND = (len(CLANS) + 4) * ENTRY + 14
INK, PAPER, CLOTH, BACK = "#2b2620", "#fbf7ea", "#dfe6d8", "#6d7f8a"
RING, NEW = "#c77d1a", "#ffd34d"
MOVING = frozenset(("flip", "recruit", "refill", "muster", "cockburn", "ferguson", "reveal"))
"""The events by which a card comes to where it lies, or is turned up there."""
NAMED = ("card", "given", "taken")
"""The keys under which such an event names a card."""
CLAN_COLOURS = dict(
    zip(
        CLANS,
        ("#8c2f2b", "#2f5d8c", "#3f7a3a", "#7a5a1f", "#6a3b86", "#1f7a78", "#a3561f", "#4a4a4a", "#a38a1f"),
        strict=True,
    )
)
SIDE_COLOURS = dict(zip(SIDES, ("#b23a32", "#2f5fa3", "#3d8040", "#b08d1e", "#2b2b2b"), strict=True))


class TablePainter:
    """The painter of a reader's view of the table; a `Painter`."""

    def draw(self, view: View, told: Sequence[Event]) -> Picture:
        """Return a picture of the table.

        Cards that came to their place in what was told have a bright rim.
        """
        layers: list[Layer] = []
        y = TOP
        for name, said, colour, cards in rows(view, moved(told)):
            layers.append(Layer(heading(name, said, colour), 10, y, LEFT - 20, CARD[1]))
            for place, svg in enumerate(cards):
                down, right = divmod(place, ACROSS)
                layers.append(Layer(svg, LEFT + right * STEP, y + down * ROW, CARD[0], CARD[1]))
            y += ROW * max(1, -(-len(cards) // ACROSS))
        return Picture(board(view["round"], view["turn"], y), tuple(layers), caption(view))

    def card_faces(self, view: View) -> dict[str, CardFace]:
        """Return the faces of Recruits that are named by their place alone, as `CardPainter` wants them."""
        ups = zip(view["recruits"], view["recruits_up"], strict=True)
        return {
            f"recruit {place}": CardFace(about=f"place {place}", added=name if up else "face-down")
            for place, (name, up) in enumerate(ups, 1)
            if name
        }


def in_turn_order(view: View) -> list[str]:
    """On Your Turn, L3: return the sides as they play, from whoever holds the token, clockwise."""
    sides = [side for side in SIDES if side in view["armies"]]
    first = sides.index(view["holder"]) if view["holder"] in sides else 0
    return sides[first:] + sides[:first]


def moved(told: Sequence[Event]) -> frozenset[str]:
    """Return the cards that came to where they lie, as far as the reader was told which."""
    found = {
        event.get(key) for event in told if event["event"] in MOVING for key in ("card", "given", "taken")
    }
    return frozenset(name for name in found if name)


def rows(view: View, new: frozenset[str] = frozenset()) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield each row of the table: its name, a line or two about it, its colour, and its cards."""
    yield "Supporters", "to be claimed", INK, [card(name, new=name in new) for name in view["supporters"]]
    ups = zip(view["recruits"], view["recruits_up"], strict=True)
    slots = [
        (card(name, new=name in new) if up else back(name)) if name else element("g") for name, up in ups
    ]
    yield "Recruits", f"draw pile {size(view['draw_pile'])}", INK, slots
    for place, side in enumerate(in_turn_order(view), 1):
        holder = ", token" if side == view["holder"] else ""
        said = f"{_count(view['scores'][side], 'point')}\nhand {size(view['hands'][side])}{holder}"
        cards = [follower(row, row["card"] in new) for row in view["armies"][side]]
        yield f"{place} {side.capitalize()}", said, SIDE_COLOURS[side], cards
    for side, hand in view["hands"].items():
        if isinstance(hand, list):
            said = f"of {side.capitalize()}"
            yield "Hand", said, SIDE_COLOURS[side], [card(name, new=name in new) for name in hand]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


@cache
def board(round_: int, turn: int, below: int) -> Board:
    """Return the board: the cloth, and which turn it is; the rows end at `below`."""
    height = below + LEGEND
    said = f"Round {round_}, turn {turn} of {NUMBERS.turns}"
    head = rectangle(0, 0, WIDTH, height, fill=CLOTH) + text(WIDTH / 2, 36, said, 26, fill=INK)
    return Board(WIDTH, height, head + legend(below))


def legend(y: float) -> str:
    """Return the legend: each clan's power in the colours of the cards; then what else may lie on a card."""
    parts = []
    for number, clan in enumerate(CLANS.values()):
        row = y + number * ENTRY
        parts.append(rectangle(10, row, 120, 23, fill=CLAN_COLOURS[clan.name]))
        parts.append(text(70, row + 17, clan.title, 16, fill=PAPER))
        parts.append(text(140, row + 17, clan.effect, 15, fill=INK, text_anchor="start"))
    others = (
        (rectangle(10, 0, 120, 23, fill=BACK), "face-down; its name stands on it if you know it"),
        (
            rectangle(12, 2, 116, 19, fill=PAPER, stroke=RING, stroke_width=4),
            "stays in its army for one more round",
        ),
        (element("circle", cx=70, cy=11.5, r=11, fill=INK), "its power is active; the letters name the clan"),
        (rectangle(10, 0, 120, 23, rx=6, fill=NEW), "came here, or was turned up, in what was told"),
    )
    for number, (mark, said) in enumerate(others, len(CLANS)):
        row = y + number * ENTRY
        parts.append(group([mark], transform=f"translate(0,{row:g})"))
        parts.append(text(140, row + 17, said, 15, fill=INK, text_anchor="start"))
    return "".join(parts)


def heading(name: str, said: str, colour: str) -> str:
    """Return the heading of a row: whose it is, and a line about it."""
    return (
        rectangle(0, 0, LEFT - 20, CARD[1], rx=6, fill=colour)
        + text((LEFT - 20) / 2, 36, name, 26, fill=PAPER)
        + "".join(
            text((LEFT - 20) / 2, 62 + 22 * place, line, 18, fill=PAPER)
            for place, line in enumerate(said.split("\n"))
        )
    )


@cache
def card(name: str, ring: bool = False, token: str = "", *, new: bool = False) -> str:
    """Return a face-up card: its strength, its clan and its rank."""
    fact = CARDS[name]
    colour = CLAN_COLOURS[fact.clan]
    parts = [
        frame(PAPER, ring, new=new),
        rectangle(4, 66, CARD[0] - 8, 20, fill=colour),
        text(CARD[0] / 2, 50, str(fact.strength), 40, fill=colour),
        text(CARD[0] / 2, 81, CLANS[fact.clan].title, 13, fill=PAPER),
        text(CARD[0] / 2, 96, f"rank {fact.rank}", 11, fill=INK),
    ]
    if token:
        parts.append(element("circle", cx=CARD[0] - 14, cy=14, r=11, fill=CLAN_COLOURS[token], stroke=INK))
        parts.append(text(CARD[0] - 14, 18, CLANS[token].title[:2], 11, fill=PAPER))
    return standing_for(name, parts)


@cache
def back(name: str, *, new: bool = False) -> str:
    """Return a face-down card; its name in grey if the reader knows it."""
    known = text(CARD[0] / 2, 55, CARDS[name].title, 10, fill="#d5dde2") if name in CARDS else ""
    return (
        frame(BACK, ring=False, new=new)
        + rectangle(8, 8, CARD[0] - 16, CARD[1] - 16, rx=4, fill="none", stroke="#93a3ad", stroke_width=2)
        + (known or text(CARD[0] / 2, 62, "?", 34, fill="#d5dde2"))
    )


def frame(fill: str, ring: bool, *, new: bool = False) -> str:
    """Return a card's outline."""
    stroke: dict[str, Any] = {"stroke": RING if ring else INK, "stroke_width": 4 if ring else 1.5}
    rim = rectangle(0, 0, CARD[0], CARD[1], rx=8, fill=NEW) if new else ""
    return rim + rectangle(2, 2, CARD[0] - 4, CARD[1] - 4, rx=6, fill=fill, **stroke)


def follower(row: dict[str, Any], new: bool = False) -> str:
    """Return the drawing of a card in an army."""
    if not row["up"]:
        return back(row["card"], new=new)
    token = (row["copied"] or CARDS[row["card"]].clan) if row["active"] else ""
    return card(row["card"], row["kept"], token, new=new)


def caption(view: View) -> str:
    """Return the whole table in words, for those who do not see it."""
    parts = [f"The table in round {view['round']}, turn {view['turn']} of {NUMBERS.turns}."]
    parts.append(f"Supporters: {_cards(view['supporters']) or 'none'}.")
    ups = zip(view["recruits"], view["recruits_up"], strict=True)
    slots = [
        f"{place} {CARDS[name].title if up else 'face-down'}"
        for place, (name, up) in enumerate(ups, 1)
        if name
    ]
    parts.append(f"Recruits: {', '.join(slots) or 'none'}; draw pile {size(view['draw_pile'])}.")
    for side in in_turn_order(view):
        token = " and the token" if side == view["holder"] else ""
        army = ", ".join(_follower(row) for row in view["armies"][side])
        parts.append(
            f"{side.capitalize()} has {_count(view['scores'][side], 'point')}, "
            f"{_count(size(view['hands'][side]), 'card')} in hand{token}; army: {army or 'nobody'}."
        )
    for side, hand in view["hands"].items():
        if isinstance(hand, list):
            parts.append(f"Hand of {side.capitalize()}: {_cards(hand) or 'no card'}.")
    return " ".join(parts)


def _cards(names: Sequence[str]) -> str:
    return ", ".join(CARDS[name].title for name in names)


def _follower(row: dict[str, Any]) -> str:
    """Return a card in an army, in words."""
    if not row["up"]:
        return "a face-down card" if row["card"] not in CARDS else f"{CARDS[row['card']].title} face-down"
    active = (
        f" (power of {CLANS[row['copied'] or CARDS[row['card']].clan].title} active)" if row["active"] else ""
    )
    return f"{CARDS[row['card']].title}{' (stays)' if row['kept'] else ''}{active}"


PAINTER = TablePainter()
