"""Odds of a battle as far as one side sees it.

Where every enemy block stands face up they are exact. Where some are hidden they lie between two cases: the
strongest blocks that the enemy can have there, at full strength, and the weakest, at strength 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pbem.forecast.hammer.imagine import ways_out
from pbem.forecast.hammer.trial import Met
from pbem.odds.hammer.battle import fight
from pbem.odds.hammer.fighters import Fighter, fighter
from pbem.odds.hammer.plans import PlanTactics
from pbem.odds.hammer.states import Ending, Field, Tactics
from pbem.orders.base import Follower
from pbem.rules.base import View
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND, ENGLAND_AREA, SCOTLAND, enemy_of
from pbem.rules.hammer.options import read_options
from pbem.rules.hammer.sightings import surely_in, surely_not_in

MOST_BLOCKS = 8
"""Of both sides together; more take too long for a receipt. `pbem odds` computes any number."""


@dataclass(frozen=True, slots=True)
class Prospects:
    """The chance that one's own side holds the area: against their strongest, and against their weakest."""

    least: Fraction
    most: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A battle as one side sees it."""

    area: str
    attacker: str
    known: tuple[Fighter, ...]
    hidden: int = 0
    hidden_reserves: int = 0
    round: int = 0


def to_come(met: Met, side: str) -> Seen:
    """A battle that has not begun: all enemy blocks are hidden."""
    ours = tuple(fighter(name, side, strength, met.area, reserve=later) for name, strength, later in met.ours)
    return Seen(
        area=met.area,
        attacker=met.attacker,
        known=ours,
        hidden=met.theirs,
        hidden_reserves=met.their_reserves,
    )


def going_on(view: View) -> Seen | None:
    """The battle that is being fought, with all that is face up in it; None if there is none."""
    fight_ = view["battle"]
    if fight_ is None or not fight_["round"] or not fight_["fighting"]:
        return None
    side, area = view["viewer"], fight_["area"]
    known = [
        fighter(name, view["blocks"][name]["side"], view["blocks"][name]["strength"], area)
        for name in fight_["fighting"]
    ]
    ours = [
        fighter(name, side, row["strength"], area, reserve=True)
        for name, row in view["blocks"].items()
        if row["side"] == side and row["area"] == area and name not in fight_["fighting"]
    ]
    return Seen(
        area=area,
        attacker=fight_["attacker"],
        known=(*known, *ours),
        hidden_reserves=fight_["reserves"][enemy_of(side)],
        round=fight_["round"],
    )


def prospects(seen: Seen, view: View, follower: Follower) -> Prospects | None:
    """The odds of a battle fought by one's own orders; None if there are too many blocks."""
    side: str = view["viewer"]
    hidden = seen.hidden + seen.hidden_reserves
    if len(seen.known) + hidden > MOST_BLOCKS:
        return None
    tactics: dict[str, Tactics] = {side: PlanTactics(follower, view)}
    strongest, weakest = _candidates(seen, view)
    found = [
        _chance(side, fight(_field(seen, view, enemies), tactics))
        for enemies in ((strongest, weakest) if hidden else ((),))
    ]
    return Prospects(min(found), max(found))


def _chance(side: str, endings: dict[Ending, Fraction]) -> Fraction:
    """Holding the area, or winning the game there."""
    return sum(
        (
            chance
            for ending, chance in endings.items()
            if ending.holder == side or (ending.fallen and BLOCKS[ending.fallen].side != side)
        ),
        Fraction(0),
    )


def _candidates(seen: Seen, view: View) -> tuple[Sequence[Fighter], Sequence[Fighter]]:
    """The strongest and the weakest hidden blocks that the enemy can have here.

    R2: who was shown and has not left is here, as strong or as weak as may be; who is elsewhere is not.
    """
    enemy = enemy_of(view["viewer"])
    possible = [
        name
        for name, fact in BLOCKS.items()
        if (view["nobles"].get(name) if fact.noble else fact.side) == enemy
        and name not in view["out"]
        and name not in view["blocks"]
    ]

    here = surely_in(view, seen.area)
    elsewhere = surely_not_in(view, seen.area)

    def force(one: Fighter) -> tuple[int, str, int]:
        defends = one.at_home and seen.attacker != enemy
        return -(one.number + defends) * one.strength, one.letter, one.rank

    def taken(strength: int) -> list[Fighter]:
        able = [fighter(name, enemy, strength or BLOCKS[name].max, seen.area) for name in possible]
        able.sort(key=force, reverse=strength > 0)
        able.sort(key=lambda one: (one.name not in here, one.name in elsewhere))
        wanted = seen.hidden + seen.hidden_reserves
        return [
            fighter(one.name, enemy, one.strength, seen.area, reserve=place >= seen.hidden)
            for place, one in enumerate(able[:wanted])
        ]

    return taken(0), taken(1)


def _field(seen: Seen, view: View, enemies: Iterable[Fighter]) -> Field:
    options = read_options(view["options"])
    return Field(
        area=seen.area,
        attacker=seen.attacker,
        fighters=(*seen.known, *enemies),
        options=options,
        ways_out={
            side: ways_out(seen.area, side, view) for side in (view["viewer"], enemy_of(view["viewer"]))
        },
        havens=tuple(
            area
            for area, counts in view["areas"].items()
            if AREAS[area].coastal
            and area not in (ENGLAND_AREA, seen.area)
            and counts[SCOTLAND]
            and not counts[ENGLAND]
        ),
        second_edward=view["edward"] == "II",
        round=seen.round,
    )
