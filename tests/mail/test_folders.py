"""Further folders of a mailbox, into which a person moves mails: what lies there counts as in the mailbox."""

from __future__ import annotations

import imaplib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.errors import MailError
from pbem.judge.deadlines import running_deadlines
from pbem.judge.deadlines.waits_for_mail import LOOKED, looked_until
from pbem.judge.intake.quarantine import all_apart
from pbem.mail.club_mailbox import fetch_mail
from pbem.mail.imap import Imap
from pbem.mail.mail_problems import troubles
from pbem.mail.maildir import Listed, Maildir, open_folder
from pbem.mail.settings import MailSettings, Server
from pbem.service.doctor import examine
from pbem.trust.times import utc_text
from tests.mail.postal import JUDGE, Postal, mail
from tests.mail.servers import Dovecot, dovecot, needs_dovecot


def make(path: Path) -> Path:
    """Make a Maildir."""
    for name in ("new", "cur", "tmp"):
        (path / name).mkdir(parents=True)
    return path


def move(postal: Postal, folder: Path, name: str = "") -> None:
    """A person reads what is new, and moves it; `name`: the program that does it gives it another name."""
    for path in (postal.post.box("judge") / "new").iterdir():
        path.rename(folder / "cur" / f"{name or path.name}:2,S")


def received(postal: Postal) -> set[str]:
    """Whose orders the last exchange has."""
    return {one.player for one in postal.table.book.history.exchanges[-1].received}


@pytest.fixture
def sorted_(quiet: Postal) -> Postal:
    """A club whose director sorts the judge's mail."""
    box = quiet.post.box("judge")
    make(box / ".Archive")
    make(box / ".Junk")
    quiet.settle(inbox={"maildir": str(box), "folders": ["Archive", "Junk"]})
    quiet.run()
    return quiet


def to_deadline(postal: Postal) -> None:
    deadline = postal.table.deadline
    postal.table.clock.now = deadline + timedelta(hours=2)
    running_deadlines.note_pass(postal.table.club, deadline)


def test_orders_that_a_person_has_moved_before_the_judge_read_them_count(sorted_: Postal) -> None:
    sorted_.send(sorted_.table.sealed("alice"))
    move(sorted_, sorted_.post.box("judge") / ".Archive")
    sorted_.run()
    assert received(sorted_) == {"alice"}
    sorted_.run()
    assert len(sorted_.mails("alice")) == 1, "one receipt"


