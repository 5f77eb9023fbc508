"""One game of Lords of Scotland: the place of every card, the view of each viewer, and positions from views.

Reading the Cards; L8, L18, L21, L31, L32. A view is built up from nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pbem.rules.base import Head, Outcome, UnknownOption, View, shown_options
from pbem.rules.cards import CardGame, check_cards
from pbem.rules.lords.facts import CARDS, NUMBERS, Card, Options, rank, read_options, strength


@dataclass(slots=True, eq=False)
class Follower:
    """A card in an army, with how it lies."""

    name: str
    up: bool
    power: str | None = None  # L22: the clan whose end-of-round power it has activated, its own or copied
    kept: bool = False  # L28: it stayed from the round before
    known: list[str] = field(default_factory=list)  # L32: the sides that control or have controlled it

    @property
    def card(self) -> Card:
        """The facts printed on the Follower's card."""
        return CARDS[self.name]

    @property
    def copied(self) -> str | None:
        """L20, L34: the clan whose token lies on a Scott; there are enough tokens for all."""
        return self.power if self.power != self.card.clan else None


@dataclass(slots=True)
class Recruit:
    """One of the five slots for Recruits, with the card that lies in it and how it lies."""

    name: str = ""  # empty only if no card was left to fill it (L6)
    up: bool = False
    dealt: int = 0  # cards dealt to the slot in this round


@dataclass(slots=True)
class Position:
    """The state of one game of Lords."""

    sides: tuple[str, ...]
    phase: str = "set-up"  # set-up, deal, turns, claims, over
    round: int = 1
    turn: int = 1
    holder: str = ""
    to_move: str | None = None
    mustered: list[str] = field(default_factory=list)  # a card whose power is in use, and answers
    supporters: list[str] = field(default_factory=list)
    recruits: list[Recruit] = field(default_factory=list)
    armies: dict[str, list[Follower]] = field(default_factory=dict)
    hands: dict[str, list[str]] = field(default_factory=dict)
    victory: dict[str, list[str]] = field(default_factory=dict)
    claims: dict[str, list[str]] = field(default_factory=dict)  # the cards claimed in this round
    forsyths: dict[str, int] = field(default_factory=dict)  # cards drawn with Forsyth in this round
    discard: list[str] = field(default_factory=list)
    draw_pile: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for table in (self.armies, self.hands, self.victory, self.claims):
            for side in self.sides:
                table.setdefault(side, [])

    def clockwise(self, first: str) -> tuple[str, ...]:
        """L3: return the sides in their order, beginning with `first`."""
        start = self.sides.index(first)
        return self.sides[start:] + self.sides[:start]

    def followers(self) -> Iterator[tuple[str, Follower]]:
        """Yield every Follower in the skirmish, with the side whose army it is in."""
        return ((side, follower) for side in self.sides for follower in self.armies[side])

    def places(self) -> list[str]:
        """Return the names of all cards in the game, pile after pile."""
        piles = (*self.hands.values(), *self.victory.values())
        return [
            *(follower.name for _, follower in self.followers()),
            *(name for pile in piles for name in pile),
            *(recruit.name for recruit in self.recruits if recruit.name),
            *self.supporters,
            *self.discard,
            *self.draw_pile,
        ]

    def score(self, side: str) -> int:
        """L31: return the strength of a side's Supporters."""
        return sum(strength(name) for name in self.victory[side])

    def to_discard(self, names: Iterable[str]) -> None:
        """Put cards on the discard pile, which is sorted and so does not tell in what order they came."""
        self.discard = sorted((*self.discard, *names), key=rank)

    def to_hand(self, side: str, name: str) -> None:
        """Put a card into a side's hand."""
        self.hands[side] = sorted((*self.hands[side], name), key=rank)


