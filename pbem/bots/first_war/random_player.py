"""The random player of First War: any answer that is asked for; else a sheet of lines by chance."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from pbem.bots.at_random import RandomAnswers
from pbem.rules.base import Ask, View
from pbem.rules.first_war.facts import KINDS, SIDES, kind_of


class RandomPlayer(RandomAnswers):
    """A player by chance; the same view, questions and seed give the same orders."""

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Answers to what is asked, or for a whole season some of the cards in hand, on anybody."""
        if asks:
            return super().write(view, asks)
        dice = random.Random(f"{self.seed} {json.dumps(view, sort_keys=True)}")  # noqa: S311 - play, no secret
        lines = []
        for card in view["hands"][self.side]:
            kind = kind_of(card)
            verb = "deploy" if kind.unit else kind.type
            owner = "" if kind.op == "steal" else f"{dice.choice(SIDES)} "
            target = dice.choice([unit.id for unit in KINDS.values() if unit.type in kind.hits] or [""])
            lines.append(f"{verb} {kind.id} on {owner}{target}" if target else f"{verb} {kind.id}")
        dice.shuffle(lines)
        return "".join(f"{line}\n" for line in lines[: dice.randint(0, len(lines))])
