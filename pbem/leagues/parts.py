"""What a season consists of: its members, its calls, and its rounds with what became of each pairing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from pbem.leagues.entries import Ended, Opened, Paired, Pairings, Purpose
from pbem.leagues.model import Ending, Entrant
from pbem.leagues.seating import Seating
from pbem.leagues.statements import Places, Statement
from pbem.trust.life import Asked


@dataclass(slots=True)
class Member:
    """Somebody who has entered."""

    name: str
    rating: int | None
    games: int
    """So many at once they wish; 0: they have not said."""
    eliminator: bool
    at: int
    """The number of the entry."""
    first_round: int
    left: str = ""
    """Why they take part no more: withdraw, expel or silent; "" while they do."""
    left_at: datetime | None = None
    took_at: datetime | None = None
    """When they took the place of somebody who had left; None if they have a place of their own."""
    played_all: bool = False
    """Whether they left by their own word when they had nothing left to play: then all of it counts."""
    silent: int = 0
    """So many calls running they have left unanswered."""
    absences: list[tuple[int, int]] = field(default_factory=list)
    half_byes: list[int] = field(default_factory=list)
    """The rounds for which they have asked for half a point in place of a game."""

    def entrant(self) -> Entrant:
        """As the calculation takes them."""
        return Entrant(name=self.name, rating=self.rating, eliminator=self.eliminator)

    def plays(self, number: int) -> bool:
        """Whether they are to be paired in a round."""
        away = number in self.half_byes or any(first <= number <= last for first, last in self.absences)
        return not self.left and not away and self.first_round <= number


@dataclass
class Call(Asked):
    """One call for the next steps of the chains."""

    purpose: Purpose
    chains: Mapping[str, str]
    """Player -> the chain that counts for them, of all who are asked."""
    seating: Seating | None = None
    """What it fixes for the games of its round, if it seats them."""
    signed: dict[str, str] = field(default_factory=dict)
    """Name of a sealed file that was received -> the key that counted for its player then."""

    @property
    def asked(self) -> tuple[str, ...]:
        """Whose files are waited for."""
        return tuple(self.seals)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Of whom nothing has come."""
        return self.first_waiting(len(self.seals))

    def first_waiting(self, most: int) -> tuple[str, ...]:
        """So many of them at most: of thousands, a receipt need not look at all."""
        return tuple(islice((player for player in self.seals if not self.received_of(player)), most))


@dataclass(frozen=True, slots=True)
class Offer:
    """Somebody's word that they would play on for who has left, and when it was entered."""

    said: Statement
    at: datetime

    @property
    def listed(self) -> bool:
        """Whether they stand on the list, for whatever place is free first."""
        return not self.said.of


@dataclass(frozen=True, slots=True)
class Appeal:
    """An appeal that nobody has answered yet."""

    player: str
    entry: int
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pairing came to, as it stands now."""

    ending: Ending
    places: Places
    counts: tuple[tuple[str, int], ...]
    at: datetime
    ruled: bool
    """Whether the director has decided it."""
    reason: str = ""


@dataclass(slots=True)
class RoundState:
    """One round since it was drawn."""

    made: Pairings
    until: datetime
    opened: dict[int, Opened] = field(default_factory=dict)
    sat: dict[int, frozenset[str]] = field(default_factory=dict)
    """Pairing -> who had the seats of its game when it was opened."""
    ended: dict[int, Ended] = field(default_factory=dict)
    ruled: dict[int, Outcome] = field(default_factory=dict)
    gone: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Pairing -> who had left a table before its game was over."""
    corrected: list[datetime] = field(default_factory=list)
    """When results of it were corrected."""
    over: datetime | None = None
    turns: dict[tuple[int, str], int] = field(init=False)
    """Pairing and player -> which of the player's games in the round it is, from 1: so their chain for it."""

    def __post_init__(self) -> None:
        so_far = Counter[str]()
        self.turns = {}
        for pair in self.made.pairs:
            so_far.update(pair.players)
            self.turns |= {(pair.number, player): so_far[player] for player in pair.players}

    @property
    def number(self) -> int:
        """Counted from 1."""
        return self.made.round

    def pair(self, number: int) -> Paired:
        """A pairing by its number."""
        return self.made.pairs[number - 1]

    def outcome(self, number: int) -> Outcome | None:
        """What a pairing came to: by the last ruling about it, else by its result."""
        if number in self.ruled:
            return self.ruled[number]
        ended = self.ended.get(number)
        if ended is None:
            return None
        return Outcome(ended.ending, ended.places, ended.counts, ended.at, False, ended.reason)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What the pairings that have a result came to."""
        found = (self.outcome(pair.number) for pair in self.made.pairs)
        return tuple(one for one in found if one is not None)

    @property
    def unfinished(self) -> tuple[Paired, ...]:
        """The pairings without a result."""
        return tuple(pair for pair in self.made.pairs if self.outcome(pair.number) is None)
