"""Letters that come back: shown as trouble, told to the opponent after a while, forgotten when answered."""

from __future__ import annotations

import base64
import mailbox
from datetime import UTC, datetime
from email.message import Message

import pytest

from pbem.cli import main
from pbem.mail.bounces import take_bounce
from pbem.mail.envelope import mark_of
from pbem.mail.headers import read_head
from pbem.mail.mail_problems import strange_reports, troubles
from pbem.service.doctor import examine
from pbem.trust.times import utc_text
from tests.judge.table import GAME
from tests.mail.postal import Postal
from tests.mail.test_passes import body

pytestmark = pytest.mark.ci(
    but=(
        "test_of_two_letters_in_one_report_the_second_alone_may_have_failed",
        "test_the_code_is_that_of_who_failed",
        "test_a_returned_letter_is_judged_by_each_recipient",
    )
)


DAEMON = "MAILER-DAEMON@mx.example.org"


def bounce(sent: Message, action: str = "failed", status: str = "5.1.1") -> bytes:
    """What a mail server writes of a mail that it could not deliver."""
    return f"""\
From: {DAEMON}
To: judge@club.example
Subject: Undelivered Mail
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

I'm sorry to have to inform you that your message could not be delivered.

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; alice@example.org
Action: {action}
Status: {status}

--b
Content-Type: text/rfc822-headers

Message-ID: {sent["Message-ID"]}
Subject: demo for alice

--b--
""".encode()


def deliver(postal: Postal, raw: bytes) -> None:
    mailbox.Maildir(postal.post.box("judge")).add(raw)
    postal.run()


def sent(postal: Postal) -> Message:
    """The invitation to Alice, as it left."""
    postal.run()
    (letter,) = postal.mails("alice")
    postal.mails("bob")
    return letter


def returned(postal: Postal, **changed: str) -> None:
    """It comes back."""
    deliver(postal, bounce(sent(postal), **changed))


def test_a_letter_that_comes_back_is_trouble(postal: Postal) -> None:
    returned(postal)
    (told,) = troubles(postal.table.club)
    assert "demo-0000-report.txt to alice: a mail server returned it (5.1.1); it came back" in told
    assert postal.mails("alice") == [], "nobody is answered, and nothing is sent again by itself"
    postal.run()
    assert len(troubles(postal.table.club)) == 1


def test_a_new_address_brings_it_again(postal: Postal) -> None:
    returned(postal)
    postal.table.club.add_player("alice", postal.table.people["alice"].key.public, "alice2@example.org")
    postal.run()
    assert len(postal.mails("alice2")) == 1
    assert troubles(postal.table.club) == []


def test_orders_of_the_player_end_it(postal: Postal) -> None:
    returned(postal)
    postal.deliver(postal.table.sealed("alice"))
    assert troubles(postal.table.club) == []


def test_the_opponent_is_told_after_a_while_and_once(postal: Postal) -> None:
    returned(postal)
    told, store = [], postal.table.club.store
    with store.step():
        store.add_letter(GAME, "alice", f"{GAME}-0001-notice-9.txt", b"", text="x")
    another = store.letters()[-1].id
    for _ in range(6):
        with store.step():  # another one comes back each day: it counts from the first
            store.mark_trouble(another, "returned", utc_text(postal.table.clock()))
        postal.after(0.9)
        told += [body(mail) for mail in postal.mails("bob")]
    (text,) = [text for text in told if "have not arrived" in text]
    assert "the judge's letters to alice in demo have not arrived" in " ".join(text.split())
    assert "open until 2026-01-08 12:00 UTC" in " ".join(text.split())
    assert not [one for one in postal.mails("alice") if "have not arrived" in body(one)]


@pytest.mark.parametrize("change", [("pbem1.demo.", "pbem1.dema."), ("@club.example", "@club.exampel")])
def test_a_bounce_of_something_else_is_none_of_ours(postal: Postal, change: tuple[str, str]) -> None:
    deliver(postal, bounce(sent(postal)).decode().replace(*change).encode())
    assert troubles(postal.table.club) == []


