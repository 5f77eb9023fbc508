"""The facts of a season by its ledger so far: members, rounds with their results, statements and their quota.

Rules for statements, rulings and waiting times ask and change these facts; pbem.leagues.season reads entries.

The quota of statements keeps a ledger so short that a bundle can carry it. Its numbers stand in
trust.formats. The judge asks before anything is entered, and the season as it reads an entry; so the audit
refutes a ledger that holds more. Each player has room of their own, and withdrawals and new keys have theirs
beside the rest: nobody can use up another's, nor their own way out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from pbem.leagues.calls import Call, Calls
from pbem.leagues.config import LeagueFile
from pbem.leagues.earlier_results import NOTHING, Carried
from pbem.leagues.entries import (
    DRAW,
    Ended,
    Finished,
    LeagueGenesis,
    Opened,
    Paired,
    Pairings,
    Ruled,
    Substituted,
)
from pbem.leagues.model import Ending, Entrant
from pbem.leagues.statements import ENTER, NEW_KEY, SUBSTITUTE, VOTE, WITHDRAW, Places, Statement
from pbem.trust import formats
from pbem.trust.chance import Reveal
from pbem.trust.faults import LedgerFault


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


@dataclass(slots=True)
class StatementQuota:
    """The count of the statements and rulings made so far in a league, by which further ones are limited."""

    file: LeagueFile
    limited_statements: Counter[str] = field(default_factory=Counter)
    """Number of each player's statements that are limited by the day."""
    on_day: Counter[tuple[str, date]] = field(default_factory=Counter)
    keys: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """Number of new keys that were named so far, by player and by whether the old key allowed them."""
    votes: Counter[tuple[str, tuple[int, int] | None]] = field(default_factory=Counter)
    entered: int = 0
    offers: Counter[str] = field(default_factory=Counter)
    """Number of offers to play on for each player; "" counts offers for the list of substitutes."""
    rulings: int = 0

    @property
    def most_entries(self) -> int:
        """Return how many players may enter in all, those who have left included."""
        return formats.most_entries(self.file.most)

    def check(self, said: Statement, at: datetime) -> None:
        """Check a statement against its player's quota. Raises LedgerFault with the limit."""
        who, name = said.player, self.file.name
        match said.say:
            case _ if said.say == WITHDRAW:
                return
            case _ if said.say == NEW_KEY:
                if self.keys[who, bool(said.by)] >= formats.MAX_NEW_KEYS:
                    raise LedgerFault(f"{who} has had {formats.MAX_NEW_KEYS} new keys in {name}, the most")
            case _ if said.say == VOTE:
                if self.votes[who, said.about] >= formats.MAX_VOTES:
                    raise LedgerFault(f"{who} has voted on this game {formats.MAX_VOTES} times, the most")
            case _ if said.say == ENTER:
                if self.entered >= self.most_entries:
                    raise LedgerFault(
                        f"{self.most_entries} have entered {name}, with those who left; no more can enter"
                    )
            case _ if said.say == SUBSTITUTE:
                if not said.of and self.offers[said.of] >= (most := formats.most_listed(self.file.most)):
                    raise LedgerFault(f"{most} have entered the list of substitutes; no more can enter")
                if said.of and self.offers[said.of] >= formats.MAX_OFFERS:
                    raise LedgerFault(
                        f"{formats.MAX_OFFERS} have offered to play on for {said.of}; the director chooses"
                    )
                if self.offers.total() >= self.file.most:
                    raise LedgerFault(
                        f"{self.file.most} have offered to play on for somebody in {name}, the most"
                    )
            case _:
                self._check_rest(who, at)

    def _check_rest(self, who: str, at: datetime) -> None:
        if self.on_day[who, at.date()] >= formats.MAX_STATEMENTS_IN_DAY:
            raise LedgerFault(
                f"{who} has said {formats.MAX_STATEMENTS_IN_DAY} things today; no more are taken on one day "
                "(UTC), but 'withdraw' and 'new-key' always are"
            )
        if self.limited_statements[who] >= (most := formats.most_said(self.file.most_rounds)):
            raise LedgerFault(
                f"{who} has said {most} things in {self.file.name}; no more are taken, but 'withdraw' and "
                "'new-key' always are"
            )

    def take(self, said: Statement, at: datetime) -> None:
        """Count a statement that was entered in the ledger."""
        match said.say:
            case _ if said.say == WITHDRAW:
                pass
            case _ if said.say == NEW_KEY:
                self.keys[said.player, bool(said.by)] += 1
            case _ if said.say == VOTE:
                self.votes[said.player, said.about] += 1
            case _ if said.say == ENTER:
                self.entered += 1
            case _ if said.say == SUBSTITUTE:
                self.offers[said.of] += 1
            case _:
                self.on_day[said.player, at.date()] += 1
                self.limited_statements[said.player] += 1

    def take_ruling(self) -> None:
        """Count a ruling. Raises LedgerFault if there have been too many."""
        most = formats.most_rulings(self.file.most, self.file.most_rounds, self.file.most_games)
        if self.rulings >= most:
            raise LedgerFault(f"{most} rulings have been made in {self.file.name}; no more are taken")
        self.rulings += 1


