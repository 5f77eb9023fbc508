"""The random player of First War: some of its cards, on anybody."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from pbem.rules.base import Ask, View
from pbem.rules.first_war.facts import KINDS, kind_of


class RandomPlayer:
    """A player by chance; the same view and seed give the same orders."""

    def __init__(self, side: str, seed: object = 0) -> None:
        self.side = side
        self.seed = seed

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """A sheet for the season, in any order."""
        dice = random.Random(f"{self.seed} {json.dumps(view, sort_keys=True)}")  # noqa: S311 - play, no secret
        lines = []
        for kind in map(kind_of, view["hands"][self.side]):
            if kind.usable(self.side):
                units = [unit for unit in KINDS.values() if unit.type in kind.hits]
                mine = kind.op != "steal" and dice.random() < 0.5
                found = [unit.id for unit in units if not unit.user or (unit.user == self.side) == mine]
                target = f" on {'my ' if mine else ''}{dice.choice(found)}" if found else ""
                lines.append(f"{'deploy' if kind.unit else kind.type} {kind.id}{target}")
        dice.shuffle(lines)
        return "".join(f"{line}\n" for line in lines[: dice.randint(0, len(lines))])
