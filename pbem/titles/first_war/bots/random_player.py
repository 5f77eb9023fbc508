"""The random player of First War, who plays some of its cards on anybody."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.bots import RandomAnswers
from pbem.rules.base import Ask, View
from pbem.rules.first_war.facts import KINDS, kind_of


class RandomPlayer(RandomAnswers):
    """A player that chooses by chance; the same view and seed give the same orders."""

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return a sheet for the season, with its lines in any order."""
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
