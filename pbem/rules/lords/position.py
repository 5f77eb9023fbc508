"""Reading the Cards: the place of every card, and plain questions about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pbem.rules.lords.facts import CARDS, Card, rank, strength


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
    """One of the five slots for Recruits."""

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
        """Return every card of the game, pile after pile."""
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