@pytest.mark.parametrize(
    ("archive", "player", "comes_back"),
    [("relayed", "failed", True), ("failed", "relayed", False), ("failed", "", False), ("", "failed", True)],
)
def test_a_returned_letter_is_judged_by_each_recipient(
    postal: Postal, archive: str, player: str, comes_back: bool
) -> None:
    """The copy for the archive leaves in the same mail, and has a block of its own in the report."""
    letter = sent(postal)
    parts = {"archive@club.example": archive, "alice@example.org": player}
    blocks = "\n\n".join(
        f"Final-Recipient: rfc822; {address}\nAction: {action}\nStatus: 5.1.1"
        for address, action in parts.items()
        if action
    )
    one = "Final-Recipient: rfc822; alice@example.org\nAction: failed\nStatus: 5.1.1"
    raw = bounce(letter).replace(one.encode(), blocks.encode())
    assert raw != bounce(letter) or (archive, player) == ("", "failed")
    take_bounce(postal.table.club, 1, raw, read_head(raw), "club.example", "archive@club.example")
    assert bool(troubles(postal.table.club)) is comes_back


def test_of_two_letters_in_one_report_the_second_alone_may_have_failed(postal: Postal) -> None:
    postal.run()
    ((late,), (lost,)) = (postal.mails(name) for name in ("alice", "bob"))
    text = bounce(late, action="delayed").decode()
    block = "Final-Recipient: rfc822; bob@example.org\nAction: failed\nStatus: 5.1.1\n"
    text = text.replace("\n--b\nContent-Type: text/rfc822", f"\n{block}\n--b\nContent-Type: text/rfc822")
    raw = text.replace("Subject: demo for", f"Message-ID: {lost['Message-ID']}\nSubject: demo for").encode()
    said = take_bounce(postal.table.club, 1, raw, read_head(raw), "club.example")
    assert said == ["demo-0000-report.txt to bob came back (5.1.1)"]


QMAIL = f"""\
Return-Path: <>
From: {DAEMON}
To: judge@club.example
Subject: failure notice

Hi. This is the qmail-send program at mx.example.org.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<alice@example.org>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

Return-Path: <judge@club.example>
"""
EXIM = f"""\
From: Mail Delivery System <{DAEMON}>
To: judge@club.example
Subject: Mail delivery failed: returning message to sender
X-Failed-Recipients: alice@example.org
Auto-Submitted: auto-replied

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  alice@example.org
    SMTP error from remote mail server after RCPT TO:<alice@example.org>:
    host mx.example.org: 550 5.1.1 unknown user

------ This is a copy of the message, including all the headers. ------

"""
NOBODY_KNOWS = f"""\
From: {DAEMON}
Return-Path: <>
To: judge@club.example
Subject: Returned mail

It did not work.

"""


@pytest.mark.parametrize("server", [QMAIL, EXIM])
def test_old_servers_return_the_whole_letter(postal: Postal, server: str) -> None:
    """With its calendar file, in which there is an ACTION of its own."""
    letter = sent(postal)
    deliver(postal, server.encode() + letter.as_bytes())
    (told,) = troubles(postal.table.club)
    assert "demo-0000-report.txt to alice: a mail server returned it" in told
    assert strange_reports(postal.table.club) == ""


def test_what_a_server_says_and_nobody_can_read_is_shown_and_fails_nothing(postal: Postal) -> None:
    letter = sent(postal)
    deliver(postal, NOBODY_KNOWS.encode() + letter.as_bytes())
    assert troubles(postal.table.club) == []
    assert "do not fit any letter" in strange_reports(postal.table.club)


def test_an_old_server_that_returns_the_archive_s_copy_is_not_about_the_player(postal: Postal) -> None:
    letter = sent(postal)
    raw = QMAIL.replace("alice@example.org", "archive@club.example").encode() + letter.as_bytes()
    said = take_bounce(postal.table.club, 1, raw, read_head(raw), "club.example", "archive@club.example")
    assert said == ["the copies for archive@club.example come back"]
    assert troubles(postal.table.club) == []


