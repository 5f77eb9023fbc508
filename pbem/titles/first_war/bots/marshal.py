"""The bot "marshal": it hits what the enemy has, and uses Strategy cards only where they decide."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.rules.base import Ask, View
from pbem.rules.first_war.facts import NUMBERS, UNITS, Kind, enemy_of, kind_of


class Marshal:
    """A player who knows only its own view, and remembers nothing between calls."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.enemy = enemy_of(side)

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return a sheet for the season, whatever is asked now; its cards hit the enemy's best Units."""
        strategies = ", ".join(kind.id for kind in self.hand(view, "strategy"))
        lines = ["deploy all", *(f"event {kind.id}" for kind in self.helpful(view, "event"))]
        if strategies:
            lines.append(f"if needed: strategy {strategies}")
            if view["options"]["pace"] == "strict":  # there such a line is refused if it stands alone
                lines.append("strategy none")
        lines += [f"victory {kind.id}" for kind in self.helpful(view, "victory")]
        return "".join(f"{line}\n" for line in lines)

    def hand(self, view: View, sort: str) -> list[Kind]:
        """Return the cards of a type in the side's hand that it may use."""
        found = (kind_of(card) for card in view["hands"][self.side])
        return [kind for kind in found if kind.type == sort and kind.usable(self.side)]

    def helpful(self, view: View, sort: str) -> list[Kind]:
        """Return the Events or Victory cards that help; one that avoids a battle helps only if it is lost."""
        found = self.hand(view, sort)
        return [kind for kind in found if kind.op != "truce" or self.lead(view) < 0]

    def lead(self, view: View) -> int:
        """Return by how much the side would win the season by Units and its own Strategy cards."""
        mine, theirs = (
            [kind_of(card).type for card in view["play"][side]] for side in (self.side, self.enemy)
        )
        points = sum(
            (mine.count(sort) > theirs.count(sort)) - (mine.count(sort) < theirs.count(sort))
            for sort in UNITS
        )
        return points + len(self.hand(view, "strategy")) - (self.side != NUMBERS.ties)
