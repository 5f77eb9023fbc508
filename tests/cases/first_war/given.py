"""Positions of `.case` files: facts of the line `given`, and piles of cards by name."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.rules.base import View
from pbem.rules.first_war.facts import SIDES
from tests.cases.casefile import Case

PILES = {"Deck": "deck", "Discard pile": "discard"}


def position(case: Case, sides: Mapping[str, str]) -> View | None:
    """The position that a case gives; None for the set-up."""
    if case.given == ("set-up",):
        return None
    found: View = {}
    for fact in case.given:
        name, *values = fact.split()
        if name in ("territories", "force"):
            found[name] = dict(zip(SIDES, map(int, values), strict=True))
        elif name == "done":
            found[name] = [sides[side] for side in values]
        elif name == "chosen":
            found.setdefault(name, {})[sides[values[0]]] = " ".join(values[1:])
        else:
            found[name] = int(values[0]) if values[0].isdecimal() else values[0]
    for place, text in case.places:
        side, _, pile = place.lower().partition(" ")
        if side in sides:
            found.setdefault({"hand": "hands"}.get(pile, pile), {})[sides[side]] = listed(text)
        else:
            found[PILES[place]] = listed(text)
    return found


def listed(text: str) -> list[str]:
    """Cards parted by commas."""
    return [] if text == "none" else [name.strip() for name in text.split(",")]


def wrong(case: Case, view: View, place: str, text: str, sides: Mapping[str, str]) -> str:
    """What lies in a place, if it is not what a case says."""
    side, _, pile = place.lower().partition(" ")
    if place == "Territories":
        found = [str(view["territories"][one]) for one in SIDES]
    elif side in sides:
        found = view[{"hand": "hands"}.get(pile, pile)][sides[side]]
    else:
        found = view[PILES[place]]
    return "" if found == listed(text) else f"{place}: {', '.join(found) or 'none'}"
