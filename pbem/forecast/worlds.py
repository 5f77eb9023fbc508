"""Worlds that a side's view leaves possible: what the side does not see is drawn, or put somewhere by hand.

A game names what its viewer does not see, with the places where each may be and how many each place holds.
All follows from the view alone, so that two worlds that look the same to the side give the same drawn world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pbem.errors import ConfigError
from pbem.rules.base import Chance, View

Placed = Sequence[tuple[str, str]]
"""Pairs of a block or card and the place where it is put; a name of several cards may come several times."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A block or card that a viewer does not see, with the places where it may be."""

    name: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hidden:
    """All that a viewer does not see: the blocks or cards, and how many of them each place holds."""

    unseen: tuple[Unseen, ...]
    rooms: Mapping[str, int]


class Worlds(Protocol):
    """The maker of possible worlds for one game."""

    def hidden(self, view: View) -> Hidden:
        """Return what the viewer does not see, with as many blocks or cards as there is room for."""

    def world(self, view: View, placed: Placed, chance: Chance) -> View:
        """Return a position, shaped like `view("gm")`, in which all that is hidden lies where it is placed.

        The chance draws what else is unknown, such as strengths.
        """

    def memory(self, view: View) -> Any:
        """Return what the view remembers, as a memory of the game's reports loads it; None for nothing."""

    def remark(self, view: View) -> str:
        """Return in a sentence what a game begun from a view must begin anew; "" if it just goes on."""


class PlainWorlds:
    """The worlds of a game that can only imagine one position for a view."""

    def __init__(self, imagine: Callable[[View], View]) -> None:
        self._imagine = imagine

    def hidden(self, view: View) -> Hidden:
        """Return nothing, since the game imagines one position, in which nothing can be put elsewhere."""
        return Hidden((), {})

    def world(self, view: View, placed: Placed, chance: Chance) -> View:
        """Return the one position that the game imagines."""
        return self._imagine(view)

    def memory(self, view: View) -> None:
        """Return None, since nothing is known of the game's memories."""

    def remark(self, view: View) -> str:
        """Return nothing, since an imagined position asks what the real one asks."""
        return ""


def draw_world(worlds: Worlds, view: View, chance: Chance, placed: Placed = ()) -> View:
    """Return a position that looks to its viewer as the view does; some blocks or cards are put by hand.

    Raises:
        ConfigError: something that is put by hand is not hidden, or cannot be where it is put.
    """
    hidden = worlds.hidden(view)
    return worlds.world(view, _Seating(hidden, placed, chance).seated(), chance)


class _Seating:
    """The places of all hidden blocks and cards, which are drawn one after another."""

    def __init__(self, hidden: Hidden, placed: Placed, chance: Chance) -> None:
        self._unseen, self._rooms, self._chance = hidden.unseen, hidden.rooms, chance
        self._inside: dict[str, list[int]] = {place: [] for place in hidden.rooms}
        self._by_hand: set[int] = set()
        for name, place in placed:
            self._put(name, place)

    def seated(self) -> list[tuple[str, str]]:
        """Return every hidden block or card with its place; who may be in few places is drawn first."""
        order = sorted(range(len(self._unseen)), key=lambda one: len(self._unseen[one].places))
        for one in order:
            if one not in self._by_hand and not self._seat(one, set()):
                raise ConfigError(
                    f"with what you put there is no place left for {self._unseen[one].name}; it may be in "
                    f"{', '.join(self._unseen[one].places)}"
                )
        found = {one: place for place, inside in self._inside.items() for one in inside}
        return [(one.name, found[number]) for number, one in enumerate(self._unseen)]

    def _put(self, name: str, place: str) -> None:
        """Put a block or card in a place by hand; names are read in any case."""
        alike = [
            number
            for number, one in enumerate(self._unseen)
            if one.name.lower() == name.lower() and number not in self._by_hand
        ]
        if not alike:
            known = ", ".join(sorted({one.name for one in self._unseen})) or "nothing"
            raise ConfigError(f"{name} is not hidden, or not so often; hidden are: {known}")
        one = alike[0]
        places = self._unseen[one].places
        room = next((room for room in places if room.lower() == place.lower()), None)
        if room is None:
            raise ConfigError(f"{name} cannot be in {place}; it may be in {', '.join(places)}")
        if len(self._inside[room]) >= self._rooms[room]:
            raise ConfigError(f"{room} has no more than {self._rooms[room]} hidden, and more are put there")
        self._inside[room].append(one)
        self._by_hand.add(one)

    def _seat(self, one: int, tried: set[str]) -> bool:
        """Draw a place for a hidden block or card, moving others if need be; tell whether there was one."""
        places = [place for place in self._unseen[one].places if place not in tried]
        free = [place for place in places for _ in range(self._rooms[place] - len(self._inside[place]))]
        if free:
            self._inside[self._chance.draw(f"place/{one}", tuple(free))].append(one)
            return True
        for place in places:
            tried.add(place)
            for other in self._inside[place]:
                if other not in self._by_hand and self._seat(other, tried):
                    self._inside[place].remove(other)
                    self._inside[place].append(one)
                    return True
        return False
