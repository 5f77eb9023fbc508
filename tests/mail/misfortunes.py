"""Misfortunes that begin and end, and a club that three of them befall at once, drawn by a seed."""

from __future__ import annotations

import os
import random
import signal
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

from pbem.audit.all_claims import audit
from pbem.audit.findings import State
from pbem.judge.club import open_club
from pbem.judge.export import export
from pbem.service.one_pass import Pass
from tests.mail.month import SENT, BadPost, MaildirBox, Month, Seat
from tests.mail.postal import mail

DAYS, QUIET, GAMES, AT_ONCE = 8, 9, 2, 3
"""The days of misfortune, those after them, the games."""


class Misfortune:
    """Something goes wrong for some days; most do nothing at one of these moments."""

    is_whole_pass = False
    """Nothing else of a pass is left."""

    def begin(self, month: Storm) -> None:
        """It begins."""

    def end(self, month: Storm) -> None:
        """It is over."""

    def before_pass(self, month: Storm) -> None:
        """A pass is about to be made."""


class MailboxAway(Misfortune):
    """The disk of the mailbox is not mounted; what arrives waits there."""

    def begin(self, month: Storm) -> None:
        month.maildir.path = month.maildir.path.rename(month.folder / "aside")

    def end(self, month: Storm) -> None:
        home = month.post.folder / "judge"
        home.mkdir(exist_ok=True)
        for part in ("new", "cur", "tmp"):
            (home / part).mkdir(exist_ok=True)
            for one in (month.maildir.path / part).iterdir():
                one.rename(home / part / one.name)
        month.maildir.path = home


class StrangeItem(Misfortune):
    """A folder lies among the new mails."""

    def begin(self, month: Storm) -> None:
        (month.maildir.path / "new" / "strange").mkdir()

    def end(self, month: Storm) -> None:
        (month.maildir.path / "new" / "strange").rmdir()


class NothingLeaves(Misfortune):
    """The mail server puts off everything."""

    def begin(self, month: Storm) -> None:
        month.post.put_off = {"*"}

    def end(self, month: Storm) -> None:
        month.post.put_off = set()


class OneIsPutOff(Misfortune):
    """The mail server puts off one player."""

    def begin(self, month: Storm) -> None:
        month.post.put_off.add(month.seats[0].address)

    def end(self, month: Storm) -> None:
        month.post.put_off.discard(month.seats[0].address)


class OneBounces(Misfortune):
    """One player's letters come back."""

    def begin(self, month: Storm) -> None:
        month.post.bouncing.add(month.seats[1].address)

    def end(self, month: Storm) -> None:
        month.post.bouncing.discard(month.seats[1].address)


class ArchiveRefuses(Misfortune):
    """The archive's address is refused."""

    def begin(self, month: Storm) -> None:
        month.post.refused.add(SENT)

    def end(self, month: Storm) -> None:
        month.post.refused.discard(SENT)


class Flood(Misfortune):
    """Strangers ask for help, and some give a player's name."""

    def begin(self, month: Storm) -> None:
        for number in range(60):
            sender = month.seats[0].address if number % 4 == 0 else f"x{number}@example.net"
            month.box.deliver(mail(f"help {number}\n", sender, Subject=f"offer {number}"))


class DamagedOrders(Misfortune):
    """Orders arrive cut off."""

    def begin(self, month: Storm) -> None:
        block = "-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5\n"
        month.box.deliver(mail(block, month.seats[2].address))


class FullDisk(Misfortune):
    """The disk is full, in every pass; afterwards the game master lets it go on."""

    is_whole_pass = True

    def end(self, month: Storm) -> None:
        month.run(after_gap=True)

    def before_pass(self, month: Storm) -> None:
        month.full_pass()


class Kills(Misfortune):
    """Each pass is killed at some instant, and begun again."""

    def before_pass(self, month: Storm) -> None:
        instant = month.random.uniform(0.001, 0.4)
        if child := os.fork():
            os.waitpid(child, 0)
            return
        try:
            club = open_club(month.table.club.path, month.clock)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, instant)
            list(Pass(club).run())
        finally:
            os._exit(0)


class ClockBack(Misfortune):
    """The clock goes half a day back, and is set right in the end."""

    def begin(self, month: Storm) -> None:
        month.clock.pass_days(-0.5)

    def end(self, month: Storm) -> None:
        month.clock.pass_days(0.5)


