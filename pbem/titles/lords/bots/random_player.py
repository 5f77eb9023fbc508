"""The random player of Lords: it gives any answer that is asked for, or lines for a turn in any order."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.bots import RandomAnswers
from pbem.rules.base import Ask, View
from pbem.rules.lords.facts import NUMBERS


class RandomPlayer(RandomAnswers):
    """A player that chooses by chance; the same view, questions and seed give the same orders."""

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return answers to what is asked, or for a whole turn all that could be done, in any order."""
        if asks:
            return super().write(view, asks)
        lines = [f"recruit {slot}" for slot in range(1, NUMBERS.recruits + 1)]
        lines += [f"muster {name} {facing}" for name in view["hands"][self.side] for facing in ("up", "down")]
        for side, army in view["armies"].items():
            lines += [f"use {side}/{row['card'] if row['up'] else f'#{n}'}" for n, row in enumerate(army, 1)]
        lines += ["use", *(f"use {name}" for name in view["supporters"])]
        lines += [f"claim {name}" for name in view["supporters"]]
        self.dice(view).shuffle(lines)
        return "".join(f"{line}\n" for line in lines)
