"""Players that are programs: they read a side's view and write order files, as people do.

A bot knows what a report tells its side and nothing else. The random player can play every game.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pbem.rules.base import Ask, View


class Bot(Protocol):
    """A player that is a program and writes order files."""

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return the body of an order file for a view; `asks` is what the view's side is asked, if known."""


@runtime_checkable
class MeasuredBot(Protocol):
    """A bot whose strength was measured in games against another."""

    strength: str
    """The measured strength as the end of a sentence: "it won 9 of 10 games against the random player"."""


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
