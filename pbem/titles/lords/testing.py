"""A maker of another world of Lords that looks the same to one of its sides."""

from __future__ import annotations

import random
from typing import Any

from pbem.rules.base import View
from pbem.rules.lords.facts import rank


def twin(position: View, viewer: str, chooser: random.Random) -> View:
    """Return a position in which the cards that the viewer does not see are dealt anew to where they lay.

    Hidden are the other hands, face-down Recruits, face-down Followers that the viewer has never led, the
    draw pile, and the discard pile where it is not public.
    """

    def hidden(row: dict[str, Any]) -> bool:
        return not row["up"] and viewer not in position["known"][row["card"]]

    recruits = zip(position["recruits"], position["recruits_up"], strict=True)
    unseen = [name for name, up in recruits if name and not up]
    unseen += [row["card"] for army in position["armies"].values() for row in army if hidden(row)]
    unseen += [name for side, hand in position["hands"].items() if side != viewer for name in hand]
    unseen += position["draw_pile"]
    if not position["options"]["discard_pile_public"]:
        unseen += position["discard"]
    new = dict(zip(unseen, chooser.sample(unseen, len(unseen)), strict=True))

    def dealt(names: list[str]) -> list[str]:
        return sorted((new.get(name, name) for name in names), key=rank)

    return {
        **position,
        "recruits": [new.get(name, name) for name in position["recruits"]],
        "armies": {
            side: [{**row, "card": new.get(row["card"], row["card"])} for row in army]
            for side, army in position["armies"].items()
        },
        "known": {new.get(name, name): sides for name, sides in position["known"].items()},
        "hands": {side: dealt(hand) for side, hand in position["hands"].items()},
        "draw_pile": dealt(position["draw_pile"]),
        "discard": dealt(position["discard"]),
    }
