"""The ledger in a player's hands, proven as far as the player can see it.

Beyond the order of entries, which `play.history` keeps, it must hold that

    every opened entry is, with its salt, the text of its leaf
    the first entry is the genesis of this game
    nothing comes twice of which there is one, and those contribute who must, no others (`trust.proof`)
    every resolution follows from its reveals (`trust.proof`)

Entries that the reader cannot open are leaves to them. Which questions were asked, and whether labels
were the right ones, is not looked at here: that takes the rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pbem.play.exchange import Exchange
from pbem.play.history import History
from pbem.trust import ledger
from pbem.trust.entries import Enrolled, Entry, Genesis
from pbem.trust.faults import LedgerFault
from pbem.trust.ledger import parse_game_entry
from pbem.trust.letters import OpenEntry
from pbem.trust.life import AskedExchange
from pbem.trust.proof import UniqueItems, prove_next


@dataclass(frozen=True, slots=True)
class Proven(ABC):
    """A proven ledger of a game or a league."""

    game: str
    leaves: tuple[str, ...]
    heads: tuple[str, ...]
    opened: Mapping[int, OpenEntry]

    @property
    @abstractmethod
    def exchanges(self) -> Sequence[AskedExchange]:
        """The exchanges of a game, or the calls of a league."""

    @abstractmethod
    def judges_in(self, exchange: int) -> Collection[str]:
        """Return the fingerprints of the judge's keys in an exchange or call."""

    @property
    def size(self) -> int:
        """The number of entries in the ledger."""
        return len(self.leaves)

    @property
    def head(self) -> str:
        """The head of the ledger after its last entry."""
        return self.heads[-1]

    def head_at(self, size: int) -> str | None:
        """Return the head after `size` entries; None if the ledger is shorter."""
        return self.heads[size - 1] if 1 <= size <= len(self.heads) else None


@dataclass(frozen=True, slots=True)
class Chronicle(Proven):
    """A proven ledger of a game."""

    history: History

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """The exchanges of the game, as its ledger's history has them."""
        return self.history.exchanges

    def judges_in(self, exchange: int) -> Collection[str]:
        """Return the fingerprints of the judge's keys in an exchange."""
        return self.history.seats.judges_in(exchange)

    @property
    def genesis(self) -> Genesis:
        """The genesis of the game, which is the ledger's first entry."""
        return self.history.genesis

    def enrolled_player(self, player: str) -> Enrolled | None:
        """Return a player as genesis names them; None if genesis does not."""
        return next((one for one in self.genesis.players if one.name == player), None)

    def plays_from(self, player: str, fingerprint: str) -> int:
        """Return the first exchange in which a seat is played with a key; 1 for the key in genesis."""
        found = [one.starts for one in self.history.seats.of(player) if one.fingerprint == fingerprint]
        enrolled = self.enrolled_player(player)
        return found[0] if found and enrolled and enrolled.fingerprint != fingerprint else 1

    def received_before(self, player: str, exchange: int) -> int:
        """Return how many files of a seat were received before an exchange was opened."""
        past = self.history.exchanges[: exchange - 1]
        return sum(entry.player == player for one in past for entry in one.received)

    def report_hash(self, exchange: int, audience: str) -> str | None:
        """Return the hash of an audience's report on an exchange; None if its entry cannot be read."""
        if not 1 <= exchange <= len(self.history.exchanges):
            return None
        found = self.history.exchanges[exchange - 1].reported
        return next((entry.sha256 for entry in found if entry.audience == audience), None)


def read_chronicle(game: str, leaves: Sequence[str], opened: Mapping[int, OpenEntry]) -> Chronicle:
    """Return the proven ledger that has the given leaves; `opened` are the entries that can be read.

    Raises:
        LedgerFault: the leaves and entries are not those of a valid ledger.
    """
    return _proven(game, tuple(leaves), tuple(sorted(opened.items())))


@lru_cache(maxsize=8)
def _proven(game: str, leaves: tuple[str, ...], shown: tuple[tuple[int, OpenEntry], ...]) -> Chronicle:
    """Return a proven ledger, cached because a letter and the file that then keeps it hold the same one."""
    opened = dict(shown)
    entries = read_entries(leaves, opened, parse_game_entry)
    first = entries[0] if entries else None
    if not isinstance(first, Genesis):
        raise LedgerFault("the first entry is not a genesis, with which a ledger begins")
    if first.game != game:
        raise LedgerFault(f"this is the ledger of {first.game}, not of {game}")
    history = History(first)
    once = UniqueItems()
    for number, entry in enumerate(entries[1:], 2):
        _prove(number, entry, history, once)
        history.add(entry)
        once.take(entry)
    return Chronicle(game, leaves, tuple(ledger.fold(game, leaves)), opened, history)


def read_entries(
    leaves: Sequence[str], opened: Mapping[int, OpenEntry], parse: Callable[[bytes], Entry]
) -> list[Entry | None]:
    """Return a ledger's entries, each checked against its leaf; None where it cannot be read.

    Raises:
        LedgerFault: an entry does not fit its leaf.
    """
    found: list[Entry | None] = []
    for number, leaf in enumerate(leaves, 1):
        one = opened.get(number)
        if one is not None and ledger.leaf(one.salt, one.text) != leaf:
            raise LedgerFault(f"entry {number} does not fit its leaf: its text or its salt was changed")
        found.append(parse(one.text) if one is not None else None)
    return found


def _prove(number: int, entry: Entry | None, history: History, once: UniqueItems) -> None:
    """Check the next entry of a ledger by the rules that judge and audit apply too."""
    try:
        prove_next(history, once, entry)
    except LedgerFault as fault:
        raise LedgerFault(f"entry {number}: {fault}") from None
