"""The captain's estimates of a battle against blocks that they cannot see.

For a quick look the powers of both sides are compared; before an attack they have the exact odds computed
against such blocks as are likely to stand there.
"""

from __future__ import annotations

from functools import lru_cache

from pbem.rules.hammer.facts import BLOCKS, Options, enemy_of, read_options
from pbem.rules.hammer.sightings import surely_in
from pbem.titles.hammer.bots.outlook import Men, Outlook
from pbem.titles.hammer.odds.battle import fight
from pbem.titles.hammer.odds.fighters import Fighter, fighter
from pbem.titles.hammer.odds.states import Field

MAX_BLOCKS = 9
"""Maximum number of blocks on both sides for exact odds; above it only the powers are compared."""

Kind = tuple[str, int, int, bool]
"""The letter, Combat Rating and strength of a block, and whether it fights at home."""


def power(men: Men) -> int:
    """5.4: return the expected hits of a force in a round, in sixths."""
    return sum(man.power for man in men)


def likely_enemies(outlook: Outlook, area: str) -> tuple[Kind, ...]:
    """Return blocks such as the enemy probably has here; those that were shown are known (R2)."""
    at_home = len(outlook.homes_of(outlook.enemy, area))
    shown = [(BLOCKS[name], steps) for name, steps in surely_in(outlook.view, area).items()]
    found: list[Kind] = [
        (fact.letter, fact.number, steps or fact.max, area in fact.homes) for fact, steps in shown
    ]
    for place, likely in list(enumerate(outlook.noble_chances(area)))[len(shown) :]:
        if likely >= 50:
            found.append(("B", 2, 3, place < at_home))
        else:
            found.append(("C", 2, 3, False) if place % 2 else ("B", 3, 3, False))
    return tuple(found)


def quick_chance(ours: int, theirs: int, attacking: bool) -> int:
    """Return the chance in percent, from the powers of both sides; whoever defends fires first."""
    ours, theirs = (10 * ours, 12 * theirs) if attacking else (12 * ours, 10 * theirs)
    return 100 * ours * ours // max(1, ours * ours + theirs * theirs)


def enemy_power(kinds: tuple[Kind, ...]) -> int:
    """Return the expected hits in a round, in sixths, of blocks that are only supposed."""
    return sum((number + at_home) * strength for _, number, strength, at_home in kinds)


def exact_chance(outlook: Outlook, area: str, men: Men) -> int:
    """Return the chance in percent that an attack with these men takes the area."""
    enemies = likely_enemies(outlook, area)
    if len(men) + len(enemies) > MAX_BLOCKS:
        return quick_chance(power(men), enemy_power(enemies), attacking=True)
    ours = tuple(sorted((man.name, man.strength) for man in men))
    return _chance(area, outlook.side, ours, enemies, read_options(outlook.view["options"]))


@lru_cache(maxsize=20_000)
def _chance(
    area: str, side: str, ours: tuple[tuple[str, int], ...], enemies: tuple[Kind, ...], options: Options
) -> int:
    fighters = [fighter(name, side, strength, area) for name, strength in ours]
    fighters += [
        Fighter(
            name=f"enemy {number}",
            side=enemy_of(side),
            strength=strength,
            letter=letter,
            number=rating,
            kind="noble" if at_home else "unknown",
            rank=1000 + number,
            cheap=(0, strength, number),
            at_home=at_home,
        )
        for number, (letter, rating, strength, at_home) in enumerate(enemies)
    ]
    outcome = fight(Field(area=area, attacker=side, fighters=tuple(fighters), options=options))
    return int(100 * outcome.chance(lambda ending: ending.holder == side))
