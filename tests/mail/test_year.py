"""A full year by mail alone: two players with homes of their own, a judge run by a loop, a real mail server.

Between them goes nothing but mail: what the players seal is mailed, what the judge mails is saved whole
and received. On the way one player is absent for a while, misses a deadline, and loses a mail and asks for
it again. Afterwards the public bundle is audited.
"""

from __future__ import annotations

from email.message import Message
from pathlib import Path

from pbem.audit.check import audit
from pbem.bots import load_bots
from pbem.judge.club import create_club
from pbem.judge.export import export
from pbem.mail.passes import Pass
from pbem.player import Home
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from pbem.trust.letters import read_join
from tests.judge.table import Clock, Table
from tests.mail.postal import Postal
from tests.mail.servers import Post, smtp_server

GAME = "dunbar"
SEATS = {"alice": "scotland", "bob": "england"}
EVERY_DAYS = 0.5
MOST_PASSES = 400
ABSENT_FROM, ABSENT_UNTIL = "2026-01-20", "2026-02-02"
MISSED = 4
"""The exchange that Bob lets pass."""
LOST = 5
"""The exchange whose report to Alice is lost."""


class Player:
    """Somebody with a home, a mailbox and a captain's plans."""

    def __init__(self, name: str, folder: Path, clock: Clock) -> None:
        self.name = name
        self.home = Home(folder / name, clock=clock)
        self.home.keygen(name)
        self.bot = load_bots("hammer")["captain"](SEATS[name])
        self.views: dict[int, View] = {}
        self.last: View | None = None
        self.sent: set[int] = set()

    def read(self, mails: list[Message]) -> None:
        """Save each mail whole, and receive it."""
        for mail in mails:
            raw = mail.as_bytes()
            if b"BEGIN AGE" not in raw:
                continue
            for arrival in self.home.receive(raw):
                self.last = unpack_view(arrival.text) or self.last

    def orders(self) -> str | None:
        """Sealed orders for the open exchange, if there are none yet."""
        (status,) = self.home.games()
        if status.exchange is None or status.exchange in self.sent or status.over:
            return None
        self.sent.add(status.exchange)
        body = self.bot.write(self.last) if self.last is not None else ""
        draft = f"pbem1 orders\ngame {GAME}\nexchange {status.exchange}\n---\n{body}" if body else None
        return self.home.seal(draft, game=GAME).armor

    @property
    def exchange(self) -> int:
        """The exchange that is open as far as he knows."""
        return self.home.games()[0].exchange or 0


def test_a_year_by_mail_alone(tmp_path: Path) -> None:
    post = Post(tmp_path / "post")
    clock = Clock()
    with smtp_server(post) as port:
        players = {name: Player(name, tmp_path, clock) for name in SEATS}
        club = create_club(tmp_path / "club", "by mail", clock=clock)
        postal = Postal(Table(club, clock), post)
        postal.settle(
            inbox={"maildir": str(post.box("judge"))},
            outbox={"host": "127.0.0.1", "port": port, "tls": "none"},
            rhythm={"days": 7, "reminder_hours": 36},
        )
        _join(postal, players)
        post.lost.append(b"<pbem1.%s.alice.%s-%04d-report@" % (GAME.encode(), GAME.encode(), LOST))
        events = _play(postal, players)
    club = postal.table.club
    history = club.book(GAME).history
    views = [player.last for player in players.values()]
    assert all(view is not None and view["year"] > 1297 for view in views), "the year is over"
    _check_events(events, postal)
    assert "bob" not in history.exchanges[MISSED - 1].counted()
    assert len(history.exchanges) > LOST
    export(club, GAME, "all", tmp_path / "bundle")
    assert not audit(tmp_path / "bundle", club.book(GAME).head_at(1)).refuted


def _join(postal: Postal, players: dict[str, Player]) -> None:
    """Both ask to join by mail; the judge enrols them from what came."""
    for name, player in players.items():
        postal.send(player.home.join(GAME, player=name), f"{name}@example.org")
    postal.run()
    club = postal.table.club
    joins = {join.player: join for join in map(read_join, _files(club.path / "joins"))}
    for name, join in joins.items():
        club.add_player(name, join.key, f"{name}@example.org")
    seats = {SEATS[name]: join for name, join in joins.items()}
    club.new_game(GAME, "hammer", {"scenario": "braveheart"}, seats)


def _files(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def _play(postal: Postal, players: dict[str, Player]) -> list[str]:
    """Passes and players' mails until the year is over; everything that the judge did."""
    events: list[str] = []
    absent, asked = False, False
    for _ in range(MOST_PASSES):
        events += [line.text for line in Pass(postal.table.club).run()]
        for name, player in players.items():
            player.read(postal.mails(name))
        if all(player.last is not None and player.last["year"] > 1297 for player in players.values()):
            return events
        now = postal.table.clock().date().isoformat()
        if not absent and now >= "2026-01-10":
            absent = True
            word = players["bob"].home.absent("bob", ABSENT_FROM, ABSENT_UNTIL)
            postal.send(word, "bob@example.org")
        alice, bob = players["alice"], players["bob"]
        _send(postal, alice)
        if bob.exchange == LOST + 1 and alice.exchange == LOST and not asked:
            asked = True
            postal.send(f"resend {GAME}\n", "alice@example.org")
        if bob.exchange != MISSED and not (absent and ABSENT_FROM <= now <= ABSENT_UNTIL):
            _send(postal, bob)
        postal.table.clock.pass_days(EVERY_DAYS)
    raise AssertionError(f"the year is not over after {MOST_PASSES} passes")


def _send(postal: Postal, player: Player) -> None:
    if (orders := player.orders()) is not None:
        postal.send(orders, f"{player.name}@example.org")


def _check_events(events: list[str], postal: Postal) -> None:
    told = "\n".join(events)
    assert f"absence of bob, {ABSENT_FROM} until {ABSENT_UNTIL}" in told
    assert f"command resend {GAME}" in told
    assert "bob is reminded" in told
    for letter in postal.table.club.store.letters():
        assert letter.sent, f"{letter.name} has left"
