"""The captain's moves: group by group, each the one that improves their prospects most.

The prospects of an area are what holding it is worth, times the chance to hold it, less what would be lost.
A march takes some men from one area (or, against an enemy, from two) to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pbem.rules.base import IllegalAnswer
from pbem.rules.hammer.facts import AREAS, ENGLAND, ENGLAND_AREA
from pbem.rules.hammer.movement_4 import Movement
from pbem.rules.hammer.restart import movement
from pbem.titles.hammer.bots.estimates import enemy_power, exact_chance, likely_enemies, power, quick_chance
from pbem.titles.hammer.bots.outlook import NOBLE, Man, Men, Outlook

LEAST_GAIN = 3
"""Minimum points that a march must gain to be worth a Group Move."""
PER_BORDER = 5
"""Points that a block gains by each border that it comes nearer to the front."""
IDLE = 10
"""Points that an English block is worth less in England, from where it goes home unused in winter (7.31)."""
MAX_IN_A_GROUP = 6
LEAST_CHANCE = 45
"""Minimum chance in percent at which the captain attacks."""


@dataclass(frozen=True, slots=True)
class March:
    """A group of men who go to one area."""

    men: tuple[tuple[str, Man], ...]  # where each comes from
    to: str
    groups: int


@dataclass(frozen=True, slots=True)
class Marches:
    """A turn's moves as orders, and what they gain in points."""

    lines: tuple[str, ...]
    gain: int
    attacks: tuple[str, ...]


def plan_marches(outlook: Outlook, phase: str, card: str, held: str = "") -> Marches:
    """Return the best moves for a card, in the imagined world that fits the view.

    Nobody leaves the area `held`.
    """
    return _Planner(outlook, movement(outlook.view, phase, card), phase == "first move", held).plan()


class _Planner:
    """The planner of a turn's marches, which chooses one after another."""

    def __init__(self, outlook: Outlook, phase: Movement, first: bool, held: str) -> None:
        self.outlook = outlook
        self.phase = phase
        self.first = first
        self.held = held
        self.mine = dict(outlook.mine)
        self.lines: list[str] = []
        self.gain = 0
        self.attacks: dict[str, None] = {}
        self.refused: set[March] = set()

    def plan(self) -> Marches:
        """Choose marches until the card is used up, or no march is worth it any more."""
        while (left := self.phase.left) > 0:
            ways = self._ways()
            best: tuple[int, March] | None = None
            for march in self._candidates(ways, left):
                gain = self._gain(march)
                if gain < LEAST_GAIN or march in self.refused:
                    continue
                if best is None or gain * best[1].groups > best[0] * march.groups:
                    best = gain, march
            if best is None:
                break
            gain, march = best
            if self.outlook.theirs[march.to] and not self._worth_attacking(march):
                self.refused.add(march)
                continue
            self._carry_out(march, ways)
            self.gain += gain
        return Marches(tuple(self.lines), self.gain, tuple(self.attacks))

    # -- what is possible

    def _ways(self) -> dict[str, dict[str, str]]:
        """Return for each block the areas that it can reach now, each with the shortest legal order."""
        found: dict[str, dict[str, str]] = {}
        for text in sorted(self.phase.options(), key=lambda text: (text.count(","), text)):
            if text != "done":
                name, _, path = text.removeprefix("move ").partition(" to ")
                found.setdefault(name, {}).setdefault(path.rpartition(", ")[2], text)
        return found

    def _candidates(self, ways: dict[str, dict[str, str]], left: int) -> Iterator[March]:
        bands: dict[str, list[tuple[str, Men]]] = {}
        for start, men in self.mine.items():
            movers = [man for man in men if man.name in ways and start != self.held]
            for to in sorted(
                {to for man in movers for to in ways[man.name]}, key=lambda area: AREAS[area].order
            ):
                able = sorted(
                    (man for man in movers if to in ways[man.name]),
                    key=lambda man: (man.worth > NOBLE, -man.power, man.name),  # kings march last (9.1)
                )
                most = 1 if ENGLAND_AREA in (start, to) else MAX_IN_A_GROUP
                for count in range(1, min(len(able), most) + 1):
                    yield March(tuple((start, man) for man in able[:count]), to, 1)
                if self.outlook.theirs[to]:
                    bands.setdefault(to, []).append((start, tuple(able[:most])))
        if left > 1:
            for to, found in bands.items():
                found.sort(key=lambda band: (-power(band[1]), band[0]))
                for number, (start, men) in enumerate(found[:3]):
                    for other, more in found[number + 1 : 3]:
                        both = (*((start, man) for man in men), *((other, man) for man in more))
                        yield March(both, to, 2)

    # -- what it is worth

    def _gain(self, march: March) -> int:
        touched = {march.to, *(start for start, _ in march.men)}
        moving = {man.name for _, man in march.men}
        before = sum(self._prospect(area, self.mine[area]) for area in touched)
        after = 0
        for area in touched:
            men = tuple(man for man in self.mine[area] if man.name not in moving)
            if area == march.to:
                men += tuple(man for _, man in march.men)
            after += self._prospect(area, men)
        nearer = sum(
            self.outlook.distance_to_front(start) - self.outlook.distance_to_front(march.to)
            for start, _ in march.men
        )
        return after - before + PER_BORDER * nearer

    def _prospect(self, area: str, men: Men) -> int:
        """Return how many points an area promises if these men stand in it."""
        outlook = self.outlook
        worth, enemies = outlook.worth(area), outlook.theirs[area]
        stake = sum(man.worth for man in men)
        if enemies and men:
            attacking = not self._is_attacked(area)
            chance = quick_chance(power(men), enemy_power(likely_enemies(outlook, area)), attacking)
            won = chance * (worth + outlook.spoils(area) - stake // 8)
            return (won - (100 - chance) * (worth + stake // (2 if attacking else 1))) // 100
        if enemies:
            return -worth
        if area == ENGLAND_AREA and outlook.side == ENGLAND:
            return -IDLE * len(men)
        menace = outlook.menace[area] if self.first else outlook.menace[area] // 2
        if men:
            chance = quick_chance(power(men), menace // 2, attacking=False)
            return (chance * worth - (100 - chance) * stake // 2) // 100
        return -worth * min(menace, 20) // 50

    def _is_attacked(self, area: str) -> bool:
        attack = self.outlook.view["attacks"].get(area)
        return attack is not None and attack["attacker"] == self.outlook.enemy

    def _worth_attacking(self, march: March) -> bool:
        """Tell whether the exact odds confirm what the quick look promised."""
        if self._is_attacked(march.to):
            return True
        men = (*self.mine[march.to], *(man for _, man in march.men))
        chance = exact_chance(self.outlook, march.to, men)
        spoils = self.outlook.spoils(march.to) + self.outlook.worth(march.to)
        stake = sum(man.worth for man in men)
        least = LEAST_CHANCE if stake >= NOBLE // 2 else LEAST_CHANCE // 2
        return chance >= least and chance * spoils >= (100 - chance) * stake // 3

    # -- doing it

    def _carry_out(self, march: March, ways: dict[str, dict[str, str]]) -> None:
        gone = 0
        for start, man in march.men:
            text = ways[man.name][march.to]
            try:
                step = self.phase.read(text)
            except IllegalAnswer:
                continue  # a border or the Group Moves are used up
            assert step is not None
            self.phase.move(*step)
            self.lines.append(text)
            self.mine[start] = tuple(other for other in self.mine[start] if other is not man)
            self.mine[march.to] += (man,)
            gone += 1
        if not gone:
            self.refused.add(march)
        elif self.outlook.theirs[march.to]:
            self.attacks[march.to] = None
