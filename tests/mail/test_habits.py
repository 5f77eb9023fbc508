"""Mails in the shapes in which people write to a club: orders are found, and words reach a person."""

from __future__ import annotations

import html
import mailbox
import quopri
import struct
from collections.abc import Callable
from email.message import EmailMessage

import pytest

from tests.mail.postal import JUDGE, Postal
from tests.mail.test_heard import ALICE, GM, told
from tests.trust.sealed import only_sealed

pytestmark = pytest.mark.ci

QUOTE = "\n\nOn Sunday the judge wrote:\n> The deadline is Sunday.\n> Please send orders.\n"


@pytest.fixture
def watched(postal: Postal) -> Postal:
    """A new game with a director who does not play."""
    postal.settle(watch={"address": GM, "summary": "", "waiting": ""})
    postal.run()
    for name in ("alice", "gm"):
        postal.mails(name)
    return postal


def mail(text: str = "", kind: str = "plain", subject: str = "Re: demo: orders", **head: str) -> EmailMessage:
    """A mail of alice's."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = ALICE, JUDGE, subject
    made["Message-ID"] = "<habit@phone.example>"
    for name, value in head.items():
        made[name.replace("_", "-")] = value
    if text:
        made.set_content(text, subtype=kind)
    return made


def attached(armor: str) -> EmailMessage:
    made = mail(f"Here they are at last. Sorry, we had guests! Is that in time?{QUOTE}")
    made.add_attachment(armor, filename="orders.txt")
    return made


def forwarded(armor: str) -> EmailMessage:
    made = mail("See below, my first try bounced.\n", subject="Fwd: orders")
    made.add_attachment(mail(armor, subject="orders"))
    return made


def tnef(name: str, content: bytes) -> bytes:
    """A winmail.dat with one attached file, attribute by attribute as MS-OXTNEF says."""

    def attribute(level: int, identifier: int, data: bytes) -> bytes:
        return (
            struct.pack("<BII", level, identifier, len(data)) + data + struct.pack("<H", sum(data) % 65_536)
        )

    return struct.pack("<IH", 0x223E9F78, 1) + b"".join(
        (
            attribute(1, 0x00089006, struct.pack("<I", 0x00010000)),  # the version
            attribute(1, 0x00069007, struct.pack("<II", 1252, 0)),  # the code page
            attribute(1, 0x00078008, b"IPM.Microsoft Mail.Note\0"),  # the kind of message
            attribute(2, 0x00069002, struct.pack("<HIHHI", 1, 0xFFFFFFFF, 0, 0, 0)),  # a file begins
            attribute(2, 0x00018010, name.encode() + b"\0"),  # its name
            attribute(2, 0x0006800F, content),
        )
    )


def unreadable(armor: str) -> EmailMessage:
    """Outlook's own form for what another Outlook would show as an attached file of orders."""
    sealed = only_sealed(armor.encode())
    made = mail("Please tell me whether this reached you.\n")
    made.add_attachment(
        tnef("orders.age", sealed), maintype="application", subtype="ms-tnef", filename="winmail.dat"
    )
    return made


def unnamed(armor: str) -> EmailMessage:
    """The same where a server on the way has changed type and name: its first bytes alone are left."""
    made = unreadable(armor)
    part = made.get_payload(1)
    assert isinstance(part, EmailMessage)
    part.replace_header("Content-Type", "application/octet-stream")
    del part["Content-Disposition"]
    return made


def soft_breaks(armor: str) -> bytes:
    """Each line is cut in its middle by a soft break, as some programs do at any width."""
    encoded = quopri.encodestring(armor.encode()).decode().split("\n")
    body = "\n".join(f"{line[:30]}=\n{line[30:]}" if len(line) > 40 else line for line in encoded)
    head = f"From: {ALICE}\nTo: {JUDGE}\nSubject: orders\nMessage-ID: <soft@x.example>\nMIME-Version: 1.0\n"
    return f"{head}Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n{body}".encode()


def read_receipt(_: str) -> bytes:
    report = (
        "Content-Type: message/disposition-notification\n\nFinal-Recipient: rfc822; alice@example.org\n"
        "Disposition: manual-action/MDN-sent-manually; displayed\n"
    )
    return (
        f"From: {ALICE}\nTo: {JUDGE}\nSubject: Read: demo: orders\nMessage-ID: <read@x.example>\n"
        "MIME-Version: 1.0\nContent-Type: multipart/report; report-type=disposition-notification; "
        "boundary=b\n\n"
        f"--b\nContent-Type: text/plain\n\nYour message was read on Sunday.\n\n--b\n{report}\n--b--\n"
    ).encode()


def page(armor: str) -> EmailMessage:
    lines = "<br>".join(map(html.escape, armor.split("\n")))
    return mail(f"<html><body><p>Hello,</p><div>{lines}</div><p>Alice</p></body></html>", "html")


TAKEN, NOTHING = "orders of alice for demo, exchange 1: received", ""


@pytest.mark.parametrize(
    ("made", "result", "words"),
    [
        (attached, TAKEN, "Is that in time?"),
        (forwarded, TAKEN, "my first try bounced"),
        (lambda armor: mail(f"-- \nAlice, plays since 1970\n{armor}"), TAKEN, NOTHING),
        (unreadable, "nothing taken: it is a winmail.dat", "whether this reached you"),
        (unnamed, "nothing taken: it is a winmail.dat", "whether this reached you"),
        (page, TAKEN, NOTHING),
        (soft_breaks, TAKEN, NOTHING),
        (lambda armor: mail(f"{armor}\n\nSent from my iPhone\n"), TAKEN, NOTHING),
        (lambda armor: mail(f"I am late, sorry! Does it count?\n\n{armor}"), TAKEN, "Does it count?"),
        (lambda _: mail(subject="Can I please have two more days?"), "nothing taken", "two more days"),
        (read_receipt, "nothing taken", NOTHING),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_what_a_person_sends_is_taken_or_reaches_a_person(
    watched: Postal, made: Callable[[str], EmailMessage | bytes], result: str, words: str
) -> None:
    found = made(watched.table.sealed("alice").decode())
    raw = found if isinstance(found, bytes) else found.as_bytes()
    mailbox.Maildir(watched.post.box("judge")).add(raw)
    lines = [line.text for line in watched.run() if line.step == "orders"]
    assert any(result in line for line in lines), lines
    letters = told(watched, "gm")
    assert len(letters) == bool(words), letters
    assert all(words in letter and "AGE ENCRYPTED" not in letter for letter in letters)
    if made is not read_receipt:
        heard = told(watched)
        assert heard, "and its sender hears of it"
        assert made not in (unreadable, unnamed) or "it is a winmail.dat; send plain text instead" in heard[0]
