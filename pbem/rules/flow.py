"""Runs rules that are written as coroutines: they await Asks, the driver brings the answers.

A rule reads like the rulebook, top to bottom, and never learns who answers or when. There is no
saved place in the flow: a game is brought back by giving its answers again.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import Any

from pbem.rules.base import OPEN, Ask, IllegalAnswer, Outcome


class GameOver(Exception):
    """Raised by a rule that ends the game at once (caught by the driver, never by rules)."""

    def __init__(self, winner: str | None, reason: str) -> None:
        self.outcome = Outcome(winner, reason)
        super().__init__(reason)


class _Together:
    """Several Asks at once; the flow goes on when all are answered, and nobody learns more before."""

    __slots__ = ("asks",)

    def __init__(self, asks: tuple[Ask, ...]) -> None:
        self.asks = asks

    def __await__(self) -> Generator[Any, Any, tuple[Any, ...]]:
        values: tuple[Any, ...] = yield self.asks
        return values


def together(*asks: Ask) -> _Together:
    """Awaited: the answers to `asks`, in their order."""
    return _Together(asks)


class _Stop:
    """A public place at which a judge may halt, whoever is asked there."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __await__(self) -> Generator[Any, Any, None]:
        yield self.name


def stop(name: str) -> _Stop:
    """Awaited: nothing; a game started with `stops` halts here until told to go on."""
    return _Stop(name)


class Flow:
    """Drives one coroutine of rules from Ask to Ask.

    An Ask with one legal answer is answered at once and never shown. When several are asked together,
    those already answered vanish from `asks` and nothing else changes until the last one is in.
    """

    def __init__(self, stops: bool) -> None:
        self.outcome: Outcome | None = None
        self.at_stop: str | None = None
        self._stops = stops
        self._asked: tuple[Ask, ...] = ()
        self._values: list[Any] = []  # of each Ask; OPEN while it waits
        self._coroutine: Coroutine[Any, Any, Outcome]

    def run(self, coroutine: Coroutine[Any, Any, Outcome]) -> None:
        """Begin the game's flow and go on to its first Ask."""
        self._coroutine = coroutine
        self._advance(None)

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The open Asks."""
        return tuple(ask for ask, value in zip(self._asked, self._values, strict=True) if value is OPEN)

    def answer(self, side: str, text: str) -> None:
        """Answer the Ask that is open to `side`; raises IllegalAnswer, having changed nothing."""
        for index, ask in enumerate(self._asked):
            if ask.side == side and self._values[index] is OPEN:
                self._values[index] = ask.read(text)
                if OPEN not in self._values:
                    self._advance(tuple(self._values))
                return
        raise IllegalAnswer("3.0", f"nothing is asked of {side} now")

    def go_on(self) -> None:
        """Leave a public stop."""
        if self.at_stop is not None:
            self.at_stop = None
            self._advance(None)

    def _advance(self, values: tuple[Any, ...] | None) -> None:
        self._asked, self._values = (), []
        send = self._coroutine.send
        while True:
            try:
                asks = send(values)
            except StopIteration as end:
                self.outcome = end.value
                return
            except GameOver as end:
                self.outcome = end.outcome
                return
            if isinstance(asks, str):
                if self._stops:
                    self.at_stop = asks
                    return
                values = None
                continue
            found = [ask.settled() for ask in asks]
            if OPEN in found:
                self._asked, self._values = asks, found
                return
            values = tuple(found)
