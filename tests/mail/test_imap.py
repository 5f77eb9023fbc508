"""Mail out of a real IMAP server: Dovecot on loopback, started for these tests."""

from __future__ import annotations

import email
import imaplib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.policy import default
from pathlib import Path

import pytest

from pbem.errors import MailError
from pbem.judge.deadlines.waits_for_mail import LOOKED
from pbem.judge.intake.quarantine import all_apart
from pbem.judge.leagues.book import begin_league
from pbem.judge.tables.note_tables import HANDLED
from pbem.mail import imap
from pbem.mail.club_mailbox import _mails, _mark, fetch_mail
from pbem.mail.imap import Imap
from pbem.mail.maildir import Fetched, encode_folder
from pbem.mail.settings import MailSettings, Server
from pbem.trust.sealing import to_armor
from tests.leagues.world import World, file_of
from tests.mail.postal import JUDGE, Postal, mail, make_postal
from tests.mail.servers import Dovecot, Post, dovecot, needs_dovecot, smtp_server
from tests.mail.test_passes import body

LADDER = file_of("ladder", more="[ladder]\nreach = 1").replace(b"2027-01-31", b"2026-01-31")

pytestmark = [pytest.mark.ci, pytest.mark.imap, needs_dovecot]


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    """One Dovecot for all tests; each uses a user of its own."""
    with dovecot() as running:
        yield running


def account(server: Dovecot, user: str, **changed: object) -> Server:
    return Server(**(server.inbox(user) | changed))


def flags(server: Dovecot, user: str) -> bytes:
    with imaplib.IMAP4("127.0.0.1", server.imap) as connection:
        connection.login(user, "secret")
        connection.select()
        return b" ".join(part for part in connection.uid("FETCH", "1:*", "(FLAGS)")[1] if part)


def test_mail_is_stored_before_it_is_marked_seen(server: Dovecot, postal: Postal) -> None:
    server.deliver("seen", mail("help\n"))
    settings = MailSettings(address=JUDGE, imap=account(server, "seen"))
    club = postal.table.club
    club.store.db.conn.execute(
        "CREATE TRIGGER full BEFORE INSERT ON incoming BEGIN SELECT raise(FAIL, 'x'); END"
    )
    with pytest.raises(Exception, match="x"):
        fetch_mail(club, settings)
    assert b"\\Seen" not in flags(server, "seen")
    club.store.db.conn.execute("DROP TRIGGER full")
    assert fetch_mail(club, settings) == 1
    assert b"\\Seen" in flags(server, "seen")
    assert fetch_mail(club, settings) == 0


def test_a_mail_fetched_twice_is_stored_once(server: Dovecot, postal: Postal) -> None:
    server.deliver("twice", mail("help\n"))
    settings = MailSettings(address=JUDGE, imap=account(server, "twice"))
    assert fetch_mail(postal.table.club, settings) == 1
    with imaplib.IMAP4("127.0.0.1", server.imap) as connection:
        connection.login("twice", "secret")
        connection.select()
        connection.uid("STORE", "1", "-FLAGS", "(\\Seen)")
    assert fetch_mail(postal.table.club, settings) == 0, "our own record decides, not the flag"


def test_what_the_game_master_reads_first_is_taken_all_the_same(server: Dovecot, postal: Postal) -> None:
    club = postal.table.club
    settings = MailSettings(address=JUDGE, imap=account(server, "reader"))
    server.deliver("reader", mail("an old mail\n"))
    see(server, "reader")
    assert fetch_mail(club, settings) == 0, "what was read before the first pass is left alone"
    server.deliver("reader", mail(postal.table.sealed("alice")))
    see(server, "reader")
    assert fetch_mail(club, settings) == 1
    assert fetch_mail(club, settings) == 0


def test_a_mailbox_that_is_numbered_anew_brings_no_mail_twice(server: Dovecot, postal: Postal) -> None:
    club = postal.table.club
    server.deliver("anew", mail("help\n"))
    server.deliver("anew", mail("status\n"))
    settings = MailSettings(address=JUDGE, imap=account(server, "anew"))
    assert fetch_mail(club, settings) == 2
    with imaplib.IMAP4("127.0.0.1", server.imap) as connection:
        connection.login("anew", "secret")
        connection.create("Other")
        connection.select()
        connection.uid("COPY", "1:*", "Other")
    moved = MailSettings(address=JUDGE, imap=account(server, "anew", folder="Other"))
    assert fetch_mail(club, moved) == 0
    assert fetch_mail(club, moved) == 0


