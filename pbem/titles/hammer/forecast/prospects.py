"""The odds of a battle as far as one side sees it.

Where every enemy block stands face up, or is known, they are exact. Where some are hidden they are an average
over what may be there (`guess`), and lie between two cases: the strongest blocks that the enemy can have
there, and the weakest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from pbem.orders.base import Follower
from pbem.rules.base import View
from pbem.rules.hammer.facts import BLOCKS, enemy_of
from pbem.titles.hammer.forecast.guess import Unseen, enemies
from pbem.titles.hammer.forecast.trial import Met
from pbem.titles.hammer.odds.battle import fight
from pbem.titles.hammer.odds.fighters import Fighter, fighter
from pbem.titles.hammer.odds.on_the_map import field_of
from pbem.titles.hammer.odds.plans import PlanTactics, may_decide
from pbem.titles.hammer.odds.states import Outcome, Tactics

MAX_BLOCKS = 8
"""Maximum number of blocks on both sides; more take too long for a receipt. `pbem odds` computes any
number."""


@dataclass(frozen=True, slots=True)
class Prospects:
    """The chances that the writer's side holds the area.

    There are three: against the strongest and against the weakest enemy, and on average over what may be
    there.
    """

    least: Fraction
    most: Fraction
    likely: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A battle as one side sees it."""

    area: str
    attacker: str
    known: tuple[Fighter, ...]
    hidden: int = 0
    hidden_reserves: int = 0
    whence: str = ""
    """The area where the hidden blocks stand now, if they only may come; else empty."""
    round: int = 0


def to_come(met: Met, side: str, whence: str = "") -> Seen:
    """Return a battle that has not begun: all enemy blocks are hidden."""
    ours = tuple(fighter(name, side, strength, met.area, reserve=later) for name, strength, later in met.ours)
    return Seen(
        area=met.area,
        attacker=met.attacker,
        known=ours,
        hidden=met.theirs,
        hidden_reserves=met.their_reserves,
        whence=whence,
    )


def battle_in_progress(view: View) -> Seen | None:
    """Return the battle that is being fought, with all that is face up in it; None if there is none."""
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


def prospects(
    seen: Seen, view: View, follower: Follower, asking: Callable[[], None] = lambda: None
) -> Prospects | None:
    """Return the odds of a battle fought by one's own orders; None if there are too many blocks.

    `asking`: called before each question to the orders; what it raises ends the search.
    """
    side: str = view["viewer"]
    hidden = seen.hidden + seen.hidden_reserves
    if len(seen.known) + hidden > MAX_BLOCKS:
        return None
    tactics: dict[str, Tactics] = {}
    if may_decide(follower, seen.area):
        tactics[side] = PlanTactics(follower, view, asking)
    where = field_of(seen.area, seen.attacker, seen.known, view, of_round=seen.round)
    if not hidden:
        chance = _chance(side, fight(where, tactics))
        return Prospects(chance, chance, chance)
    unseen = Unseen(seen.area, seen.hidden, seen.hidden_reserves, seen.whence, defends=seen.attacker == side)
    guessed = enemies(unseen, view)
    chances = {
        force: _chance(side, fight(replace(where, fighters=(*seen.known, *force)), tactics))
        for force in dict.fromkeys((guessed.strongest, guessed.weakest, *guessed.likely))
    }
    average = sum((chances[force] for force in guessed.likely), Fraction(0)) / len(guessed.likely)
    found = chances.values()
    return Prospects(min(found), max(found), average)


def _chance(side: str, outcome: Outcome) -> Fraction:
    """Return the chance that a side holds the area, or wins the game there."""
    return outcome.chance(
        lambda ending: ending.holder == side or bool(ending.fallen and BLOCKS[ending.fallen].side != side)
    )
