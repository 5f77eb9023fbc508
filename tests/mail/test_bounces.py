"""Letters that come back: shown as trouble, told to the opponent after a while, forgotten when answered."""

from __future__ import annotations

from email.message import Message

import pytest

from pbem.mail.bounces import take_bounce
from pbem.mail.troubles import troubles
from tests.mail.postal import Postal
from tests.mail.test_passes import body

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


def returned(postal: Postal, **changed: str) -> None:
    import mailbox

    postal.run()
    (letter,) = postal.mails("alice")
    postal.mails("bob")
    mailbox.Maildir(postal.post.box("judge")).add(bounce(letter, **changed))
    postal.run()


def test_a_letter_that_comes_back_is_trouble(postal: Postal) -> None:
    returned(postal)
    (told,) = troubles(postal.table.club)
    assert "demo-0000-report.txt to alice: a mail server returned it (5.1.1); it came back" in told
    assert postal.mails("alice") == [], "nobody is answered, and nothing is sent again by itself"
    postal.run()
    assert len(troubles(postal.table.club)) == 1


def test_a_delay_is_no_trouble(postal: Postal) -> None:
    returned(postal, action="delayed", status="4.4.1")
    assert troubles(postal.table.club) == []


def test_a_new_address_brings_it_again(postal: Postal) -> None:
    returned(postal)
    postal.table.club.add_player("alice", postal.table.people["alice"].key.public, "alice2@example.org")
    postal.run()
    assert len(postal.mails("alice2")) == 1
    assert troubles(postal.table.club) == []


def test_orders_of_the_player_end_it(postal: Postal) -> None:
    returned(postal)
    postal.send(postal.table.sealed("alice"))
    postal.run()
    assert troubles(postal.table.club) == []


def test_the_opponent_is_told_after_a_while_and_once(postal: Postal) -> None:
    returned(postal)
    told = []
    for _ in range(6):
        postal.table.clock.pass_days(0.9)
        postal.run()
        told += [body(mail) for mail in postal.mails("bob")]
    (text,) = [text for text in told if "have not arrived" in text]
    assert "the judge's letters to alice in demo have not arrived" in " ".join(text.split())
    assert "Exchange 1 is open until 2026-01-08T12:00:00Z" in " ".join(text.split())
    assert not [one for one in postal.mails("alice") if "have not arrived" in body(one)]


@pytest.mark.parametrize("change", [("pbem1.demo.", "pbem1.dema."), ("@club.example", "@club.exampel")])
def test_a_bounce_of_something_else_is_none_of_ours(postal: Postal, change: tuple[str, str]) -> None:
    import mailbox

    postal.run()
    (letter,) = postal.mails("alice")
    forged = bounce(letter).decode().replace(*change).encode()
    mailbox.Maildir(postal.post.box("judge")).add(forged)
    postal.run()
    assert troubles(postal.table.club) == []


@pytest.mark.parametrize(
    ("archive", "player", "comes_back"),
    [("relayed", "failed", True), ("failed", "relayed", False), ("failed", "", False), ("", "failed", True)],
)
def test_a_returned_letter_is_judged_by_each_recipient(
    postal: Postal, archive: str, player: str, comes_back: bool
) -> None:
    """The copy for the archive leaves in the same mail, and has a block of its own in the report."""
    postal.run()
    (letter,) = postal.mails("alice")
    parts = {"archive@club.example": archive, "alice@example.org": player}
    blocks = "\n\n".join(
        f"Final-Recipient: rfc822; {address}\nAction: {action}\nStatus: 5.1.1"
        for address, action in parts.items()
        if action
    )
    one = "Final-Recipient: rfc822; alice@example.org\nAction: failed\nStatus: 5.1.1"
    raw = bounce(letter).replace(one.encode(), blocks.encode())
    assert raw != bounce(letter) or (archive, player) == ("", "failed")
    take_bounce(postal.table.club, raw, "club.example", "archive@club.example")
    assert bool(troubles(postal.table.club)) is comes_back
