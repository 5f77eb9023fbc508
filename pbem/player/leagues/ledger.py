"""The ledger of a league as the judge's letters bring it to a player."""

from __future__ import annotations

from pbem.leagues.calls import Calls, prove_call
from pbem.leagues.entries import LeagueGenesis, parse_league_entry
from pbem.player.faults import Contradiction, Incomplete, NotOurs
from pbem.trust import ledger
from pbem.trust.entries import Entry
from pbem.trust.faults import LedgerFault
from pbem.trust.letters import ReportLetter
from pbem.trust.shares import Once


class Kept:
    """The ledger as far as the judge has sent it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.heads: list[str] = []
        self.entries: list[Entry] = []
        self.calls: Calls | None = None
        """Its calls; None before its first entry has come."""
        self._once = Once()

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self.heads)

    def head_at(self, size: int) -> str | None:
        """The head after so many entries; None where the ledger does not reach."""
        return self.heads[size - 1] if 1 <= size <= self.size else None

    def go_on(self, letter: ReportLetter) -> None:
        """Add a letter's leaves and entries, if they go on from what is here and fit.

        Raises:
            Incomplete: letters before it are missing. NotOurs: something in it does not fit.
            Contradiction: no ledger of a league can have such an entry, and the judge has signed it.
        """
        name, opened = self.name, dict(letter.opened)
        for number, leaf in letter.leaves:
            if number <= self.size:
                continue
            if number != self.size + 1:
                short = name.removeprefix("league.")
                raise Incomplete(
                    f"a letter of {short} is missing that brings entry {self.size + 1}; if it is not on its "
                    f"way, a mail whose first line is 'resend {short}' brings all again"
                )
            entry = opened.get(number)
            if entry is None or ledger.leaf(entry.salt, entry.text) != leaf:
                raise NotOurs(f"entry {number} of {name} is not the one that its leaf commits to")
            parsed = parse_league_entry(entry.text)
            self._read(parsed, number)
            before = self.heads[-1] if self.heads else ledger.EMPTY_HEAD
            self.heads.append(ledger.head(name, number, before, leaf))
            self.entries.append(parsed)
        if self.size != letter.checkpoint.size or self.heads[-1] != letter.checkpoint.head:
            raise NotOurs(f"the letter of {name} does not come to the head that is signed in it")

    def _read(self, entry: Entry, number: int) -> None:
        """Take an entry, by the rules that judge and audit ask as well."""
        if self.calls is None:
            if not isinstance(entry, LeagueGenesis) or entry.game != self.name:
                raise NotOurs(f"the ledger does not begin as that of {self.name}")
            self.calls = Calls(entry)
            return
        try:
            prove_call(self.calls, self._once, entry)
            self.calls.read(entry, number)
        except LedgerFault as fault:
            raise Contradiction(
                f"in the ledger of {self.name} {fault}, so no step is revealed for it"
            ) from None
        self._once.take(entry)
