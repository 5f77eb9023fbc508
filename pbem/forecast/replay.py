"""The forecast for games that have none of their own, and the worlds that a view leaves possible.

A game names what its viewer does not see, with the places where each may be and how many each place holds.
All follows from the view alone, so that two worlds that look the same to the side give the same drawn world:
what the side does not see is drawn, or put somewhere by hand.

The orders are played on a position that fits what their writer sees. It ends where others have to answer or
chance has to fall, for what they bring nobody can see. A game brings no more than a position that looks like
a view (`imagine`), and what it calls its questions and draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from textwrap import wrap
from typing import Any, Protocol

from pbem.errors import ConfigError
from pbem.orders.base import Answer, Follower, Language, Orders
from pbem.orders.kit.parsed_orders import DONE
from pbem.rules.base import Ask, Chance, Game, Rules, View, read_head

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
        """Return no hidden block or card, since in the one position imagined nothing can be put elsewhere."""
        return Hidden((), {})

    def world(self, view: View, placed: Placed, chance: Chance) -> View:
        """Return the one position that the game imagines."""
        return self._imagine(view)

    def memory(self, view: View) -> None:
        """Return None, since nothing is known of the game's memories."""

    def remark(self, view: View) -> str:
        """Return an empty remark, since an imagined position asks what the real one asks."""
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


WIDTH = 76
MAX_ANSWERS = 200
"""Maximum number of answers that are played; no file of orders comes near."""

Imagine = Callable[[View], View]


class _Unseen(Exception):
    """Raised for a die or a draw with a label, since nobody can know it before it falls."""


class _Sealed:
    """The dice and draws of a game for somebody who writes orders: every one is still unknown."""

    def roll(self, label: str, sides: int = 6) -> int:
        raise _Unseen(label)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        raise _Unseen(label)


class Replay:
    """The maker of forecasts for a game that has none of its own."""

    def __init__(
        self,
        rules: Rules,
        language: Language,
        questions: Mapping[str, str],
        imagine: Imagine,
        chance: Callable[[str], str],
        assumed: Callable[[View], str] = lambda _: "",
    ) -> None:
        self.rules = rules
        self.language = language
        self.questions = questions
        self.imagine = imagine
        self.chance = chance
        self.assumed = assumed

    def forecast(self, orders: Orders, view: View, follower: Follower | None = None) -> tuple[str, ...]:
        """Return lines on what a side's orders answer, what is left out, and why the forecast ends there."""
        head = read_head(view)
        if head.outcome is not None:
            return ()
        own = follower.copy() if follower is not None else self.language.follower(head.viewer)
        before = len(own.dropped)
        own.receive(orders, view)
        lines = list(self._lines(head.viewer, own, head.options, view))
        faulty = {fault.line for fault in self.language.check(orders, view) if not fault.remark}
        lines += [f"{one}." for one in own.dropped[before:] if one.line not in faulty]
        return tuple(line for one in lines for line in wrap(one, WIDTH, subsequent_indent="  "))

    def _lines(
        self, side: str, follower: Follower, options: Mapping[str, object], view: View
    ) -> Iterator[str]:
        answers: list[tuple[str, str]] = []
        if assumed := self.assumed(view):
            yield assumed
        end = self._play(side, follower, options, view, answers)
        for question, several in groupby(answers, key=itemgetter(0)):
            yield f"{question} {'; '.join(said for _, said in several)}."
        yield end

    def _play(
        self,
        side: str,
        follower: Follower,
        options: Mapping[str, object],
        view: View,
        answers: list[tuple[str, str]],
    ) -> str:
        """Play a game by orders, noting each question with its answer; return why the forecast ends there."""
        try:
            game = self.rules.start(options, _Sealed(), self.imagine(view), stops=True)
            unasked = self.rules.stops[game.at_stop] if game.at_stop else frozenset()
            game.go_on()
            for _ in range(MAX_ANSWERS):
                ask = next((one for one in game.asks if one.side == side), None)
                if ask is None:
                    break
                text, default = self._answer(game, ask, follower), self.language.spoken(ask, ask.default)
                if text is None and ask.public and ask.kind not in unasked:
                    return f"{self._question(ask)}: you are asked; if you say nothing then: {default}."
                by = ":" if text is not None else ", by default:"
                said = default if text is None else self.language.spoken(ask, text)
                question = f"{self._question(ask)}{by}"
                if text != DONE or [last for last, _ in answers[-1:]] != [question]:  # no end of a list
                    answers.append((question, said))
                game.answer(side, ask.default if text is None else text)
        except _Unseen as unseen:
            return f"Then {self.chance(str(unseen))}: what comes after it depends on that."
        return "Then the game is over." if game.outcome else "Then it depends on the others."

    def _answer(self, game: Game, ask: Ask, follower: Follower) -> str | None:
        """Return the answer that the orders give to a question; None if they leave it open."""
        reply = follower.reply(ask, game.view(ask.side))
        return reply.text if isinstance(reply, Answer) and reply.text in ask.legal else None

    def _question(self, ask: Ask) -> str:
        said = self.questions[ask.kind].rstrip("?")
        return f"{said[:1].upper()}{said[1:]} ({ask.rule})"