class MachineOff(Misfortune):
    """The machine is off for three days; the game master, who is told of the gap, lets it go on."""

    def begin(self, month: Storm) -> None:
        month.clock.pass_days(3)

    def end(self, month: Storm) -> None:
        month.run(after_gap=True)


class Absent(Misfortune):
    """A player does not write."""

    def begin(self, month: Storm) -> None:
        month.seats[-1].is_silent = True

    def end(self, month: Storm) -> None:
        month.seats[-1].is_silent = False


class ReadingGameMaster(Misfortune):
    """The game master opens every mail before the judge sees it."""

    def before_pass(self, month: Storm) -> None:
        if not (month.maildir.path / "new" / "strange").exists():
            month.box.read_all()


KINDS: tuple[type[Misfortune], ...] = (
    MailboxAway,
    StrangeItem,
    NothingLeaves,
    OneIsPutOff,
    OneBounces,
    ArchiveRefuses,
    Flood,
    DamagedOrders,
    FullDisk,
    Kills,
    ClockBack,
    MachineOff,
    Absent,
    ReadingGameMaster,
)


class MoodyPost(BadPost):
    """A post office that also puts off single addresses, or all ("*")."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.put_off: set[str] = set()

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.put_off & {address, "*"}:
            return "451 try again later"
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

    def __init__(self, folder: Path, post: MoodyPost, port: int, seed: int) -> None:
        self.maildir = MaildirBox(post.box("judge"))
        self.drawn: list[Drawn] = []
        self.on: list[Misfortune] = []
        self.arrived: list[Sent] = []
        self.before: dict[str, int] = {}
        super().__init__(folder, GAMES, self.maildir, post, port, pace=0.8)
        self.random = random.Random(seed)
        for kind in self.random.sample(KINDS, AT_ONCE):
            first = self.random.randrange(1, 4)
            self.drawn.append(Drawn(kind(), first, self.random.randrange(4, DAYS)))

    @property
    def names(self) -> list[str]:
        """What was drawn, for who reads a failure."""
        return [f"{type(one.misfortune).__name__} {one.first}-{one.last}" for one in self.drawn]

    def run(self, **options: object) -> None:
        for one in self.on:
            one.before_pass(self)
        if not any(one.is_whole_pass for one in self.on):
            super().run(**options)

    def order(self, seat: Seat, number: int) -> None:
        deadline = self.ledger(seat.game)[0].exchanges[number - 1].deadline
        super().order(seat, number)
        self.arrived.append(Sent(seat, number, self.clock(), deadline))

    def live(self) -> None:
        """All of it begins and ends, and then nothing is wrong for some days."""
        self.run()
        for day in range(DAYS + QUIET):
            for one in self.drawn:
                if one.first == day:
                    self.on.append(one.misfortune)
                    one.misfortune.begin(self)
                if one.last == day:
                    self.on.remove(one.misfortune)
                    one.misfortune.end(self)
            if day == DAYS:
                self.before = {seat.game: len(self.ledger(seat.game)[0].resolved) for seat in self.seats}
            self.day()

    def check(self) -> None:
        """The invariants over the whole of it; those of the folder were looked at after each pass."""
        self.check_mail()
        assert len(self.told) == len(set(self.told)), self.told
        for game, resolved in self.before.items():
            history = self.ledger(game)[0]
            assert len(history.resolved) > resolved, f"{game} goes on"
            self._check_in_time(game)
        self._check_audit()

    def _check_in_time(self, game: str) -> None:
        """No order that reached the mailbox in time is passed over."""
        exchanges = self.ledger(game)[0].exchanges
        for one in self.arrived:
            if one.seat.game == game and one.deadline is not None and one.at <= one.deadline:
                received = {entry.sealed for entry in exchanges[one.exchange - 1].received}
                assert one.seat.sent[one.exchange] in received, f"{one.seat.name}, {one.exchange}: in time"

    def _check_audit(self) -> None:
        """No head is contradicted by what players hold."""
        club = open_club(self.table.club.path, self.clock)
        for game in club.store.games():
            held = self.folder / f"held-{game}"
            held.mkdir()
            for seat in (one for one in self.seats if one.game == game):
                for receipt, signed in zip(seat.receipts, seat.signed, strict=True):
                    (held / f"{game}-receipt-{seat.name}-{receipt.number:04d}.txt").write_bytes(signed)
            export(club, game, "public", self.folder / f"bundle-{game}")
            found = audit(self.folder / f"bundle-{game}", held=held)
            assert [str(row) for row in found.rows if row.state in (State.REFUTED, State.MISSING)] == []
        club.store.close()
