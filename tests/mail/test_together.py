"""Two or three things go wrong at once, over real servers: the club of tests/mail/month.py, some days of it.

In the end no order is lost, no letter is unsent without a word, what was receipted was played, each wrong
thing was told once, and the audit proves the games.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from pbem.judge.club import open_club
from pbem.mail.mail_problems import troubles
from tests.mail.month import BadPost, ImapBox, JudgeBox, MaildirBox, Month
from tests.mail.servers import Dovecot, dovecot, needs_dovecot, smtp_server

GAMES = 2

pytestmark = [pytest.mark.ci, pytest.mark.imap, needs_dovecot]


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    """One Dovecot for all tests; each uses an account of its own."""
    with dovecot() as running:
        yield running


@pytest.fixture(params=["maildir", "imap"])
def month(request: pytest.FixtureRequest, server: Dovecot, tmp_path: Path) -> Iterator[Month]:
    """The club, a day after the invitations; everybody plays at once."""
    post = BadPost(tmp_path / "post")
    with smtp_server(post) as port:
        box: JudgeBox = MaildirBox(post.box("judge"))
        if request.param == "imap":
            box = ImapBox(server, f"judge-{uuid4().hex[:12]}")
        begun = Month(tmp_path, GAMES, box, post, port, pace=1.0)
        begun.run()
        begun.wait()
        yield begun


def ends_well(month: Month, *told: str) -> None:
    """Nothing is lost, these things were told, each once, and the audit proves the games."""
    month.check_mail()
    lines = month.told
    assert sorted(part for part in told for line in lines if part in line) == sorted(told), lines
    assert len(lines) == len(told), lines
    month.check_not_contradicted()
    assert all(len(month.ledger(seat.game).history.resolved) >= 2 for seat in month.seats)


def waits(month: Month, *, for_all: bool = False) -> None:
    """England's players leave their mail alone, so that no exchange ends; or nobody does any more."""
    for seat in month.seats:
        seat.is_silent = seat.side == "england" and not for_all


def goes_on(month: Month) -> None:
    """Everybody plays again, for two days."""
    waits(month, for_all=True)
    for _ in range(2):
        month.day()


def test_a_full_disk_and_a_restore(month: Month) -> None:
    """Orders come while the disk is full; then it is lost, and the new one is full as well, for a pass."""
    archive = month.back_up()
    waits(month)
    month.clock.pass_days(0.1)
    month.play()
    month.run()  # these are receipted
    month.read_mail()
    for _ in range(2):
        month.clock.pass_days(0.1)
        month.full_pass()
    month.box.read_all()
    month.restore(archive)
    month.confirm()
    month.full_pass()
    goes_on(month)
    ends_well(month, "disk is full", "restored from a backup")


def test_a_letter_comes_back_after_the_club_was_restored(month: Month) -> None:
    """The letter left after the backup, so the restored club does not know it, and shows what came back.

    The club sends the letter once more, and that comes back as well.
    """
    alice = next(seat for seat in month.seats if seat.side == "scotland")
    month.clock.pass_days(0.1)
    archive = month.back_up()
    waits(month)
    month.play()
    month.post.bouncing.add(alice.address)
    month.run()  # the forecast comes back when nobody reads it; a receipt does not, for it has no sender
    month.box.read_all()
    month.restore(archive)
    month.confirm()
    for _ in range(3):
        month.clock.pass_days(0.05)
        month.run()
    club = open_club(month.table.club.path, month.clock)
    (wrong,) = troubles(club)
    assert f"-0002-forecast-1.txt to {alice.name}" in wrong
    assert f"ask {alice.name} for an address that works" in wrong
    month.post.bouncing.clear()
    club.add_player(alice.name, alice.key.public, f"{alice.name}@new.example")
    club.store.close()
    goes_on(month)
    ends_well(month, "restored from a backup", "do not fit any letter", "a mail server returned it")
