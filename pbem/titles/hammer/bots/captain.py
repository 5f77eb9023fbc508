"""The bot "captain": it attacks when the odds favour it, guards nobles, and plans ahead to save mails.

It moves group by group, each time the one that improves its prospects most. The prospects of an area are
what holding it is worth, times the chance to hold it, less what would be lost. A march takes some men from
one area (or, against an enemy, from two) to another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbem.rules.base import Ask, IllegalAnswer, View
from pbem.rules.hammer.cards_3 import decide_player_1
from pbem.rules.hammer.facts import (
    AREAS,
    BLOCKS,
    CATHEDRALS,
    ENGLAND,
    ENGLAND_AREA,
    MOVE_CARDS,
    SCOTLAND,
    SIDES,
)
from pbem.rules.hammer.movement_4 import Movement
from pbem.rules.hammer.restart import movement
from pbem.rules.hammer.winter_7 import BUILDS, WINTER
from pbem.titles.hammer.bots.outlook import (
    NOBLE,
    Man,
    Men,
    Outlook,
    enemy_power,
    exact_chance,
    likely_enemies,
    power,
    quick_chance,
)
from pbem.titles.hammer.forecast.expectations import FEW, attacked, likely_targets

USUAL = {"1": 20, "2": 35, "3": 45}
"""The points that the moves of a Move card gain in a usual turn; the card is played when they gain more."""


class Captain:
    """A bot that plays sensibly; with `ahead` it orders for all cases under conditions, else when asked."""

    strength = "it won 200 of 200 games against a player who moves at random"

    def __init__(self, side: str, *, ahead: bool = True) -> None:
        self.side = side
        self.ahead = ahead

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return the captain's orders for the phase in which the view stands."""
        return "".join(f"{line}\n" for line in self._lines(view, Outlook(view)))

    def _lines(self, view: View, outlook: Outlook) -> Iterator[str]:
        phase = view["phase"]
        if phase == "cards":
            yield from self._cards(view, outlook)
        elif phase in BUILDS:
            yield from self._builds()
        elif phase in WINTER:
            yield from self._winter(outlook)
        else:
            yield from self._turn(view, outlook)

    # -- a turn

    def _cards(self, view: View, outlook: Outlook) -> Iterator[str]:
        """3.1: yield the order lines that play the best card for this turn, with its moves or its event."""
        if not view["hand"]:
            return
        marches = {
            card: plan_marches(outlook, "first move", card)
            for card in dict.fromkeys(view["hand"])
            if card.isdigit()
        }
        card = max(dict.fromkeys(view["hand"]), key=lambda card: self._merit(card, marches, outlook))
        yield f"card {card}"
        if card.isdigit():
            yield from self._cases(card, marches[card], outlook)
        else:
            yield from self._event(card, outlook)
        if self.ahead:
            yield from self._battles(outlook, marches.get(card))
            if len(view["hand"]) == 1 or not card.isdigit():  # the year may end with this turn
                yield from self._winter(outlook)

    def _cases(self, card: str, marches: Marches, outlook: Outlook) -> Iterator[str]:
        """Yield order lines with a card's moves for being first, if possible, and maybe for second."""
        if _may_be_first(card, self.side):
            yield "if first:"
            yield from _moves(marches)
        if self.ahead:
            yield from self._second(card, outlook, "second and ")
        yield "end"

    def _second(self, card: str, outlook: Outlook, condition: str) -> Iterator[str]:
        """Yield order lines with moves for being second, if no area is attacked, or one by a few blocks."""
        yield f"if {condition}none of my areas is attacked:"
        yield from _moves(plan_marches(outlook, "second move", card))
        for area in likely_targets(outlook.view):
            yield f"if {condition}only {area} attacked and their blocks in {area} at most {FEW}:"
            yield from _moves(plan_marches(Outlook(attacked(outlook.view, area)), "second move", card, area))

    def _merit(self, card: str, marches: dict[str, Marches], outlook: Outlook) -> int:
        if card in marches:
            return marches[card].gain - USUAL[card]
        if card == "herald":
            return 40 if outlook.turn < 5 else 60
        return {"pillage": 10, "victuals": 5}.get(card, 0) + (5 if outlook.turn == 5 else 0)

    def _turn(self, view: View, outlook: Outlook) -> Iterator[str]:
        """Yield orders for whatever of the turn is still to come."""
        phase, card = view["phase"], view["cards"][self.side]
        first = view["first"] == self.side
        own_phase = "first move" if first else "second move"
        if phase == "events":
            yield from self._event(card, outlook)
        if card is not None and card.isdigit():
            if phase == own_phase:
                yield from _moves(plan_marches(outlook, phase, card))
            elif not first and phase == "first move" and self.ahead:
                yield from self._second(card, outlook, "")
                yield "end"
        if self.ahead or not first or phase in ("events", "battles", "turn end"):
            yield from self._battles(outlook, None)

    def _event(self, card: str | None, outlook: Outlook) -> Iterator[str]:
        """3.12: yield the order lines that use the event of a card."""
        match card:
            case "herald":
                nobles = sorted(
                    (
                        name
                        for name, owner in outlook.nobles.items()
                        if owner == outlook.enemy and name != "Moray"
                    ),
                    key=lambda name: (self._company(name, outlook), BLOCKS[name].order),
                )
                if nobles:
                    yield f"herald {', '.join(nobles)}"
            case "pillage":
                targets = [area for area in AREAS if outlook.can_pillage(area)]
                targets.sort(key=lambda area: (-outlook.spoils(area), AREAS[area].order))
                yield f"pillage {', '.join((*targets, 'rest'))}"
                yield "build leaders, nobles, rest"
            case "victuals":
                yield f"build {', '.join((*self._most_weakened(outlook), 'rest'))}"
            case "truce":
                yield "truce"
            case "sea move":
                yield "pass"
        if card is not None and not card.isdigit() and self.side == SCOTLAND:
            yield "event"

    def _company(self, name: str, outlook: Outlook) -> int:
        """Return the least number of enemy blocks in a noble's homes, of those that have any; else 99."""
        counts = [outlook.theirs[home] for home in BLOCKS[name].homes]
        return min((count for count in counts if count), default=99)

    def _most_weakened(self, outlook: Outlook) -> list[str]:
        """Return the blocks of one area that have lost most: leaders and nobles before others."""
        lost = {
            area: sum((BLOCKS[man.name].max - man.strength) * (2 if man.worth >= 60 else 1) for man in men)
            for area, men in outlook.mine.items()
        }
        area = max(AREAS, key=lambda name: lost[name])
        men = [man for man in outlook.mine[area] if man.strength < BLOCKS[man.name].max]
        return [f"{man.name} full" for man in sorted(men, key=lambda man: (-man.worth, man.name))]

    # -- battles

    def _battles(self, outlook: Outlook, marches: Marches | None) -> Iterator[str]:
        """5.0: yield the order of the battles, and plans how to fight them."""
        attacks = marches.attacks if marches else ()
        yield f"battles {', '.join((*attacks, 'rest'))}"
        yield "plan any:"
        if self.side == SCOTLAND:
            if outlook.view["crowned"]:
                yield "if King strength at most 2: retreat King"
            yield "if Wallace strength 1: retreat Wallace"
        elif outlook.view["edward"] == "II":
            yield "if Edward strength at most 2: retreat Edward"
        yield "if our strength less than half their strength: retreat all"
        yield "if round 3 and our strength less than their strength: retreat nobles, leaders"
        yield "fire"
        yield "hits infantry, rest"
        yield "forced retreat all"
        yield "regroup none"
        yield "end"
        yield "hits infantry, rest"
        if self.side == ENGLAND:
            yield "raid infantry, rest"

    # -- winter

    def _winter(self, outlook: Outlook) -> Iterator[str]:
        """7.1-7.5: yield order lines on which blocks go where for the winter, and which stay."""
        yield "winter:"
        for name in ("Bruce", "Comyn"):
            if name in outlook.nobles:
                homes = sorted(BLOCKS[name].homes, key=lambda area: (-AREAS[area].castle_limit, area))
                yield f"home {name} to {', '.join(homes)}"
        if self.side == SCOTLAND:
            men = {man.name for area in outlook.mine.values() for man in area}
            if "Moray" in men:
                yield "home Moray to Moray"
            if "King" in men:
                best = sorted(CATHEDRALS, key=lambda area: (-AREAS[area].castle_limit, area))
                yield f"home King to {', '.join(best)}"
            yield "keep leaders, nobles, French Knights, Norse, rest"
        else:
            yield "disband Edward"
            yield "keep infantry, rest"
        yield "end"
        if self.ahead:
            yield from self._builds()

    def _builds(self) -> Iterator[str]:
        """7.6: yield order lines that draw new blocks where there will be room, then add steps to others."""
        yield "winter:"
        if self.side == SCOTLAND:
            for area in AREAS:
                if (limit := AREAS[area].limit(self.side)) > 1:
                    room = f"{area} is mine and our blocks in {area} less than {limit}"
                    yield f"if {room}: draw {area} {limit - 1}"
        yield "build leaders, nobles, rest" if self.side == SCOTLAND else "build nobles, infantry, rest"
        yield "end"


def _may_be_first(card: str, side: str) -> bool:
    """4.1: tell whether a side could move first with this card, against some Move card of the enemy's."""
    return any(
        decide_player_1(*(card if one == side else other for one in SIDES)) == side for other in MOVE_CARDS
    )


def _moves(marches: Marches) -> Iterator[str]:
    yield from marches.lines or ("move none",)


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
