"""Code that card games share: a game in progress, a rule set, and a check where each card lies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, TypeVar

from pbem.rules.base import Chance, Outcome, Switches, UnknownOption, View
from pbem.rules.flow import Telling

AnyOptions = TypeVar("AnyOptions", bound=Switches)
AnyPosition = TypeVar("AnyPosition")


class CardGame(Telling, Generic[AnyOptions, AnyPosition]):
    """A card game in progress: its options, the source of its chance, and its position."""

    def __init__(self, options: AnyOptions, chance: Chance, position: AnyPosition, stops: bool) -> None:
        super().__init__(stops)
        self.options = options
        self.chance = chance
        self.position = position

    def renewed(self, pile: list[str], discard: list[str]) -> tuple[list[str], list[str]]:
        """Return the draw pile and the discard pile; an empty draw pile is replaced by the discard pile."""
        if pile or not discard:
            return pile, discard
        self.tell("reshuffle", cards=len(discard))
        return discard, []


class CardRules(ABC, Generic[AnyOptions]):
    """The rule set of a card game whose options are switches, and whose players go on when one leaves."""

    @abstractmethod
    def read(self, given: Mapping[str, Any]) -> AnyOptions:
        """Return the checked options of a game; those not given have their defaults.

        Raises:
            UnknownOption: a name or value that does not exist; the message lists those that do.
        """

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return every option of a game with its value; those not given have their defaults."""
        return self.read(options).as_dict()

    def leave(self, position: View | None, side: str, gone: tuple[str, ...] = ()) -> Outcome | None:
        """Return None, since the others play on while two or more are left."""
        return None


def size(pile: Sequence[str] | int) -> int:
    """Return the number of cards in a pile, which a view shows by their names or as a number."""
    return pile if isinstance(pile, int) else len(pile)


def check_cards(places: Sequence[str], known: Collection[str]) -> None:
    """Check that each card that lies anywhere is one of the game's, and lies there once.

    Raises:
        UnknownOption: a card that the game does not have, or one in two places.
    """
    if unknown := sorted(set(places) - set(known)):
        raise UnknownOption(f"no card called {unknown[0]!r}")
    if twice := sorted({card for card in places if places.count(card) > 1}):
        raise UnknownOption(f"{twice[0]} lies in two places")
