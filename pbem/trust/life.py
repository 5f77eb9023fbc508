"""The life of a game's exchange or a league's call, as the ledger has it (protocol 1, 3, 4, 21).

    open, any of received and refused, close, resolve: exchange i only when exchange i-1 is resolved
    a file is received while its exchange is open, of somebody who is asked
    a file that is refused is for one of the last exchanges, and of somebody whom that one asked
    of each player only so many are entered, now and in all

So the judge reads a ledger before an entry is made, a player's or entrant's program before it takes one in,
and the audit each entry. What games and leagues have besides stands with them (play.history, leagues.season).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from pbem.trust.chance import Reveal, take_proven
from pbem.trust.entries import Close, Open, Received, Refused, Resolve, highest
from pbem.trust.faults import LedgerFault
from pbem.trust.formats import files_left
from pbem.trust.orderfile import RECENT_EXCHANGES, Standing


@dataclass
class AskedExchange:
    """One exchange of a game or call of a league, in a ledger; `opened_at` and the like are entry numbers."""

    number: int
    opened: Open
    opened_at: int
    received: list[Received] = field(default_factory=list, kw_only=True)
    refused: list[Refused] = field(default_factory=list, kw_only=True)
    files: dict[str, list[Received | Refused]] = field(default_factory=dict, kw_only=True)
    """A mapping from players to those of their files that were entered while no later exchange was opened."""
    closed: Close | None = field(default=None, kw_only=True)
    closed_at: int = field(default=0, kw_only=True)
    resolved: Resolve | None = field(default=None, kw_only=True)
    resolved_at: int = field(default=0, kw_only=True)

    def counted(self) -> dict[str, Received]:
        """Return, by player, the file that counts: the highest revision before the close (protocol 4)."""
        return highest(self.received)

    def received_of(self, player: str) -> list[Received]:
        """Return the received files of one player, without a search through those of others."""
        return [one for one in self.files.get(player, ()) if isinstance(one, Received)]

    @cached_property
    def seals(self) -> dict[str, str]:
        """A mapping from all players who are asked to the age recipients of their files."""
        return dict(self.opened.seals)


One = TypeVar("One", bound=AskedExchange)


class ExchangeLife(Generic[One]):
    """The exchanges or calls of a ledger so far.

    `known`: the anchors of the ledger's chains; `most`: how many exchanges or calls there may be; `what`: the
    word for one of them in faults.
    """

    def __init__(self, known: Mapping[str, Reveal], most: int | None, what: str) -> None:
        self.exchanges: list[One] = []
        self._known = dict(known)
        self._entered = Counter[str]()
        self._most = most
        """Maximum number of exchanges or calls; None for an entrant of a league, who may lack the league's
        file that says it."""
        self._what = what

    @property
    def last(self) -> One | None:
        """The latest exchange or call, open or resolved; None if there is none yet."""
        return self.exchanges[-1] if self.exchanges else None

    @property
    def current(self) -> One | None:
        """The exchange or call that has been opened and not resolved; None if there is none."""
        last = self.last
        return last if last is not None and last.resolved is None else None

    def known(self, who: str) -> Reveal | None:
        """Return the latest step of a chain that the ledger has proved; None if it has no such chain."""
        return self._known.get(who)

    def files_left(self, player: str) -> tuple[int, int]:
        """Return the numbers of a player's files that may still be received and refused now (protocol 21)."""
        last = self.exchanges[-1]
        return files_left(
            exchange=last.number,
            exchanges=max(self._most or 0, last.number),
            entered=self._entered[player],
            here=len(last.files.get(player, ())),
            received=last.resolved is not None or bool(last.received_of(player)),
        )

    def received_of(self, player: str) -> int:
        """Return how many files of a player have been received; the player's last receipt has this number."""
        return sum(len(one.received_of(player)) for one in self.exchanges)

    def standing_in(
        self,
        one: One,
        player: str,
        who: str | None,
        head_at: Callable[[int], str | None],
        *,
        after_close: bool = False,
    ) -> Standing:
        """Return the facts that decide whether a player's file would count if it came now (protocol 3).

        `who`: their chain in force, if one is; `head_at`: a function that gives the head after an entry.
        """
        return Standing(
            takes=one is self.current and one.closed is None,
            opened=one.opened_at,
            head_at=head_at,
            known=self.known(who) if who is not None else None,
            after_close=after_close,
            revisions=frozenset(entry.rev for entry in one.received_of(player)),
        )

    def check_opens(self, entry: Open) -> None:
        """Raise LedgerFault unless `entry` opens the next exchange or call, and the last one is resolved."""
        number = len(self.exchanges) + 1
        if entry.exchange != number or self.current is not None:
            raise LedgerFault(f"{self._what} {number} must be opened next, when the last one is resolved")

    def take(self, entry: Received | Refused | Close | Resolve, number: int) -> None:
        """Read entry `number` of the ledger, which must be about the last exchange or call.

        Raises:
            LedgerFault: the entry may not come at this place of the ledger.
        """
        one = self.last
        if one is None or entry.exchange != one.number:
            raise LedgerFault(f"{self._what} {one.number if one else 0} is in progress")
        match entry:
            case Received() if one.closed is None:
                self._take_file(entry, one)
                one.received.append(entry)
            case Refused():
                self._take_file(entry, one)
                one.refused.append(entry)
            case Close() if one.closed is None:
                one.closed, one.closed_at = entry, number
            case Resolve() if one.closed is not None and one.resolved is None:
                one.resolved, one.resolved_at = entry, number
                take_proven(self._known, entry.reveals)
            case _:
                raise LedgerFault(f"a {entry.kind} cannot stand here")

    def _take_file(self, entry: Received | Refused, last: One) -> None:
        """Count a file, which must keep to protocol 21 and be for one of the last exchanges or calls."""
        is_refused = isinstance(entry, Refused)
        of = entry.of if isinstance(entry, Refused) else entry.exchange
        if not 0 <= last.number - of < RECENT_EXCHANGES:
            raise LedgerFault(f"it is for {self._what} {of}, which is none of the last")
        if entry.player not in self.exchanges[of - 1].seals:
            raise LedgerFault(f"{self._what} {of} waited for nothing of {entry.player}")
        if self._most is not None and not self.files_left(entry.player)[is_refused]:
            raise LedgerFault(f"no more files of {entry.player} may be entered now")
        self._entered[entry.player] += 1
        last.files.setdefault(entry.player, []).append(entry)
