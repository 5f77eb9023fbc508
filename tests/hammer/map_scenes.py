"""Positions to draw: random play of the real rules, always the same for the same seed."""

from __future__ import annotations

import random
from typing import Any

from pbem.rules import load
from pbem.rules.base import Event, Game, View
from tests.hammer.simulated_battles import SeededChance


def played(seed: int, answers: int, **options: Any) -> Game:
    """Braveheart after so many random answers."""
    rules = load("hammer")
    game = rules.start({"scenario": "braveheart", "edition": "4", **options}, SeededChance(seed))
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
