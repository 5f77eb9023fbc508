"""The exact odds of battles in Hammer of the Scots, for a question or for a battle in a view.

states: who fights, and what a view shows of a battle; battle: all ways of a battle at once; plans: tactics
by order files; this module answers a person's question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from pbem.errors import OrderError
from pbem.odds import Chances, OddsMaker, Question
from pbem.orders.base import faults_in_words, listed
from pbem.orders.hammer import LANGUAGE
from pbem.orders.hammer.vocabulary import AREA_NAMES
from pbem.rules.base import Event, UnknownOption, View
from pbem.rules.hammer.facts import SIDES, enemy_of, read_options
from pbem.rules.hammer.game import view as view_of
from pbem.rules.hammer.restart import restore
from pbem.titles.hammer.odds.battle import fight
from pbem.titles.hammer.odds.plans import PlanTactics
from pbem.titles.hammer.odds.states import (
    KING_FALLS,
    Ending,
    Field,
    Fighter,
    Outcome,
    Tactics,
    changes_sides,
    field_before,
    holds,
    is_lost,
    land_ways_out,
    outcome_rows,
    read_force,
)


class HammerOdds:
    """The maker of odds of the game "hammer"."""

    def ask(self, question: Question) -> Chances:
        """Return the exact chances of the battle that a person describes."""
        area = _area(question.area)
        attacker = _side(question.attacker)
        try:
            options = read_options(dict(question.options))
        except UnknownOption as unknown:
            raise OrderError(str(unknown)) from None
        fighters = (
            *read_force(question.attackers, attacker, area),
            *read_force(question.defenders, enemy_of(attacker), area),
        )
        _check_twice(fighters)
        where = Field(
            area=area,
            attacker=attacker,
            fighters=fighters,
            options=options,
            ways_out={side: land_ways_out(area, side) for side in SIDES},
        )
        tactics: dict[str, Tactics] = {
            _side(side): _plan(text, _side(side), where) for side, text in question.plans.items()
        }
        return tell(where, fight(where, tactics))

    def before(self, view: View) -> Chances | None:
        """Return the chances of a battle as a view shows it before the first die, fought to the end."""
        where = field_before(view)
        return None if where is None else tell(where, fight(where))

    def outcome(self, told: Sequence[Event]) -> frozenset[str]:
        """Return the outcomes of a battle that came true by what was told of it, in the words of `before`."""
        return frozenset(outcome_rows(told))


def tell(where: Field, outcome: Outcome) -> Chances:
    """Return the chances of a battle: what may come of it in words, each with its exact chance."""
    forces = {
        side: listed([_in_words(one) for one in where.fighters if one.side == side] or ["nobody"])
        for side in SIDES
    }
    title = (
        f"{where.attacker.capitalize()} attacks {where.area} with {forces[where.attacker]} "
        f"against {forces[enemy_of(where.attacker)]}"
    )
    return Chances(title, tuple(_rows(where, outcome)), tuple(_means(where, outcome)))


def _rows(where: Field, outcome: Outcome) -> Iterator[tuple[str, Fraction]]:
    for side in (where.attacker, enemy_of(where.attacker)):
        yield holds(side, where.area), chance_of_holding(outcome, side)
    if empty := outcome.chance(lambda ending: not ending.holder and not ending.fallen):
        yield holds(None, where.area), empty
    for place, one in enumerate(where.fighters):
        lost = chance_of_losing(outcome, place, one)
        if one.kind in ("noble", "leader") and lost:
            said = changes_sides if one.kind == "noble" and not one.black_cross else is_lost
            yield said(one.name), lost
    if fallen := outcome.chance(lambda ending: bool(ending.fallen)):
        yield KING_FALLS, fallen


def _means(where: Field, outcome: Outcome) -> Iterator[tuple[str, Fraction]]:
    for side in (where.attacker, enemy_of(where.attacker)):
        steps = sum(one.strength for one in where.fighters if one.side == side)
        yield f"steps that {side.capitalize()} has left of {steps}", steps_left(where, outcome, side)


def chance_of_holding(outcome: Outcome, side: str) -> Fraction:
    """Return the chance that this side alone stands in the area at the end."""
    return outcome.chance(lambda ending: ending.holder == side)


def chance_of_losing(outcome: Outcome, place: int, one: Fighter) -> Fraction:
    """Return the chance that a block is dead, in the pool or the enemy's at the end."""

    def lost(ending: Ending) -> bool:
        fate = ending.fates[place]
        return fate.where == "gone" or fate.side != one.side

    return outcome.chance(lost)


def steps_left(where: Field, outcome: Outcome, side: str) -> Fraction:
    """Return how many steps a side has at the end, on average, of its own blocks."""
    places = [place for place, one in enumerate(where.fighters) if one.side == side]

    def steps(ending: Ending) -> int:
        fates = [ending.fates[place] for place in places]
        return sum([fate.strength for fate in fates if fate.side == side])

    return outcome.mean(steps)


def _in_words(one: Fighter) -> str:
    return f"{one.name} {one.strength}{' (in reserve)' if one.reserve else ''}"


def _area(text: str) -> str:
    if not text:
        raise OrderError("a battle needs an area (--area)")
    words = tuple(text.lower().split())
    match = AREA_NAMES.read(words)
    if match.name and match.words == len(words):
        return match.name
    near = match.names or AREA_NAMES.near(text.lower())
    meant = f"; did you mean {listed(near, 'or')}?" if near else ""
    raise OrderError(f"no area is called '{text}'{meant}")


def _side(text: str) -> str:
    if not text:
        raise OrderError(f"a battle needs a side that attacks (--attacker): {listed(SIDES, 'or')}")
    found = [side for side in SIDES if side.startswith(text.lower())]
    if len(found) != 1:
        raise OrderError(f"no side is called '{text}'; there are {listed(SIDES)}")
    return found[0]


def _check_twice(fighters: tuple[Fighter, ...]) -> None:
    names = [one.name for one in fighters]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise OrderError(f"{twice} is named on both sides")


def _plan(text: str, side: str, where: Field) -> PlanTactics:
    """Return the tactics of a plan that is written as in an order file, with or without its heading."""
    headed = text if "plan " in text else f"plan any:\n{text}"
    parsed = LANGUAGE.parse(headed, side)
    orders, faults = parsed.orders, parsed.faults
    if wrong := [fault for fault in faults if not fault.remark]:
        raise OrderError(faults_in_words(wrong))
    view = view_before(where, side)
    follower = LANGUAGE.follower(side)
    follower.receive(orders, view)
    return PlanTactics(follower, view)


def view_before(where: Field, side: str) -> View:
    """Return what a side sees before the battle, on a map with nobody else."""
    position = {
        "phase": "battles",
        "first": where.attacker,
        "blocks": {
            one.name: {"side": one.side, "area": where.area, "strength": one.strength}
            for one in where.fighters
        },
        "attacks": {
            where.area: {
                "attacker": where.attacker,
                "border": "land",
                "reserve_blocks": [one.name for one in where.fighters if one.reserve],
            }
        },
    }
    return view_of(restore(where.options, position), where.options.as_dict(), None, side)


ODDS: OddsMaker = HammerOdds()
