"""The ledger in a player's hands, proven as far as it can be seen.

Beyond the order of entries, which `play.history` keeps, it must hold that

    every opened entry is, with its salt, the text of its leaf
    the first entry is the genesis of this game
    no revision and no file of a player is received twice in an exchange, and only of enrolled players
    those revealed whose orders were received (with-orders) or whose reveals were (after-close), no others
    every resolution follows from its reveals (`trust.proof`)
    an audience is reported to once for each exchange

Entries that the reader cannot open are leaves to them. Which questions were asked, and whether labels
were the right ones, is not looked at here: that takes the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pbem.play.exchange import Exchange
from pbem.play.history import History
from pbem.trust import ledger
from pbem.trust.entries import (
    AFTER_CLOSE,
    Enrolled,
    Entry,
    Genesis,
    Received,
    Reported,
    Resolve,
    Revealed,
)
from pbem.trust.entry_parser import parse_entry
from pbem.trust.faults import LedgerFault
from pbem.trust.identifiers import split_who
from pbem.trust.letters import OpenEntry
from pbem.trust.proof import prove_again, prove_resolve


@dataclass(frozen=True, slots=True)
class Chronicle:
    """A proven ledger."""

    game: str
    leaves: tuple[str, ...]
    heads: tuple[str, ...]
    opened: Mapping[int, OpenEntry]
    history: History

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self.leaves)

    @property
    def head(self) -> str:
        """The head after the last entry."""
        return self.heads[-1]

    @property
    def genesis(self) -> Genesis:
        """The first entry."""
        return self.history.genesis

    def head_at(self, size: int) -> str | None:
        """The head after so many entries, or None where the ledger does not reach."""
        return self.heads[size - 1] if 1 <= size <= len(self.heads) else None

    def enrolled(self, player: str) -> Enrolled | None:
        """A player as genesis names them."""
        return next((one for one in self.genesis.players if one.name == player), None)

    def plays_from(self, player: str, fingerprint: str) -> int:
        """The first exchange in which a seat is played with a key; 1 for the one that genesis names."""
        found = [one.starts for one in self.history.seats.of(player) if one.fingerprint == fingerprint]
        enrolled = self.enrolled(player)
        return found[0] if found and enrolled and enrolled.fingerprint != fingerprint else 1

    def received_before(self, player: str, exchange: int) -> int:
        """How many files of a seat were received before an exchange was opened."""
        past = self.history.exchanges[: exchange - 1]
        return sum(entry.player == player for one in past for entry in one.received)

    def reported(self, exchange: int, audience: str) -> str | None:
        """The hash of what an audience was told of an exchange, if the entry that says so can be read."""
        if not 1 <= exchange <= len(self.history.exchanges):
            return None
        found = self.history.exchanges[exchange - 1].reported
        return next((entry.sha256 for entry in found if entry.audience == audience), None)


def read_chronicle(game: str, leaves: Sequence[str], opened: Mapping[int, OpenEntry]) -> Chronicle:
    """The ledger with these leaves, of which these entries can be read.

    Raises:
        LedgerFault: it is not what a ledger must be.
    """
    entries = [_entry(number, leaf, opened.get(number)) for number, leaf in enumerate(leaves, 1)]
    first = entries[0] if entries else None
    if not isinstance(first, Genesis):
        raise LedgerFault("the first entry is no genesis, with which a ledger begins")
    if first.game != game:
        raise LedgerFault(f"this is the ledger of {first.game}, not of {game}")
    history = History(first)
    for number, entry in enumerate(entries[1:], 2):
        _check(number, entry, history)
        history.add(entry)
    return Chronicle(game, tuple(leaves), tuple(ledger.fold(game, leaves)), dict(opened), history)


def _entry(number: int, leaf: str, opened: OpenEntry | None) -> Entry | None:
    if opened is None:
        return None
    if ledger.leaf(opened.salt, opened.text) != leaf:
        raise LedgerFault(f"entry {number} is not what its leaf was made of: its text or its salt is another")
    return parse_entry(opened.text)


def _check(number: int, entry: Entry | None, history: History) -> None:
    """What must hold of an entry, given those before it, beyond its place."""
    exchange = history.last
    if exchange is None:
        return
    match entry:
        case Received():
            _check_received(number, entry, exchange)
        case Revealed():
            if any(one.player == entry.player for one in exchange.revealed):
                raise LedgerFault(f"entry {number}: {entry.player} has revealed already")
        case Resolve() if exchange.closed is not None and entry.exchange == exchange.number:
            source = history.source(exchange).resolved
            if exchange.opened.again and source is not None:
                prove_again(entry, source)
            else:
                chains = history.seats.lines_in(exchange.number)
                prove_resolve(history.genesis, entry, history.known, chains)
                _check_contributors(entry, exchange, history)
        case Reported():
            if any(one.audience == entry.audience for one in exchange.reported):
                raise LedgerFault(
                    f"entry {number}: {entry.audience} was told of exchange {entry.exchange} already"
                )


def _check_received(number: int, entry: Received, exchange: Exchange) -> None:
    if entry.player not in exchange.seals:
        raise LedgerFault(
            f"entry {number}: {entry.player}, whose orders are received, is no player of this game"
        )
    if any((one.player, one.rev) == (entry.player, entry.rev) for one in exchange.received):
        raise LedgerFault(f"entry {number}: revision {entry.rev} of {entry.player} was received already")
    if any(one.sealed == entry.sealed for one in exchange.received):
        raise LedgerFault(f"entry {number}: the file {entry.sealed} was received already")


def _check_contributors(resolve: Resolve, exchange: Exchange, history: History) -> None:
    """Those and only those contribute whose secrets arrived (protocol 1 and 3)."""
    sent: Sequence[Received | Revealed] = exchange.received
    if history.genesis.mode == AFTER_CLOSE:
        sent = exchange.revealed
    revealed = {split_who(reveal.who)[0] for reveal in resolve.reveals}
    due = history.seats.contributors(exchange.number) & {entry.player for entry in sent}
    for name in (player.name for player in history.genesis.players):
        if name in due - revealed:
            raise LedgerFault(
                f"exchange {resolve.exchange} was resolved without {name}, whose file was received"
            )
        if name in revealed - due:
            raise LedgerFault(
                f"exchange {resolve.exchange} was resolved with a reveal of {name}, "
                "of whom no file was received"
            )
