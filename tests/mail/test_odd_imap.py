"""Habits of IMAP servers, each by itself: all mails are taken once, or the director is told which are not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pbem.errors import MailError
from pbem.judge.deadlines.waits_for_mail import LOOKED
from pbem.judge.intake.quarantine import all_apart
from pbem.mail.club_mailbox import fetch_mail
from pbem.mail.imap import MAX_SEARCH_NUMBERS
from pbem.mail.settings import MailSettings, Server
from tests.mail.odd_imap import OddImap, odd_imap
from tests.mail.postal import JUDGE, Postal, mail

HABITS = [
    "splits its answers",  # Courier: a long answer to SEARCH comes in several lines
    "says nothing of nothing",  # Domino, old Exchange: no line SEARCH where nothing is found
    "counts changes",  # Cyrus, Gmail, where CONDSTORE is on: a MODSEQ ends the numbers
    "says other things",  # any: alerts in the bytes of a code page, and flags that another reader has set
    "writes small",  # RFC 9051, 9: names of items may be written small
    "guesses sizes",  # Exchange: RFC822.SIZE is an estimate
    "keeps line ends",  # hMailServer, UW: bare LF
    "forbids flags",  # a shared folder without the right s (RFC 4314)
    "lets everybody in",  # PREAUTH, through a tunnel
    "has UIDPLUS",
    "names no UIDNEXT",  # Courier
]


def fetched(server: OddImap, postal: Postal) -> int:
    return fetch_mail(postal.table.club, MailSettings(address=JUDGE, imap=Server(**server.inbox())))


def raws(postal: Postal) -> list[bytes]:
    return [row.raw.replace(b"\r\n", b"\n") for row in postal.table.club.store.waiting(mail=True)]


@pytest.mark.parametrize("habit", ["", *HABITS])
def test_each_mail_is_taken_once(habit: str, postal: Postal) -> None:
    mails = [mail(f"help\n{number}\n", Message_ID=f"<{number}@x>") for number in range(5)]
    with odd_imap(habit) as server:
        assert fetched(server, postal) == 0
        for raw in mails:
            server.deliver(raw)
        assert fetched(server, postal) == 5
        assert sorted(raws(postal)) == sorted(raw.replace(b"\r\n", b"\n") for raw in mails)
        server.deliver(mail("help\nlast\n", Message_ID="<last@x>"))
        assert fetched(server, postal) == 1
        assert fetched(server, postal) == 0
        assert all_apart(postal.table.club) == []
        assert postal.table.club.store.note(LOOKED)


@pytest.mark.parametrize("habit", ["", "nil"])
def test_an_empty_mail_holds_no_game_up(habit: str, postal: Postal) -> None:
    """Cyrus and Zimbra send no literal of no bytes, but NIL or two quotes."""
    with odd_imap(habit) as server:
        server.deliver(b"")
        server.deliver(mail("help\n"))
        assert fetched(server, postal) == 2
        assert all_apart(postal.table.club) == []


@pytest.mark.parametrize(
    ("habit", "told"),
    [
        ("cannot read the second", "the message could not be retrieved"),  # Exchange
        ("gives nothing of the second", "it sends nothing of it"),
        ("leaves at the second", "the server closes the connection at it"),  # any, when it is restarted
    ],
)
def test_a_mail_that_is_not_given_is_told_and_holds_up_no_other(
    habit: str, told: str, postal: Postal
) -> None:
    club = postal.table.club
    with odd_imap(habit) as server:
        for number in range(3):
            server.deliver(mail(f"help\n{number}\n", Message_ID=f"<{number}@x>"))
        assert fetched(server, postal) == 2
        (one,) = all_apart(club)
        assert told in one.why
        assert not club.store.note(LOOKED), "what depends on the look waits"
        server.habits.clear()
        postal.table.clock.now += timedelta(minutes=11)
        assert fetched(server, postal) == 1
        assert all_apart(club) == []
        assert club.store.note(LOOKED)


def test_a_mailbox_that_is_numbered_anew_while_it_is_read(postal: Postal) -> None:
    """The server has hung up over a mail, and comes back with other numbers: nothing is taken for another."""
    with odd_imap("leaves at the second", "numbers anew") as server:
        for number in range(3):
            server.deliver(mail(f"help\n{number}\n", Message_ID=f"<{number}@x>"))
        with pytest.raises(MailError, match="is not the same as before"):
            fetched(server, postal)
        server.habits.clear()
        fetched(server, postal)
        postal.table.clock.now += timedelta(minutes=11)
        fetched(server, postal)
        assert len(set(raws(postal))) == len(raws(postal)) == 3
        assert all_apart(postal.table.club) == []


def test_a_mailbox_that_another_session_holds_is_told_and_read_later(postal: Postal) -> None:
    """UW, and whatever serves POP beside IMAP."""
    with odd_imap("is in use at first") as server:
        server.deliver(mail("help\n"))
        with pytest.raises(MailError, match="locked by another session"):
            fetched(server, postal)
        assert fetched(server, postal) == 1


def test_a_server_that_does_not_know_a_flag_keeps_no_mail_back(postal: Postal) -> None:
    """Exchange says BAD to a STORE in a mailbox of which one may only read."""
    with odd_imap("does not know STORE") as server:
        server.deliver(mail("help\n"))
        server.deliver(mail("status\n"))
        assert fetched(server, postal) == 2
        assert fetched(server, postal) == 0
        assert postal.table.club.store.note(LOOKED)


@pytest.mark.ci
@pytest.mark.parametrize("habit", ["", "names no UIDNEXT"])
def test_a_folder_of_160_000_mails_is_read(habit: str, postal: Postal) -> None:
    """Each answer fits into what imaplib takes in a line; Courier does not say how far the numbers go."""
    with odd_imap(habit) as server:
        server.mails = dict.fromkeys(range(1, 160_001), b"Subject: old\r\n\r\nold\r\n")
        server.flags = {uid: {"Seen"} for uid in server.mails}
        assert fetched(server, postal) == 0
        asked = [one for one in server.asked if "SEARCH" in one]
        assert len(asked) >= 160_000 / MAX_SEARCH_NUMBERS
        server.deliver(mail("help\n"))
        assert fetched(server, postal) == 1
        assert raws(postal) == [mail("help\n").replace(b"\r\n", b"\n")]


@pytest.mark.ci
@pytest.mark.parametrize("habit", ["", "has UIDPLUS"])
def test_the_counter_leaves_what_others_have_deleted(habit: str, postal: Postal) -> None:
    """Without UIDPLUS a server would drop that, too."""
    with odd_imap(habit) as server:
        postal.settle(inbox=server.inbox())
        postal.run()
        server.deliver(mail("to be kept\n", "friend@example.net"))
        postal.run()
        (kept,) = [uid for uid, raw in server.mails.items() if b"to be kept" in raw]
        server.flags.setdefault(kept, set()).add("Deleted")
        postal.all_send()
        postal.go(2)
        assert kept in server.mails
