"""Takes in the mails that were stored: orders to the desk, commands answered, everything else told once.

Who sent something is decided by the signature alone. From says where an answer may go, and is believed in
one thing: whoever writes from the address of the player whose orders he brings is that player, as far as
what the answer says is no more than what that address would be told anyway. So

- receipts, refusals in words and letters asked for again go to the address enrolled for the player;
- anybody else who brings a player's sealed mail gets one line without content;
- no answer goes to a machine, nor more than so many to one address in a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from pbem.errors import PbemError
from pbem.judge.club import Club
from pbem.judge.desk import Desk, Verdict, take_sealed
from pbem.judge.rows import IncomingRow
from pbem.mail.answers import Answers
from pbem.mail.extract import LARGEST_MAIL, Extract, extract
from pbem.mail.headers import OWN_IDS
from pbem.mail.settings import MailSettings
from pbem.mail.spoken import obey, take_statement

BATCH = 10
"""So many mails are looked at in one transaction; writing to the disk is what takes the time."""
_ID_GAME = re.compile(rf"<{re.escape(OWN_IDS)}(?P<rest>[^@<>]+)@")
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one mail, for the judge's own eyes."""

    number: int
    sender: str
    text: str


@dataclass
class Inbox:
    """The mails of one pass."""

    club: Club
    settings: MailSettings
    desk: Desk
    answers: Answers = field(init=False)

    def __post_init__(self) -> None:
        self.answers = Answers(self.club, self.settings)

    def take_in(self) -> Iterator[Taken]:
        """Look at every stored mail that nobody has looked at, some in each transaction."""
        rows = self.club.store.waiting(mail=True)
        while batch := list(islice(rows, BATCH)):
            taken = []
            with self.club.store.step():
                for row in batch:
                    if self.club.store.is_waiting(row.id):
                        taken.append(self._look(row))
                        self.club.store.finish_incoming(row.id, taken[-1].text, taken[-1].sender)
            yield from taken

    def _look(self, row: IncomingRow) -> Taken:
        try:
            if row.size > LARGEST_MAIL:
                head = extract(row.raw, self.settings.address).head
                found = Extract(head=head, why=f"the mail has more than {LARGEST_MAIL:,} bytes")
            else:
                found = extract(row.raw, self.settings.address)
            with self.club.store.step():
                told = self._take(row, found)
        except PbemError:
            raise
        except Exception as bug:  # noqa: BLE001 - one strange mail must not stop all others
            return Taken(row.id, "", f"kept, not understood: {type(bug).__name__}")
        return Taken(row.id, found.head.sender, "; ".join(told))

    def _take(self, row: IncomingRow, found: Extract) -> list[str]:
        hints = self._hints(found) if found.sealed else []
        verdicts = [take_sealed(self.desk, sealed, hints) for sealed in found.sealed]
        told = [verdict.text for verdict in verdicts]
        self._answer_orders(row, found, verdicts)
        told += [take_statement(self.answers, row, found.head, one) for one in found.statements]
        if found.commands:
            told += obey(self.answers, self.desk, row, found.head, found.commands)
        if not found.taken:
            told.append(f"nothing taken: {found.why}")
            self.answers.tell(row, found.head, [f"Nothing was taken from your mail: {found.why}."])
        return told

    def _answer_orders(self, row: IncomingRow, found: Extract, verdicts: list[Verdict]) -> None:
        """One answer for all orders in a mail; what went well has a receipt of its own."""
        strangers = False
        for verdict in verdicts:
            owner = self._address(verdict) if verdict.player else ""
            if not verdict.player:
                if not any(one.player for one in verdicts):
                    self.answers.tell(
                        row, found.head, ["Nothing was taken: the file is sealed to no open exchange here."]
                    )
                continue
            if not verdict.accepted and owner:
                subject = f"Orders of {verdict.player} for {verdict.game} do not count: {verdict.text}."
                self.answers.tell_address(row, owner, [subject], found.head.message_id)
            strangers = strangers or owner != found.head.sender
        if strangers:
            self.answers.tell(
                row, found.head, ["Your mail was taken in; its writer is told what became of it."]
            )

    def _address(self, verdict: Verdict) -> str:
        """Where he who has the seat of some orders is enrolled."""
        return self.answers.address_of(self.desk.agendas[verdict.game].person(verdict.player))

    def _hints(self, found: Extract) -> list[list[str]]:
        """Games that the mail may be about: those it names, then those of the player at its address."""
        named = _WORD.findall(found.head.subject.lower())
        for reference in reversed(found.head.references):
            if match := _ID_GAME.match(reference):
                parts = match["rest"].split(".")
                named += [".".join(parts[:count]) for count in range(1, len(parts))]
        return [named, list(self._games_by_address.get(found.head.sender, ()))]

    @cached_property
    def _games_by_address(self) -> dict[str, tuple[str, ...]]:
        players: dict[str, list[str]] = {}
        for agenda in self.desk.agendas.values():
            for player in agenda.seated:
                players.setdefault(player, []).append(agenda.game)
        found: dict[str, tuple[str, ...]] = {}
        for row in self.club.store.players():
            if row.address:
                address = row.address.lower()
                found[address] = (*found.get(address, ()), *players.get(row.name, ()))
        return found
