"""A season as the pages for players tell it: who is asked, who is drawn, who has left, who waits how long.

Written from `leagues.md` and `protocol-leagues.md` (L3, L4, L7, L9, L10), for a Swiss whose players stop. It
reads the ledger entry by entry and says, with AssertionError, what may not stand there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pbem.leagues.entries import (
    BY_LEAVING,
    DRAW,
    Ended,
    Finished,
    Opened,
    Pairings,
    RoundOver,
    Ruled,
    Said,
    Substituted,
    purpose_of,
)
from pbem.leagues.statements import ABSENT, APPEAL, ENTER, SUBSTITUTE, WITHDRAW, Statement
from pbem.trust.entries import Close, Entry, Open, Received

LEDGER = "league.cup"
NEVER = timedelta(days=10_000)


@dataclass
class Person:
    """Somebody who takes part, or did."""

    left: datetime | None = None
    is_silent: bool = False
    """They left by silence, so they may come back."""
    calls: int = 0
    """So many calls running they have not answered."""
    absent: set[int] = field(default_factory=set)
    took: datetime | None = None
    """When they got the place of somebody who had left."""


@dataclass
class Waits:
    """How long the file lets anybody wait, in days and calls."""

    calls: int
    place: timedelta
    appeals: timedelta
    answer: timedelta


@dataclass
class Model:
    """The season as far as it was read."""

    waits: Waits
    look: timedelta
    """The judge looks so often."""
    people: dict[str, Person] = field(default_factory=dict)
    heirs: dict[str, str] = field(default_factory=dict)
    """Who has left -> who has their place."""
    listed: dict[str, datetime] = field(default_factory=dict)
    """Who stands on the list of substitutes, since when, in order."""
    call: Open | None = None
    answered: set[str] = field(default_factory=set)
    round: int = 0
    pairs: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The pairings of the round without a result: who was drawn."""
    last: datetime | None = None
    """The last result of the round, or its draw."""
    appeals: dict[int, tuple[datetime, datetime | None]] = field(default_factory=dict)
    """Entry -> when it was made and answered."""
    over: bool = False

    def now(self, player: str) -> str:
        """Who has somebody's place."""
        while player in self.heirs:
            player = self.heirs[player]
        return player

    def has_left(self, player: str) -> bool:
        return self.people[player].left is not None

    def there(self) -> set[str]:
        """Who takes part."""
        return {name for name, one in self.people.items() if one.left is None}

    def asked(self, what: str, number: int) -> set[str]:
        """Who must be asked by a call."""
        if what == DRAW:
            return {name for name in self.there() if number not in self.people[name].absent}
        return self.there() & {self.now(player) for pair in self.pairs.values() for player in pair}

    def read(self, number: int, entry: Entry) -> None:
        """One entry more."""
        match entry:
            case Said():
                self._said(number, entry.player, entry.statement(LEDGER), entry.at)
            case Open():
                purpose = purpose_of(entry)
                assert {name for name, _ in entry.seals} == self.asked(purpose.what, purpose.round)
                self.call, self.answered = entry, set()
            case Received():
                self.answered.add(entry.player)
            case Close():
                assert entry.at is not None
                self._closed(entry.at)
            case Pairings():
                self._drawn(entry)
            case Opened():
                assert entry.about[1] in self.pairs
            case Ended():
                self._ended(entry)
            case RoundOver():
                self._round_over(entry.at)
            case Substituted():
                self._substituted(entry)
            case Ruled():
                self._ruled(entry)
            case Finished():
                assert not self.pairs
                self.over = True

    def _ruled(self, entry: Ruled) -> None:
        if entry.decides[0] == "readmit":
            one = self.people[entry.decides[1]]
            assert one.is_silent
            assert entry.decides[1] not in self.heirs
            one.left, one.is_silent, one.calls = None, False, 0
        elif entry.decides[0] == "answer":
            made, answered = self.appeals[int(entry.decides[1])]
            assert answered is None
            self.appeals[int(entry.decides[1])] = made, entry.at

    def _said(self, number: int, player: str, said: Statement, at: datetime) -> None:
        if player in self.people:
            self.people[player].calls = 0
        if said.say == ENTER:
            self.people[player] = Person()
        elif said.say == WITHDRAW and player in self.listed:
            del self.listed[player]
        elif said.say == WITHDRAW:
            self.people[player].left = at
        elif said.say == ABSENT:
            assert said.rounds is not None
            self.people[player].absent.update(range(said.rounds[0], said.rounds[1] + 1))
        elif said.say == SUBSTITUTE:
            self.listed[player] = at
        elif said.say == APPEAL:
            self.appeals[number] = at, None

    def _closed(self, at: datetime) -> None:
        """L3, and leagues.md: who left so many calls running unanswered counts as withdrawn."""
        assert self.call is not None
        assert self.call.deadline is not None
        asked = {name for name, _ in self.call.seals}
        assert asked <= self.answered or at >= self.call.deadline, "closed before its deadline"
        assert at <= self.call.deadline + self.look, "open longer than the file says"
        for name in asked if self.answered else ():
            one = self.people[name]
            one.calls = 0 if name in self.answered else one.calls + 1
            if one.left is None and one.calls >= self.waits.calls:
                one.left, one.is_silent = at, True

    def _drawn(self, entry: Pairings) -> None:
        """L4, L7: who was asked and has not left, or has their place; all, if too few are left."""
        assert self.call is not None
        asked = {self.now(name) for name, _ in self.call.seals}
        playing = {name for pair in entry.pairs for name in pair.players}
        byes = {name for _, name in entry.byes}
        there = {name for name in asked if not self.has_left(name)}
        assert playing | byes == (there if len(there) > 1 else asked), "others are drawn"
        assert not playing & byes
        self.round, self.last = entry.round, entry.at
        self.pairs = {pair.number: pair.players for pair in entry.pairs}

    def _ended(self, entry: Ended) -> None:
        """L7: a game is lost by leaving when the place has waited, and not sooner."""
        if entry.by == BY_LEAVING:
            until = self.until(self.pairs[entry.pairing])
            assert until is not None, "nobody has left"
            assert entry.at >= until, "lost too soon"
            vacant = self._vacant(self.pairs[entry.pairing])
            ends = [self._place_until(player) for player in vacant if player not in self.heirs]
            assert not any(at <= until for at in self.listed.values() for until in ends), (
                "who waits could have it"
            )
        if entry.pairing in self.pairs:
            del self.pairs[entry.pairing]
            self.last = entry.at

    def _place_until(self, player: str) -> datetime:
        left = self.people[player].left
        assert left is not None
        return left + self.waits.place

    def _vacant(self, players: Iterable[str]) -> list[str]:
        """Whose seats nobody has."""
        return [player for player in players if self.has_left(self.now(player))]

    def until(self, players: Iterable[str]) -> datetime | None:
        """Until when a game is waited for that somebody has left: for a substitute, or until they sit."""
        if vacant := self._vacant(players):
            return max(map(self._place_until, vacant))
        took = [self.people[self.now(player)].took for player in players if self.has_left(player)]
        return min((at + self.waits.place for at in took if at is not None), default=None)

    def _round_over(self, at: datetime) -> None:
        """leagues.md, appeals: so long after the last result, and for appeals made in time."""
        assert self.last is not None
        assert not self.pairs, "a pairing has no result"
        until = self.last + self.waits.appeals
        ends = [
            min(answered or made + NEVER, made + self.waits.answer)
            for made, answered in self.appeals.values()
            if made <= until
        ]
        assert at >= max(until, *ends, until), "over before the days of appeals"
        assert at <= max(until, *ends, until) + 2 * self.look, "nobody waits longer than the file says"

    def _substituted(self, entry: Substituted) -> None:
        """L10: the first of the list has the place, while it waits."""
        assert self.has_left(entry.of)
        assert entry.of not in self.heirs
        assert next(iter(self.listed)) == entry.player, "the first of the list goes before others"
        assert self.listed.pop(entry.player) <= self._place_until(entry.of), "the place had waited its days"
        self.heirs[entry.of] = entry.player
        self.people[entry.player] = Person(took=entry.at)

    def waiting(self, now: datetime) -> Iterator[str]:
        """What waits longer than the file says."""
        assert self.last is not None or not self.pairs
        for number, players in self.pairs.items():
            until = self.until(players)
            if until is not None and self.last is not None and now > max(until, self.last) + 3 * self.look:
                yield f"pairing {number} of {' and '.join(players)}"
