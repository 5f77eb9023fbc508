"""A maker of another world of First War that looks the same to one of its sides."""

from __future__ import annotations

import random

from pbem.rules.base import View
from pbem.rules.first_war.game import in_order


def twin(position: View, viewer: str, chooser: random.Random) -> View:
    """Return a position in which the cards that the viewer does not see are dealt anew.

    Nothing is dealt anew where something is asked in private for what is in a hand (F8, F25): there another
    hand has other questions, and the game goes on without them.
    """
    if position["phase"] == "end" or position.get("bonus"):
        return position
    others = {side: hand for side, hand in position["hands"].items() if side != viewer}
    unseen = [*(card for hand in others.values() for card in hand), *position["deck"]]
    chooser.shuffle(unseen)
    dealt = {side: in_order(unseen.pop() for _ in hand) for side, hand in others.items()}
    return {**position, "hands": {**position["hands"], **dealt}, "deck": in_order(unseen)}
