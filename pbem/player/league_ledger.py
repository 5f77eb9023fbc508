"""The ledger of a league as the judge's letters bring it to a player."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.leagues.entries import (
    LeagueGenesis,
    parse_league_entry,
)
from pbem.player.faults import Incomplete, NotOurs
from pbem.trust import ledger
from pbem.trust.entries import Entry
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


def go_on(name: str, heads: list[str], entries: list[Entry], letter: ReportLetter) -> None:
    """Add a letter's leaves and entries to a ledger, if they go on from it and fit.

    Raises:
        Incomplete: letters before it are missing. NotOurs: something in it does not fit.
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
        heads.append(ledger.head(name, number, heads[-1] if heads else ledger.EMPTY_HEAD, leaf))
        entries.append(parsed)
    if len(heads) != letter.checkpoint.size or heads[-1] != letter.checkpoint.head:
        raise NotOurs(f"the letter of {name} does not come to the head that is signed in it")
