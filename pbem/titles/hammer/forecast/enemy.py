"""The answers that the enemy may give, as far as numbers on the map and the nobles' sides tell.

Nothing here looks at an imagined block: only at one's own blocks, and at how many of the enemy's stand where.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.orders.faults import listed
from pbem.rules.base import View
from pbem.rules.hammer.facts import AREAS, BLOCKS, EVENTS, enemy_of
from pbem.titles.hammer.forecast.imagine import at_stake
from pbem.titles.hammer.odds.on_the_map import ways_out

HIGHEST_CARD = "3"


def may_attack(view: View) -> str:
    """4.3, 4.4, 5.32: return which areas the enemy may attack from next door, and with how many blocks.

    The dearest areas come first.
    """
    side, counts = view["viewer"], view["areas"]
    enemy = enemy_of(side)
    card = view["cards"][enemy] or HIGHEST_CARD
    if enemy in view["truce"] or not card.isdigit():
        return ""
    found = []
    for area in sorted(AREAS, key=lambda one: -at_stake(view, one)):
        if not counts[area][side] or counts[area][enemy]:
            continue
        most = 0
        for near, border in AREAS[area].neighbours.items():
            limit = min(border.limit, int(card)) if border.anglo_scottish else border.limit
            most += max(0, min(counts[near][enemy] - counts[near][side], limit))
        if most:
            found.append(f"{area} (up to {most})")
    if not found:
        return ""
    return f"From areas next to yours, enemy blocks may attack {listed(found, 'or')}."


def may_retreat(area: str, view: View) -> str:
    """5.5: return where the enemy may retreat to from a battle, as the position stands."""
    ways = list(ways_out(area, enemy_of(view["viewer"]), view))
    return f"They may retreat to {listed(ways, 'or')}." if ways else "They cannot retreat by land."


def events(view: View) -> Iterator[str]:
    """3.12: yield what an event of the enemy's could do in this turn, before anybody moves."""
    side, counts = view["viewer"], view["areas"]
    enemy = enemy_of(side)
    nobles = [
        name
        for name, row in view["blocks"].items()
        if row["side"] == side
        and row["area"] in AREAS
        and BLOCKS[name].noble
        and not BLOCKS[name].black_cross
    ]
    if nobles:
        chances = f"{len(EVENTS.herald_success)} in 6"
        yield f"An enemy herald may call {listed(nobles, 'or')} ({chances})."
    targets = [
        area
        for area in AREAS
        if counts[area][side]
        and not counts[area][enemy]
        and any(counts[near][enemy] for near in AREAS[area].neighbours)
    ]
    if targets:
        yield f"An enemy pillage takes up to {EVENTS.pillage_hits} steps in {listed(targets, 'or')}."
    yield "After an enemy truce you may move, but you may not attack."
