"""The story of a year by mail alone: two players with homes of their own and a judge run by a loop.

Between them goes nothing but mail, over a mail server: what the players seal is mailed, what the judge mails
is saved whole and received. On the way one player is absent for a while, misses a deadline, and the other
loses a mail and asks for it again. Afterwards the bundle is audited.

Where the mails lie is the matter of the post office.
"""

from __future__ import annotations

import email
import smtplib
from collections.abc import Mapping
from email.message import Message
from email.policy import SMTP
from pathlib import Path
from typing import Any

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.bots import Bot
from pbem.judge.export import export
from pbem.judge.newgame import new_game
from pbem.play.history import Exchange
from pbem.player import Home
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from pbem.service.one_pass import Pass
from pbem.titles import load
from pbem.trust.player_statements import read_join
from tests.judge.table import TITLE, Clock, Table
from tests.mail.postal import mail, write_settings
from tests.mail.servers import Post

GAME = "dunbar"
SEATS = {"alice": "scotland", "bob": "england"}
EVERY_DAYS = 0.5
MAX_PASSES = 400
ABSENT_ON = "2026-01-08"
ABSENT_FROM, ABSENT_UNTIL = "2026-01-10", "2026-01-22"
MISSED = 2
"""The exchange that Bob lets pass: the first that asks for a card. If he has a choice, he is reminded."""
COPIES = "the ledger has every order file that players sent to everybody"
LOST = 4
"""The exchange whose report to Alice is lost."""


class Player:
    """Somebody with a home, an address and a bot's plans."""

    def __init__(self, name: str, folder: Path, clock: Clock, bot: Bot) -> None:
        self.name = name
        self.address = f"{name}@example.org"
        self.home = Home(folder / name, clock=clock)
        self.home.keygen(name)
        self.bot = bot
        self.last: View | None = None
        self.sent: set[int] = set()

    def read(self, mails: list[Message]) -> None:
        """Save each mail whole, and receive it."""
        for one in mails:
            raw = one.as_bytes()
            if b"BEGIN AGE" not in raw:
                continue
            for arrival in self.home.receive(raw):
                self.last = unpack_view(arrival.text) or self.last

    def orders(self) -> bytes | None:
        """The mail with sealed orders for the open exchange, if there are none yet."""
        (status,) = self.home.games()
        if status.exchange is None or status.exchange in self.sent or status.over:
            return None
        self.sent.add(status.exchange)
        body = self.bot.write(self.last) if self.last is not None else ""
        draft = f"pbem1 orders\ngame {GAME}\nexchange {status.exchange}\n---\n{body}" if body else None
        return self.home.mail(self.home.seal(draft, game=GAME))

    @property
    def exchange(self) -> int:
        """The exchange that is open as far as he knows."""
        return self.home.games()[0].exchange or 0

    @property
    def is_done(self) -> bool:
        """Has he read that the year is over?"""
        return self.last is not None and self.last["year"] > 1297


