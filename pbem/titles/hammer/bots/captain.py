"""The bot "captain": it attacks when the odds favour it, guards nobles, and plans ahead to save mails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.rules.base import Ask, View
from pbem.rules.hammer.cards_3 import player_1
from pbem.rules.hammer.facts import AREAS, BLOCKS, CATHEDRALS, ENGLAND, MOVE_CARDS, SCOTLAND, SIDES
from pbem.rules.hammer.winter_7 import BUILDS, WINTER
from pbem.titles.hammer.bots.marching import Marches, plan_marches
from pbem.titles.hammer.bots.outlook import Outlook
from pbem.titles.hammer.forecast.imagine import FEW, attacked, likely_targets

USUAL = {"1": 20, "2": 35, "3": 45}
"""The points that the moves of a Move card gain in a usual turn; the card is played when they gain more."""


class Captain:
    """A sensible player. With `ahead` they write for each case and trust guards, else they wait for asks."""

    strength = "it won 200 of 200 games against a player who moves at random"

    def __init__(self, side: str, *, ahead: bool = True) -> None:
        self.side = side
        self.ahead = ahead

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """Return orders for wherever the view stands."""
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
        """3.1: yield the card with which this turn is used best, and moves for the case of being first."""
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
        """Yield the moves for being first, if that can be, and for being second and unharmed."""
        if _may_be_first(card, self.side):
            yield "if first:"
            yield from _moves(marches)
        if self.ahead:
            yield from self._second(card, outlook, "second and ")
        yield "end"

    def _second(self, card: str, outlook: Outlook, condition: str) -> Iterator[str]:
        """Yield the moves for being second, if nothing is attacked, or one area by a few blocks."""
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
        """3.12: yield the lines that use the event."""
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
        """Return how many enemy blocks stand where a noble is likeliest; most of all where there is none."""
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
        """7.1-7.5: yield lines on who goes where, and who stays."""
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
        """7.6: yield new blocks where there will be room, then steps for the blocks that matter."""
        yield "winter:"
        if self.side == SCOTLAND:
            for area in AREAS:
                if (limit := AREAS[area].limit(self.side)) > 1:
                    room = f"{area} is mine and our blocks in {area} less than {limit}"
                    yield f"if {room}: draw {area} {limit - 1}"
        yield "build leaders, nobles, rest" if self.side == SCOTLAND else "build nobles, infantry, rest"
        yield "end"


def _may_be_first(card: str, side: str) -> bool:
    """4.1: tell whether there is a Move card of the enemy's against which this one moves first."""
    return any(player_1(*(card if one == side else other for one in SIDES)) == side for other in MOVE_CARDS)


def _moves(marches: Marches) -> Iterator[str]:
    yield from marches.lines or ("move none",)
