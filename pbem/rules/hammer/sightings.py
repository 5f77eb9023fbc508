"""R2: the enemy blocks that a viewer was shown and may remember, and where they can be since.

A block that is told of by name is known to be where that happened. It is taken to stand there until blocks of
its side leave that area unseen. Then it may be there still, or wherever those blocks went. All of it follows
from what the viewer was told and sees; nothing else is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import ENGLAND, POOL, SIDES, WINTER_TURN

LAST_SEEN = "last_seen"
"""The key under which a report's view lists what its reader may follow, in the form of `Sighting`."""
MAX_AREAS = 3
"""Maximum number of areas that a block may be in before it is out of sight."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A block that was shown to somebody who is not its owner, with where it can be since."""

    block: str
    side: str
    strength: int
    """The strength of the block when it was last shown; 0 if it was only told by name."""
    area: str
    """The area in which the block was last shown."""
    year: int
    turn: int
    """The turn in which the block was last shown: 1 to 5; 6 is winter."""
    may_be: tuple[str, ...]
    """The areas where the block can be now, or the pool; its place comes first, if it can still be there."""


def surely_in(view: View, area: str) -> dict[str, int]:
    """Return the blocks that can be in this area alone, each with the strength last shown (0: never)."""
    seen = view.get(LAST_SEEN, ())
    return {one["block"]: one["strength"] for one in seen if list(one["may_be"]) == [area]}


def surely_not_in(view: View, area: str) -> list[str]:
    """Return the blocks that can be followed and are surely in other areas."""
    seen = view.get(LAST_SEEN, ())
    return [one["block"] for one in seen if area not in one["may_be"]]


def _stood_up(view: View) -> str:
    """Return the area of a battle whose rounds are over and whose blocks nobody sees any more.

    Return an empty text if there is none.
    """
    fight = view["battle"]
    if fight is None or not fight["round"] or any(fight["reserves"].values()):
        return ""
    enemies = {name for name in fight["fighting"] if view["blocks"][name]["side"] != view["viewer"]}
    return "" if enemies else str(fight["area"])


class Watcher:
    """The memory of what one viewer was shown of blocks that are not theirs."""

    def __init__(self, viewer: str) -> None:
        self._enemies = [side for side in SIDES if side != viewer]
        self._found: dict[str, Sighting] = {}
        self._now = (0, 0)
        self._fallen: dict[str, str] = {}
        """The blocks, with their sides, that fell in sight of all and whose way to the pool is not told
        yet."""

    @property
    def known(self) -> tuple[dict[str, Sighting], tuple[int, int], dict[str, str]]:
        """All that the watcher remembers, as a tuple."""
        return self._found, self._now, self._fallen

    @known.setter
    def known(self, known: tuple[dict[str, Sighting], tuple[int, int], dict[str, str]]) -> None:
        self._found, self._now, self._fallen = known

    def hear(self, told: Iterable[Event]) -> None:
        """Take in the events that were told to the viewer since the last call."""
        for event in told:
            if (heard := HEARD.get(event["event"])) is not None:
                heard(self, event)

    def seen(self, view: View) -> list[Sighting]:
        """Return the blocks that can still be followed and are not face up now, the last seen first.

        When the rounds of a battle are over, some may have gone of which nobody is told yet (R79): then of
        blocks that may be where it is fought nothing is said.
        """
        found = []
        gone = _stood_up(view)
        for sighting in self._found.values():
            if gone in sighting.may_be:
                continue
            there = tuple(
                area
                for area in sighting.may_be
                if area == POOL or view["areas"][area][sighting.side] > self._sure(area, sighting)
            )
            on_map = [area for area in there if area != POOL]
            if on_map and len(there) <= MAX_AREAS and sighting.block not in view["blocks"]:
                found.append(replace(sighting, may_be=there))
        return sorted(found, key=lambda one: (-one.year, -one.turn, one.block))

    def _sure(self, area: str, but: Sighting) -> int:
        """Return how many other blocks surely stand in an area, and so leave no room for this one."""
        if but.may_be == (area,):
            return 0
        return sum(
            one.may_be == (area,) and one.side == but.side and one.block != but.block
            for one in self._found.values()
        )

    def show(self, block: str, side: str, strength: int, area: str) -> None:
        """Note that a block is shown, or told by name."""
        if side in self._enemies:
            self._fallen.pop(block, None)
            self._found[block] = Sighting(block, side, strength, area, *self._now, (area,))
        else:
            self.drop(block)

    def weaken(self, block: str, strength: int) -> None:
        """Note that a block that is face up has taken hits."""
        if one := self._found.get(block):
            self._found[block] = replace(one, strength=strength)
            if not strength:
                self._fallen[block] = one.side

    def to_pool(self, side: str, area: str) -> None:
        """Note that a block went to the pool: the one that fell in sight of all, or one that nobody knows."""
        fell = next((block for block, of in self._fallen.items() if of == side), None)
        if fell:
            self.go(fell, POOL)
        else:
            self.leave(side, area, (POOL,))

    def strength(self, block: str) -> int:
        """Return the strength with which a block was last shown; 0 if it never was."""
        return self._found[block].strength if block in self._found else 0

    def go(self, block: str, area: str) -> None:
        """Note that a block that all can follow has gone to an area."""
        if one := self._found.get(block):
            self._fallen.pop(block, None)
            self._found[block] = replace(one, area=area, may_be=(area,))

    def leave(self, side: str, area: str, to: Iterable[str], blocks: Iterable[str] | None = None) -> None:
        """Note that blocks of a side have left an area; others know only those that `blocks` names."""
        goals = tuple(to)
        for name, one in self._found.items():
            if one.side != side or area not in one.may_be or (blocks is not None and name not in blocks):
                continue
            stays = () if blocks is not None else one.may_be
            places = dict.fromkeys((*stays, *(place for place in one.may_be if place != area), *goals))
            self._found[name] = replace(one, may_be=tuple(places))

    def drop(self, block: str) -> None:
        """Forget a block that is no longer the enemy's, or is out of play."""
        self._fallen.pop(block, None)
        self._found.pop(block, None)

    def lose_the_pool(self, side: str) -> None:
        """Note that blocks come out of a side's pool, and nobody else knows which."""
        self._found = {
            name: one for name, one in self._found.items() if one.side != side or POOL not in one.may_be
        }

    def turn(self, year: int, turn: int) -> None:
        """Begin a new turn; after a winter nobody can tell which blocks have come out of the pool."""
        if turn == 1:
            for side in SIDES:
                self.lose_the_pool(side)
        self._now = year, turn
        self._fallen.clear()