def test_the_code_is_that_of_who_failed(postal: Postal) -> None:
    letter = sent(postal)
    one = "Final-Recipient: rfc822; alice@example.org\nAction: failed\nStatus: 5.1.1"
    blocks = f"Final-Recipient: rfc822; archive@club.example\nAction: relayed\nStatus: 2.0.0\n\n{one}"
    raw = bounce(letter).replace(one.encode(), blocks.encode())
    take_bounce(postal.table.club, 1, raw, read_head(raw), "club.example", "archive@club.example")
    (told,) = troubles(postal.table.club)
    assert "(5.1.1)" in told


@pytest.mark.parametrize("server", [QMAIL, EXIM])
def test_a_report_that_is_wholly_base64_is_read(postal: Postal, server: str) -> None:
    letter = sent(postal)
    head, _, text = server.partition("\n\n")
    coded = base64.encodebytes(text.encode() + letter.as_bytes()).decode()
    raw = f"{head}\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{coded}"
    deliver(postal, raw.replace("X-Failed-Recipients: alice@example.org\n", "").encode())
    (told,) = troubles(postal.table.club)
    assert "to alice: a mail server returned it" in told


MDN = "disposition-notification"
SEEN = "Final-Recipient: rfc822; alice@example.org\nDisposition: manual-action/MDN-sent-manually; displayed\n"
ANSWERS = {
    "a vacation (RFC 3834)": (
        "alice@example.org",
        "Auto-Submitted: auto-replied\nSubject: Re: demo",
        "I am away.",
    ),
    "an out-of-office of Exchange": (
        "alice@example.org",
        "X-Auto-Response-Suppress: All\nAuto-Submitted: auto-generated\nSubject: Automatic reply: demo",
        "I am out of the office until Monday.",
    ),
    "a vacation without a word of its kind": (
        "alice@example.org",
        "Subject: Abwesenheit",
        "Ich bin nicht da.",
    ),
    "a challenge": (
        "alice@example.org",
        "Subject: Please confirm your message",
        "Click to have it delivered.",
    ),
    "a ticket": (
        "help@example.org",
        "Auto-Submitted: auto-generated\nSubject: [#123] received",
        "Ticket 123.",
    ),
    "written by hand, through a relay": ("alice@example.org", "Subject: Re: demo", "Thank you, it has come!"),
    "a read receipt": (
        "alice@example.org",
        f'Subject: Read\nContent-Type: multipart/report; report-type={MDN}; boundary="b"',
        f"--b\nContent-Type: text/plain\n\nIt was seen.\n\n--b\nContent-Type: message/{MDN}\n\n{SEEN}\n--b--",
    ),
}
"""Who writes, what the head says besides, and the text of mails that nobody's server has returned."""


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_empty_return_path_alone_returns_nothing(postal: Postal, kind: str) -> None:
    letter = sent(postal)
    sender, fields, text = ANSWERS[kind]
    head = f"Return-Path: <>\nFrom: {sender}\nTo: judge@club.example\nIn-Reply-To: {letter['Message-ID']}\n"
    deliver(postal, f"{head}{fields}\n\n{text}\n\nMessage-ID: {letter['Message-ID']}\n".encode())
    assert troubles(postal.table.club) == []
    assert strange_reports(postal.table.club) == ""
    assert postal.mails("alice") == [], "machines get no answer"


def test_a_complaint_about_spam_is_shown_and_fails_nothing(postal: Postal) -> None:
    letter = sent(postal)
    raw = bounce(letter).replace(b"report-type=delivery-status", b"report-type=feedback-report")
    raw = raw.replace(b"message/delivery-status", b"message/feedback-report")
    fields = b"Feedback-Type: abuse\nUser-Agent: Loop/1.0\nVersion: 1"
    deliver(
        postal, raw.replace(b"Reporting-MTA: dns; mx.example.org", fields).replace(b"Action: failed\n", b"")
    )
    assert troubles(postal.table.club) == []
    assert "do not fit any letter" in strange_reports(postal.table.club)