def view(position: Position, options: Options, outcome: Outcome | None, viewer: str) -> View:
    """Return what `viewer` (a side, "public" or "gm") may see, as JSON-able data."""
    judge = viewer == "gm"
    sides = position.sides
    moment = (f"round {position.round}", f"turn {position.turn}")
    return Head("lords", viewer, moment, shown_options(options), outcome).view(
        round=position.round,
        turn=position.turn,
        phase=position.phase,
        holder=position.holder,
        to_move=position.to_move,
        supporters=list(position.supporters),
        recruits=[row.name if row.up or judge or not row.name else "?" for row in position.recruits],
        recruits_up=[row.up for row in position.recruits],
        armies={side: [follower_as_seen(row, viewer) for row in position.armies[side]] for side in sides},
        hands={
            side: list(hand) if viewer in (side, "gm") else len(hand) for side, hand in position.hands.items()
        },
        victory={side: list(position.victory[side]) for side in sides},
        scores={side: position.score(side) for side in sides},
        claims={side: list(position.claims[side]) for side in sides},
        discard=list(position.discard) if judge or options.discard_pile_public else len(position.discard),
        draw_pile=sorted(position.draw_pile, key=rank) if judge else len(position.draw_pile),
        **({"mustered": list(position.mustered)} if position.mustered else {}),
        **(judge_only(position) if judge else {}),
    )


def follower_as_seen(follower: Follower, viewer: str) -> dict[str, Any]:
    """L18, L32: return one Follower; who controls or has controlled a face-down one knows it."""
    return {
        "card": follower.name if follower.up or viewer == "gm" or viewer in follower.known else "?",
        "up": follower.up,
        "active": follower.power is not None,
        "copied": follower.copied,
        "kept": follower.kept,
    }


def judge_only(position: Position) -> dict[str, Any]:
    """Return what the judge's view adds so that a game can go on from it.

    That is who knows which card, and how many cards were dealt where.
    """
    return {
        "known": {follower.name: list(follower.known) for _, follower in position.followers()},
        "dealt": [recruit.dealt for recruit in position.recruits],
        "forsyths": dict(position.forsyths),
    }


def restore(options: Options, given: View) -> Position:
    """Return the position that `given`, shaped like `view("gm")`, describes.

    What it leaves out is as at the start of a game; without a draw pile all cards that it does not name lie
    there. The holder of the token, if to move, has turned up a Recruit. Without anybody to move the round is
    at its end.

    Raises:
        UnknownOption: a side or card that the game does not have, or a card in two places.
    """
    first = options.sides[0] if options.first == "drawn" else options.first
    holder = given.get("holder", first)
    to_move = given.get("to_move", holder)
    turn = given.get("turn", 1)
    names = [*given.get("recruits", ()), *[""] * NUMBERS.recruits][: NUMBERS.recruits]
    up = given.get("recruits_up", [slot <= turn for slot in range(1, NUMBERS.recruits + 1)])
    dealt = given.get("dealt", [1] * NUMBERS.recruits)
    known = given.get("known", {})
    position = Position(
        options.sides,
        phase=given.get("phase", "turns" if to_move else "claims"),
        round=given.get("round", 1),
        turn=turn,
        holder=holder,
        to_move=to_move,
        mustered=list(given.get("mustered", ())),
        supporters=list(given.get("supporters", ())),
        recruits=[Recruit(*row) for row in zip(names, up, dealt, strict=True)],
        armies={
            side: [_follower(row, side, known) for row in army]
            for side, army in given.get("armies", {}).items()
        },
        hands={side: sorted(hand, key=rank) for side, hand in given.get("hands", {}).items()},
        victory={side: list(pile) for side, pile in given.get("victory", {}).items()},
        claims={side: list(names) for side, names in given.get("claims", {}).items()},
        forsyths=dict(given.get("forsyths", {})),
        discard=sorted(given.get("discard", ()), key=rank),
        draw_pile=list(given.get("draw_pile", ())),
    )
    if "draw_pile" not in given:
        position.draw_pile = [name for name in options.deck if name not in set(position.places())]
    _check(position)
    return position


def _follower(row: dict[str, Any], side: str, known: dict[str, list[str]]) -> Follower:
    clan = CARDS[row["card"]].clan
    power = (row.get("copied") or clan) if row.get("active") else None
    known_to = known.get(row["card"], [side])
    return Follower(row["card"], row.get("up", True), power, row.get("kept", False), list(known_to))


def _check(position: Position) -> None:
    sides = {position.holder, position.to_move or position.holder, *position.armies, *position.hands}
    if unknown := sorted(sides - set(position.sides)):
        raise UnknownOption(f"no side called {unknown[0]!r}; there are {', '.join(position.sides)}")
    army = position.armies[position.to_move] if position.to_move else []
    if position.mustered and position.mustered[0] not in [follower.name for follower in army]:
        raise UnknownOption(f"{position.mustered[0]} has not been mustered")
    check_cards(position.places(), CARDS)