def test_a_restored_club_leaves_alone_what_was_read_before_the_backup(
    server: Dovecot, postal: Postal
) -> None:
    """Its mailbox is another one, in which everything is marked as read."""
    club = postal.table.club
    with imaplib.IMAP4("127.0.0.1", server.imap) as connection:
        connection.login("personal", "secret")
        for year in (2019, 2025):
            come = datetime(year, 3, 1, tzinfo=UTC)
            connection.append("INBOX", "(\\Seen)", imaplib.Time2Internaldate(come), mail(f"hello {year}\n"))
    with club.store.step():
        club.store.put_note(HANDLED, "2024-05-05T00:00:00Z")
    settings = MailSettings(address=JUDGE, imap=account(server, "personal"))
    assert fetch_mail(club, settings) == 1
    (row,) = club.store.waiting(mail=True)
    assert b"hello 2025" in row.raw
    assert fetch_mail(club, settings) == 0


def see(server: Dovecot, user: str) -> None:
    """Read all mails, as another mail program does."""
    with imaplib.IMAP4("127.0.0.1", server.imap) as connection:
        connection.login(user, "secret")
        connection.select()
        connection.uid("STORE", "1:*", "+FLAGS", "(\\Seen)")


def test_large_mail_is_not_fetched_whole(server: Dovecot) -> None:
    server.deliver(
        "large", mail(b"x" * 990 + b"\n", "mallory@example.org") + b"y" * 70 * 0 + b"z\n" * 1_500_000
    )
    mailbox = Imap(account(server, "large"))
    (fetched,) = map(mailbox.fetch, mailbox.list_mails(set, ""))
    assert fetched is not None
    mailbox.close()
    assert fetched.size > 3_000_000
    assert len(fetched.raw) < 5_000


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"password_command": "echo wrong"}, "cannot be read"),
        ({"password_command": "false"}, "the password command false ended with 1; run it by hand"),
        ({"folder": "Nowhere"}, "cannot be read"),
        ({"port": 1}, "cannot be read"),
        ({"oauth": True, "password_command": "echo wrong"}, "cannot be read"),
        ({"tls": "starttls"}, "cannot be read"),
    ],
)
def test_trouble_is_told(server: Dovecot, changed: dict[str, object], told: str) -> None:
    with pytest.raises(MailError, match=told):
        Imap(account(server, "trouble", **changed))


@pytest.mark.ci
def test_a_challenge_over_imap_and_smtp(server: Dovecot, tmp_path: Path) -> None:
    """From the challenger's mail to the game, and to the ladder that its result gives."""
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        postal = make_postal(tmp_path, port, post)
        postal.settle(inbox=server.inbox("ladder"))
        club, clock = postal.table.club, postal.table.clock
        begin_league(club, LADDER)
        world = World(club, clock)

        def sent(name: str, content: bytes) -> list[str]:
            """A player mails this, the judge's pass comes; what the player then reads."""
            postal.mails(name)
            server.deliver("ladder", mail(content, f"{name}@example.org"))
            postal.run()
            return [body(one) for one in postal.mails(name)]

        def all_answer() -> None:
            call = world.book.season.call
            assert call is not None
            for name in call.asked:
                server.deliver("ladder", mail(to_armor(world.reply(name)).encode(), f"{name}@example.org"))
            postal.run()

        postal.run()
        for rating, name in enumerate(("ann", "ben", "cat")):
            sent(name, world.entry(name, rating=1900 - rating))
        clock.now = datetime(2026, 2, 1, 12, tzinfo=UTC)
        postal.run(after_gap=True)
        all_answer()
        told, receipt = sorted(sent("cat", world.statement("cat", "challenge", of="ann")), reverse=True)
        assert "for cat: what you signed is in the ledger." in receipt
        assert "ann is 2 rungs above; the highest that cat can challenge is ben" in told
        assert world.book.season.call is None
        receipt, call = sorted(sent("cat", world.statement("cat", "challenge", of="ben")))
        assert "for cat: what you signed is in the ledger." in receipt
        assert "Game league.cup, for cat: your league waits for an answer." in call
        all_answer()
        (pair,) = world.open_pairs()
        assert set(pair.players) == {"ben", "cat"}
        subjects = [str(one["Subject"]) for name in pair.players for one in postal.mails(name)]
        assert sum(f"{pair.game}: orders for" in subject for subject in subjects) == 2
        world.play([pair], lambda _: "cat")
        postal.run()
        (told,) = sent("cat", b"standings cup\n")
        assert [line.split() for line in told.splitlines() if line.endswith(("ann", "ben", "cat"))] == [
            ["1", "ann"],
            ["2", "cat"],
            ["3", "ben"],
        ]


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (imaplib.IMAP4.error("NO cannot be read"), "the server does not send it"),
        (imaplib.IMAP4.abort("connection lost"), "the server closes the connection at it"),
    ],
)
def test_one_mail_that_the_server_does_not_give_harms_itself_alone(
    server: Dovecot, postal: Postal, monkeypatch: pytest.MonkeyPatch, problem: Exception, told: str
) -> None:
    """Those before and after it are stored; it is fetched when its pause is over."""
    user = type(problem).__name__
    for number in (1, 2, 3):
        server.deliver(user, mail(f"help\n{number}\n", Message_ID=f"<{number}@x>"))
    settings, club = MailSettings(address=JUDGE, imap=account(server, user)), postal.table.club
    real = Imap._fetch

    def failing(box: Imap, uid: str) -> Fetched | None:
        if uid == "2":
            box.connection.shutdown()
            if not isinstance(problem, imaplib.IMAP4.abort):
                box._open()
            raise problem
        return real(box, uid)

    monkeypatch.setattr(Imap, "_fetch", failing)
    assert fetch_mail(club, settings) == 2
    (one,) = all_apart(club)
    assert told in one.why
    assert not club.store.note(LOOKED)
    monkeypatch.setattr(Imap, "_fetch", real)
    assert fetch_mail(club, settings) == 0
    postal.table.clock.now += timedelta(minutes=11)
    assert fetch_mail(club, settings) == 1
    assert all_apart(club) == []
    assert club.store.note(LOOKED)