@pytest.mark.parametrize("declared", [True, False])
def test_a_letter_in_base64_is_found_in_a_report(postal: Postal, declared: bool) -> None:
    letter = sent(postal)
    inner = base64.encodebytes(f"Message-ID: {letter['Message-ID']}\nSubject: demo for alice\n\n".encode())
    whole = bounce(letter).partition(b"Content-Type: text/rfc822-headers\n\n")[0]
    kind = b"Content-Type: message/rfc822\n"
    kind += b"Content-Transfer-Encoding: base64\n" if declared else b""
    deliver(postal, whole + kind + b"\n" + inner + b"\n--b--\n")
    (told,) = troubles(postal.table.club)
    assert "to alice: a mail server returned it (5.1.1)" in told


@pytest.mark.parametrize("mark", ["", "0123456789abcdef", "of bob's"])
def test_who_does_not_know_the_mark_cannot_make_one_up(postal: Postal, mark: str) -> None:
    """A stranger knows game, player and name of a letter; an opponent knows the mark of their own."""
    letter = sent(postal)
    own, other = (postal.table.club.store.letters_to("demo", name)[0] for name in ("alice", "bob"))
    mark = mark_of(other) if mark == "of bob's" else mark
    forged = bounce(letter).replace(f".id{mark_of(own)}".encode(), f".id{mark}".encode() if mark else b"")
    assert forged != bounce(letter)
    deliver(postal, forged)
    assert troubles(postal.table.club) == []
    assert "1 reports of mail servers do not fit any letter" in strange_reports(postal.table.club)


@pytest.mark.parametrize("original", ["", "Message-ID: <another@mx.example.org>\n"])
def test_what_belongs_to_no_letter_is_shown_and_never_dropped(
    postal: Postal, capsys: pytest.CaptureFixture[str], original: str
) -> None:
    """No original, or one whose Message-ID was rewritten."""
    letter = sent(postal)
    postal.table.clock.now = datetime.now(UTC)  # as the command sees it
    raw = bounce(letter).replace(f"Message-ID: {letter['Message-ID']}\n".encode(), original.encode())
    deliver(postal, raw)
    club = postal.table.club
    assert "do not fit any letter" in strange_reports(club)
    assert "about alice, 'Undelivered Mail' (mail 1)" in strange_reports(club)
    capsys.readouterr()
    assert main(["status", "--club", str(club.path)]) == 0
    assert "do not fit any letter" in capsys.readouterr().out
    assert [one for one in examine(club) if one.what == "returned" and one.wrong]
    assert [row for row in club.store.alerts() if row.name == "returned" and row.told]
    postal.table.clock.pass_days(15)
    assert strange_reports(club) == ""


@pytest.mark.parametrize("action", ["delayed", "relayed", "delivered", "expanded"])
def test_what_has_not_failed_is_neither_trouble_nor_shown(postal: Postal, action: str) -> None:
    letter = sent(postal)
    deliver(postal, bounce(letter, action=action, status="4.4.1"))
    assert troubles(postal.table.club) == []
    assert strange_reports(postal.table.club) == ""


def test_a_person_called_postmaster_who_answers_a_letter_returns_nothing(postal: Postal) -> None:
    letter = sent(postal)
    postal.deliver("Thank you!\n", "postmaster@example.org", In_Reply_To=str(letter["Message-ID"]))
    assert troubles(postal.table.club) == []
    assert strange_reports(postal.table.club) == ""


@pytest.mark.parametrize(
    "body_of",
    [b"<a@b.c>:\n" * 40_000, b"<" * 300_000, b"A" * 300_000, b"  x@y.z\n" * 40_000, b"--b\n" * 900],
)
def test_a_hostile_report_stops_nothing(postal: Postal, body_of: bytes) -> None:
    letter = sent(postal)
    head = bounce(letter).partition(b"--b\n")[0]
    deliver(postal, head + body_of)
    deliver(postal, bounce(letter))
    assert len(troubles(postal.table.club)) == 1
