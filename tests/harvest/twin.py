"""Another world of the game that looks the same to one of its sides."""

from __future__ import annotations

import random

from pbem.rules.base import View


def twin(position: View, viewer: str, chooser: random.Random) -> View:
    """The cards that the viewer has not seen are dealt anew to the others."""
    seen = {*position["played"], *position["hands"].get(viewer, ())}
    unseen = [str(card) for card in range(1, 16) if str(card) not in seen]
    chooser.shuffle(unseen)
    hands = {
        side: hand if side == viewer else sorted((unseen.pop() for _ in hand), key=int)
        for side, hand in position["hands"].items()
    }
    return {**position, "hands": hands}
