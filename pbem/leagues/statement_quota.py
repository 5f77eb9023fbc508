"""The quota of statements in a league, so that a bundle can carry whatever its ledger holds.

The numbers stand in trust.formats. The judge asks before anything is entered, and the season as it reads an
entry; so the audit refutes a ledger that holds more. Each player has room of their own, and withdrawals and
new keys have theirs beside the rest: nobody can use up another's, nor their own way out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime

from pbem.leagues.config import LeagueFile
from pbem.leagues.statements import ENTER, NEW_KEY, SUBSTITUTE, VOTE, WITHDRAW, Statement
from pbem.trust import formats
from pbem.trust.faults import LedgerFault


@dataclass(slots=True)
class StatementQuota:
    """The count of the statements that were made so far, for their limits."""

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
