"""Odds of small fights by chance, with plans, reserves and house rules, each number of them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pbem.errors import OrderError
from pbem.odds import Question
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND, SCOTLAND, SIDES
from pbem.titles.hammer.odds import ODDS
from tests.kept import Telling, as_kept

pytestmark = pytest.mark.ci

GOLDEN = Path(__file__).parent / "golden"
FIGHTS = 90
PLANS = (
    "",
    "",
    "fire",
    "pass all",
    "if round 2: retreat all\nfire",
    "if our strength less than their strength: retreat all\nfire",
    "if they have Edward or their blocks at least 2: pass\nfire",
    "if round 1 and their reserves at least 1: pass\nfire",
    "if Wallace strength at most 2: retreat Wallace\nfire",
    "hits rest\nif not round 1: retreat nobles, leaders\nfire",
    "if round 3: retret all",
)
OPTIONS: tuple[dict[str, object], ...] = (
    {},
    {"dead_round_turns": False},
    {"control_change": "vacated_and_held", "celtic_timing": "all_first"},
    {"control_change": "vacated", "mandatory_retreat_order": "free"},
    {"schiltroms": True, "schiltrom_reserve_archers": "ignore"},
    {"schiltroms": True},
    {"schiltrom": True},
)


def force(side: str, chance: Random, many: int) -> str:
    """Some blocks of a side, of some strength, one perhaps in reserve."""
    names = [name for name, block in BLOCKS.items() if block.side == side or block.noble]
    said: list[str] = []
    for name in chance.sample(names, many):
        strength = chance.choice(["", *range(1, BLOCKS[name].max + (chance.random() < 0.05) + 1)])
        said.append(f"{'reserve ' if said and chance.random() < 0.4 else ''}{name} {strength}".strip())
    return ", ".join(said)


def test_the_odds_of_fights_by_chance_are_as_they_were() -> None:
    told, chance = Telling(), Random(5)
    for number in range(FIGHTS):
        attackers, defenders = chance.choice([(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)])
        attacker = chance.choice(SIDES)
        other = SCOTLAND if attacker == ENGLAND else ENGLAND
        question = Question(
            area=chance.choice([*AREAS, "Mr"]),
            attacker=attacker,
            attackers=force(attacker, chance, attackers),
            defenders=force(other, chance, defenders),
            plans={side: plan for side in SIDES if (plan := chance.choice(PLANS))},
            options=chance.choice(OPTIONS),
        )
        told.add(f"fight {number}", [question])
        try:
            found = ODDS.ask(question)
        except OrderError as fault:
            told.add("refused", str(fault).split("\n"))
        else:
            told.add(found.title, [*found.rows, *found.means])
    as_kept(GOLDEN / "fights.txt", str(told))
