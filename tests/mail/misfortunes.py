"""A club that three misfortunes befall at once, drawn by a seed, and what must be true of it."""

from __future__ import annotations

import email
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.mail.misfortune_kinds import KINDS, LATER_KINDS, Misfortune
from tests.mail.month import BadPost, Game, MaildirBox, Month, Seat, is_moot

DAYS, QUIET, GAMES, AT_ONCE = 8, 9, 2, 3
"""The days of misfortune, those after them, the games."""


class MoodyPost(BadPost):
    """A post office that also puts off single addresses, or all ("*")."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.put_off: set[str] = set()
        self.hangs_up_after = 0
        self._taken = 0
        self.moods: set[str] = set()
        """Habits of servers (tests/mail/habit_kinds.py)."""
        self._known: set[str] = set()

    async def handle_MAIL(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if "one mail a connection" in self.moods and getattr(session, "has_sent", False):
            return "503 5.5.1 Sender already specified"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        if "strange answers" in self.moods:
            return "250-2.1.0 <>\r\n250-\u00e4\u00f6\r\n250 2.1.0 " + "x" * 400
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        content = envelope.original_content or b""
        if "452 to large ones" in self.moods and len(content) > 300_000:
            return "452 4.3.1 Insufficient system resources"
        if "greylists at data" in self.moods:
            key = str(email.message_from_bytes(content[:4_000])["Message-ID"])
            if key not in self._known:
                self._known.add(key)
                return "451 4.7.1 Try again later (greylisted)"
        session.has_sent = True  # type: ignore[attr-defined]
        if self.hangs_up_after and self._taken % (self.hangs_up_after + 1) == self.hangs_up_after:
            self._taken += 1
            return "421 4.7.0 enough on this connection"
        self._taken += 1
        answer = await super().handle_DATA(server, session, envelope)
        if "closes after data" in self.moods:
            await server.push(answer)
            assert server.transport is not None
            server.transport.close()
        return answer

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.put_off & {address, "*"}:
            return "451 try again later"
        if "452 to the second" in self.moods and envelope.rcpt_tos:
            return "452 4.5.3 Too many recipients"
        return await super().handle_RCPT(server, session, envelope, address, options)


@dataclass
class Drawn:
    """One of the misfortunes of a month, and its days."""

    misfortune: Misfortune
    first: int
    last: int


@dataclass
class Sent:
    """When a player's orders reached the mailbox."""

    seat: Seat
    exchange: int
    at: datetime
    deadline: datetime | None


