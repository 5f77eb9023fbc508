"""A club of many games by mail at which nobody looks, and what may befall it.

The judge is run by a loop, as `pbem serve` does, by a clock that a story sets. Players know what their mails
say: they send orders when a report has come, and keep receipts.
"""

from __future__ import annotations

import email
import imaplib
import mailbox
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from aiosmtpd.smtp import SMTP, Envelope, Session

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.cli import main
from pbem.errors import PbemError
from pbem.judge.book import Book
from pbem.judge.club import open_club
from pbem.judge.export import export
from pbem.judge.newgame import new_game
from pbem.judge.upkeep import backups
from pbem.judge.upkeep.folder_identity import take_over
from pbem.mail.mail_problems import troubles
from pbem.play.history import History
from pbem.service.one_pass import Pass
from pbem.service.watch import sound_alarm
from pbem.trust import keys
from pbem.trust.armor import find_blocks
from pbem.trust.chance import Chain, make_chain
from pbem.trust.ledger import Receipt, parse_receipt
from pbem.trust.player_statements import Join
from pbem.trust.sealing import MAX_SEALED_REPORT_SIZE, open_sealed, sealed_name, to_armor
from tests.judge.invariants import Watched
from tests.judge.table import TITLE, Table, join_of
from tests.mail.postal import mail, write_settings
from tests.mail.servers import Dovecot, Post
from tests.mail.test_bounces import bounce
from tests.trust.sealed import orders_for, seal_orders

START = datetime(2026, 3, 9, 9, tzinfo=UTC)
"""A Monday; British clocks change on the 29th."""
ZONE = "Europe/London"
PASSES = 2
"""A day."""
GM, SENT = "gm@club.example", "sent@club.example"
SIDES = ("scotland", "england")


@dataclass(frozen=True)
class Game:
    """A title, its options and who plays."""

    title: str
    options: dict[str, Any]
    sides: tuple[str, ...]


HAMMER = Game(TITLE.name, {"scenario": "braveheart"}, SIDES)


class JudgeBox(Protocol):
    """The judge's mailbox, as others see it."""

    def inbox(self) -> dict[str, Any]:
        """How the judge reads it, for club.toml."""

    def deliver(self, raw: bytes) -> None:
        """A mail arrives."""

    def read_all(self) -> None:
        """The game master opens every mail."""


@dataclass
class MaildirBox:
    """A Maildir."""

    path: Path
    habits: list[Callable[[bytes], bytes]] = field(default_factory=list)
    """What programs on the way do to each mail."""
    copies: int = 1

    def inbox(self) -> dict[str, Any]:
        return {"maildir": str(self.path)}

    def deliver(self, raw: bytes) -> None:
        for habit in self.habits:
            raw = habit(raw)
        for _ in range(self.copies):
            mailbox.Maildir(self.path).add(raw)

    def read_all(self) -> None:
        for path in list((self.path / "new").iterdir()):
            path.rename(self.path / "cur" / f"{path.name}:2,S")


@dataclass
class ImapBox:
    """An account of a Dovecot."""

    server: Dovecot
    user: str = "judge"

    def inbox(self) -> dict[str, Any]:
        return self.server.inbox(self.user)

    def deliver(self, raw: bytes) -> None:
        self.server.deliver(self.user, raw)

    def read_all(self) -> None:
        with imaplib.IMAP4("127.0.0.1", self.server.imap) as connection:
            connection.login(self.user, "secret")
            connection.select()
            connection.uid("STORE", "1:*", "+FLAGS", "(\\Seen)")


