"""The marshal: hits what the enemy has, spends Strategy cards only where they decide, keeps what wins."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.rules.base import Ask, View
from pbem.rules.first_war.facts import NUMBERS, UNITS, Kind, enemy_of, kind_of


class Marshal:
    """A player who knows its own view and nothing else; it remembers nothing."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.enemy = enemy_of(side)

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return a sheet for the season, whatever is asked now; the best of the enemy's is hit."""
        strategies = ", ".join(kind.id for kind in self.hand(view, "strategy"))
        lines = ["deploy all", *(f"event {kind.id}" for kind in self.helpful(view, "event"))]
        if strategies:
            lines.append(f"if needed: strategy {strategies}")
            if view["options"]["pace"] == "strict":  # there such a line is refused if it stands alone
                lines.append("strategy none")
        lines += [f"victory {kind.id}" for kind in self.helpful(view, "victory")]
        return "".join(f"{line}\n" for line in lines)

    def hand(self, view: View, sort: str) -> list[Kind]:
        """Cards of a type in one's hand that one may use."""
        found = (kind_of(card) for card in view["hands"][self.side])
        return [kind for kind in found if kind.type == sort and kind.usable(self.side)]

    def helpful(self, view: View, sort: str) -> list[Kind]:
        """Events or Victory cards that help; a battle is avoided only if it is lost."""
        found = self.hand(view, sort)
        return [kind for kind in found if kind.op != "truce" or self.lead(view) < 0]

    def lead(self, view: View) -> int:
        """Return by how much one would win the season by Units and one's own Strategy cards."""
        mine, theirs = (
            [kind_of(card).type for card in view["play"][side]] for side in (self.side, self.enemy)
        )
        points = sum(
            (mine.count(sort) > theirs.count(sort)) - (mine.count(sort) < theirs.count(sort))
            for sort in UNITS
        )
        return points + len(self.hand(view, "strategy")) - (self.side != NUMBERS.ties)
