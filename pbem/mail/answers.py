"""Answers: at most so many to one address in a day, none to machines, each a letter in the outbox.

Receipts and reports are no answers: they are written once for each thing that happened, and go only to
enrolled addresses.
"""

from __future__ import annotations

from functools import cached_property

from pbem.judge.club import Club
from pbem.judge.rows import IncomingRow
from pbem.mail.headers import Head
from pbem.mail.settings import MailSettings
from pbem.rendering import render


class Answers:
    """What the judge says to those who write to him."""

    def __init__(self, club: Club, settings: MailSettings) -> None:
        self.club = club
        self.settings = settings

    def address_of(self, player: str) -> str:
        """The address enrolled for a player, in lower case; "" if there is none."""
        return self._addresses.get(player, "")

    def player_at(self, address: str) -> str:
        """The player enrolled with an address; "" if there is none."""
        return next((name for name, known in self._addresses.items() if address and known == address), "")

    @cached_property
    def _addresses(self) -> dict[str, str]:
        return {row.name: row.address.lower() for row in self.club.store.players()}

    def tell(self, row: IncomingRow, head: Head, lines: list[str]) -> bool:
        """Answer the sender of a mail, if he may be answered."""
        if not head.answerable:
            return False
        return self.tell_address(row, head.sender, lines, head.message_id)

    def tell_address(self, row: IncomingRow, address: str, lines: list[str], answers: str = "") -> bool:
        """Write to an address, unless it had enough for today."""
        return self.write(row, address, render("mail/answer.txt.j2", lines=lines), answers)

    def write(self, row: IncomingRow, address: str, text: str, answers: str = "") -> bool:
        """Put an answer into the outbox, one for each mail and address."""
        if not self.allowed(address):
            return False
        name = f"answer-{row.id:06d}-{self._place(row)}.txt"
        self.club.store.add_letter("", "", name, b"", text=text, address=address, answers=answers)
        return True

    def allowed(self, address: str) -> bool:
        """Count an answer to an address; whether it may be sent."""
        day = self.club.clock().date().isoformat()
        return bool(address) and self.club.store.count_answer(address, day) <= self.settings.answers_per_day

    def _place(self, row: IncomingRow) -> int:
        """The next free number of an answer to a mail."""
        return 1 + self.club.store.count_letters(f"answer-{row.id:06d}-")