class BadPost(Post):
    """A post office with moods."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.box_of_judge: JudgeBox | None = None
        self.greylisting = False
        self.met: set[str] = set()
        self.refused: set[str] = set()
        self.bouncing: set[str] = set()
        self.away: set[str] = set()
        self.count: Counter[str] = Counter()

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refused:
            return "550 no such user"
        if self.greylisting and address not in self.met:
            self.met.add(address)
            return "451 greylisted, try again later"
        envelope.rcpt_tos.append(address)
        return "250 taken"

    def put(self, name: str, sender: str, content: bytes) -> None:
        assert self.box_of_judge is not None
        address = f"{name}@example.org"
        self.count[name] += 1
        if address in self.bouncing:
            if sender:
                self.box_of_judge.deliver(bounce(email.message_from_bytes(content)))
            return
        super().put(name, sender, content)
        if address in self.away:
            reply = mail("I am away and read nothing.\n", address, Subject="AUTO: out of the office")
            self.box_of_judge.deliver(reply)


def is_moot(history: History, number: int) -> bool:
    """Whether an exchange was never closed, as its game ended by a concession: orders for it are answered."""
    return history.over and history.exchanges[number - 1].closed is None


@dataclass
class Seat:
    """Somebody who plays one side of one game, and what came by mail."""

    game: str
    name: str
    side: str
    key: keys.PrivateKey
    chain: Chain
    reports: set[int] = field(default_factory=set)
    receipts: list[Receipt] = field(default_factory=list)
    signed: list[bytes] = field(default_factory=list)
    """The receipts as the judge has signed them."""
    sent: dict[int, str] = field(default_factory=dict)
    """Exchange -> the name of the sealed file."""
    read: set[str] = field(default_factory=set)
    is_silent: bool = False

    @property
    def address(self) -> str:
        return f"{self.name}@example.org"

    def join(self) -> Join:
        return join_of(self.game, self.name, self.key, self.chain.anchor)

    def open_mail(self, box: Path) -> None:
        """Read what has come: which exchanges were reported, and what was receipted."""
        for path in (box / "new").iterdir():
            if path.name in self.read:
                continue
            self.read.add(path.name)
            raw = path.read_bytes()
            for part in email.message_from_bytes(raw).walk():
                name = str(part.get_filename() or "")
                if name.startswith(f"{self.game}-receipt-"):
                    self._keep_receipt(part.get_payload(decode=True))
                elif name.startswith(f"{self.game}-") and name.endswith("-report.txt"):
                    self.reports.add(int(name.removesuffix("-report.txt")[-4:]))

    def _keep_receipt(self, data: object) -> None:
        assert isinstance(data, bytes)
        first = next(block.sealed for block in find_blocks(data.decode()) if block.sealed)
        text = open_sealed(first, [self.key], MAX_SEALED_REPORT_SIZE)
        self.receipts.append(parse_receipt(text[: text.index(b"-----BEGIN")]))
        self.signed.append(text)


class Month:
    """The club, its players and what befalls them."""

    def __init__(
        self,
        folder: Path,
        games: int | Sequence[Game],
        box: JudgeBox,
        post: BadPost,
        port: int,
        *,
        pace: float = 0.5,
    ) -> None:
        """`pace`: how likely a player who has a report sends orders before the next pass."""
        played = [HAMMER] * games if isinstance(games, int) else games
        self.folder, self.box, self.post, self.port, self.pace = folder, box, post, port, pace
        post.box_of_judge = box
        self.random = random.Random(12)
        self.table = Table.begun(folder, START)
        self.clock = self.table.clock
        self.settle()
        self.seats = [self.seat(number, side) for number, game in enumerate(played) for side in game.sides]
        self.histories: dict[str, tuple[str, History]] = {}
        club = self.table.club
        for seat in self.seats:
            club.add_player(seat.name, seat.key.public, seat.address)
        for game, about in zip(dict.fromkeys(seat.game for seat in self.seats), played, strict=True):
            joins = {seat.side: seat.join() for seat in self.seats if seat.game == game}
            new_game(club, game, about.title, about.options, joins)
        self.passes = 0
        self.watched = Watched(folder / "club")

    def settle(self) -> None:
        """Write club.toml; alerts go to the game master's mail and to the file `told`."""
        command = f"sh -c 'cat >> {self.folder}/told; echo >> {self.folder}/told'"
        outbox = {"host": "127.0.0.1", "port": self.port, "tls": "none"}
        rhythm = {"days": 2, "hour": "20:00", "zone": ZONE, "reminder_hours": 12}
        watch = {"address": GM, "command": command}
        boxes = {"inbox": self.box.inbox(), "outbox": outbox, "sent_to": SENT}
        write_settings(self.table, {**boxes, "rhythm": rhythm, "watch": watch})

    def seat(self, number: int, side: str) -> Seat:
        game, name = f"g{number:03d}", f"{side[: 2 if side[0] == 'g' else 1]}{number:03d}"
        chain = make_chain(game, f"{name}.1", bytes([number % 256, len(side)]) * 16)
        return Seat(game, name, side, keys.generate(name), chain)

    @property
    def told(self) -> list[str]:
        """The alerts, one a line."""
        path = self.folder / "told"
        return [line for line in path.read_text().splitlines() if line] if path.exists() else []

    # -- the judge

    def run(self, **options: Any) -> None:
        """One pass, as `pbem serve` makes it; what stops it is told and tried again."""
        self.passes += 1
        try:
            with sound_alarm(self.folder / "club", self.clock):
                club = open_club(self.table.club.path, self.clock)
                try:
                    list(Pass(club, **options).run())
                finally:
                    club.store.close()
        except PbemError:
            pass
        self.watched.look()

    def wait(self, days: float = 1 / PASSES) -> None:
        """Time passes, the players read their mail and send orders, and the judge makes a pass."""
        self.clock.pass_days(days)
        self.play()
        self.run()

    # -- the players

    def read_mail(self) -> None:
        """Everybody reads what has come."""
        for seat in self.seats:
            seat.open_mail(self.post.box(seat.name))

    def play(self) -> None:
        """Whoever has a report sends orders, sooner or later, and sometimes never."""
        self.read_mail()
        for seat in self.seats:
            last = max(seat.reports, default=None)
            due = last is not None and last + 1 not in seat.sent and not seat.is_silent
            if due and self.random.random() < self.pace:
                self.order(seat, (last or 0) + 1)

    def order(self, seat: Seat, number: int) -> None:
        """Seal and send orders for an exchange that a report has opened."""
        sealed = seal_orders(orders_for(self.ledger(seat.game), seat.name, seat.chain, number), seat.key)
        seat.sent[number] = sealed_name(sealed)
        self.box.deliver(mail(to_armor(sealed), seat.address, Subject=f"orders, {self.clock():%d.%m %H:%M}"))

    def ledger(self, game: str) -> Book:
        club = open_club(self.table.club.path, self.clock)
        book = club.book(game)
        club.store.close()
        return book

    # -- what befalls it

    def day(self) -> None:
        for _ in range(PASSES):
            self.wait()

    def full_pass(self) -> None:
        try:
            with sound_alarm(self.folder / "club", self.clock):
                club = open_club(self.table.club.path, self.clock)
                try:
                    (pages,) = club.store.db.conn.execute("PRAGMA page_count").fetchone()
                    club.store.db.conn.execute(f"PRAGMA max_page_count = {pages}")
                    list(Pass(club).run())
                finally:
                    club.store.close()
        except PbemError:
            pass

    def back_up(self) -> Path:
        """An archive of the club."""
        club = open_club(self.table.club.path, self.clock)
        backups.backup(club, self.folder / "backup.tar.gz")
        club.store.close()
        return self.folder / "backup.tar.gz"

    def restore(self, archive: Path) -> None:
        """The folder is lost; the club goes on from a backup, and a pass says that it is to be confirmed."""
        (self.folder / "club").rename(self.folder / "dead")
        self.watched.begin_anew()
        self.table.club = backups.restore(archive, self.folder / "club")
        take_over(self.table.club.store)
        self.table.club.store.close()
        self.run()

    def confirm(self) -> None:
        """By what the judge has sent."""
        sent, club = str(self.post.box("sent")), str(self.folder / "club")
        assert main(("confirm", "--sent", sent, "--club", club)) == 0, "all are confirmed by the sent mail"

    # -- what must be true in the end

    def check_mail(self) -> None:
        """Nothing was lost, and nothing is unsent without a word."""
        for _ in range(PASSES):
            self.clock.pass_days(1 / PASSES)
            self.run()
        self.read_mail()
        club = open_club(self.table.club.path, self.clock)
        for game in club.store.games():
            self._check_game(club.book(game).history, [seat for seat in self.seats if seat.game == game])
        wrong = "\n".join(troubles(club))
        for letter in club.store.letters():
            assert letter.sent or f"{letter.name} to {letter.player}" in wrong or not letter.player, (
                letter.name
            )
        for row in club.store.db.query("SELECT * FROM incoming"):
            assert row["done"], "every mail was looked at"
            assert "not understood" not in row["result"], row["result"]
        club.store.close()

    def _check_game(self, history: History, seats: list[Seat]) -> None:
        received = {entry.sealed for one in history.exchanges for entry in one.received}
        refused = {entry.sealed for one in history.exchanges for entry in one.refused}
        for seat in seats:
            sent = {name for number, name in seat.sent.items() if name and not is_moot(history, number)}
            assert sent <= received | refused, f"{seat.name}: no order is lost"
            for receipt in seat.receipts:
                exchange = history.exchanges[receipt.exchange - 1]
                names = {entry.sealed for entry in exchange.received}
                assert receipt.sealed in names, f"{seat.name}: what was receipted is played"
        for exchange in history.exchanges:
            if exchange.deadline is not None and not history.genesis.drawn:  # a league has times of its own
                assert exchange.deadline.astimezone(ZoneInfo(ZONE)).hour == 20, "in winter and in summer"

    def check_not_contradicted(self) -> None:
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
            wrong = [str(row) for row in found.rows if row.state in (State.REFUTED, State.MISSING)]
            assert not wrong, f"contradicted: {wrong}"
        club.store.close()
