"""The making of a position that looks like a view to its viewer, for forecasts.

What the viewer cannot see is put where it may lie.
"""

from __future__ import annotations

from pbem.rules.base import View
from pbem.rules.first_war.facts import DECK


def imagine(view: View) -> View:
    """Return a position that looks to its viewer as the view does.

    Cards not seen fill the other hands, then the deck, in the order of the card list.

    F25: nobody else replaces a card, so that in the End Phase the viewer's own questions come.
    """
    hands = view["hands"]
    own = {side: hand for side, hand in hands.items() if not isinstance(hand, int)}
    seen = {card for pile in (*view["play"].values(), *own.values(), view["discard"]) for card in pile}
    unseen = [card for card in DECK if card not in seen]
    others = {side: [unseen.pop(0) for _ in range(hands[side])] for side in hands if side not in own}
    return {
        **view,
        "viewer": "gm",
        "hands": {side: own.get(side) or others.get(side, []) for side in hands},
        "deck": unseen,
        "chosen": dict.fromkeys(others, "keep") | view.get("chosen", {}) if view["phase"] == "end" else {},
    }
