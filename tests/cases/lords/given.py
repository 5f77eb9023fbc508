"""Followers in cases: `scott-4+` face-up, `-` face-down, `*` activated, `*clan` copied, `k` kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pbem.rules.base import View
from tests.cases.casefile import Case

PILES = {"Supporters": "supporters", "Draw pile": "draw_pile", "Discard pile": "discard"}


def follower(text: str) -> dict[str, Any]:
    """A Follower as `view("gm")` shows it."""
    found = re.fullmatch(r"([a-z]+-\d+)(?:([-+k])|\*(\w*))", text)
    assert found, f"{text!r} is no Follower"
    name, mark, copied = found.groups()
    return {
        "card": name,
        "up": mark != "-",
        "active": not mark,
        "copied": copied or None,
        "kept": mark == "k",
    }


def written(row: dict[str, Any]) -> str:
    """A Follower of `view("gm")` as a case writes it."""
    if row["kept"]:
        return f"{row['card']}k"
    if row["active"]:
        return f"{row['card']}*{row['copied'] or ''}"
    return f"{row['card']}{'+' if row['up'] else '-'}"


def position(case: Case, sides: Mapping[str, str]) -> View | None:
    """The position that a `.case` file gives; None for the set-up."""
    if case.given == ("set-up",):
        return None
    found: View = {}
    for fact in case.given:
        if fact.startswith("mustered "):
            found["mustered"] = fact.split()[1:]
            continue
        name, _, value = fact.rpartition(" ")
        found[name.replace(" ", "_")] = int(value) if value.isdecimal() else sides.get(value, value)
    if found.get("phase") in ("claims", "deal"):
        found["to_move"] = None
    for place, text in case.places:
        names = [] if text == "none" else [name.strip() for name in text.split(",")]
        side, _, pile = place.lower().partition(" ")
        if place == "Recruits":
            found["recruits"] = [name.rstrip("+-").replace("none", "") for name in names]
            found["recruits_up"] = [name.endswith("+") for name in names]
        elif pile == "army":
            found.setdefault("armies", {})[sides[side]] = [follower(name) for name in names]
        elif side in sides:
            found.setdefault({"hand": "hands"}.get(pile, pile), {})[sides[side]] = names
        else:
            found[PILES[place]] = names
    return found


def wrong(case: Case, view: View, place: str, text: str, sides: Mapping[str, str]) -> str:
    """What lies in a place, if it is not what a case says."""
    side, _, pile = place.lower().partition(" ")
    if place == "Recruits":
        rows = zip(view["recruits"], view["recruits_up"], strict=True)
        found = [f"{name}{'+' if up else '-'}" if name else "none" for name, up in rows]
    elif pile == "army":
        found = [written(row) for row in view["armies"][sides[side]]]
    elif side in sides:
        found = view[{"hand": "hands"}.get(pile, pile)][sides[side]]
    else:
        found = view[PILES[place]]
    listed = [] if text == "none" else [name.strip() for name in text.split(",")]
    return "" if found == listed else f"{place}: {', '.join(found) or 'none'}"