def test_orders_that_are_moved_between_list_and_fetch_are_found_in_the_same_pass(
    sorted_: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Maildir.list_mails

    def moved(self: Maildir, known: Callable[[], set[str]], reached: str) -> list[Listed]:
        found = listed(self, known, reached)
        if self.name == "maildir":
            move(sorted_, self.path / ".Junk")
        return found

    monkeypatch.setattr(Maildir, "list_mails", moved)
    sorted_.send(sorted_.table.sealed("alice"))
    sorted_.run()
    assert received(sorted_) == {"alice"}
    assert all_apart(sorted_.table.club) == []


@pytest.mark.parametrize("numbered", [False, True], ids=["as a maildir", "as a server"])
@pytest.mark.parametrize("before", ["it is fetched", "it is tried again"])
def test_what_another_reader_deletes_is_missed_by_nobody(
    sorted_: Postal, monkeypatch: pytest.MonkeyPatch, before: str, numbered: bool
) -> None:
    """Nothing of it is told or waited for, and the next mail is taken; a server lists what has a number."""
    new, listed = sorted_.post.box("judge") / "new", Maildir.list_mails
    if before == "it is fetched":
        sorted_.send("help\n")

        def deleted(self: Maildir, known: Callable[[], set[str]], reached: str) -> list[Listed]:
            found = listed(self, known, reached)
            for path in [*new.iterdir()] if self.name == "maildir" else ():
                path.unlink()
            return found

        monkeypatch.setattr(Maildir, "list_mails", deleted)
    else:
        (new / "1").symlink_to(new / "nowhere")
        sorted_.run()
        assert [one.name for one in all_apart(sorted_.table.club)] == ["maildir:1"]
        (new / "1").unlink()
    if numbered:
        monkeypatch.setattr(Maildir, "lying_at", lambda _, source: Listed(source, str(new / "1")))
    sorted_.table.clock.pass_days(0.5)
    assert [line.text for line in sorted_.run() if line.trouble] == []
    assert all_apart(sorted_.table.club) == []
    assert sorted_.table.club.store.note(LOOKED), "the look was complete"
    monkeypatch.setattr(Maildir, "list_mails", listed)
    sorted_.send(sorted_.table.sealed("alice"))
    sorted_.run()
    assert received(sorted_) == {"alice"}


@pytest.mark.parametrize("name", ["", "another.name"])
def test_a_mail_that_is_moved_after_it_was_taken_is_not_taken_twice(sorted_: Postal, name: str) -> None:
    sorted_.deliver("help\n")
    assert len(sorted_.mails("alice")) == 1
    box = sorted_.post.box("judge")
    for path in (box / "cur").iterdir():
        path.rename(box / ".Archive/cur" / f"{name or path.name.partition(':')[0]}:2,S")
    sorted_.after(1)
    assert sorted_.mails("alice") == []


@pytest.mark.ci
def test_no_exchange_ends_while_a_named_folder_cannot_be_read(sorted_: Postal) -> None:
    """The others are read, and it is told; when it is back, what is in it counts."""
    box = sorted_.post.box("judge")
    sorted_.all_send()
    sorted_.run()
    assert sorted_.table.exchange == 2
    sorted_.send(sorted_.table.sealed("alice"))
    move(sorted_, box / ".Archive")
    (box / ".Archive").rename(box / "away")
    sorted_.send("help\n", "bob@example.org")
    to_deadline(sorted_)
    sorted_.mails("bob")
    lines = sorted_.run()
    assert any("has no folder 'Archive': see folders in club.toml" in line.text for line in lines)
    assert sorted_.mails("bob"), "what lies in the mailbox is read"
    assert sorted_.table.exchange == 2
    assert any("has no folder 'Archive'" in text for text in troubles(sorted_.table.club))
    assert any("'Archive'" in one.text for one in examine(sorted_.table.club) if one.what == "mail in")
    (box / "away").rename(box / ".Archive")
    sorted_.run()
    assert {one.player for one in sorted_.table.book.history.exchanges[1].received} == {"alice"}
    assert sorted_.table.exchange == 3


def test_a_folder_behind_one_that_cannot_be_read_is_read(sorted_: Postal) -> None:
    box = sorted_.post.box("judge")
    (box / ".Archive").rename(box / "away")
    sorted_.send(sorted_.table.sealed("alice"))
    move(sorted_, box / ".Junk")
    sorted_.run()
    assert received(sorted_) == {"alice"}


def test_mail_is_known_until_the_folder_that_was_read_least_lately(sorted_: Postal) -> None:
    store, now = sorted_.table.club.store, sorted_.table.clock()
    assert looked_until(sorted_.table.club) == now.replace(microsecond=0)
    earlier = now.replace(microsecond=0) - timedelta(hours=1)
    for folder in ("", " Archive", " Junk"):
        with store.step():
            was = store.note(f"{LOOKED}{folder}")
            store.put_note(f"{LOOKED}{folder}", utc_text(earlier))
        assert looked_until(sorted_.table.club) == earlier, folder
        with store.step():
            store.put_note(f"{LOOKED}{folder}", was)


def test_what_cannot_be_read_in_a_folder_is_set_apart_there(sorted_: Postal) -> None:
    path = sorted_.post.box("judge") / ".Junk/new/strange"
    path.mkdir()
    for _ in range(2):
        sorted_.after(0.02)
        (one,) = all_apart(sorted_.table.club)
        assert (one.name, one.why) == ("maildir/Junk:strange", "it is not a file")
    assert not sorted_.table.club.store.note(f"{LOOKED} Junk") >= sorted_.table.club.store.note(LOOKED)
    path.rmdir()
    sorted_.after(0.02)
    assert all_apart(sorted_.table.club) == []
    sorted_.settle(inbox={"maildir": str(sorted_.post.box("judge"))})
    sorted_.deliver(sorted_.table.sealed("alice"))
    assert received(sorted_) == {"alice"}


def test_a_mail_set_apart_in_a_folder_that_is_no_longer_named_is_left(sorted_: Postal) -> None:
    (sorted_.post.box("judge") / ".Junk/new/strange").mkdir()
    sorted_.after(0.02)
    assert len(all_apart(sorted_.table.club)) == 1
    sorted_.settle(inbox={"maildir": str(sorted_.post.box("judge")), "folders": ["Archive"]})
    sorted_.after(0.02)
    assert all_apart(sorted_.table.club) == []


def test_what_somebody_had_read_long_before_is_left_alone(quiet: Postal) -> None:
    """A folder that is named later may hold the mail of years."""
    box, now = quiet.post.box("judge"), quiet.table.clock.now.timestamp()
    quiet.deliver("help\n")
    quiet.mails("alice")
    make(box / ".Archive")
    for name, days in (("old", 40), ("late", 0)):
        path = box / f".Archive/cur/{name}:2,S"
        path.write_bytes(mail(f"help\n{name}\n", Message_ID=f"<{name}@x>"))
        os.utime(path, (now - days * 86_400,) * 2)
    quiet.settle(inbox={"maildir": str(box), "folders": ["Archive"]})
    club = quiet.table.club
    assert fetch_mail(club, MailSettings(address=JUDGE, maildir=box, folders=("Archive",))) == 1
    (row,) = club.store.waiting(mail=True)
    assert b"late" in row.raw


@pytest.mark.parametrize(
    ("folder", "lies"),
    [
        ("Archive", ".Archive"),
        ("Archive", "Archive"),
        ("Züge/2026", ".Z&APw-ge.2026"),
        ("Züge/2026", "Züge/2026"),
    ],
)
def test_a_folder_is_found_as_servers_and_people_lay_it_out(tmp_path: Path, folder: str, lies: str) -> None:
    make(tmp_path / lies)
    assert open_folder(tmp_path, folder).path == tmp_path / lies
    with pytest.raises(MailError, match="has no folder 'Other'"):
        open_folder(tmp_path, "Other")


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    """One Dovecot for all tests; each uses a user of its own."""
    with dovecot() as running:
        yield running


def account(server: Dovecot, user: str) -> Server:
    return Server(**server.inbox(user))


@contextmanager
def person(server: Dovecot, user: str) -> Iterator[imaplib.IMAP4]:
    """Somebody who sorts the judge's mail on the server."""
    with imaplib.IMAP4("127.0.0.1", server.imap) as connection:
        connection.login(user, "secret")
        yield connection


def sort_into(connection: imaplib.IMAP4, folder: str) -> None:
    connection.select()
    connection.uid("STORE", "1:*", "+FLAGS", "(\\Seen)")
    assert connection.uid("MOVE", "1:*", folder)[0] == "OK"


@pytest.mark.parametrize("folder", ["Archive", "Junk"])
@pytest.mark.ci
@pytest.mark.imap
@needs_dovecot
def test_orders_that_a_person_moves_on_a_server_count_once(
    server: Dovecot, quiet: Postal, folder: str
) -> None:
    user = f"sorts{folder.lower()}"
    with person(server, user) as connection:
        for name in ("Archive", "Junk"):
            connection.create(name)
    quiet.settle(inbox=server.inbox(user) | {"folders": ["Archive", "Junk"]})
    quiet.run()
    server.deliver(user, mail(quiet.table.sealed("alice")))
    with person(server, user) as connection:
        sort_into(connection, folder)
    quiet.run()
    assert received(quiet) == {"alice"}
    assert len(quiet.mails("alice")) == 1
    server.deliver(user, mail("help\n", Message_ID="<help@x>"))
    quiet.run()
    assert len(quiet.mails("alice")) == 1
    with person(server, user) as connection:
        sort_into(connection, folder)
    quiet.run()
    assert quiet.mails("alice") == []


@pytest.mark.ci
@pytest.mark.imap
@needs_dovecot
def test_folders_made_in_one_second_are_not_mixed_up(server: Dovecot, quiet: Postal) -> None:
    """A server may number their mails alike: they lie in the same place of different folders."""
    with person(server, "alike") as connection:
        for name in ("One", "Two"):
            connection.create(name)
            connection.append(name, "", imaplib.Time2Internaldate(0), mail(f"help\n{name}\n"))
    settings = MailSettings(address=JUDGE, imap=account(server, "alike"), folders=("One", "Two"))
    assert fetch_mail(quiet.table.club, settings) == 2
    assert fetch_mail(quiet.table.club, settings) == 0


@pytest.mark.ci
@pytest.mark.imap
@needs_dovecot
def test_a_folder_that_a_server_does_not_have_is_told_by_its_name(server: Dovecot) -> None:
    with pytest.raises(MailError, match=r"the folder 'Nowhere': the mailbox on 127\.0\.0\.1"):
        Imap(account(server, "missing"), "Nowhere")
