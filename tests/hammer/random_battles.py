"""Random battles with every kind of block, house rule and tactics, and what is known of their exact odds."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from pbem.orders.hammer import LANGUAGE
from pbem.orders.hammer.vocabulary import can_hold
from pbem.rules.hammer.facts import AREAS, BLOCKS, SIDES, SWITCHES, enemy_of, read_options
from pbem.titles.hammer.odds import view_before
from pbem.titles.hammer.odds.battle import fight
from pbem.titles.hammer.odds.plans import PlanTactics
from pbem.titles.hammer.odds.states import Field, Fighter, Tactics, fighter, land_ways_out

RECORDED = Path(__file__).with_name("exact.txt")
"""Digests of the odds of the battles 0 to 9,999, a hundred to a line, as the first engine computed them."""

HUNDRED = 100
NAMED = ("control_change", "dead_round_turns", "schiltroms", "schiltrom_reserve_archers", "celtic_timing")
PLANS = (
    "fire",
    "fire\nif our strength less than their strength: retreat all\nhits infantry, rest",
    "if round 3: retreat all\nfire",
    "if round 2: pass all\nfire\nhits nobles, rest",
    "if they have archers: fire archers, rest\nask",
)


def battle(seed: int) -> tuple[Field, dict[str, Tactics]]:
    """A battle, and how its sides fight."""
    chance = random.Random(f"battle {seed}")
    area = chance.choice(list(AREAS))
    most = chance.choice((2, 3, 4, 5))
    given = {name: chance.choice(list(SWITCHES[name])) for name in NAMED if chance.random() < 0.4}
    fighters: list[Fighter] = []
    free = list(BLOCKS)
    for side in SIDES:
        for _ in range(chance.randint(1, most)):
            name = chance.choice([name for name in free if can_hold(side, name)])
            free.remove(name)
            strength = chance.randint(1, BLOCKS[name].max)
            fighters.append(fighter(name, side, strength, area, reserve=chance.random() < 0.25))
    chance.shuffle(fighters)
    where = Field(
        area=area,
        attacker=chance.choice(SIDES),
        fighters=tuple(fighters),
        options=read_options(given),
        ways_out=_ways_out(area, chance),
        havens=tuple(chance.sample([name for name in AREAS if AREAS[name].coastal], chance.randint(0, 2))),
        second_edward=chance.random() < 0.2,
        round=chance.choice((0, 0, 0, 0, 0, 1, 2, 3)),
    )
    how = chance.random()
    if how < 0.25:
        return _with_supposed(where, chance), {}
    if how < 0.4:
        return replace(where, ways_out={chance.choice(SIDES): where.ways_out[SIDES[0]]}), {}
    tactics: dict[str, Tactics] = {}
    for side in SIDES:
        if chance.random() < 0.2:
            view = view_before(where, side)
            follower = LANGUAGE.follower(side)
            text = f"plan any:\n{chance.choice(PLANS)}"
            follower.receive(LANGUAGE.parse(text, side).orders, view)
            tactics[side] = PlanTactics(follower, view)
    return where, tactics


def _ways_out(area: str, chance: random.Random) -> Mapping[str, Mapping[str, int]]:
    limits = {side: land_ways_out(area, side) for side in SIDES}
    for side in SIDES:
        if chance.random() < 0.4:
            limits[side] = dict.fromkeys(list(limits[side])[: chance.randint(0, 2)], 1)
    return limits


def _with_supposed(where: Field, chance: random.Random) -> Field:
    """The same with one side's blocks only supposed, as a bot has them: many of them are worth the same."""
    enemy = chance.choice(SIDES)
    supposed = tuple(
        replace(one, name=f"enemy {place}", kind="unknown", rank=1000 + place, cheap=(0, one.strength, 1))
        if one.side == enemy and one.kind != "leader"
        else one
        for place, one in enumerate(where.fighters)
    )
    return replace(where, attacker=chance.choice((enemy, enemy_of(enemy))), fighters=supposed)


def odds_in_words(seed: int) -> str:
    """Every ending of a battle with its exact chance, in an order of their own."""
    where, tactics = battle(seed)
    endings = sorted(
        f"{ending.holder} {[tuple(fate) for fate in ending.fates]} {ending.fallen} {chance}"
        for ending, chance in fight(where, tactics).chances().items()
    )
    opened = [sorted(one.open) for one in tactics.values() if isinstance(one, PlanTactics)]
    return "\n".join((*endings, str(opened)))


def digest(first: int) -> str:
    """Of a hundred battles."""
    found = sha256()
    for seed in range(first, first + HUNDRED):
        found.update(odds_in_words(seed).encode())
    return found.hexdigest()
