"""The possibilities that a forecast plays: cards that matter, attacks that a side must expect, ways out."""

from __future__ import annotations

from pbem.orders.base import Follower
from pbem.rules.base import View
from pbem.rules.hammer.cards_3 import both_events, player_1
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND, SCOTLAND, enemy_of
from pbem.titles.hammer.odds.plans import may_look_for

NOBLE = 3
"""The points that a noble is worth."""
FEW = 2
"""Number of blocks that make an imagined attack: as many as a red border lets cross (4.3)."""


def world_of(follower: Follower, side: str, own: str, enemy: str) -> object:
    """Return what a pair of cards changes where the enemy does nothing: who is first, whether the year ends.

    For orders that look for the enemy's card it is that card.
    """
    if not own or may_look_for(follower, "against"):
        return enemy
    cards: dict[str, str | None] = {side: own, enemy_of(side): enemy}
    return player_1(cards[ENGLAND], cards[SCOTLAND]), both_events(cards)


def likely_targets(view: View) -> list[str]:
    """Return areas of the viewer's that the enemy can attack from next door, where most is at stake first."""
    side, counts = view["viewer"], view["areas"]
    enemy = enemy_of(side)
    exposed = [
        area
        for area in AREAS
        if counts[area][side]
        and not counts[area][enemy]
        and any(counts[near][enemy] for near in AREAS[area].neighbours)
    ]
    return sorted(exposed, key=lambda area: (-at_stake(view, area), counts[area][side], AREAS[area].order))


def at_stake(view: View, area: str) -> int:
    """7.1, 7.6: return the points at stake in an area: its own, and those of the viewer's nobles.

    Nobles count who stand in the area or are at home there.
    """
    side = view["viewer"]
    nobles = [
        name
        for name, row in view["blocks"].items()
        if row["side"] == side and BLOCKS[name].noble and area in (row["area"], *BLOCKS[name].homes)
    ]
    return AREAS[area].limit(side) + NOBLE * len(nobles)


def origin_of(view: View, area: str) -> str:
    """Return the area from which an imagined attack comes: the neighbour with most enemy blocks."""
    enemy = enemy_of(view["viewer"])
    return max(AREAS[area].neighbours, key=lambda near: view["areas"][near][enemy])


def attacked(view: View, area: str) -> View:
    """Return the view as it would be if a few enemy blocks from next door had attacked this area."""
    enemy = enemy_of(view["viewer"])
    counts = {name: dict(row) for name, row in view["areas"].items()}
    origin = origin_of(view, area)
    border = AREAS[area].neighbours[origin]
    most = 1 if border.anglo_scottish else FEW
    coming = min(most, counts[origin][enemy])
    counts[origin][enemy] -= coming
    counts[area][enemy] += coming
    attack = {"attacker": enemy, "origin": origin, "border": border.name, "reserve_blocks": []}
    return {
        **view,
        "areas": counts,
        "attacks": {**view["attacks"], area: attack},
        "entered": [*view["entered"], [border.name, area, enemy]],
    }
