"""The state of a season: its members, its calls, and its rounds with the results of each pairing."""

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
from pbem.trust.life import AskedExchange


@dataclass(slots=True)
class Member:
    """A player who has entered the league, with their present state."""

    name: str
    rating: int | None
    games: int
    """Number of games at once that the player wishes for; 0 if they have stated no wish."""
    eliminator: bool
    at: int
    """The number of the ledger entry by which the player entered."""
    first_round: int
    leaving_reason: str = ""
    """The reason for which the player left: withdraw, expel or silent; "" while they take part."""
    left_at: datetime | None = None
    took_at: datetime | None = None
    """The time at which the player took a leaver's place; None if they have a place of their own."""
    played_all: bool = False
    """Whether the player left of their own accord after their last game; then all results count."""
    unanswered_calls: int = 0
    """Number of calls in a row that the player has left unanswered."""
    absences: list[tuple[int, int]] = field(default_factory=list)
    half_byes: list[int] = field(default_factory=list)
    """The rounds for which the player has asked for half a point in place of a game."""

    def entrant(self) -> Entrant:
        """Return the member as an entrant in the calculation's terms."""
        return Entrant(name=self.name, rating=self.rating, eliminator=self.eliminator)

    def plays(self, number: int) -> bool:
        """Tell whether the player takes part in a round and is to be paired in it."""
        away = number in self.half_byes or any(first <= number <= last for first, last in self.absences)
        return not self.leaving_reason and not away and self.first_round <= number


@dataclass
class Call(AskedExchange):
    """One call of a league for the next steps of the players' chains."""

    purpose: Purpose
    chains: Mapping[str, str]
    """The name of the chain that counts for each player who is asked."""
    seating: Seating | None = None
    """The games of the round as the call fixes them; None if the call does not seat them."""
    signing_keys: dict[str, str] = field(default_factory=dict)
    """The key that counted for a player when their file was received, by the file's name."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The players who are asked, whose files are waited for."""
        return tuple(self.seals)

    @property
    def waiting(self) -> tuple[str, ...]:
        """The players who are asked and of whom no file has come."""
        return self.first_waiting(len(self.seals))

    def first_waiting(self, most: int) -> tuple[str, ...]:
        """Return at most `most` of the players of whom no file has come, without looking at thousands."""
        return tuple(islice((player for player in self.seals if not self.received_of(player)), most))


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer to play on for a leaver, with the time at which it was entered."""

    statement: Statement
    at: datetime

    @property
    def is_listed(self) -> bool:
        """Tell whether the offer is for the list of substitutes, so for whatever place becomes free first."""
        return not self.statement.of


@dataclass(frozen=True, slots=True)
class Appeal:
    """An appeal that nobody has answered yet."""

    player: str
    entry: int
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a pairing that counts at present."""

    ending: Ending
    places: Places
    counts: tuple[tuple[str, int], ...]
    at: datetime
    ruled: bool
    """Whether the director, not the game, decided the result."""
    reason: str = ""


@dataclass(slots=True)
class RoundState:
    """The state of one round since it was drawn."""

    pairings: Pairings
    last_date: datetime
    opened_games: dict[int, Opened] = field(default_factory=dict)
    seated_players: dict[int, frozenset[str]] = field(default_factory=dict)
    """The people in the seats of each pairing's game when the game was opened."""
    results: dict[int, Ended] = field(default_factory=dict)
    ruled_results: dict[int, Outcome] = field(default_factory=dict)
    absent_players: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The players of each pairing who left its table before the game was over."""
    correction_times: list[datetime] = field(default_factory=list)
    """The times at which results of the round were corrected."""
    over_at: datetime | None = None
    turns: dict[tuple[int, str], int] = field(init=False)
    """The number of a pairing among a player's games of the round, from 1, which chooses their chain."""

    def __post_init__(self) -> None:
        so_far = Counter[str]()
        self.turns = {}
        for pair in self.pairings.pairs:
            so_far.update(pair.players)
            self.turns |= {(pair.number, player): so_far[player] for player in pair.players}

    @property
    def number(self) -> int:
        """The number of the round, counted from 1."""
        return self.pairings.round

    def pair(self, number: int) -> Paired:
        """Return a pairing of the round by its number."""
        return self.pairings.pairs[number - 1]

    def outcome(self, number: int) -> Outcome | None:
        """Return the result of a pairing: by the last ruling about it, else by its game; None without one."""
        if number in self.ruled_results:
            return self.ruled_results[number]
        ended = self.results.get(number)
        if ended is None:
            return None
        return Outcome(ended.ending, ended.places, ended.counts, ended.at, False, ended.reason)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Return the results of those pairings of the round that have one."""
        found = (self.outcome(pair.number) for pair in self.pairings.pairs)
        return tuple(one for one in found if one is not None)

    @property
    def unfinished_pairs(self) -> tuple[Paired, ...]:
        """Return the pairings of the round that have no result."""
        return tuple(pair for pair in self.pairings.pairs if self.outcome(pair.number) is None)
