"""The random player of every game, which gives any legal answer to whatever it is asked."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from pbem.rules.base import Ask, View


class RandomAnswers:
    """A player that answers by chance; the same view, questions and seed give the same orders."""

    def __init__(self, side: str, seed: object = 0) -> None:
        self.side = side
        self.seed = seed

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return a random legal line for each question to this side; nothing if no questions are given."""
        dice = self.dice(view)
        return "".join(f"{dice.choice(ask.legal)}\n" for ask in asks if ask.side == self.side)

    def dice(self, view: View) -> random.Random:
        """Return the random generator for a view, which gives the same numbers for the same view."""
        return random.Random(f"{self.seed} {json.dumps(view, sort_keys=True)}")  # noqa: S311 - play, no secret
