"""A month in which everything goes wrong once, over real servers.

What goes wrong is a script: greylisting, an address that refuses, one that bounces, a full disk, a reboot in
the middle of a pass, a disk that is not mounted, a restore, spam, an out-of-office loop, the change to summer
time, a game master who reads the mailbox.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from pathlib import Path

import pytest

from pbem.judge.club import open_club
from pbem.mail.director import MAX_FROM_STRANGERS
from pbem.service.one_pass import Pass
from tests.mail.month import PASSES, START, BadPost, ImapBox, MaildirBox, Month
from tests.mail.postal import mail
from tests.mail.servers import dovecot, needs_dovecot, smtp_server

pytestmark = pytest.mark.ci
DAYS = 30


class BadMonth(Month):
    """Each thing befalls the club on its day."""

    def live(self) -> None:
        """Thirty days."""
        for day in range(DAYS):
            getattr(self, f"day_{day}", self.day)()

    def day_1(self) -> None:
        """Every address is unknown to the servers of the world at first."""
        self.post.greylisting = True
        self.day()

    def day_3(self) -> None:
        """One address refuses from now on, one bounces, one is away; the game master reads the mailbox."""
        self.post.refused.add(self.seats[0].address)
        self.post.bouncing.add(self.seats[2].address)
        self.post.away.add(self.seats[5].address)
        for _ in range(PASSES):
            self.play()
            self.box.read_all()
            self.wait()

    def day_6(self) -> None:
        """The disk is full, for a day."""
        self.clock.pass_days(1 / PASSES)
        self.play()
        before = self.post.count.copy()
        for _ in range(6):
            self.full_pass()
            self.clock.pass_days(1 / 6)
        again = {name for name, count in self.post.count.items() if count - before[name] > 3}
        assert not again - {"sent"}, "no letter leaves in each pass"
        self.run()

    def day_9(self) -> None:
        """A reboot in the middle of a pass, and the machine stays off for a day and a half."""
        self.clock.pass_days(1 / PASSES)
        self.play()
        club = open_club(self.table.club.path, self.clock)
        list(islice(Pass(club).run(), 3))
        club.store.close()
        self.clock.pass_days(1.5)
        self.run()
        self.day()

    def day_12(self) -> None:
        """The disk with the database is not mounted, for a day; then its folder of mail alone."""
        path = self.table.club.path / "club.db"
        path.rename(self.folder / "unmounted")
        for _ in range(PASSES):
            self.clock.pass_days(1 / PASSES)
            self.read_mail()
            self.run()
        (self.folder / "unmounted").rename(path)
        self.run()

    def day_15(self) -> None:
        """The disk dies some hours after a backup; one player of each game has sent orders since."""
        archive = self.back_up()
        club = open_club(self.table.club.path, self.clock)
        waiting = {game: club.book(game).history for game in club.store.games()}
        club.store.close()
        for game, history in waiting.items():
            exchange = history.current
            assert exchange is not None
            missing = exchange.seals.keys() - {entry.player for entry in exchange.received}
            if len(missing) > 1:
                (seat,) = [one for one in self.seats if one.game == game and one.name == min(missing)]
                if exchange.number not in seat.sent and exchange.number - 1 in seat.reports:
                    self.order(seat, exchange.number)
        self.clock.pass_days(0.01)
        self.run()
        self.box.read_all()
        self.read_mail()
        self.restore(archive)
        self.confirm()
        self.run()
        self.day()

    def day_18(self) -> None:
        """Spam, some of it under the names of players."""
        for number in range(100):
            sender = self.seats[number % 5].address if number % 3 else f"spam{number}@example.net"
            self.box.deliver(mail(f"buy {number}\n", sender, Subject=f"offer {number}"))
        self.day()

    def day_21(self) -> None:
        """A player gives up without a word."""
        self.seats[7].is_silent = True
        self.day()

    def check(self) -> None:
        """Nothing was lost, nothing unsent without a word, and each wrong thing was told once."""
        self.check_mail()
        self._check_alerts()

    def _check_alerts(self) -> None:
        told = self.told
        assert len(told) == len(set(told)), "nothing is told twice"
        kinds = {
            "refused": [line for line in told if self.seats[0].name in line and "550" in line],
            "bounced": [line for line in told if self.seats[2].name in line and "returned" in line],
            "full": [line for line in told if "disk is full" in line],
            "unmounted": [line for line in told if "Is its disk mounted?" in line],
            "restored": [line for line in told if "restored from a backup" in line],
        }
        assert {kind: len(lines) for kind, lines in kinds.items()} == dict.fromkeys(kinds, 1)
        assert len(told) == len(kinds), told
        away = self.seats[5].name
        answers = [
            path
            for path in (self.post.box(away) / "new").iterdir()
            if b"pbem: about your mail" in path.read_bytes()
        ]
        assert answers == [], "an automatic reply is answered by nobody"
        spammed = sum(self.post.count[f"spam{number}"] for number in range(100))
        assert spammed == MAX_FROM_STRANGERS, "the director gets a few mails of strangers a day"
        moments = {START + timedelta(days=20) < self.clock.now}
        assert moments == {True}


def test_a_month_over_a_maildir(tmp_path: Path) -> None:
    post = BadPost(tmp_path / "post")
    with smtp_server(post) as port:
        month = BadMonth(tmp_path, 4, MaildirBox(post.box("judge")), post, port)
        month.live()
        month.check()


@pytest.mark.imap
@needs_dovecot
@pytest.mark.slow
@pytest.mark.parametrize(("games", "pace"), [(10, 0.5), (200, 0.2)])
def test_a_month_over_imap(tmp_path: Path, games: int, pace: float) -> None:
    post = BadPost(tmp_path / "post")
    with dovecot() as server, smtp_server(post) as port:
        month = BadMonth(tmp_path, games, ImapBox(server), post, port, pace=pace)
        month.live()
        month.check()