Hear = Callable[[Watcher, Event], None]


def _note_revealed(watcher: Watcher, event: Event) -> None:
    for name, block in event["blocks"].items():
        watcher.show(name, block["side"], block["strength"], event["area"])


def _unity(watcher: Watcher, event: Event) -> None:
    if event["leaves"]:
        watcher.go(event["block"], POOL)


def _retreat(watcher: Watcher, event: Event) -> None:
    watcher.leave(event["side"], event["area"], event["to"], event["blocks"])


def _withdraw(watcher: Watcher, event: Event) -> None:
    goals = [*event["to"], *([POOL] if event.get("lost") else [])]
    if goals:
        watcher.leave(event["side"], event["area"], goals)


def _move(watcher: Watcher, event: Event) -> None:
    watcher.leave(event["side"], event["path"][0], event["path"][-1:])


def _sail(watcher: Watcher, event: Event) -> None:
    if event["count"]:  # the card may be played and nobody sail: then there is neither origin nor goal
        watcher.leave(event["side"], event["origin"], (event["to"],))


def _disband(watcher: Watcher, event: Event) -> None:
    for area in event["areas"]:
        watcher.leave(event["side"], area, (POOL,))


def _noble(strength: int | None = None) -> Hear:
    """Return a function that hears of a noble by name, whose strength is told or known already."""

    def hear(watcher: Watcher, event: Event) -> None:
        if event.get("noble") and event.get("side"):
            steps: Any = event.get("strength", strength)
            watcher.show(event["noble"], event["side"], steps or 0, event["area"])

    return hear


def _home(watcher: Watcher, event: Event) -> None:
    watcher.show(event["noble"], event["side"], watcher.strength(event["noble"]), event["area"])


HEARD: dict[str, Hear] = {
    "turn": lambda watcher, event: watcher.turn(event["year"], event["turn"]),
    "winter": lambda watcher, event: watcher.turn(event["year"], WINTER_TURN),
    "revealed": _note_revealed,
    "hit": lambda watcher, event: watcher.weaken(event["block"], event["strength"]),
    "unity": _unity,
    "captured": _noble(strength=1),
    "defects": _noble(),
    "home": _home,
    "winter move": lambda watcher, event: watcher.go(event["block"], event["to"]),
    "dead": lambda watcher, event: watcher.drop(event["block"]),
    "retreat": _retreat,
    "withdraw": _withdraw,
    "regroup": _withdraw,
    "move": _move,
    "sea move": _sail,
    "to pool": lambda watcher, event: watcher.to_pool(event["side"], event["area"]),
    "draw": lambda watcher, event: watcher.lose_the_pool(event["side"]),
    "raid": lambda watcher, event: watcher.leave(ENGLAND, event["area"], (POOL,)),
    "disband": _disband,
}
"""The functions that hear what an event tells of blocks, by the kind of the event."""
