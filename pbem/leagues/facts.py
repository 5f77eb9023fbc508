"""The facts of a season by its ledger so far: members, calls, rounds, statements; and questions about them.

Rules for statements, rulings and waiting times ask and change these facts; pbem.leagues.season reads entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from pbem.leagues.calls import Calls
from pbem.leagues.config import LeagueFile
from pbem.leagues.earlier_results import NOTHING, Carried
from pbem.leagues.entries import DRAW, Finished, LeagueGenesis, Paired, Ruled, Substituted
from pbem.leagues.state import Appeal, Call, Member, Offer, RoundState
from pbem.leagues.statement_quota import StatementQuota
from pbem.leagues.statements import Places
from pbem.trust.chance import Reveal
from pbem.trust.faults import LedgerFault


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
        """Return the latest step of a chain that the ledger has proved."""
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
        """Return how many more files of a player may be entered now: received ones, and refused ones."""
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
