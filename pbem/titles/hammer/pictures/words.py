"""The map in words: what stands beside it, and all of it for those who do not see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import AREAS, EVENTS, MOVE_CARDS, SIDES
from pbem.titles.hammer.pictures.moves import fought, ways

NAMES = {"england": "England", "scotland": "Scotland"}
LAST_TURN = 5
"""Winter comes after it."""
COLUMNS = 29
"""Letters of a line beside the map."""
EFFECTS = {
    "herald": "a noble may join you",
    "pillage": f"{EVENTS.pillage_hits} steps change sides",
    "sea move": f"{EVENTS.sea_move_blocks} blocks sail",
    "truce": "no attack on you",
    "victuals": f"{EVENTS.victuals_steps} steps are added",
}
"""Event card -> what it does (3.12)."""


def beside(view: View) -> Iterator[tuple[str, bool]]:
    """Yield the time, the hand and the nobles, in lines; whether each is a heading."""
    yield ", ".join(view["moment"]), True
    yield from ((line, False) for line in wrap(_phase(view), COLUMNS))
    yield "", False
    yield from ((line, False) for line in wrap(_hands(view), COLUMNS))
    yield "", False
    for side in SIDES:
        held = [name for name, owner in view["nobles"].items() if owner == side]
        yield f"{NAMES[side]}: {len(held)} noble{'s' * (len(held) != 1)}", True
        yield from ((line, False) for line in wrap(", ".join(held), COLUMNS))


def effect(card: str) -> str:
    """Return what a card does, in a few words."""
    if card in MOVE_CARDS:
        return f"{card} group{'s' * (card != '1')}"
    return EFFECTS.get(card, "")


def _phase(view: View) -> str:
    """Return which part of the turn it is, and who moves first."""
    if view["turn"] > LAST_TURN:
        return "nobles go home, blocks disband and are built"
    first = f"; {NAMES[view['first']]} moves first" if view["first"] else ""
    return f"{view['phase']}{first}"


def _hands(view: View) -> str:
    """Return the reader's own cards, and how many the others hold."""
    side = view["viewer"]
    counts = [
        f"{NAMES[one]} holds {number} card{'s' * (number != 1)}"
        for one, number in view["hand_sizes"].items()
        if one != side
    ]
    own = [f"Your hand: {', '.join(view['hand']) or 'empty'}"] if "hand" in view else []
    return ". ".join([*own, *counts])


def caption(view: View, told: Sequence[Event]) -> str:
    """Return the whole position: the time, the hand, the nobles, and area by area who stands there."""
    parts = [f"Map of Scotland, {', '.join(view['moment'])}: {_phase(view)}.", f"{_hands(view)}."]
    for side in SIDES:
        held = [name for name, owner in view["nobles"].items() if owner == side]
        parts.append(f"{NAMES[side]} has {len(held)} nobles: {', '.join(held) or 'none'}.")
    parts += [f"{area}: {said}." for area in AREAS if (said := _there(view, area))]
    if battles := fought(view, told):
        parts.append(f"Battles: {', '.join(battles)}.")
    moved = [
        f"{NAMES[side]} {number} {' - '.join(areas)}" for (side, areas), number in sorted(ways(told).items())
    ]
    if moved:
        parts.append(f"Moves: {'; '.join(moved)}.")
    return " ".join(parts)


def _there(view: View, area: str) -> str:
    """Return who stands in an area, as the reader sees them."""
    found = []
    for side in SIDES:
        known = [
            f"{name} {block['strength']}"
            for name, block in view["blocks"].items()
            if block["side"] == side and block["area"] == area
        ]
        hidden = view["areas"][area][side] - len(known)
        known += [f"{hidden} hidden"] if hidden else []
        if known:
            found.append(f"{NAMES[side]} {', '.join(known)}")
    return "; ".join(found)
