"""Answers: one to a mail at most, few to an address, none to machines, each a letter in the outbox.

Receipts and reports are no answers: they are written once for each thing that happened, and go only to
enrolled addresses. Whoever has signed what a mail brings is answered at the enrolled address, so often in a
day. A mail that nobody's signature vouches for may come from anybody, and its From may be forged: it is
answered once for each address and day, so often in an hour in the whole club, and only at an enrolled
address, or if it is about the club: a wish to join, or the name of a game.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pbem.judge.club import Club
from pbem.judge.rows import IncomingRow
from pbem.mail.headers import OLD, Head
from pbem.mail.settings import MailSettings
from pbem.rendering import render

if TYPE_CHECKING:
    from pbem.judge.leagues.shown import Leagues


@dataclass(slots=True)
class Reply:
    """What there is to say to one mail, gathered while it is looked at."""

    row: IncomingRow
    head: Head
    about_us: bool = False
    """Does it name a game, or bring a wish to join?"""
    to_signer: dict[str, list[str]] = field(default_factory=dict)
    """Enrolled address of whoever signed something in it -> what is said about that."""
    lines: list[str] = field(default_factory=list)
    """What is said to the sender."""
    page: str = ""
    """A whole text for the sender."""

    def tell(self, *lines: str) -> None:
        """Say something to the sender, whoever that is."""
        self.lines += [line for line in lines if line not in self.lines]

    def tell_signer(self, address: str, *lines: str) -> None:
        """Say something to whoever has signed it, at the enrolled address."""
        if address:
            self.to_signer.setdefault(address, []).extend(lines)


class Answers:
    """What the judge says to those who write to them."""

    def __init__(self, club: Club, settings: MailSettings) -> None:
        self.club = club
        self.settings = settings

    def address_of(self, player: str) -> str:
        """The address enrolled for a player, in lower case; "" if there is none."""
        return self._addresses.get(player, "")

    def player_at(self, address: str) -> str:
        """The first player enrolled with an address; "" if there is none."""
        return next(iter(self.players_at(address)), "")

    def players_at(self, address: str) -> list[str]:
        """All players enrolled with an address."""
        return [name for name, known in self._addresses.items() if address and known == address]

    @cached_property
    def leagues(self) -> Leagues:
        """The club's leagues."""
        from pbem.judge.leagues.shown import Leagues

        return Leagues(self.club)

    @cached_property
    def _addresses(self) -> dict[str, str]:
        return {row.name: row.address.lower() for row in self.club.store.players()}

    def send(self, reply: Reply) -> bool:
        """Put the one answer to a mail into the outbox, if there is anything to say and it may be said."""
        sender = reply.head.sender
        if reply.head.origin == OLD:
            return False
        for address, lines in reply.to_signer.items():
            if not self._may_write(address, reply.head.is_suspect):
                continue
            own = [line for line in reply.lines if address == sender]
            self._put(reply, address, render("mail/answer.txt.j2", lines=[*lines, *own]))
            return True
        if reply.to_signer or not (reply.lines or reply.page) or not reply.head.answerable:
            return False
        if not (reply.about_us or self.player_at(sender)) or not self._may_write(sender, unsigned=True):
            return False
        self._put(reply, sender, reply.page or render("mail/answer.txt.j2", lines=reply.lines))
        return True

    def may_send_again(self, address: str) -> bool:
        """Count a request for letters from an address, which nobody's signature vouches for."""
        return self._is_within(address, f"{self._day} again", 1)

    def _may_write(self, address: str, unsigned: bool) -> bool:
        """Count an answer to an address; whether it may be sent."""
        if not unsigned:
            return self._is_within(address, self._day, self.settings.answers_per_day)
        hour = f"{self.club.clock():%Y-%m-%dT%H}"
        return self._is_within(address, f"{self._day} unsigned", 1) and self._is_within(
            "", hour, self.settings.answers_per_hour
        )

    def _is_within(self, address: str, what: str, most: int) -> bool:
        return self.club.store.count_answer(address, what) <= most

    @property
    def _day(self) -> str:
        return self.club.clock().date().isoformat()

    def _put(self, reply: Reply, address: str, text: str) -> None:
        self.club.store.add_letter(
            "",
            "",
            f"answer-{reply.row.id:06d}.txt",
            b"",
            text=f"{text.rstrip()}\n",
            address=address,
            answers=reply.head.message_id,
        )
