"""The worlds that a view of First War leaves possible: which cards the other side or the deck holds."""

from __future__ import annotations

from typing import Any

from pbem.forecast.replay import Hidden, Placed, Unseen, Worlds
from pbem.rules.base import Chance, View
from pbem.rules.first_war.game import imagine

DECK = "deck"


class FirstWarWorlds:
    """The maker of possible worlds for the game "first-war"."""

    def hidden(self, view: View) -> Hidden:
        """Return the cards that the viewer does not see; each is in the other hand or in the deck."""
        filled, others = imagine(view), _others(view)
        rooms = {place: view["hands"][side] for place, side in others.items() if view["hands"][side]}
        rooms |= {DECK: view["deck"]} if view["deck"] else {}
        cards = [*(card for side in others.values() for card in filled["hands"][side]), *filled["deck"]]
        return Hidden(tuple(Unseen(card, tuple(rooms)) for card in sorted(cards)), rooms)

    def world(self, view: View, placed: Placed, chance: Chance) -> View:
        """Return a position with the hidden cards where they are placed.

        F25: if the viewer has chosen which cards to replace, all sides have; else every side is still asked.
        """
        others = _others(view)
        hands = {side: [card for card, where in placed if where == place] for place, side in others.items()}
        filled = imagine(view)
        return {
            **filled,
            "hands": {**view["hands"], **hands},
            "deck": [card for card, where in placed if where == DECK],
            "chosen": filled["chosen"] if view.get("chosen") else {},
        }

    def memory(self, view: View) -> Any:
        """Return None, since the reports of this game remember nothing."""

    def remark(self, view: View) -> str:
        """Return an empty remark, since a season that is tried out goes on from wherever it is."""
        return ""


def _others(view: View) -> dict[str, str]:
    """Return each side whose hand the viewer does not see, by the name of that hand as a place for cards."""
    return {f"hand of {side}": side for side, hand in view["hands"].items() if isinstance(hand, int)}


WORLDS: Worlds = FirstWarWorlds()
