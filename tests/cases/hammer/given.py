"""A case's facts and blocks to a position that `rules.start` takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.rules.base import View
from pbem.rules.hammer.facts import AREAS, BLOCKS
from tests.cases.casefile import Case, CaseFault

OUT_OF_PLAY = ("pool", "off map")
FLAGS = {"edward wintered": "edward_wintered", "edward winters": "edward_winters", "french": "french"}


def position(case: Case, sides: Mapping[str, str]) -> dict[str, Any] | None:
    """The position that a case is given; None for the scenario's own set-up.

    `sides` gives a side for its letter and for its name.
    """
    if not case.given:
        raise CaseFault(case.place, "a line 'given' is missing: a phase and the facts it needs, or 'set-up'")
    if case.given == ("set-up",):
        return None
    found: dict[str, Any] = {"blocks": {}, "attacks": {}, "entered": []}
    rest: str | None = None
    for fact in case.given:
        _read_fact(case, found, fact, sides)
    for place, text in case.places:
        if text == "rest":
            rest = place
            continue
        for name, side, strength in blocks(case, text, sides):
            if name in found["blocks"]:
                raise CaseFault(case.place, f"{name} stands in two places")
            found["blocks"][name] = {"area": place, "side": side}
            if strength is not None:
                found["blocks"][name]["strength"] = strength
    if rest is not None:
        for name in BLOCKS:
            found["blocks"].setdefault(name, {"area": rest})
    for text in case.attacks:
        _read_attack(case, found, text, sides)
    return found


def blocks(case: Case, text: str, sides: Mapping[str, str]) -> list[tuple[str, str, int | None]]:
    """Name, side and strength of each block in `S Wallace 4, Douglas 3; E Mentieth`."""
    found = []
    for group in filter(None, (part.strip() for part in text.split(";"))):
        letter, _, names = group.partition(" ")
        if letter not in sides:
            raise CaseFault(case.place, f"{group!r} does not begin with a side")
        for entry in names.split(","):
            name, _, last = entry.strip().rpartition(" ")
            strong = last.isdigit() and bool(name)
            found.append((name if strong else entry.strip(), sides[letter], int(last) if strong else None))
    return found


def _read_fact(case: Case, found: dict[str, Any], fact: str, sides: Mapping[str, str]) -> None:
    word, _, rest = fact.partition(" ")
    if fact in FLAGS:
        found[FLAGS[fact]] = True
    elif word[0].isdigit():
        year, _, turn = word.partition(".")
        found["year"], found["turn"] = int(year), int(turn or 1)
    elif word in ("hands", "played"):
        found[word] = cards(case, rest, sides)
    elif word == "cards" and rest:
        found["cards"] = {side: card for side, (card,) in cards(case, rest, sides).items()}
    elif word == "first" and rest in sides:
        found["first"] = sides[rest]
    elif word == "truce":
        found["truce"] = [sides[name] for name in rest.split()]
    elif word == "crowned" or (word == "edward" and rest in ("I", "II")):
        found[word] = rest
    elif word == "battles" and rest:
        found["battles"] = int(rest)
    elif word == "settled":
        found["settled"] = rest.split()
    elif word == "entered":
        border, into, by = rest.replace(" into ", "|").replace(" by ", "|").split("|")
        found["entered"].append([_border(case, border), into, sides[by]])
    elif "phase" not in found:
        found["phase"] = fact
    else:
        raise CaseFault(case.place, f"no fact called {fact!r}")


def cards(case: Case, text: str, sides: Mapping[str, str]) -> dict[str, list[str]]:
    """Cards by side in `scotland 2 herald england 1 sea-move`."""
    found: dict[str, list[str]] = {}
    side = ""
    for word in text.split():
        if word in sides:
            side = sides[word]
            found[side] = []
        elif side:
            found[side].append(word.replace("-", " "))
        else:
            raise CaseFault(case.place, f"cards {text!r} do not say whose they are")
    return found


def _read_attack(case: Case, found: dict[str, Any], text: str, sides: Mapping[str, str]) -> None:
    """`Mentieth: S from Fife over Mentieth-Fife reserves Douglas, Keith`."""
    area, colon, rest = text.partition(":")
    rest, _, reserves = rest.partition(" reserves ")
    rest, _, border = rest.partition(" over ")
    attacker, _, origin = rest.partition(" from ")
    if not colon or attacker.strip() not in sides:
        raise CaseFault(case.place, f"attack {text!r} names no area and attacker")
    side = sides[attacker.strip()]
    entry: dict[str, Any] = {"attacker": side, "origin": origin.strip(), "border": border.strip()}
    entry["reserve_blocks"] = [name.strip() for name in reserves.split(",") if name.strip()]
    found["attacks"][area.strip()] = entry
    if border and border.strip() != "sea":
        found["entered"].append([_border(case, border.strip()), area.strip(), side])


def _border(case: Case, name: str) -> str:
    """The name of a border: its areas in the order of the map, north to south."""
    if not any(name == border.name for area in AREAS.values() for border in area.neighbours.values()):
        raise CaseFault(case.place, f"no border called {name!r}")
    return name


def wrong(case: Case, view: View, place: str, text: str, sides: Mapping[str, str]) -> str:
    """What is not as a case says: an area's blocks are these alone; pool and off map hold at least these."""
    found = {
        name: (row["side"], row["strength"]) for name, row in view["blocks"].items() if row["area"] == place
    }
    listed = [] if text == "empty" else blocks(case, text, sides)
    right = all(
        name in found
        and found[name][0] == side
        and (strength is None or found[name][1] == strength or place in OUT_OF_PLAY)
        for name, side, strength in listed
    )
    if right and (place in OUT_OF_PLAY or len(found) == len(listed)):
        return ""
    there = ", ".join(f"{side} {name} {strength}" for name, (side, strength) in found.items())
    return f"in {place} there are: {there or 'no blocks'}"
