"""The ledger of a league as the judge's letters bring it to a player."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.leagues.entries import (
    LeagueGenesis,
    parse_league_entry,
)
from pbem.leagues.parts import check_follows
from pbem.player.faults import Contradiction, Incomplete, NotOurs
from pbem.trust import ledger
from pbem.trust.chains import Reveal
from pbem.trust.entries import Close, Entry, Open, Resolve
from pbem.trust.faults import LedgerFault
from pbem.trust.letters import ReportLetter


@dataclass(frozen=True, slots=True)
class Kept:
    """The ledger as far as the judge has sent it."""

    heads: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self.heads)

    @property
    def call(self) -> Open | None:
        """The call that was sent last, while it takes files; None if there is none."""
        for entry in reversed(self.entries):
            if isinstance(entry, Close | Resolve):
                return None
            if isinstance(entry, Open):
                return entry
        return None

    def known(self, anchor: Reveal) -> Reveal:
        """The latest step of a chain that the ledger shows; `anchor`: its first one."""
        shown = [
            reveal
            for entry in self.entries
            if isinstance(entry, Resolve)
            for reveal in entry.reveals
            if reveal.who == anchor.who
        ]
        return max([anchor, *shown], key=lambda reveal: reveal.step)


def go_on(name: str, heads: list[str], entries: list[Entry], letter: ReportLetter) -> None:
    """Add a letter's leaves and entries to a ledger, if they go on from it and fit.

    Raises:
        Incomplete: letters before it are missing. NotOurs: something in it does not fit.
        Contradiction: its calls cannot follow on each other, and the judge has signed them.
    """
    opened = dict(letter.opened)
    for number, leaf in letter.leaves:
        if number <= len(heads):
            continue
        if number != len(heads) + 1:
            short = name.removeprefix("league.")
            raise Incomplete(
                f"a letter of {short} is missing that brings entry {len(heads) + 1}; if it is not on its "
                f"way, a mail whose first line is 'resend {short}' brings all again"
            )
        entry = opened.get(number)
        if entry is None or ledger.leaf(entry.salt, entry.text) != leaf:
            raise NotOurs(f"entry {number} of {name} is not the one that its leaf commits to")
        parsed = parse_league_entry(entry.text)
        if number == 1 and (not isinstance(parsed, LeagueGenesis) or parsed.game != name):
            raise NotOurs(f"the ledger does not begin as that of {name}")
        if isinstance(parsed, Open | Close | Resolve):
            last = next((one for one in reversed(entries) if isinstance(one, Open | Close | Resolve)), None)
            try:
                check_follows(last, parsed)
            except LedgerFault as fault:
                raise Contradiction(
                    f"in the ledger of {name} {fault}, so no step is revealed for it"
                ) from None
        heads.append(ledger.head(name, number, heads[-1] if heads else ledger.EMPTY_HEAD, leaf))
        entries.append(parsed)
    if len(heads) != letter.checkpoint.size or heads[-1] != letter.checkpoint.head:
        raise NotOurs(f"the letter of {name} does not come to the head that is signed in it")
