"""The position of a First War game: where every card and token is, and plain questions about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pbem.rules.first_war.facts import DECK, KINDS, LIST_ORDER, NUMBERS, SIDES, enemy_of, kind_of


def _each() -> dict[str, list[str]]:
    return {side: [] for side in SIDES}


@dataclass(slots=True)
class Position:
    """The state of one game of First War."""

    year: int = NUMBERS.first_year
    season: str = "spring"
    phase: str = "setup"
    territories: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, NUMBERS.territories))
    play: dict[str, list[str]] = field(default_factory=_each)
    hands: dict[str, list[str]] = field(default_factory=_each)
    deck: list[str] = field(default_factory=lambda: list(DECK))
    discard: list[str] = field(default_factory=list)
    out: list[str] = field(default_factory=list)  # F11: sides out of the Event Phase
    truce: bool = False  # F13: no battle in this season
    force: dict[str, int] = field(default_factory=dict)  # each side's Force in this season
    passed: list[str] = field(default_factory=list)  # F20: sides that passed since the last Strategy card
    to_play: str | None = None  # the side whose turn it is in a phase of turns
    played: dict[str, int] = field(default_factory=dict)  # plays of each kind that draws, this season
    sealed: dict[str, list[str]] = field(default_factory=_each)  # F7, F26, F29: deployed or put away unseen
    done: list[str] = field(default_factory=list)  # F7: sides that deploy no more in this phase
    bonus: str = ""  # F8: the card that was drawn, and may be deployed
    chosen: dict[str, str] = field(default_factory=dict)  # F25: the answers to `replace` so far

    def count(self, side: str, *names: str) -> int:
        """F31: return how many Units of these kinds or types a side controls: those that it has in play."""
        return sum(kind_of(card).id in names or kind_of(card).type in names for card in self.play[side])

    def holder(self, card: str) -> str:
        """Return the side that has a card in its hand."""
        return next(side for side in SIDES if card in self.hands[side])

    def lead(self, *names: str) -> str | None:
        """Return the side that controls strictly more Units of these kinds or types; None if neither does."""
        return more({side: self.count(side, *names) for side in SIDES})

    def ahead(self) -> str | None:
        """Return the side with strictly more territories; None if neither has."""
        return more(self.territories)

    def to_discard(self, cards: Iterable[str]) -> None:
        """Put cards on the discard pile, which is sorted and so does not tell in what order they came."""
        self.discard = in_order((*self.discard, *cards))


def more(counts: Mapping[str, int]) -> str | None:
    """Return the side whose number is strictly higher; None if the numbers are equal."""
    return next((side for side in SIDES if counts.get(side, 0) > counts.get(enemy_of(side), 0)), None)


def in_order(cards: Iterable[str]) -> list[str]:
    """Return cards in the order of the card list."""
    return sorted(cards, key=LIST_ORDER.__getitem__)


def kinds(cards: Iterable[str]) -> list[str]:
    """Return the kinds of these cards, each once, in the order of the card list."""
    return sorted({kind_of(card).id for card in cards}, key=lambda kind: KINDS[kind].order)


def take(cards: list[str], kind: str) -> str:
    """F12: remove from a list the card of this kind with the lowest number, and return it."""
    card = in_order(card for card in cards if kind_of(card).id == kind)[0]
    cards.remove(card)
    return card


def put(cards: list[str], card: str) -> None:
    """Put a card into a list, in the order of the card list."""
    cards[:] = in_order((*cards, card))
