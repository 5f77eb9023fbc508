"""A position that looks to its viewer as a view does: what nobody can see is filled with unseen cards."""

from __future__ import annotations

from typing import Any

from pbem.rules.base import View
from pbem.rules.lords.options import read_options


def imagine(view: View) -> View:
    """L8, L12, L32: return a position that looks to its viewer as the view does.

    Whatever the viewer does not see holds the unseen cards, in the order of their ranks.

    A viewer whose turn is still to come is to move, as if nobody of `plays_before` changed anything.
    """
    deck = read_options(view["options"]).deck
    seen = _cards_in(
        [view[key] for key in ("supporters", "recruits", "armies", "hands", "victory", "discard")]
    )
    unseen = [name for name in deck if name not in seen]

    def filled(pile: Any) -> list[str]:
        return list(pile) if isinstance(pile, list) else [unseen.pop(0) for _ in range(pile)]

    def named(name: str) -> str:
        return unseen.pop(0) if name == "?" else name

    armies = {
        side: [{**row, "card": named(row["card"])} for row in army] for side, army in view["armies"].items()
    }
    known = {
        new["card"]: [
            side,
            *({view["viewer"]} & view["armies"].keys() - {side} if old["card"] != "?" else ()),
        ]
        for side, army in view["armies"].items()
        for old, new in zip(army, armies[side], strict=True)
    }
    to_move = view["viewer"] if is_to_come(view, view["viewer"]) else view["to_move"]
    return {
        **view,
        "to_move": to_move,
        "mustered": view.get("mustered", []) if to_move == view["to_move"] else [],
        "viewer": "gm",
        "recruits": [named(name) for name in view["recruits"]],
        "armies": armies,
        "known": known,
        "hands": {side: filled(hand) for side, hand in view["hands"].items()},
        "discard": filled(view["discard"]),
        "draw_pile": filled(view["draw_pile"]),
    }


def plays_before(view: View) -> list[str]:
    """Return the sides that still play in this turn before the viewer."""
    if not is_to_come(view, view["viewer"]):
        return []
    order = turn_order(view)
    return order[order.index(view["to_move"]) : order.index(view["viewer"])]


def turn_order(view: View) -> list[str]:
    """Return the sides in the order in which they play, from the holder of the token on."""
    sides = list(view["armies"])
    start = sides.index(view["holder"])
    return sides[start:] + sides[:start]


def is_to_come(view: View, side: str) -> bool:
    """Tell whether a side has still to play in this turn, or is playing."""
    if view["to_move"] is None or view["phase"] != "turns" or side not in view["armies"]:
        return False
    order = turn_order(view)
    return order.index(side) >= order.index(view["to_move"])


def _cards_in(value: Any) -> set[str]:
    """Return every card that a value of a view names."""
    if isinstance(value, dict):
        return _cards_in(list(value.values()))
    if isinstance(value, list):
        return {name for one in value for name in _cards_in(one)}
    return {value} if isinstance(value, str) and value not in ("", "?") else set()
