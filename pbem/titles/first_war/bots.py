"""Bots that play First War of Scottish Independence.

The bot "marshal" hits what the enemy has, and uses Strategy cards only where they decide. The random player
plays some of its cards on anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbem.bots import Bot, RandomAnswers
from pbem.rules.base import Ask, View
from pbem.rules.first_war.facts import KINDS, NUMBERS, UNITS, Kind, enemy_of, kind_of


class Marshal:
    """A player who knows only its own view, and remembers nothing between calls."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.enemy = enemy_of(side)

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return the orders for a whole season, whatever is asked now; they name no targets for cards."""
        strategies = ", ".join(kind.id for kind in self.hand(view, "strategy"))
        lines = ["deploy all", *(f"event {kind.id}" for kind in self.helpful(view, "event"))]
        if strategies:
            lines.append(f"if needed: strategy {strategies}")
            if view["options"]["pace"] == "strict":  # there such a line is refused if it stands alone
                lines.append("strategy none")
        lines += [f"victory {kind.id}" for kind in self.helpful(view, "victory")]
        return "".join(f"{line}\n" for line in lines)

    def hand(self, view: View, sort: str) -> list[Kind]:
        """Return the kind of each card of a type that the bot's side has in hand and may use."""
        found = (kind_of(card) for card in view["hands"][self.side])
        return [kind for kind in found if kind.type == sort and kind.usable(self.side)]

    def helpful(self, view: View, sort: str) -> list[Kind]:
        """Return the usable cards of a type in hand; one that avoids a battle only if that would be lost."""
        found = self.hand(view, sort)
        return [kind for kind in found if kind.op != "truce" or self.lead(view) < 0]

    def lead(self, view: View) -> int:
        """Return the bot's lead in Force, by Units in play and its Strategy cards; below 0 it would lose."""
        mine, theirs = (
            [kind_of(card).type for card in view["play"][side]] for side in (self.side, self.enemy)
        )
        points = sum(
            (mine.count(sort) > theirs.count(sort)) - (mine.count(sort) < theirs.count(sort))
            for sort in UNITS
        )
        return points + len(self.hand(view, "strategy")) - (self.side != NUMBERS.ties)


class RandomPlayer(RandomAnswers):
    """A player that chooses by chance; the same view and seed give the same orders."""

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return random orders for a season: some of the lines that the cards in hand allow, in any order."""
        dice, lines = self.dice(view), []
        for kind in map(kind_of, view["hands"][self.side]):
            if kind.usable(self.side):
                units = [unit for unit in KINDS.values() if unit.type in kind.hits]
                mine = kind.op != "steal" and dice.random() < 0.5
                found = [unit.id for unit in units if not unit.user or (unit.user == self.side) == mine]
                target = f" on {'my ' if mine else ''}{dice.choice(found)}" if found else ""
                lines.append(f"{'deploy' if kind.unit else kind.type} {kind.id}{target}")
        dice.shuffle(lines)
        return "".join(f"{line}\n" for line in lines[: dice.randint(0, len(lines))])


BOTS: Mapping[str, Callable[[str], Bot]] = {"marshal": Marshal, "random": RandomPlayer}