class Year:
    """The club, its players and their post."""

    rules, bot = TITLE.name, "captain"
    options: Mapping[str, Any] = {"scenario": "braveheart"}
    seats: Mapping[str, str] = SEATS

    def __init__(self, folder: Path, post: Post, port: int, **mail: Any) -> None:
        self.folder, self.post, self.port = folder, post, port
        self.read: dict[str, set[str]] = {}
        self.table = Table.begun(folder)
        self.clock = self.table.clock
        bots = load(self.rules).bots
        self.players = {
            name: Player(name, folder, self.clock, bots[self.bot](side)) for name, side in self.seats.items()
        }
        outbox = {"host": "127.0.0.1", "port": port, "tls": "none"}
        rhythm = {"days": 7, "reminder_hours": 36}
        boxes = {"inbox": post.inbox(), "outbox": outbox}
        write_settings(self.table, {**boxes, "rhythm": rhythm, **mail})
        self.events: list[str] = []
        self.has_choice = True

    def mails(self, name: str) -> list[Message]:
        """What has come for a player since the last time."""
        return self.post.mails(name, self.read.setdefault(name, set()))

    def mail(self, player: Player, content: bytes | str) -> None:
        """A mail of a player's to the judge, as he writes it."""
        self.send(mail(content, player.address))

    def send(self, raw: bytes) -> None:
        """Send a mail to everybody whom it names, as `sendmail -t` and mail programs do."""
        with smtplib.SMTP("127.0.0.1", self.port) as server:
            server.send_message(email.message_from_bytes(raw, policy=SMTP))

    def run(self) -> None:
        """One pass of the judge's."""
        lines = list(Pass(self.table.club).run())
        assert not [line for line in lines if line.trouble], lines
        self.events += [line.text for line in lines]

    def join(self, *sharing: str) -> None:
        """All ask to join by mail, some sharing their addresses; the judge enrols them from what came."""
        judge = self.table.club.key.public.fingerprint
        for name, player in self.players.items():
            share = player.address if name in sharing else ""
            self.mail(player, player.home.join(GAME, player=name, judge=judge, share=share))
        self.run()
        club = self.table.club
        files = [path.read_bytes() for path in sorted((club.path / "joins").iterdir())]
        joins = {join.player: join for join in map(read_join, files)}
        for name, join in joins.items():
            club.add_player(name, join.key, self.players[name].address)
        seats = {self.seats[name]: join for name, join in joins.items()}
        new_game(club, GAME, self.rules, self.options, seats)

    def play(self) -> None:
        """Passes and players' mails until both have read that the year is over."""
        alice, bob = self.players["alice"], self.players["bob"]
        absent = asked = False
        for _ in range(MAX_PASSES):
            self.run()
            for name, player in self.players.items():
                player.read(self.mails(name))
            if alice.is_done and bob.is_done:
                return
            today = self.clock().date().isoformat()
            if not absent and today >= ABSENT_ON:
                absent = True
                self.mail(bob, bob.home.absent("bob", ABSENT_FROM, ABSENT_UNTIL))
            self._send(alice)
            if bob.exchange == LOST + 1 and alice.exchange == LOST and not asked:
                asked = True
                self.mail(alice, f"resend {GAME}\n")
            if bob.exchange == MISSED and bob.last is not None:
                self.has_choice = len(set(bob.last["hand"])) > 1
            elif not (absent and ABSENT_FROM <= today <= ABSENT_UNTIL):
                self._send(bob)
            self.clock.pass_days(EVERY_DAYS)
        raise AssertionError(f"the year is not over after {MAX_PASSES} passes")

    def _send(self, player: Player) -> None:
        if (orders := player.orders()) is not None:
            self.send(orders)

    def check(self) -> None:
        """Everything that was to happen on the way has happened, and the game holds before an audit."""
        told = "\n".join(self.events)
        assert f"absence of bob, {ABSENT_FROM} until {ABSENT_UNTIL}" in told
        assert f"command resend {GAME}" in told
        assert "bob is reminded" in told or not self.has_choice
        club = self.table.club
        for letter in club.store.letters():
            assert letter.sent, f"{letter.name} has left"
        history = club.book(GAME).history
        assert list(history.exchanges[MISSED - 1].counted()) == ["alice"]
        assert len(history.exchanges) > LOST
        closed = {_day(exchange): exchange for exchange in history.resolved}
        assert not [day for day in closed if ABSENT_FROM < day <= ABSENT_UNTIL], (
            "nothing ends while Bob is away"
        )
        back = min(day for day in closed if day > ABSENT_UNTIL)
        assert set(closed[back].counted()) == {"alice", "bob"}, "and it waited for him"
        bundle = self.folder / "bundle"
        export(club, GAME, "all", bundle, "a test")
        for player in self.players.values():
            held = player.home.folder(GAME).path / "held"
            findings = audit(bundle, club.book(GAME).head_at(1), held)
            assert not findings.is_refuted
            assert list((held / "sealed").iterdir()), "copies of the other's orders have come"
            assert (COPIES, State.PROVEN) in [(one.claim, one.state) for one in findings.rows]


def play_a_year(folder: Path, post: Post, port: int) -> Year:
    """The whole story."""
    year = Year(folder, post, port)
    year.join("alice", "bob")
    post.lost.append(b"<pbem1.%s.alice.%s-%04d-report." % (GAME.encode(), GAME.encode(), LOST))
    year.play()
    assert not post.lost, "a report was lost on the way"
    year.check()
    return year


def _day(exchange: Exchange) -> str:
    """When an exchange was closed."""
    assert exchange.closed is not None
    assert exchange.closed.at is not None
    return exchange.closed.at.date().isoformat()
