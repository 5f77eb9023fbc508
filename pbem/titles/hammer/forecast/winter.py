"""The forecast of a winter, as far as one's own blocks and the number of enemies in each area tell."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.orders.faults import listed
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import AREAS, BLOCKS, enemy_of

WINTER = 6


def points(view: View) -> dict[str, int]:
    """7.6: return the replacement points of each area that is the viewer's now."""
    side, counts = view["viewer"], view["areas"]
    return {
        area: fact.limit(side)
        for area, fact in AREAS.items()
        if fact.limit(side) and counts[area][side] and not counts[area][enemy_of(side)]
    }


def before_winter(view: View) -> Iterator[str]:
    """7.1, 7.32, 7.5, 7.6: yield homes the enemy holds, areas above the Castle Limit, and points now."""
    side, counts = view["viewer"], view["areas"]
    for name in sorted(view["blocks"]):
        fact, row = BLOCKS[name], view["blocks"][name]
        if row["side"] != side or row["area"] not in AREAS or not fact.noble or fact.black_cross:
            continue
        if all(counts[home][enemy_of(side)] for home in fact.homes):
            yield f"{name} changes sides in winter, unless the enemy leaves {listed(fact.homes, 'or')}."
    over = [
        f"{area} by {counts[area][side] - fact.limit(side)}"
        for area, fact in AREAS.items()
        if counts[area][side] > fact.limit(side)
    ]
    if over:
        yield f"Above the castle limit, before anybody goes home: {listed(over)}."
    yield in_all(points(view))


def in_all(found: dict[str, int]) -> str:
    """Return points in words."""
    if not found:
        return "Replacement points at the moment: none."
    rows = listed([f"{area} {number}" for area, number in found.items()])
    return f"Replacement points at the moment: {sum(found.values())} ({rows})."


def unspent(event: Event) -> str:
    """7.6: return the sentence on points that are left when all is built."""
    rows = [f"{area} {number}" for area, number in event["left"].items()]
    return f"Points not used: {listed(rows)}." if rows else ""


def home(event: Event, view: View) -> str:
    """7.1: return the sentence on who goes home.

    Whether the enemy still stands there nobody can know before.
    """
    side, counts = view["viewer"], view["areas"]
    name, area = event["noble"], event["area"]
    row = view["blocks"].get(name)
    if row is None or row["side"] != side:
        return f"{name} comes over to you in {area}." if event["side"] == side else ""
    held = [where for where in BLOCKS[name].homes if counts[where][enemy_of(side)]]
    if len(held) == len(BLOCKS[name].homes):
        return f"{name} changes sides, unless the enemy leaves {listed(held, 'or')}."
    return "" if row["area"] == area else f"{name} goes home to {area}."
