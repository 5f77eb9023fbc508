"""The calls of a league by its ledger: who was asked, from which chain, what came, what was revealed.

Judge and audit read them with the season, an entrant's program without the file; what may come next, who
must have contributed and what may not repeat is one rule for all of them, and for games (trust.life,
trust.proof).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.leagues.entries import LeagueGenesis, Ruled, Said, purpose_of
from pbem.leagues.keys import Keys
from pbem.leagues.seating import seating_of
from pbem.leagues.state import Call
from pbem.trust.chance import OPEN_CHAIN, Reveal
from pbem.trust.entries import Close, Entry, Open, Received, Refused, Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.life import ExchangeLife
from pbem.trust.orderfile import Standing
from pbem.trust.proof import Shares, UniqueItems, prove_resolve, refuse, silent_players


class Calls(ExchangeLife[Call]):
    """The calls of one league, as far as its ledger has been read; `most` is the maximum number of calls."""

    def __init__(self, genesis: LeagueGenesis, most: int | None = None) -> None:
        super().__init__({OPEN_CHAIN: Reveal(OPEN_CHAIN, 0, genesis.anchor)}, most, "call")
        self.ledger = genesis.game
        self.keys = Keys()

    def known(self, who: str) -> Reveal | None:
        """Return the latest step of a chain that the ledger has proved."""
        return super().known(who) or self.keys.anchors.get(who)

    def open(self, entry: Open, number: int) -> None:
        """Take in the entry that opens a call, which is entry `number` of the ledger.

        Raises:
            LedgerFault: the entry cannot come next, or somebody who is asked has no chain.
        """
        self.check_opens(entry)
        asked = [player for player, _ in entry.seals]
        if lacking := [player for player in asked if player not in self.keys.chains]:
            raise LedgerFault(f"{lacking[0]} has not entered, and has no chain")
        chains = {player: self.keys.chains[player].who for player in asked}
        self.exchanges.append(
            Call(entry.exchange, entry, number, purpose_of(entry), chains, seating_of(entry))
        )

    def take(self, entry: Received | Refused | Close | Resolve, number: int) -> None:
        """Apply an entry about a call; a file counts under its player's present key."""
        super().take(entry, number)
        if isinstance(entry, Received):
            self.exchanges[-1].signing_keys[entry.sealed] = self.keys.current_keys.get(entry.player, "")

    def read(self, entry: Entry, number: int) -> None:
        """Take in the keys, chains and calls of an entry, for readers without the league's file.

        Raises:
            LedgerFault: the entry cannot follow on those before it.
        """
        match entry:
            case Said() | Ruled():
                self.keys.take(entry, self.ledger)
            case Open():
                self.open(entry, number)
            case Received() | Refused() | Close() | Resolve():
                self.take(entry, number)

    def standing_of(self, call: Call, player: str, head_at: Callable[[int], str | None]) -> Standing:
        """Return the facts that decide whether a player's file for a call counts if it comes now."""
        return self.standing_in(call, player, call.chains[player], head_at)

    def shares(self, call: Call, signed: Mapping[str, Reveal | None] | None = None) -> Shares:
        """Return the shares that decide who contributes to a call; `signed` is as in `Shares`."""
        return Shares(
            ledger=self.ledger,
            number=call.number,
            lines=call.chains,
            able=call.chains,
            sent=call.counted(),
            known=self.known,
            signed=signed or {},
            used=silent_players(one.resolved for one in self.exchanges),
        )


def prove_call(calls: Calls, once: UniqueItems, entry: Entry) -> None:
    """Check, for judge and entrant, that an entry about a call may come next, but not whether it is due.

    `once`: what the ledger has taken in before it.

    Raises:
        LedgerFault: the entry may not come next.
    """
    refuse(once.faults(entry))
    call = calls.current
    if isinstance(entry, Resolve) and call is not None and call.closed and entry.exchange == call.number:
        prove_resolve(calls.shares(call), entry)
