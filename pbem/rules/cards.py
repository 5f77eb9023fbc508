"""What card games have in common: a game in progress, a rule set, and that each card lies in one place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, TypeVar

from pbem.rules.base import Chance, Outcome, UnknownOption, View
from pbem.rules.switches import Switches
from pbem.rules.telling import Telling

AnyOptions = TypeVar("AnyOptions", bound=Switches)
AnyPosition = TypeVar("AnyPosition")


class CardGame(Telling, Generic[AnyOptions, AnyPosition]):
    """A game in progress, which the rules of each chapter take: its options, chance and position."""

    def __init__(self, options: AnyOptions, chance: Chance, position: AnyPosition, stops: bool) -> None:
        super().__init__(stops)
        self.options = options
        self.chance = chance
        self.position = position

    def renewed(self, pile: list[str], discard: list[str]) -> tuple[list[str], list[str]]:
        """The pile to draw from, and the discard pile, which becomes the former where that is empty."""
        if pile or not discard:
            return pile, discard
        self.tell("reshuffle", cards=len(discard))
        return discard, []


class CardRules(ABC, Generic[AnyOptions]):
    """A rule set whose options are switches, and whose players go on when one leaves."""

    @abstractmethod
    def read(self, given: Mapping[str, Any]) -> AnyOptions:
        """The checked options of a game; what is not given is the default.

        Raises:
            UnknownOption: a name or value that does not exist; the message lists those that do.
        """

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Every option of a game with its value, those not given by default."""
        return self.read(options).as_dict()

    def leave(self, position: View | None, side: str, gone: tuple[str, ...] = ()) -> Outcome | None:
        """While two or more are left they play on, and the side's questions get their defaults."""
        return None


def size(pile: Sequence[str] | int) -> int:
    """How many cards a view shows in a pile, by name or as a number."""
    return pile if isinstance(pile, int) else len(pile)


def check_cards(places: Sequence[str], known: Collection[str]) -> None:
    """Each card that lies anywhere is one of the game's, and lies there once.

    Raises:
        UnknownOption: a card that the game does not have, or one in two places.
    """
    if unknown := sorted(set(places) - set(known)):
        raise UnknownOption(f"no card called {unknown[0]!r}")
    if twice := sorted({card for card in places if places.count(card) > 1}):
        raise UnknownOption(f"{twice[0]} lies in two places")
