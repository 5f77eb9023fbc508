"""The handling of stored mails: orders go to the judge's intake, commands are run, the rest is answered.

Who sent something is decided by the signature alone. From says where an answer may go, and is believed in
one thing: whoever writes from the address of the player whose orders they bring is that player, as far as
what the answer says is no more than what that address would be told anyway. So

- receipts, refusals in words and letters asked for again go to the address enrolled for the player;
- anybody else who brings a player's sealed mail gets one line without content;
- what may be answered at all, and how often, is said in answers;
- that orders were not taken is told at the enrolled address that they came from, unless the mail says itself
  that a machine wrote it.

A mail is read before the transaction in which it is taken in, and a transaction holds so few mails that
nobody else waits for it long.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from itertools import islice

from pbem.errors import ConfigError
from pbem.judge.club import Club
from pbem.judge.intake import quarantine
from pbem.judge.intake.desk import Desk, keep_apart, take_sealed
from pbem.judge.intake.player_files import Verdict
from pbem.judge.press import WAITS
from pbem.judge.tables.database import IncomingRow
from pbem.judge.tables.note_tables import HANDLED
from pbem.mail.answers import LIMITED, ORDERS, PRESS, SIGNED, Answers, Reply
from pbem.mail.bounces import take_bounce
from pbem.mail.club_mailbox import MARGIN
from pbem.mail.command_runner import obey, take_statement
from pbem.mail.director import (
    IN_WORDS,
    WILL_READ,
    WILL_READ_WORDS,
    count_question,
    has_words,
    is_for_director,
    is_heard,
    keep_back,
    pass_on,
    words_beside,
)
from pbem.mail.extract import MAX_MAIL_SIZE, Extract, extract
from pbem.mail.headers import AUTO, BOUNCE, OLD, OWN, OWN_IDS, PERSON, Head
from pbem.mail.settings import MailSettings
from pbem.trust.times import local_text, parse_utc

BATCH = 10
BATCH_SECONDS = 0.5
"""Maximum number of mails, and of seconds, that one transaction takes; most of the time goes into writing to
the disk."""
RECEIPT_IS_FRESH = timedelta(hours=1)
"""Time after a file was received in which the same file is taken for the same mail, delivered twice."""
_ID_GAME = re.compile(rf"<{re.escape(OWN_IDS)}(?P<rest>[^@<>]+)@")
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Taken:
    """The result of handling one mail, in a line that only the judge sees."""

    number: int
    sender: str
    text: str


@dataclass
class Inbox:
    """The inbox of one pass: it takes in the stored mails and answers them."""

    club: Club
    settings: MailSettings
    desk: Desk
    answers: Answers = field(init=False)

    def __post_init__(self) -> None:
        self.answers = Answers(self.club, self.settings)

    def take_in(self) -> Iterator[Taken]:
        """Handle every stored mail that was not handled, in batches of one transaction; yield the results."""
        rows = self.club.store.waiting(mail=True)
        while batch := [(row, self._read(row)) for row in islice(rows, BATCH)]:
            while batch:
                taken = []
                with self.club.store.step():
                    until = time.monotonic() + BATCH_SECONDS
                    while batch:
                        row, found = batch.pop(0)
                        if self.club.store.is_waiting(row.id):
                            taken.append(self._look(row, found))
                            files = found.sealed_files if isinstance(found, Extract) else ()
                            self.club.store.finish_incoming(row.id, taken[-1].text, taken[-1].sender, files)
                        if time.monotonic() >= until:
                            break
                yield from taken

    def _read(self, row: IncomingRow) -> Extract | Exception:
        """Return the extract of a mail, or the exception if that fails: one mail must not stop all others."""
        try:
            if row.size > MAX_MAIL_SIZE:
                head = extract(row.raw, self.settings.address).head
                why = f"the mail has more than {MAX_MAIL_SIZE:,} bytes"
                return Extract(head=head, reason=why, has_orders=True)
            return extract(row.raw, self.settings.address, self.club.key.public)
        except Exception as bug:  # noqa: BLE001 - see above
            return bug

    def _look(self, row: IncomingRow, found: Extract | Exception) -> Taken:
        if isinstance(found, Exception):
            return self._set_apart(row, None, found)
        try:
            with self.club.store.step():
                results = self._take(row, found)
        except ConfigError:
            raise
        except Exception as bug:  # noqa: BLE001 - one strange mail must not stop all others
            return self._set_apart(row, found.head, bug)
        return Taken(row.id, found.head.sender, "; ".join(results))

    def _set_apart(self, row: IncomingRow, head: Head | None, bug: Exception) -> Taken:
        """Keep a mail whose handling failed, and tell its sender once that the mail waits."""
        known = quarantine.is_apart(self.club, quarantine.FILE, row.id)
        one = quarantine.set_apart(self.club, quarantine.FILE, row.id, bug)
        if head is not None and not known:
            with contextlib.suppress(Exception), self.club.store.step():  # it may be what went wrong
                reply = Reply(row, head, about_us=True)
                reply.tell(
                    f"Your mail is kept and tried again, because something went wrong here: {one.why}.",
                    "The game master is told.",
                )
                self.answers.send(reply)
        return Taken(row.id, head.sender if head else "", f"set apart: {one.why}")

    def _take(self, row: IncomingRow, found: Extract) -> list[str]:
        again = quarantine.is_apart(self.club, quarantine.FILE, row.id)
        if found.head.origin != BOUNCE and self._is_old(found.head):
            found = replace(found, head=replace(found.head, origin=OLD))
        if self._is_of_player(found):
            found = replace(found, head=replace(found.head, origin=PERSON))
        reply = Reply(row, found.head, about_us=self._names_a_game(found))
        people = self.answers.players_at(found.head.sender)
        search = self.desk.search(self._hints(found), people) if found.sealed_files else None
        verdicts = [take_sealed(self.desk, sealed, search) for sealed in found.sealed_files]
        results = [verdict.text for verdict in verdicts]
        self._answer_orders(reply, verdicts)
        results += [take_statement(self.answers.club, reply, one) for one in found.statements]
        if found.commands:
            results += obey(self.answers, self.desk, reply, found.commands)
        if found.head.origin == BOUNCE:
            own, archive = self.settings.domain, self.settings.sent_to
            results += take_bounce(self.club, row.id, row.raw, found.head, own, archive)
        words = self._ask_person(reply, found, people, verdicts)
        reply.words = words or ("" if found.is_taken else found.text)
        if found.commands or not found.is_taken:
            reply.about_us |= self._is_for_person(found, people) and is_heard(self.club, reply)
        if not found.is_taken:
            results.append(f"nothing taken: {found.reason}")
            self._note_kind(reply, found)
            if words is None or self._is_broken(found):
                reply.tell(f"Nothing was used from your mail: {found.reason}.")
        if words is not None:
            results.append("passed on to the director")
        keep_apart(self.club, row.id, verdicts)
        waits = again and any(verdict.apart for verdict in verdicts)
        is_answered = not waits and self.answers.send(reply)
        if words is not None:
            is_answered &= not reply.to_signer or found.head.sender in reply.to_signer
            pass_on(
                self.club,
                self.desk.agendas,
                reply,
                words,
                people,
                files=found.attached,
                is_answered=is_answered,
                is_used=self._is_used(found, verdicts),
                is_broken=found.is_taken or self._is_broken(found),
            )
        return results

    @staticmethod
    def _note_kind(reply: Reply, found: Extract) -> None:
        """Note what kind of answer a mail needs from which nothing was taken."""
        if found.has_orders:
            reply.is_about(ORDERS)
        elif found.has_signed:
            reply.is_about(SIGNED)
        elif found.is_press:
            reply.is_about(PRESS)

    def _ask_person(
        self, reply: Reply, found: Extract, people: list[str], verdicts: list[Verdict]
    ) -> str | None:
        """Return the words of a mail that go to the director, and tell its sender so; None if none go."""
        if found.is_press or not self._is_for_person(found, people):
            return None
        words = found.text if has_words(found.text) else ""
        is_beside = found.is_taken or self._is_broken(found)
        if is_beside:
            names = [*re.findall(r"[^\W\d_]+", f"{found.head.name} {found.head.sender}"), *people]
            is_own = bool(found.statements or found.commands) or any(one.person in people for one in verdicts)
            words = words_beside(found.text, names, is_own=is_own)
        if (is_beside and not words) or not is_for_director(self.club, reply, words, found.attached):
            return None
        reply.about_us = True
        if limit := count_question(self.club, reply, people):
            reply.is_about(LIMITED)
            reply.tell(limit)
            keep_back(self.club, self.desk.agendas, reply, people)
        else:
            reply.tell(WILL_READ_WORDS if is_beside else WILL_READ)
        if not is_beside and self._is_like_orders(found):
            reply.is_about(ORDERS)
            reply.tell(IN_WORDS)
        return None if limit else words

    @staticmethod
    def _is_broken(found: Extract) -> bool:
        """Tell whether a mail brought something for the judge that cannot be used."""
        return not found.is_taken and (found.has_orders or found.has_signed)

    @staticmethod
    def _is_used(found: Extract, verdicts: Sequence[Verdict]) -> bool:
        """Tell whether something of a mail was used, or is kept to be tried again."""
        accepted = any(verdict.is_accepted or verdict.apart for verdict in verdicts)
        return accepted or bool(found.statements or found.commands)

    def _is_of_player(self, found: Extract) -> bool:
        """Tell whether a mail has orders, a player's address in From, and no mark that a machine wrote it."""
        head = found.head
        wrong = head.is_automatic or head.origin in (OWN, OLD)
        return found.has_orders and not wrong and bool(self.answers.player_at(head.sender))

    @staticmethod
    def _is_for_person(found: Extract, people: list[str]) -> bool:
        """Tell whether a person should read a mail: a person's, or a player's that only looks automatic."""
        head = found.head
        return head.origin == PERSON or (head.origin == AUTO and not head.is_automatic and bool(people))

    def _is_like_orders(self, found: Extract) -> bool:
        from pbem.judge.letters.order_explanations import are_like_orders  # few mails need it

        games = [
            game
            for game in self._games_by_address.get(found.head.sender, ())
            if not self.desk.agendas[game].over and not self.desk.agendas[game].trouble
        ]
        return are_like_orders(self.club, games, f"{found.head.subject}\n{found.text}")

    def _is_old(self, head: Head) -> bool:
        """Tell whether a mail that a restored club finds is older than the club's backup."""
        until = self.club.store.note(HANDLED)
        return bool(until) and head.date is not None and head.date < parse_utc(until) - MARGIN

    def _answer_orders(self, reply: Reply, verdicts: list[Verdict]) -> None:
        """Answer the orders in a mail; orders that were entered have a receipt of their own."""
        known = any(verdict.player for verdict in verdicts)
        is_all_known = all(verdict.before for verdict in verdicts)
        for verdict in verdicts:
            if verdict.is_press:
                self._answer_press(reply, verdict)
                continue
            if not verdict.is_accepted:
                reply.is_about(ORDERS)
            if not verdict.player:
                if not known or not verdict.is_elsewhere:
                    reply.tell(
                        "Nothing was used: the file is not sealed to an exchange that is open here."
                        if verdict.is_elsewhere
                        else f"Nothing was used: {verdict.text}."
                    )
                continue
            owner = self.answers.address_of(verdict.person)
            line = f"Orders of {verdict.player} for {verdict.game} do not count: {verdict.text}."
            if verdict.is_accepted:
                reply.has_receipt = True
                self.club.store.clear_trouble(verdict.person)
                if is_all_known:
                    self._answer_again(reply, verdict, owner)
            elif verdict.is_signed:
                reply.tell_signer(owner, line)
            elif owner == reply.head.sender:
                reply.tell(line)
            if owner != reply.head.sender:
                reply.tell("Your mail was read; the player who signed it gets the result.")

    def _answer_again(self, reply: Reply, verdict: Verdict, owner: str) -> None:
        """Tell whoever sends a file once more that it is here, unless its receipt has just been sent.

        What a restored club finds again in its mailbox was written before, and not sent once more.
        """
        written = reply.head.date or parse_utc(reply.row.at)
        if verdict.before is None or written - verdict.before < RECEIPT_IS_FRESH:
            return
        profile = self.club.store.profile(verdict.person)
        at = local_text(verdict.before, profile.zone if profile else "")
        whose = f"of {verdict.player} for {verdict.game}"
        what = f"The reveal {whose} was" if verdict.is_reveal else f"Orders {whose} were"
        reply.tell_signer(
            owner,
            f"{what} received before, at {at}. To get the last "
            f"letters once more, send a mail whose first line is: resend {verdict.game}",
        )

    def _answer_press(self, reply: Reply, verdict: Verdict) -> None:
        """Tell whoever signed a message why it was not passed on, or the sender that it was not used."""
        if verdict.is_accepted or verdict.text == WAITS:
            return
        reply.is_about(PRESS)
        if verdict.is_signed:
            line = f"Your message in {verdict.game} was not passed on: {verdict.text}."
            reply.tell_signer(self.answers.address_of(verdict.person), line)
        else:
            reply.tell(f"Nothing was used: {verdict.text}.")

    def _names_a_game(self, found: Extract) -> bool:
        named = {command.game for command in found.commands}.union(*self._hints(found)[:1])
        leagues = {row.name.removeprefix("league.") for row in self.club.store.leagues()}
        return any(name in leagues or name in self.desk.agendas for name in named)

    def _hints(self, found: Extract) -> list[list[str]]:
        """Return two lists of games that a mail may be about: those it may name, and those of its sender."""
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
            for player in agenda.seated_people:
                players.setdefault(player, []).append(agenda.game)
        found: dict[str, tuple[str, ...]] = {}
        for row in self.club.store.players():
            if row.address:
                address = row.address.lower()
                found[address] = (*found.get(address, ()), *players.get(row.name, ()))
        return found
