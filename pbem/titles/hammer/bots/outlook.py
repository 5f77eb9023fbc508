"""The captain's outlook: who stands where, what an area is worth, what threatens it, how a battle may end.

Worth is counted in points; a noble is worth 100. Everything is whole numbers, so that the same view gives
the same orders on every machine. Of a battle against unseen blocks a quick look compares the powers of both
sides; before an attack the exact odds are computed against such blocks as are likely to stand there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from pbem.rules.base import View
from pbem.rules.hammer.facts import AREAS, BLOCKS, ENGLAND_AREA, SCOTLAND, Options, enemy_of, read_options
from pbem.rules.hammer.sightings import surely_in, surely_not_in
from pbem.titles.hammer.odds.battle import fight
from pbem.titles.hammer.odds.states import Field, Fighter, fighter

NOBLE = 100
LATE = {1: 40, 2: 50, 3: 65, 4: 85, 5: 110}
"""The percentage of a home's worth that counts in each turn, since a home pays off in winter (7.1)."""
AT_HOME = {1: 90, 2: 70, 3: 60, 4: 55, 5: 50}
"""The chance in percent, by turn, that an enemy block in an enemy noble's home is that noble."""


@dataclass(frozen=True, slots=True)
class Man:
    """A block of the captain's own."""

    name: str
    strength: int
    worth: int
    """The points that the loss of the block would cost."""

    @property
    def power(self) -> int:
        """The hits that the block may score in a round, in sixths."""
        return self.strength * BLOCKS[self.name].number


Men = tuple[Man, ...]


class Outlook:
    """One side's view, as the captain understands it."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.side: str = view["viewer"]
        self.enemy = enemy_of(self.side)
        self.turn = min(view["turn"], 5)
        self.theirs: dict[str, int] = {area: counts[self.enemy] for area, counts in view["areas"].items()}
        self.nobles: dict[str, str] = view["nobles"]
        self.mine: dict[str, Men] = dict.fromkeys(AREAS, ())
        for name, row in view["blocks"].items():
            if row["side"] == self.side and row["area"] in AREAS:
                self.mine[row["area"]] += (Man(name, row["strength"], self._cost(name, row["strength"])),)
        self.front = [
            area
            for area in AREAS
            if (self.theirs[area] and area != ENGLAND_AREA) or self.homes_of(self.enemy, area)
        ]
        self._worth = {area: self._area_worth(area) for area in AREAS}
        self.menace = {area: self._menace(area) for area in AREAS}

    def _cost(self, name: str, strength: int) -> int:
        """Return the points that the loss of a block would cost.

        Most of England's go home in winter anyway (7.3).
        """
        if name == "King" or (name == "Edward" and self.view["edward"] == "II"):
            return 3 * NOBLE  # 9.1
        kind = BLOCKS[name].kind
        if kind == "noble":
            return NOBLE
        if kind == "leader":
            return 60
        usual = 6 + 2 * strength
        return usual if self.side == SCOTLAND else usual * (6 - self.turn) // 6

    def homes_of(self, side: str, area: str) -> list[str]:
        """1.4: return the nobles of a side that have a home in an area."""
        return [
            name
            for name, owner in self.nobles.items()
            if owner == side and area in BLOCKS[name].homes and not BLOCKS[name].black_cross
        ]

    def worth(self, area: str) -> int:
        """Return the points of holding an area in winter: for castles, and for homes of nobles (7.1)."""
        return self._worth[area]

    def _area_worth(self, area: str) -> int:
        homes = [
            NOBLE // len(BLOCKS[name].homes)
            for side in (self.side, self.enemy)
            for name in self.homes_of(side, area)
        ]
        return (sum(homes) + 4 * AREAS[area].limit(self.side)) * LATE[self.turn] // 100

    def spoils(self, area: str) -> int:
        """Return the points of beating an area's enemies: captured nobles, and others back in the pool."""
        return sum((NOBLE * likely + 12 * (100 - likely)) // 100 for likely in self.noble_chances(area))

    def can_pillage(self, area: str) -> bool:
        """3.12: tell whether an area has enemy blocks alone, next to an area with the captain's blocks."""
        return bool(
            self.theirs[area]
            and not self.mine[area]
            and any(self.mine[near] for near in AREAS[area].neighbours)
        )

    def noble_chances(self, area: str) -> list[int]:
        """Return for each enemy block in an area how likely it is a noble, in percent.

        Blocks that were shown come first (R2).
        """
        shown = [100 * BLOCKS[name].noble for name in surely_in(self.view, area)]
        count = self.theirs[area] - len(shown)
        if area == ENGLAND_AREA:
            return shown + [0] * count
        known = {*surely_in(self.view, area), *surely_not_in(self.view, area)}
        at_home = min(count, len([name for name in self.homes_of(self.enemy, area) if name not in known]))
        abroad = sum(number for where, number in self.theirs.items() if where != ENGLAND_AREA)
        nobles = sum(owner == self.enemy for owner in self.nobles.values())
        average = min(90, 100 * nobles // abroad) if abroad else 0
        return shown + [max(average, AT_HOME[self.turn])] * at_home + [average] * (count - at_home)

    def _menace(self, area: str) -> int:
        """Return the power that the enemy could bring to an area in one turn, by its numbers of blocks."""
        reach = 0
        for near, border in AREAS[area].neighbours.items():
            most = 1 if ENGLAND_AREA in (area, near) else border.limit
            reach += 6 * min(self.theirs[near], most)
            if not border.red:
                reach += sum(
                    2 * min(self.theirs[far], 2)
                    for far in AREAS[near].neighbours
                    if far not in (area, ENGLAND_AREA)
                )
        return reach

    def distance_to_front(self, area: str) -> int:
        """Return how many borders lie between an area and the nearest area of the captain's front."""
        return min((distance(area, goal) for goal in self.front), default=0)


@cache
def distance(start: str, to: str) -> int:
    """Return the number of borders between two areas."""
    ring, seen, steps = [start], {start}, 0
    while to not in ring:
        ring = sorted({near for area in ring for near in AREAS[area].neighbours} - seen)
        seen.update(ring)
        steps += 1
    return steps


MAX_BLOCKS = 9
"""Maximum number of blocks on both sides for exact odds; above it only the powers are compared."""

Kind = tuple[str, int, int, bool]
"""The letter, Combat Rating and strength of a block, and whether it fights at home."""


def power(men: Men) -> int:
    """5.4: return the expected hits of a force in a round, in sixths."""
    return sum(man.power for man in men)


def likely_enemies(outlook: Outlook, area: str) -> tuple[Kind, ...]:
    """Return the enemy blocks that probably stand in an area; those that were shown count as known (R2)."""
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
    """Return our chance in percent to win a battle, by the powers of both sides; the defender fires first."""
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
