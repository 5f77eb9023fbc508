"""Positions to draw: random play of the real rules, always the same for the same seed."""

from __future__ import annotations

import random
from typing import Any

from pbem.rules import load
from pbem.rules.base import Event, Game, View


class Seeded:
    """A `Chance` from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def roll(self, label: str, sides: int = 6) -> int:
        return self.random.randint(1, sides)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        return self.random.choice(choices)


def played(seed: int, answers: int, **options: Any) -> Game:
    """Braveheart after so many random answers."""
    rules = load("hammer")
    game = rules.start({"scenario": "braveheart", "edition": "4", **options}, Seeded(seed))
    chooser = random.Random(seed)
    for _ in range(answers):
        if game.outcome:
            break
        ask = chooser.choice(game.asks)
        busy = [answer for answer in ask.legal if answer != "done"]
        game.answer(ask.side, chooser.choice(busy or ask.legal))
    return game


def scene(game: Game, viewer: str) -> tuple[View, list[Event]]:
    """What a viewer sees, and what they were told since the last cards were played."""
    told = game.told(viewer)
    last = max((place for place, event in enumerate(told) if event["event"] == "cards"), default=0)
    return game.view(viewer), told[last:]