@pytest.mark.parametrize("folder", ["Züge & mehr", "日本語", 'a "quoted\\ one'])
def test_a_folder_may_have_any_name(server: Dovecot, postal: Postal, folder: str) -> None:
    box = Imap(account(server, "named"))
    box.server = account(server, "named", folder=folder)
    box.ok(box.connection.create(box.folder))
    box.close()
    settings = MailSettings(address=JUDGE, imap=account(server, "named", folder=folder))
    assert fetch_mail(postal.table.club, settings) == 0


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("INBOX", "INBOX"),
        ("Züge", "Z&APw-ge"),
        ("A&B", "A&-B"),
        ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),  # of RFC 3501
    ],
)
def test_a_folder_is_written_as_imap_writes_it(name: str, written: str) -> None:
    assert encode_folder(name) == written


def test_a_large_mailbox_is_searched_in_ranges(
    server: Dovecot, postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first look finds what nobody has read, a later one what came since, over each edge of a range."""
    monkeypatch.setattr(imap, "MAX_SEARCH_NUMBERS", 3)
    club, asked, real = postal.table.club, [], Imap.search

    def searching(box: Imap, *words: str) -> list[str]:
        asked.append(" ".join(words))
        return real(box, *words)

    monkeypatch.setattr(Imap, "search", searching)
    settings = MailSettings(address=JUDGE, imap=account(server, "many"))
    for number in range(7):
        server.deliver("many", mail(f"help\n{number}\n", Message_ID=f"<{number}@x>"))
    assert fetch_mail(club, settings) == 7
    assert {"UID 1:3", "UID 4:6", "UID 7:7", "UID 8:*"} <= set(asked)
    server.deliver("many", mail("help\nlast\n", Message_ID="<last@x>"))
    assert fetch_mail(club, settings) == 1
    assert fetch_mail(club, settings) == 0


def test_drafts_of_the_counter_do_not_pile_up(server: Dovecot, postal: Postal) -> None:
    postal.settle(inbox=server.inbox("drafts"))
    postal.run()
    postal.go(3)
    box = Imap(account(server, "drafts"))
    assert "UIDPLUS" in box.connection.capabilities, "Dovecot announces it after the login"
    drafts = box.search("DRAFT")
    box.close()
    assert len(drafts) == 1, "not even as deleted"


def test_whoever_opens_the_counter_is_told_what_it_is(server: Dovecot, postal: Postal) -> None:
    """One mail, written anew: the one before is gone."""
    postal.settle(inbox=server.inbox("counted"))
    postal.run()
    postal.go(2)
    box = Imap(account(server, "counted"))
    ((uid, _),) = _mails(postal.table.club, box)
    ((_, raw), *_) = box.ok(box.connection.uid("FETCH", uid, "(BODY.PEEK[])"))
    box.close()
    found = email.message_from_bytes(raw, policy=default)
    text, attached = found.iter_parts()
    mark = _mark(postal.table.club)
    number = found["Subject"].split()[2]
    assert {name: found[name] for name in ("From", "To", "Subject", "Message-ID")} == {
        "From": JUDGE,
        "To": JUDGE,
        "Subject": f"pbem {mark} {number} leave this here",
        "Message-ID": f"<pbem1.counter-{mark}-{number.removesuffix(':')}@club.example>",
    }
    assert found["Date"].datetime == postal.table.clock().replace(microsecond=0)
    assert " ".join(text.get_content().split()) == (
        "By this the judge's program notices if it runs in two places. It writes it anew when it has "
        "signed something, and drops the one before."
    )
    assert attached.get_filename() == "counter.age"
