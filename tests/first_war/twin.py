"""Another world of the game that looks the same to one of its sides."""

from __future__ import annotations

import random

from pbem.rules.base import View
from pbem.rules.first_war.facts import LIST_ORDER


def twin(position: View, viewer: str, chooser: random.Random) -> View:
    """The cards that the viewer does not see, in other hands and in the deck, are dealt anew."""
    hidden = [card for side, hand in position["hands"].items() if side != viewer for card in hand]
    unseen = [*hidden, *position["deck"]]
    chooser.shuffle(unseen)
    hands = {
        side: hand if side == viewer else sorted((unseen.pop() for _ in hand), key=LIST_ORDER.__getitem__)
        for side, hand in position["hands"].items()
    }
    return {**position, "hands": hands, "deck": sorted(unseen, key=LIST_ORDER.__getitem__)}
