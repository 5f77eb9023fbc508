"""The calls of a league as its ledger tells them: who is asked, from which chain, what came, what was shown.

Judge and audit read them with the season, an entrant's program without the file; what may come next, who must
have contributed and what may not repeat is one rule for all of them (`check_follows`, trust.shares).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.leagues.entries import LeagueGenesis, Ruled, Said, purpose_of
from pbem.leagues.keys import Keys
from pbem.leagues.parts import Call, check_follows
from pbem.trust.chains import OPEN_CHAIN, Reveal
from pbem.trust.entries import Close, Entry, Open, Received, Refused, Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.orderfile import Standing
from pbem.trust.proof import prove_resolve, refuse
from pbem.trust.shares import Once, Shares, fallen


class Calls:
    """Those of one league, as far as its ledger has been read."""

    def __init__(self, genesis: LeagueGenesis) -> None:
        self.ledger = genesis.game
        self.keys = Keys()
        self.made: list[Call] = []
        self._known = {OPEN_CHAIN: Reveal(OPEN_CHAIN, 0, genesis.anchor)}

    @property
    def last(self) -> Call | None:
        """The latest call."""
        return self.made[-1] if self.made else None

    @property
    def current(self) -> Call | None:
        """The call that is open, or closed and not resolved."""
        return self.last if self.last is not None and self.last.resolved is None else None

    def known(self, who: str) -> Reveal | None:
        """The latest step of a chain that the ledger has proved."""
        return self._known.get(who) or self.keys.anchors.get(who)

    def check_follows(self, entry: Open | Close | Resolve) -> None:
        """Raise LedgerFault unless it can follow on what the ledger has said of calls last."""
        check_follows(self.last.last if self.last else None, entry)

    def open(self, entry: Open, number: int) -> None:
        """Take a call, entry `number` of the ledger.

        Raises:
            LedgerFault: somebody who is asked has no chain.
        """
        asked = [player for player, _ in entry.seals]
        if lacking := [player for player in asked if player not in self.keys.chains]:
            raise LedgerFault(f"{lacking[0]} has not entered, and has no chain")
        chains = {player: self.keys.chains[player].who for player in asked}
        self.made.append(Call(len(self.made) + 1, purpose_of(entry), entry, number, chains))

    def take(self, entry: Received | Refused | Close | Resolve) -> None:
        """Take what follows on a call.

        Raises:
            LedgerFault: it cannot stand there.
        """
        call = self.last
        if (
            call is None
            or entry.exchange != call.number
            or (call.resolved and not isinstance(entry, Refused))
        ):
            raise LedgerFault("it is of no call that is open")
        if isinstance(entry, Close | Resolve):
            self.check_follows(entry)
        match entry:
            case Received() if call.closed is not None or entry.player not in call.asked:
                raise LedgerFault(f"a {entry.kind} cannot stand here")
            case Received():
                call.received.append(entry)
                call.signed[entry.sealed] = self.keys.now.get(entry.player, "")
            case Refused():
                call.refused.append(entry)
            case Close():
                call.closed = entry
            case Resolve():
                call.resolved = entry
                self._known.update((reveal.who, reveal) for reveal in entry.reveals)

    def read(self, entry: Entry, number: int) -> None:
        """For whoever has not the file: read an entry, as far as it is of keys, chains or calls.

        Raises:
            LedgerFault: it cannot follow on those before it.
        """
        match entry:
            case Said() | Ruled():
                self.keys.take(entry, self.ledger)
            case Open():
                self.check_follows(entry)
                self.open(entry, number)
            case Received() | Refused() | Close() | Resolve():
                self.take(entry)

    def standing(self, call: Call, player: str, head_at: Callable[[int], str | None]) -> Standing:
        """By what it is decided whether a file for a call counts, if it comes now (protocol 3)."""
        return Standing(
            takes=call is self.current and call.closed is None,
            opened=call.opened_at,
            head_at=head_at,
            known=self.known(call.chains[player]),
            after_close=False,
            revisions=frozenset(one.rev for one in call.received if one.player == player),
        )

    def shares(self, call: Call, signed: Mapping[str, Reveal | None] | None = None) -> Shares:
        """By what it is decided who contributes to a call. `signed`: as `Shares` has it."""
        return Shares(
            ledger=self.ledger,
            number=call.number,
            lines=call.chains,
            able=call.chains,
            sent=call.counted(),
            known=self.known,
            signed=signed or {},
            used=fallen(one.resolved for one in self.made),
        )


def prove_call(calls: Calls, once: Once, entry: Entry) -> None:
    """For judge and entrant: that an entry of a league may come next, beyond its place and what is due.

    `once`: what the ledger has taken in before it.

    Raises:
        LedgerFault: it may not.
    """
    refuse(once.faults(entry))
    call = calls.current
    if isinstance(entry, Resolve) and call is not None and call.closed and entry.exchange == call.number:
        prove_resolve(calls.shares(call), entry)