class SeasonFacts:
    """The facts of a league after its entries so far; `genesis_head` is the head of the first entry."""

    def __init__(
        self, genesis: LeagueGenesis, file: LeagueFile, genesis_head: str, carried: Carried = NOTHING
    ) -> None:
        if genesis.file != file.sha256 or genesis.game != file.ledger:
            raise LedgerFault("the league's file is not the one that its ledger names")
        if genesis.carried != carried.sha256 or bool(carried.people) != bool(file.last):
            raise LedgerFault("what comes from earlier seasons is not what the ledger and the file name")
        self.genesis = genesis
        self.genesis_head = genesis_head
        self.carried = carried
        self.file = file
        self.size = 1
        """The number of entries that were accepted."""
        self.is_whole = True
        """Whether the season read all of its entries; a refused entry may have been read in part."""
        self.rules = genesis.rules
        self.call_log = Calls(genesis, 2 * file.most_rounds)
        self.keys = self.call_log.keys
        self.members: dict[str, Member] = {}
        self.offers: dict[str, Offer] = {}
        """The offers to play on for a leaver that are not taken up, in the order of the substitutes' list."""
        self.successors: dict[str, str] = {}
        """A mapping from players who left to the substitutes who took their places."""
        self.substitutions: list[Substituted] = []
        """The ledger entries by which substitutes from the list took places."""
        self.calls = self.call_log.exchanges
        self.rounds: list[RoundState] = []
        self.statement_hashes: set[str] = set()
        """The hashes of all statements that the ledger holds."""
        self.challenges: list[tuple[int, str, str]] = []
        """The challenges, each with the round before which it was made, the challenger and the challenged."""
        self.votes: dict[tuple[int, int], dict[str, Places]] = {}
        self.appeals: dict[int, Appeal] = {}
        """The unanswered appeals, by the number of their entry."""
        self.results_at: dict[int, tuple[int, int]] = {}
        """The round and pairing of the result that an entry gives or corrects, by the entry's number."""
        self.answered_appeals: dict[int, tuple[Appeal, Ruled]] = {}
        """The answered appeals by the number of their entry, each with its answer."""
        self.appealed_entries: set[tuple[str, int]] = set()
        """The pairs of a player and the number of the entry against which the player appealed."""
        self.rulings: list[Ruled] = []
        self.started_at: datetime | None = None
        """The time of the director's decision to begin with fewer entrants than the file wants; None without
        it."""
        self.is_cancelled = False
        self.end_entry: Finished | None = None
        self.last_at = genesis.at
        self.quota = StatementQuota(file)

    # what stands

    @property
    def is_over(self) -> bool:
        """Tell whether the ledger is complete, so that no entry can come any more."""
        return self.end_entry is not None or self.is_cancelled

    @property
    def next_number(self) -> int:
        """The number of the entry that comes next, or is being read."""
        return self.size + 1

    @property
    def call(self) -> Call | None:
        """The call that is open, or that is closed and not resolved."""
        return self.call_log.current

    @property
    def round(self) -> RoundState | None:
        """The last round that was drawn; None before the first."""
        return self.rounds[-1] if self.rounds else None

    @property
    def drawn_call(self) -> Call | None:
        """The call whose dice are known, but whose pairings are not entered yet."""
        last = self.calls[-1] if self.calls else None
        if last is None or last.resolved is None or last.purpose.what != DRAW:
            return None
        return last if len(self.rounds) < last.purpose.round else None

    @property
    def next_drawn(self) -> int:
        """The number of the first round whose draw is not called for yet."""
        return max((call.purpose.round for call in self.calls), default=0) + 1

    @property
    def is_seated(self) -> bool:
        """Tell whether the seats of the last round are fixed, so that its games can be opened."""
        last = self.calls[-1] if self.calls else None
        if last is None or last.resolved is None or self.drawn_call is not None:
            return False
        return last.purpose.what == self.file.seats_with

    def known(self, who: str) -> Reveal | None:
        """Return the latest step that the ledger has proved of the chain named `who`; None if unknown."""
        return self.call_log.known(who)

    def name_now(self, player: str) -> str:
        """Return who has a player's place now: the player, or the substitute who plays on for them."""
        while player in self.successors:
            player = self.successors[player]
        return player

    def key_of(self, player: str) -> str:
        """Return the line of a person's key if they have entered or offer to play; else ""."""
        return self.keys.current_keys.get(player, "")

    def files_left(self, player: str) -> tuple[int, int]:
        """Return two numbers: how many more files of a player may be entered as received, and as refused."""
        return self.call_log.files_left(player)

    def players_to_seat(self, state: RoundState) -> tuple[str, ...]:
        """Return the players of a round who have a game that is still to be opened."""
        players = {self.name_now(player) for pair in state.unfinished_pairs for player in pair.players}
        return tuple(sorted(player for player in players if not self.members[player].leaving_reason))

    def running_games(self, state: RoundState) -> Counter[str]:
        """Return how many games of a round each player has now."""
        going = (pair for pair in state.unfinished_pairs if pair.number in state.opened_games)
        return Counter(self.name_now(player) for pair in going for player in pair.players)

    def has_game_limits(self, pair: Paired) -> bool:
        """Tell whether any player of a pairing has stated how many games at once they want at most."""
        return any(self.members[self.name_now(player)].games for player in pair.players)

    def player_at_limit(self, pair: Paired, playing: Mapping[str, int]) -> str | None:
        """Return a player who has as many games as they wish, so that a pairing waits; None if nobody has."""
        for name in map(self.name_now, pair.players):
            if 0 < self.members[name].games <= playing.get(name, 0):
                return name
        return None

    def pair(self, number: int, pairing: int) -> Paired:
        """Return a pairing by its round and number. Raises LedgerFault if there is none."""
        if not 1 <= number <= len(self.rounds):
            raise LedgerFault(f"round {number} has not been drawn")
        pairs = self.rounds[number - 1].pairings.pairs
        if not 1 <= pairing <= len(pairs):
            raise LedgerFault(f"round {number} has no pairing {pairing}")
        return pairs[pairing - 1]
