"""Positions to draw: random play of the real rules, always the same for the same seed."""

from __future__ import annotations

import random
from collections import Counter
from itertools import cycle
from typing import Any

from pbem.rules import load
from pbem.rules.base import Event, Game, View
from pbem.titles.hammer.pictures import PAINTER
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


def crowd(number: int) -> View:
    """A view in which so many blocks stand on the map, as no game has them, for whoever sees all."""
    view = played(1, 0).view("gm")
    places = zip(list(view["blocks"])[:number], cycle(view["areas"]), cycle(view["hand_sizes"]), strict=False)
    blocks = {name: {"side": side, "area": area, "strength": 2} for name, area, side in places}
    standing = Counter((block["area"], block["side"]) for block in blocks.values())
    areas = {area: {side: standing[area, side] for side in view["hand_sizes"]} for area in view["areas"]}
    return {**view, "blocks": blocks, "areas": areas}


def map_of(view: View) -> str:
    """The map of a view."""
    return PAINTER.draw(view, ()).svg
