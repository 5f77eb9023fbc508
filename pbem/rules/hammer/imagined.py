"""Positions that fit a side's view: its own blocks as they are, any enemy blocks where some are seen.

What a side may do depends on what it sees alone, so the legal moves of the imagined world are those of the
real one. Who the enemy's blocks really are is not known here and cannot be.
"""

from __future__ import annotations

from typing import Any, NoReturn

from pbem.rules.base import View
from pbem.rules.hammer.facts import BLOCKS, POOL, enemy_of
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.movement_4 import Movement
from pbem.rules.hammer.options import read_options
from pbem.rules.hammer.restart import restore


class NoChance:
    """The chance of imagined games, in which nothing is ever rolled or drawn."""

    def roll(self, label: str, sides: int = 6) -> NoReturn:
        """Raise an error, since nothing is rolled in an imagined game."""
        raise AssertionError(label)

    def draw(self, label: str, choices: tuple[str, ...]) -> NoReturn:
        """Raise an error, since nothing is drawn in an imagined game."""
        raise AssertionError(label)


def imagined(view: View, **changes: Any) -> View:
    """Return a position shaped like the judge's, with `changes`, that fits what the viewer sees."""
    side = view["viewer"]
    blocks = {name: dict(row) for name, row in view["blocks"].items()}
    blocks |= _enemies(view, enemy_of(side))
    given = {name: value for name, value in view.items() if name not in ("battle", "attacks", "outcome")}
    attacks = {
        area: {key: value for key, value in entry.items() if key not in ("main", "reserves")}
        for area, entry in view["attacks"].items()
    }
    hands = {one: ["1"] * size for one, size in view["hand_sizes"].items()} | {side: view.get("hand", [])}
    return {**given, "attacks": attacks, "hands": hands, "blocks": blocks, **changes}


def _enemies(view: View, enemy: str) -> dict[str, dict[str, Any]]:
    """Return the enemy's blocks: nobles at home where that may be, other blocks wherever some are seen."""
    slots = {area: counts[enemy] for area, counts in view["areas"].items() if counts[enemy]}
    for row in view["blocks"].values():
        if row["side"] == enemy and row["area"] in slots:
            slots[row["area"]] -= 1
    nobles = [name for name, owner in view["nobles"].items() if owner == enemy and name not in view["blocks"]]
    others = [
        name
        for name, fact in BLOCKS.items()
        if fact.side == enemy and name not in view["out"] and name not in view["blocks"]
    ]
    last = [name for name in nobles if BLOCKS[name].black_cross]  # it may lie in the pool
    placed = {}
    for name in (*[name for name in nobles if name not in last], *others, *last):
        area = next((home for home in BLOCKS[name].homes if slots.get(home)), None)
        area = area or next((area for area, room in slots.items() if room), POOL)
        if area in slots:
            slots[area] -= 1
        placed[name] = {"side": enemy, "area": area}
    return placed


def without_enemies(view: View) -> View:
    """Return the view as it would be if no enemy block stood on the map."""
    enemy = enemy_of(view["viewer"])
    areas = {area: {**counts, enemy: 0} for area, counts in view["areas"].items()}
    blocks = {name: row for name, row in view["blocks"].items() if row["side"] != enemy}
    return {**view, "areas": areas, "blocks": blocks, "attacks": {}, "entered": []}


def movement(view: View, phase: str, card: str) -> Movement:
    """4.0: return the Movement Phase of a side in the imagined position, where moves can be tried."""
    side = view["viewer"]
    first = side if phase == "first move" else enemy_of(side)
    options = read_options(view["options"])
    position = restore(options, imagined(view, phase=phase, first=first))
    return Movement(Hammer(options, NoChance(), position, stops=False), side, int(card))
