"""What may be lost in silence: letters that are refused or come back, mails read by another, bad disks."""

from __future__ import annotations

import asyncio
import contextlib
import mailbox
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbem.cli import main
from pbem.errors import PbemError
from pbem.judge.club import open_club
from pbem.judge.newgame import new_game
from pbem.mail.mail_problems import troubles
from pbem.service.doctor import examine
from pbem.service.one_pass import Pass
from tests.judge.table import GAME, make_table
from tests.mail.postal import Postal, make_postal
from tests.mail.servers import Post, smtp_server
from tests.mail.test_passes import names

pytestmark = pytest.mark.ci(
    but=(
        "test_a_letter_that_the_archive_does_not_take_has_left",
        "test_a_letter_that_only_the_archive_takes_has_not_left",
    )
)


SENT = "sent@club.example"
HANG_UP = "the connection breaks"


class Choosy(Post):
    """A server that refuses some recipients."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.refused: dict[str, str] = {}

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.refused.get(address) == HANG_UP:
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 taken"


@pytest.fixture
def choosy(tmp_path: Path) -> Any:
    post = Choosy(tmp_path / "post")
    with smtp_server(post) as port:
        postal = make_postal(tmp_path, port, post)
        postal.settle(sent_to=SENT)
        yield postal


def test_a_letter_that_only_the_archive_takes_has_not_left(choosy: Postal) -> None:
    refused = choosy.post.refused  # type: ignore[attr-defined]
    refused["alice@example.org"] = "451 greylisted"
    choosy.run()
    assert choosy.mails("alice") == []
    assert any("to alice: 451 greylisted" in text for text in troubles(choosy.table.club))
    refused.clear()
    choosy.after(0.1)
    assert len(choosy.mails("alice")) == 1
    assert troubles(choosy.table.club) == []


def test_a_letter_that_the_archive_does_not_take_has_left(choosy: Postal) -> None:
    choosy.post.refused[SENT] = "550 no such user"  # type: ignore[attr-defined]
    choosy.run()
    assert len(choosy.mails("alice")) == 1
    choosy.run()
    assert choosy.mails("alice") == [], "it is not sent again"
    (told,) = troubles(choosy.table.club)
    assert "copies for sent_to are not accepted" in told
    choosy.post.refused.clear()  # type: ignore[attr-defined]
    choosy.deliver("help\n")
    assert troubles(choosy.table.club) == []


def test_a_letter_at_which_the_server_hangs_up_keeps_no_other_back(choosy: Postal) -> None:
    """As a server does that chokes on a page, or on its own filter."""
    first, second = (letter.player for letter in choosy.table.club.store.letters())
    choosy.post.refused[f"{first}@example.org"] = HANG_UP  # type: ignore[attr-defined]
    for _ in range(3):
        choosy.run()
        choosy.table.clock.pass_days(0.001)
    assert len(choosy.mails(second)) == 1
    assert any(f"demo-0000-report.txt to {first}: " in text for text in troubles(choosy.table.club))
    choosy.post.refused.clear()  # type: ignore[attr-defined]
    choosy.after(0.1)
    assert len(choosy.mails(first)) == 1
    assert troubles(choosy.table.club) == []


def test_a_letter_that_is_refused_for_good_is_given_up_and_shown_until_there_is_a_new_address(
    choosy: Postal,
) -> None:
    choosy.post.refused["alice@example.org"] = "550 no such user"  # type: ignore[attr-defined]
    wrong = []
    for _ in range(40):
        wrong += [line for line in choosy.run() if line.trouble]
        choosy.table.clock.pass_days(1 / 24)
    (given_up,) = wrong
    assert "it is not sent again" in given_up.text
    (told,) = troubles(choosy.table.club)
    assert "demo-0000-report.txt to alice: 550 no such user; it was given up" in told
    assert "pbem club player add" in told
    tries = choosy.table.club.store.letters()[1].tries
    choosy.after(1)
    assert choosy.table.club.store.letters()[1].tries == tries
    key = choosy.table.people["alice"].key.public
    choosy.table.club.add_player("alice", key, "alice2@example.org")
    assert troubles(choosy.table.club) == []
    choosy.run()
    assert len(choosy.mails("alice2")) == 1


def test_what_cannot_be_noted_is_not_sent_again_and_again(postal: Postal) -> None:
    """The disk is full as soon as a letter has left, and stays so for a day of passes."""
    connection = postal.table.club.store.db.conn
    connection.execute(
        "CREATE TEMP TRIGGER full BEFORE UPDATE OF sent ON main.letter BEGIN SELECT raise(ABORT, 'full'); END"
    )
    for _ in range(24 * 6):
        with contextlib.suppress(sqlite3.IntegrityError):
            postal.run()
        postal.table.clock.pass_days(1 / 144)
    assert len(postal.mails("alice")) <= 9, "twice as long between two tries"


def test_nothing_is_sent_while_nothing_can_be_noted(postal: Postal) -> None:
    connection = postal.table.club.store.db.conn
    connection.execute("PRAGMA query_only = ON")
    for _ in range(3):
        with pytest.raises(PbemError, match="cannot be written"):
            postal.run()
    assert postal.mails("alice") == postal.mails("bob") == []
    connection.execute("PRAGMA query_only = OFF")
    postal.run()
    assert len(postal.mails("alice")) == 1


@pytest.mark.parametrize("state", ["missing", "empty"])
def test_a_club_whose_database_has_gone_begins_no_new_one(
    postal: Postal, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its disk is not mounted: nothing is fetched, marked or answered, and all is there when it is back."""
    postal.run()
    path = postal.table.club.path
    postal.table.club.store.close()
    (path / "club.db").rename(path / "away")
    if state == "empty":
        (path / "club.db").touch()
    postal.send("status\n")
    assert main(["run", "--club", str(path)]) == 1
    assert f"club.db is {state}; the judge does not make a new one" in capsys.readouterr().err
    assert len(list((postal.post.box("judge") / "new").iterdir())) == 1
    (path / "away").replace(path / "club.db")
    postal.table.club = open_club(path, postal.table.clock)
    postal.run()
    assert len(postal.mails("alice")) == 2


