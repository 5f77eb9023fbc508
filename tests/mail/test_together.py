"""Two or three things go wrong at once, over real servers: the club of tests/mail/month.py, some days of it.

In the end no order is lost, no letter is unsent without a word, what was receipted was played, each wrong
thing was told once, and the audit proves the games.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from uuid import uuid4

import pytest

from pbem.audit.any_bundle import audit
from pbem.audit.findings import State
from pbem.judge.club import open_club
from pbem.judge.export import export
from pbem.judge.upkeep import restoring
from pbem.mail.troubles import troubles
from pbem.service.one_pass import Pass
from tests.mail.month import START, BadPost, ImapBox, JudgeBox, MaildirBox, Month
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


def back_up(month: Month) -> Path:
    club = open_club(month.table.club.path, month.clock)
    restoring.backup(club, month.folder / "backup.tar.gz")
    club.store.close()
    return month.folder / "backup.tar.gz"


def ends_well(month: Month, *told: str) -> None:
    """Nothing is lost, these things were told, each once, and the audit proves the games."""
    month.check_mail()
    lines = month.told
    assert sorted(part for part in told for line in lines if part in line) == sorted(told), lines
    assert len(lines) == len(told), lines
    club = open_club(month.table.club.path, month.clock)
    for game in club.store.games():
        held = month.folder / f"held-{game}"
        held.mkdir()
        for seat in (one for one in month.seats if one.game == game):
            for receipt, signed in zip(seat.receipts, seat.signed, strict=True):
                (held / f"{game}-receipt-{seat.name}-{receipt.number:04d}.txt").write_bytes(signed)
        export(club, game, "public", month.folder / f"bundle-{game}")
        found = audit(month.folder / f"bundle-{game}", held=held)
        assert [str(row) for row in found.rows if row.state in (State.REFUTED, State.MISSING)] == []
        assert len(club.book(game).history.resolved) >= 2
    club.store.close()


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
    archive = back_up(month)
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


def test_greylisting_while_the_game_master_reads_the_mailbox_and_the_machine_restarts(month: Month) -> None:
    """Every address is refused at first; each pass is cut off somewhere, and each mail was read before it."""
    month.post.greylisting = True
    month.clock.pass_days(0.4)
    month.play()
    month.box.read_all()
    for cut in (1, 2, 5, 9):
        club = open_club(month.table.club.path, month.clock)
        list(islice(Pass(club).run(), cut))
        club.store.close()
        month.clock.pass_days(0.05)
        month.box.read_all()
    goes_on(month)
    ends_well(month)


def test_an_unmounted_disk_comes_back_with_the_clock_set_back(month: Month) -> None:
    """The machine restarts without its disk and, when that is there again, a day behind."""
    path = month.table.club.path / "club.db"
    waits(month)
    month.clock.pass_days(0.4)
    month.play()
    path.rename(month.folder / "elsewhere")
    for _ in range(3):
        month.run()
    (month.folder / "elsewhere").rename(path)
    month.clock.pass_days(-1.5)
    waits(month, for_all=True)
    month.play()
    for _ in range(3):
        month.run()
        month.clock.pass_days(0.01)
    assert {len(month.ledger(seat.game).history.resolved) for seat in month.seats} == {1}, "deadlines wait"
    month.clock.pass_days(1.5)
    goes_on(month)
    ends_well(month, "Is its disk mounted?", "the clock says")


def test_a_letter_comes_back_after_the_club_was_restored(month: Month) -> None:
    """It had left after the backup, so the restored club knows no such letter, and shows what came back; it
    sends it once more, and that comes back as well.
    """
    alice = next(seat for seat in month.seats if seat.side == "scotland")
    month.clock.pass_days(0.1)
    archive = back_up(month)
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
    ends_well(month, "restored from a backup", "belong to no letter", "a mail server returned it")


def test_summer_time_begins_while_the_machine_is_off(month: Month) -> None:
    """Deadlines pass meanwhile, of games that have all orders and of one that lacks some."""
    month.clock.now = START.replace(day=27, hour=12)
    month.run(after_gap=True)
    before = len(month.ledger(month.seats[0].game).history.resolved)
    first, *others = (seat for seat in month.seats if seat.side == "england")
    first.is_silent = True
    month.day()
    month.play()
    month.clock.now = START.replace(month=4, day=1, hour=9)
    month.play()
    for _ in range(2):
        month.run()
    month.run(after_gap=True)
    goes_on(month)
    counted = {
        seat.name: [
            seat.name in one.counted()
            for one in month.ledger(seat.game).history.resolved
            if one.number > before
        ]
        for seat in (first, *others)
    }
    assert not all(counted.pop(first.name))
    assert all(map(all, counted.values()))
    ends_well(month, "the last pass was 3 days ago")
