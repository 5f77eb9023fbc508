"""A driver for rules that are written as coroutines: they await Asks, the driver brings the answers.

A rule reads like the rulebook, top to bottom, and never learns who answers or when. There is no
saved place in the flow: a game is brought back by giving its answers again. `Telling` also remembers
what each audience was told.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Sequence
from typing import Any, ClassVar

from pbem.rules.base import OPEN, Ask, Event, IllegalAnswer, Outcome


class GameOver(Exception):
    """Raised by a rule that ends the game at once (caught by the driver, never by rules)."""

    def __init__(self, winner: str | None, reason: str) -> None:
        self.outcome = Outcome(winner, reason)
        super().__init__(reason)


async def ask(
    side: str,
    kind: str,
    rule: str,
    answers: Sequence[str],
    preferred: str,
    *,
    public: bool = True,
    always: bool = False,
) -> str:
    """Put a question that has just these answers, and return the answer; the arguments are those of `Ask`."""
    answer: str = await Ask(
        side, kind, rule, lambda: answers, public=public, preferred=lambda: preferred, always=always
    )
    return answer


class _Together:
    """Several Asks put at once; the flow goes on when all are answered, and before that nobody learns any."""

    __slots__ = ("asks",)

    def __init__(self, asks: tuple[Ask, ...]) -> None:
        self.asks = asks

    def __await__(self) -> Generator[Any, Any, tuple[Any, ...]]:
        values: tuple[Any, ...] = yield self.asks
        return values


def together(*asks: Ask) -> _Together:
    """Return an awaitable that puts all of `asks` at once, and gives their answers in order."""
    return _Together(asks)


class _SideBySide:
    """Several flows, one for each side, that go on independently of each other."""

    __slots__ = ("coroutines",)

    def __init__(self, coroutines: tuple[Coroutine[Any, Any, Any], ...]) -> None:
        self.coroutines = coroutines

    def __await__(self) -> Generator[Any, Any, tuple[Any, ...]]:
        values: tuple[Any, ...] = yield self
        return values


def side_by_side(*coroutines: Coroutine[Any, Any, Any]) -> _SideBySide:
    """Return an awaitable that runs each flow, and gives what each returns.

    Each flow asks its own side, one Ask at a time, and waits for no other.
    """
    return _SideBySide(coroutines)


class _Lane:
    """One of several flows side by side, with the Ask that it waits for."""

    __slots__ = ("ask", "coroutine", "result")

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self.coroutine = coroutine
        self.ask: Ask | None = None
        self.result: Any = None
        self.advance(None)

    def advance(self, value: Any) -> None:
        """Give the lane's flow an answer, and run it to its next Ask or to its end."""
        values = None if value is None else (value,)
        while True:
            try:
                (self.ask,) = self.coroutine.send(values)
            except StopIteration as end:
                self.ask, self.result = None, end.value
                return
            value = self.ask.settled()
            if value is OPEN:
                return
            values = (value,)


class _Stop:
    """A public place at which a judge may halt, whoever is asked there."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __await__(self) -> Generator[Any, Any, None]:
        yield self.name


def stop(name: str) -> _Stop:
    """Return an awaitable at which a game started with `stops` halts until it is told to go on."""
    return _Stop(name)


class Flow:
    """The driver of one coroutine of rules from Ask to Ask.

    An Ask with one legal answer is answered at once and never shown. When several are asked together,
    those already answered vanish from `asks` and nothing else changes until the last one is in.
    """

    rule_of_turns: ClassVar[str] = "Order of play"
    """The rule that is cited when somebody answers who is not asked."""

    def __init__(self, stops: bool) -> None:
        self.outcome: Outcome | None = None
        self.at_stop: str | None = None
        self._stops = stops
        self._asked: tuple[Ask, ...] = ()
        self._values: list[Any] = []  # the answer to each Ask; OPEN while it waits
        self._lanes: tuple[_Lane, ...] = ()  # the flows side by side; while they go on nothing else is asked
        self._coroutine: Coroutine[Any, Any, Outcome]

    def run(self, coroutine: Coroutine[Any, Any, Outcome]) -> None:
        """Begin the game's flow, and go on to its first Ask."""
        self._coroutine = coroutine
        self._advance(None)

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The Asks that are open, which are those put to the sides and not answered yet."""
        if self._lanes:
            return tuple(lane.ask for lane in self._lanes if lane.ask is not None)
        return tuple(ask for ask, value in zip(self._asked, self._values, strict=True) if value is OPEN)

    def answer(self, side: str, text: str) -> None:
        """Answer the Ask that is open to `side`. Raises IllegalAnswer, having changed nothing."""
        for lane in self._lanes:
            if lane.ask is not None and lane.ask.side == side:
                lane.advance(lane.ask.read(text))
                if not self.asks:
                    self._advance(tuple(lane.result for lane in self._lanes))
                return
        for index, ask in enumerate(self._asked):
            if ask.side == side and self._values[index] is OPEN:
                self._values[index] = ask.read(text)
                if OPEN not in self._values:
                    self._advance(tuple(self._values))
                return
        raise IllegalAnswer(self.rule_of_turns, f"nothing is asked of {side} now")

    def go_on(self) -> None:
        """Leave a public stop, and go on to the next Ask or stop."""
        if self.at_stop is not None:
            self.at_stop = None
            self._advance(None)

    def _advance(self, values: tuple[Any, ...] | None) -> None:
        self._asked, self._values, self._lanes = (), [], ()
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
            if isinstance(asks, _SideBySide):
                self._lanes = tuple(map(_Lane, asks.coroutines))
                if self.asks:
                    return
                values = tuple(lane.result for lane in self._lanes)
                self._lanes = ()
                continue
            found = [ask.settled() for ask in asks]
            if OPEN in found:
                self._asked, self._values = asks, found
                return
            values = tuple(found)


class Telling(Flow):
    """A flow of rules that tells what happens, and tells each audience only what it may know."""

    def __init__(self, stops: bool) -> None:
        super().__init__(stops)
        self._told: list[tuple[Event, Event, tuple[str, ...]]] = []  # event for all, with secret, its owners

    def tell(
        self,
        event: str,
        *,
        secret: dict[str, Any] | None = None,
        owner: str | tuple[str, ...] = (),
        **public: Any,
    ) -> None:
        """Tell everybody that something happened; only its owners and the judge learn what `secret` adds.

        Every audience gets the same events in the same order, so their number betrays nothing.
        """
        plain = {"event": event, **public}
        owners = (owner,) if isinstance(owner, str) else owner
        self._told.append((plain, {**plain, **secret} if secret else plain, owners))
        self.heard()

    def heard(self) -> None:
        """Apply rules that wait for a telling; it is called after each one, and a game may override it."""

    def told(self, audience: str, after: int = 0) -> list[Event]:
        """Return what an audience has been told so far, without the first `after` events."""
        return [
            full if audience == "gm" or audience in owners else plain
            for plain, full, owners in self._told[after:]
        ]
