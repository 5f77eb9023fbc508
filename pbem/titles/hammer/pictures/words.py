"""The map in words: what stands beside it, and all of it for those who do not see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from textwrap import wrap

from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import AREAS, EVENTS, MOVE_CARDS, SIDES
from pbem.titles.hammer.pictures.moves import fought, ways

NAMES = {"england": "England", "scotland": "Scotland"}
LAST_TURN = 5
"""The last turn of a year, after which winter comes."""
COLUMNS = 29
"""Maximum number of letters of a line beside the map."""
EFFECTS = {
    "herald": "a noble may join you",
    "pillage": f"{EVENTS.pillage_hits} steps change sides",
    "sea move": f"{EVENTS.sea_move_blocks} blocks sail",
    "truce": "no attack on you",
    "victuals": f"{EVENTS.victuals_steps} steps are added",
}
"""The effect of each event card in a few words (3.12)."""


def beside(view: View) -> Iterator[tuple[str, bool]]:
    """Yield the lines of the time, the hand and the nobles, each with whether it is a heading."""
    yield ", ".join(view["moment"]), True
    yield from ((line, False) for line in _wrapped(_phase(view)))
    yield "", False
    yield from ((line, False) for line in _wrapped(_hands(view)))
    yield "", False
    for side in SIDES:
        held = [name for name, owner in view["nobles"].items() if owner == side]
        yield f"{NAMES[side]}: {len(held)} noble{'s' * (len(held) != 1)}", True
        yield from ((line, False) for line in _wrapped(", ".join(held)))


def effect(card: str) -> str:
    """Return what a card does, in a few words."""
    if card in MOVE_CARDS:
        return f"{card} group{'s' * (card != '1')}"
    return EFFECTS.get(card, "")


def _phase(view: View) -> str:
    """Return in words which part of the turn it is, and who moves first."""
    if view["turn"] > LAST_TURN:
        return "nobles go home, blocks disband and are built"
    first = f"; {NAMES[view['first']]} moves first" if view["first"] else ""
    return f"{view['phase']}{first}"


def _hands(view: View) -> str:
    """Return in words the reader's own cards, and how many the others hold."""
    side = view["viewer"]
    counts = [
        f"{NAMES[one]} holds {number} card{'s' * (number != 1)}"
        for one, number in view["hand_sizes"].items()
        if one != side
    ]
    own = [f"Your hand: {', '.join(view['hand']) or 'empty'}"] if "hand" in view else []
    return ". ".join([*own, *counts])


def caption(view: View, told: Sequence[Event]) -> str:
    """Return the whole position in words: time, hand and nobles, and area by area who stands there."""
    parts = [f"Map of Scotland, {', '.join(view['moment'])}: {_phase(view)}.", f"{_hands(view)}."]
    for side in SIDES:
        held = [name for name, owner in view["nobles"].items() if owner == side]
        parts.append(f"{NAMES[side]} has {len(held)} nobles: {', '.join(held) or 'none'}.")
    named = named_blocks(view)
    parts += [f"{area}: {said}." for area in AREAS if (said := _who_stands(view, area, named))]
    if battles := fought(view, told):
        parts.append(f"Battles: {', '.join(battles)}.")
    moved = [
        f"{NAMES[side]} {number} {' - '.join(areas)}" for (side, areas), number in sorted(ways(told).items())
    ]
    if moved:
        parts.append(f"Moves: {'; '.join(moved)}.")
    return " ".join(parts)


def named_blocks(view: View) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Return the blocks that a view names, with their strengths, by area and side."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for name, block in view["blocks"].items():
        found.setdefault((block["area"], block["side"]), []).append((name, block["strength"]))
    return found


def _who_stands(view: View, area: str, named: Mapping[tuple[str, str], Sequence[tuple[str, int]]]) -> str:
    """Return in words who stands in an area, as the reader sees them."""
    found = []
    for side in SIDES:
        here = named.get((area, side), ())
        hidden = view["areas"][area][side] - len(here)
        known = [f"{name} {strength}" for name, strength in here]
        known += [f"{hidden} hidden"] if hidden else []
        if known:
            found.append(f"{NAMES[side]} {', '.join(known)}")
    return "; ".join(found)


@lru_cache(maxsize=512)  # lists of nobles and phases come again and again in one game
def _wrapped(said: str) -> tuple[str, ...]:
    return tuple(wrap(said, COLUMNS))
