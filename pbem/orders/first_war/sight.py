"""The view of a First War game that a side's orders have, with a name for each thing that they speak of."""

from __future__ import annotations

from pbem.orders.first_war.vocabulary import kind_in_words, kinds_of
from pbem.rules.base import View
from pbem.rules.cards import size
from pbem.rules.first_war.battle import tally
from pbem.rules.first_war.facts import KINDS, NUMBERS, enemy_of, kind_of
from pbem.rules.first_war.game import Position


class Sight:
    """The view of the game that one side has at one moment."""

    here = ""

    def __init__(self, view: View, side: str, _memory: None = None) -> None:
        self._view = view
        self.side = side
        self.enemy = enemy_of(side)
        self.year: int = view["year"]
        self.season: str = view["season"]

    @property
    def moment(self) -> tuple[int, str]:
        """The year and the season: a sheet is for one season, and that of fall for the winter as well."""
        return self.year, self.season

    @property
    def pace(self) -> tuple[int, ...]:
        """The public progress of the season: an `ask` stops the judge once at each value of it."""
        seen = self._view
        return len(seen["discard"]), len(seen["out"]), len(seen["passed"]), *seen["force"].values()

    affair = moment

    def holds(self, kind: str) -> int:
        """Return how many cards of a kind are in the side's own hand."""
        return sum(kind_of(card).id == kind for card in self._view["hands"][self.side])

    def in_hand(self) -> tuple[str, ...]:
        """Return the kinds of card in the side's own hand, in words."""
        return tuple(
            dict.fromkeys(kind_in_words(kind_of(card).id) for card in self._view["hands"][self.side])
        )

    def seen(self, side: str) -> tuple[str, ...]:
        """Return the kinds of Unit that a side has in play, in words."""
        return tuple(dict.fromkeys(kind_in_words(kind_of(card).id) for card in self._view["play"][side]))

    def is_out(self, side: str) -> bool:
        """F11: tell whether this side has left the Event Phase."""
        return side in self._view["out"]

    def count(self, side: str, thing: str) -> int | None:
        """Return how many of a thing a side has, if both sides see that number.

        Force is seen only in the Battle Phase.
        """
        if thing == "territories":
            return int(self._view["territories"][side])
        if thing == "cards":
            return size(self._view["hands"][side])
        if thing == "force":
            force: int | None = self._view["force"].get(side)
            return force
        wanted = kinds_of(thing)
        return sum(kind_of(card).id in wanted for card in self._view["play"][side])

    # -- the battle

    @property
    def missing(self) -> int:
        """F21: the Force that the side lacks to win the season; the Scots win ties."""
        force = self._view["force"]
        if not force:
            return 0
        return max(0, int(force[self.enemy] - force[self.side]) + (self.side != NUMBERS.ties))

    @property
    def can_win(self) -> bool:
        """Whether the Strategy cards in the side's hand could make up for the Force that it lacks."""
        usable = sum(
            KINDS[kind].type == "strategy" and KINDS[kind].usable(self.side)
            for kind in (kind_of(card).id for card in self._view["hands"][self.side])
        )
        return self.missing <= usable * NUMBERS.strategy_force

    @property
    def strategies_played(self) -> int:
        """Number of Strategy cards that the side has played in this battle, computed from its Force."""
        if not self._view["force"]:
            return 0
        points = tally(Position(play=self._view["play"], territories=self._view["territories"]))
        base = sum(owner == self.side for owner in points.values())
        return int(self._view["force"][self.side] - base) // NUMBERS.strategy_force