def test_a_database_of_something_else_is_no_club_s(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    table.club.store.close()
    (table.club.path / "club.db").unlink()
    connection = sqlite3.connect(table.club.path / "club.db")
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    with pytest.raises(PbemError, match="but not that of a club"):
        open_club(table.club.path)


def test_orders_that_the_game_master_reads_in_the_maildir_are_taken(postal: Postal) -> None:
    postal.run()
    box = mailbox.Maildir(postal.post.box("judge"))
    postal.all_send()
    for key in box.keys():  # noqa: SIM118 - a mailbox, not a dict
        one = box[key]
        one.set_subdir("cur")
        one.set_flags("S")
        box[key] = one
    postal.run()
    assert postal.table.exchange == 2
    assert postal.run() == []


def damage(path: Path, holding: bytes, without: bytes = b"\0no such thing") -> None:
    """Overwrite the beginning of a page of rows that holds something, as a failing disk does."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    data = path.read_bytes()
    pages = [data[start : start + size] for start in range(0, len(data), size)]
    number = next(
        number
        for number, page in enumerate(pages)
        if page[0] == 0x0D and holding in page and without not in page
    )
    with path.open("r+b") as file:
        file.seek(number * size)
        file.write(b"\xa5" * 100)


def test_a_damaged_database_is_named_with_what_to_do(
    postal: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    postal.run()
    path = postal.table.club.path
    postal.table.club.store.close()
    damage(path / "club.db", b"bob@example.org")
    assert main(["run", "--club", str(path)]) == 1
    told = capsys.readouterr().err
    assert "club.db is damaged" in told
    assert "pbem club restore BACKUP NEW-FOLDER" in told
    assert main(["doctor", "--club", str(path)]) == 1
    told = capsys.readouterr().out
    assert "wrong  database:" in told
    assert "fault in the program" not in told


def test_other_games_go_on_beside_a_damaged_one(tmp_path: Path) -> None:
    """Entries of one game cannot be read: that game stops, with the reason."""
    table = make_table(tmp_path)
    table.go(3)
    seats = {"scotland": "alice", "england": "bob"}
    new_game(table.club, "other", "hammer", {"scenario": "braveheart"}, seats)
    table.club.store.close()
    damage(table.club.path / "club.db", b"received 2 alice", b"genesis other")
    table.club = open_club(table.club.path, table.clock)
    lines = list(Pass(table.club).run())
    (stopped,) = [line for line in lines if line.trouble]
    assert stopped.game == GAME
    assert "is damaged" in stopped.text
    table.clock.pass_days(8)
    lines = list(Pass(table.club, after_gap=True).run())
    assert [line.game for line in lines if line.trouble] == [GAME]
    assert any(line.game == "other" and not line.trouble for line in lines)


def test_what_holds_secrets_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        table = make_table(tmp_path)
        list(Pass(table.club).run())
    finally:
        os.umask(old)
    path = table.club.path
    for name in (
        "club.db",
        "club.db-wal",
        "club.db-shm",
        "club.toml",
        "keys",
        "keys/gm",
        "keys/master",
        "out",
    ):
        assert (path / name).stat().st_mode & 0o077 == 0, name
    assert not [one for one in examine(table.club) if one.what == "files" and one.wrong]
    (path / "club.db").chmod(0o644)
    (path / "out").chmod(0o755)
    (wrong,) = [one for one in examine(table.club) if one.wrong and one.what == "files"]
    assert "club.db" in wrong.text
    assert "out" in wrong.text
    assert f"chmod -R go= {path}" in wrong.text
    shutil.rmtree(path / "out")
    (path / "club.db").chmod(0o600)
    assert not [one for one in examine(table.club) if one.what == "files" and one.wrong]


def test_a_clock_far_ahead_ends_and_opens_nothing(postal: Postal) -> None:
    """Complete orders wait, and the clock leaps by forty days: no deadline is counted from there."""
    postal.run()
    postal.all_send()
    postal.table.clock.pass_days(40)
    (wrong,) = [line for line in postal.run() if line.trouble]
    assert "pbem club run --after-gap" in wrong.text
    assert postal.table.exchange == 1
    assert len(postal.mails("alice")) == 2, "the orders are receipted all the same"
    postal.table.clock.pass_days(-40)
    assert not [line for line in postal.run() if line.trouble]
    assert postal.table.exchange == 2
    assert (postal.table.deadline - postal.table.clock()).days == 7


def test_a_report_whose_picture_cannot_be_drawn_leaves_without_it(
    postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pbem.mail import compose

    def broken(*words: object, **more: object) -> None:
        raise KeyError("no such area")

    monkeypatch.setattr(compose, "report_page", broken)
    postal.table.go()
    lines = [line.text for line in postal.run()]
    assert "sent demo-0001-report.txt to alice" in lines
    assert "demo-0001-report.txt has no page: KeyError, a fault in the program" in lines
    (mail,) = [one for one in postal.mails("alice") if "demo-0001-report.txt" in names([one])]
    assert [name for name in names([mail]) if not name.endswith(".txt")] == ["demo.ics"]