def imagine(view: View) -> View:
    """L8, L12, L32: return a position that looks to its viewer as the view does.

    Whatever the viewer does not see holds the unseen cards, in the order of their ranks.

    A viewer whose turn is still to come is to move, as if nobody of `plays_before` changed anything.
    """
    deck = read_options(view["options"]).deck
    seen = _cards_in(
        [view[key] for key in ("supporters", "recruits", "armies", "hands", "victory", "discard")]
    )
    unseen = [name for name in deck if name not in seen]

    def filled(pile: Any) -> list[str]:
        return list(pile) if isinstance(pile, list) else [unseen.pop(0) for _ in range(pile)]

    def named(name: str) -> str:
        return unseen.pop(0) if name == "?" else name

    armies = {
        side: [{**row, "card": named(row["card"])} for row in army] for side, army in view["armies"].items()
    }
    known = {
        new["card"]: [
            side,
            *({view["viewer"]} & view["armies"].keys() - {side} if old["card"] != "?" else ()),
        ]
        for side, army in view["armies"].items()
        for old, new in zip(army, armies[side], strict=True)
    }
    to_move = view["viewer"] if is_to_come(view, view["viewer"]) else view["to_move"]
    return {
        **view,
        "to_move": to_move,
        "mustered": view.get("mustered", []) if to_move == view["to_move"] else [],
        "viewer": "gm",
        "recruits": [named(name) for name in view["recruits"]],
        "armies": armies,
        "known": known,
        "hands": {side: filled(hand) for side, hand in view["hands"].items()},
        "discard": filled(view["discard"]),
        "draw_pile": filled(view["draw_pile"]),
    }


def plays_before(view: View) -> list[str]:
    """Return the sides that still play in this turn before the viewer."""
    if not is_to_come(view, view["viewer"]):
        return []
    order = turn_order(view)
    return order[order.index(view["to_move"]) : order.index(view["viewer"])]


def turn_order(view: View) -> list[str]:
    """Return the sides in the order in which they play, from the holder of the token on."""
    sides = list(view["armies"])
    start = sides.index(view["holder"])
    return sides[start:] + sides[:start]


def is_to_come(view: View, side: str) -> bool:
    """Tell whether a side has still to play in this turn, or is playing."""
    if view["to_move"] is None or view["phase"] != "turns" or side not in view["armies"]:
        return False
    order = turn_order(view)
    return order.index(side) >= order.index(view["to_move"])


def _cards_in(value: Any) -> set[str]:
    """Return every card that a value of a view names."""
    if isinstance(value, dict):
        return _cards_in(list(value.values()))
    if isinstance(value, list):
        return {name for one in value for name in _cards_in(one)}
    return {value} if isinstance(value, str) and value not in ("", "?") else set()


class Lords(CardGame[Options, Position]):
    """A game of Lords in progress; the rules of each chapter take it."""

    rule_of_turns = "How to Play"

    def view(self, viewer: str) -> View:
        """Return the view of the game that a side, the public or the game master may see now."""
        return view(self.position, self.options, self.outcome, viewer)

    def label(self, *parts: str) -> str:
        """Return the label of a draw: the round, and the given parts, which say what it is for."""
        return "/".join((str(self.position.round), *parts))

    def tell_card(
        self, event: str, card: str, *, seen: bool, owner: str | tuple[str, ...], **public: Any
    ) -> None:
        """Tell of a card: everybody hears which one it is if all have seen it, else only its owners."""
        if seen:
            self.tell(event, **public, card=card)
        else:
            self.tell(event, **public, secret={"card": card}, owner=owner)

    def card_due(self, *label: str) -> str | None:
        """Rules Clarification, L6: draw a card and return it; the discard pile replaces an empty draw pile.

        None if both piles are empty: then no card is drawn.
        """
        position = self.position
        position.draw_pile, position.discard = self.renewed(position.draw_pile, position.discard)
        if not position.draw_pile:
            return None
        name = self.chance.draw(self.label(*label), tuple(sorted(position.draw_pile, key=rank)))
        position.draw_pile.remove(name)
        return name