class Storm(Month):
    """A club that three misfortunes befall at once."""

    post: MoodyPost
    days, quiet = DAYS, QUIET

    def __init__(
        self,
        folder: Path,
        post: MoodyPost,
        port: int,
        seed: int,
        kinds: Sequence[type[Misfortune]] = (),
        games: int | Sequence[Game] = GAMES,
    ) -> None:
        """`kinds`: these befall it, and not what is drawn."""
        self.maildir = MaildirBox(post.box("judge"))
        self.drawn: list[Drawn] = []
        self.on: list[Misfortune] = []
        self.arrived: list[Sent] = []
        self.before: dict[str, int] = {}
        self.looks: list[datetime] = []
        """When passes were begun to which the mailbox was open."""
        self.whole: Counter[Misfortune] = Counter()
        """How many whole passes each misfortune has lasted."""
        super().__init__(folder, games, self.maildir, post, port, pace=0.8)
        self.random = random.Random(seed)
        self.draw(kinds or self._draw((*KINDS, *LATER_KINDS) if seed else KINDS))
        if any(one.misfortune.journal for one in self.drawn):
            (folder / "stick").mkdir()
            with (self.table.club.path / "club.toml").open("a") as file:
                file.write(f'\n[journal]\nfolder = "{folder}/stick"\n')
            self.table.reopen()

    def draw(self, kinds: Sequence[type[Misfortune]]) -> None:
        """Draw the days of each of these."""
        for kind in kinds:
            first = self.random.randrange(1, 4)
            self.drawn.append(Drawn(kind(), first, self.random.randrange(4, DAYS)))

    def _draw(self, among: Sequence[type[Misfortune]]) -> list[type[Misfortune]]:
        """Three at once; of those that take the folder away one at most."""
        while True:
            kinds = self.random.sample(among, AT_ONCE)
            if sum(kind.is_of_folder for kind in kinds) < 2:
                return kinds

    @property
    def names(self) -> list[str]:
        """What was drawn, for who reads a failure."""
        return [f"{type(one.misfortune).__name__} {one.first}-{one.last}" for one in self.drawn]

    def run(self, **options: object) -> None:
        for one in self.on:
            one.before_pass(self)
        if not any(one.is_whole_pass for one in self.on):
            self.whole_pass(**options)

    def whole_pass(self, **options: object) -> None:
        """A pass that nothing but its surroundings disturbs."""
        self.note_look()
        away = not (self.folder / "club" / "club.db").exists()
        self.whole.update(one for one in self.on if one.is_whole_pass or not away)
        super().run(**options)

    def note_look(self) -> None:
        """A pass is about to be made: is its mailbox there to be looked through?"""
        if (self.maildir.path.parent / "judge" / "new").is_dir():
            self.looks.append(self.clock())

    def full_pass(self) -> None:
        self.note_look()
        super().full_pass()

    def play(self) -> None:
        if (self.folder / "club" / "club.db").exists():
            super().play()

    def order(self, seat: Seat, number: int) -> None:
        deadline = self.ledger(seat.game).history.exchanges[number - 1].deadline
        super().order(seat, number)
        self.arrived.append(Sent(seat, number, self.clock(), deadline))

    def live(self) -> None:
        """All of it begins and ends, and then nothing is wrong for some days."""
        self.run()
        for day in range(self.days + self.quiet):
            for one in self.drawn:
                if one.first == day:
                    self.on.append(one.misfortune)
                    one.misfortune.begin(self)
                if one.last == day:
                    self.on.remove(one.misfortune)
                    one.misfortune.end(self)
            if day == self.days:
                self.before = {seat.game: len(self.ledger(seat.game).history.resolved) for seat in self.seats}
            self.day()

    def check(self) -> None:
        """The invariants over the whole of it; those of the folder were looked at after each pass."""
        self.check_mail()
        self._check_told()
        for game, resolved in self.before.items():
            history = self.ledger(game).history
            assert history.over or len(history.resolved) > resolved, f"{game} goes on"
        self.check_in_time()
        self.check_not_blind()
        self.check_not_contradicted()

    def _check_told(self) -> None:
        """Each trouble is told once, by mail and command; who tells it, makes no difference."""
        told = [re.sub(r"^pbem, [^:]*: ", "", line) for line in self.told]
        assert len(told) == len(set(told)), f"told once: {told}"
        for one in self.drawn:
            if (words := one.misfortune.tells) and self.whole[one.misfortune] >= one.misfortune.patience:
                assert any(words in line for line in told), f"{type(one.misfortune).__name__} is told: {told}"

    def check_in_time(self) -> None:
        """No order that reached the mailbox in time is passed over."""
        histories = {game: self.ledger(game).history for game in self.before}
        for one in self.arrived:
            history = histories[one.seat.game]
            if one.deadline is not None and one.at <= one.deadline and not is_moot(history, one.exchange):
                received = {entry.sealed for entry in history.exchanges[one.exchange - 1].received}
                assert one.seat.sent[one.exchange] in received, f"{one.seat.name}, {one.exchange}: in time"

    def check_not_blind(self) -> None:
        """No exchange is played blind: who has not answered was looked for after the deadline.

        It is seen from outside: a pass was begun later, not after the close, when the mailbox was there.
        """
        for game in self.before:
            for exchange in self.ledger(game).history.exchanges:
                closed, deadline = exchange.closed, exchange.deadline
                if closed is None or closed.at is None or deadline is None:
                    continue
                if exchange.awaited - {entry.player for entry in exchange.received}:
                    looked = [at for at in self.looks if deadline <= at <= closed.at]
                    assert looked, f"{game}, exchange {exchange.number}, closed {closed.at}, is played blind"
