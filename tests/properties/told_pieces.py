"""A game at random in pieces: for each viewer what was told, between the views before and after."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from pbem.rules.base import Event, View
from pbem.titles import load
from tests.properties.random_play import LabelledChance

Piece = tuple[str, View, list[Event], View]


def pieces(name: str, seed: int, options: dict[str, Any], answers: int = 600) -> Iterator[Piece]:
    """Play, and cut wherever a stop could be: between two questions, after some answers."""
    dice = random.Random(seed)
    game = load(name).rules.start(options=options, chance=LabelledChance(seed))
    viewers = (*game.sides, "public") if hasattr(game, "sides") else ()
    viewers = viewers or (*game.view("gm")["hands"], "public")
    views = {one: game.view(one) for one in viewers}
    heard = {one: len(game.told(one)) for one in viewers}
    due = 5
    for _ in range(answers):
        if game.outcome or not game.asks:
            break
        ask = dice.choice(game.asks)
        game.answer(ask.side, dice.choice(ask.legal))
        due -= 1
        if due > 0 and not game.outcome:
            continue
        due = dice.randint(1, 25)
        for one in viewers:
            view, told = game.view(one), game.told(one)
            yield one, views[one], told[heard[one] :], view
            views[one], heard[one] = view, len(told)
