"""What the head of a mail is read as."""

from __future__ import annotations

import base64
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.mail.headers import PERSON, head_of, is_for_itself, read_head
from pbem.mail.journal import read_records

ORIGINS = """
person     From: a@b.org
person     Auto-Submitted: No; it is not
person     Precedence: first-class
person     Subject: the automatic
person     Message-ID: <pbem2.x@b.org>
auto-reply Auto-Submitted: auto-replied; owner
auto-reply Precedence: Auto_Reply
auto-reply Precedence: auto-reply
auto-reply X-Autoreply: 1
auto-reply X-MS-Exchange-Inbox-Rules-Loop: a
auto-reply From: do-not-reply@b.org
auto-reply Subject: =?utf-8?q?Automatic_reply?=: away
bounce     Content-Type: Multipart/Report; x=y
bounce     Return-Path: <>
bounce     X-Failed-Recipients: a@b.org
bounce     From: MAILER-DAEMON@b.org
list       Precedence: Bulk
list       Precedence: list
list       Precedence: junk
list       List-Post: x
own        From: Judge@club.org
own        Message-ID: <PBEM1.x@b.org>
"""


@pytest.mark.parametrize("row", ORIGINS.strip().split("\n"))
def test_a_field_says_what_kind_of_sender_a_mail_has(row: str) -> None:
    kind, field = row.split(maxsplit=1)
    head = read_head(f"{field}\nFrom: other@b.org\n\nFrom: judge@club.org\n".encode(), "judge@Club.org")
    assert head.origin == kind
    by_itself = ("content", "return", "x-failed", "auto-submitted: auto", "precedence: auto", "x-auto")
    assert head.is_automatic is field.lower().startswith(by_itself)
    assert head.answerable is (kind == PERSON)


FIELDS = """
subject    Subject: =?utf-8?Q?a_b=C3=A9?= =?utf-8?b?w6k?= c     -> a béé c
subject    Subject: =?utf-8*de?Q?=5F_?=c                        -> _ c
subject    Subject: =?utf-8?B?x?= c                             -> =?utf-8?B?x?= c
subject    Subject: a|no colon|  b|	c                              -> a b c
subject    X: a|Subject: b|Subject: c                           -> b
sender     From: <x@b.org> y@b.org                              -> x@b.org
answerable From: nobody                                         -> False
sender     From: A <X@b.org> <none>                             -> x@b.org
sender     From: x@b.org y@b.org                                -> y@b.org
sender     Sender: x@b.org                                      -> x@b.org
sender     From: nobody                                         ->
message_id Message-ID: x <a@b> <c@d>                            -> <a@b>
message_id Message-ID: a@b                                      ->
references References: <a@b>|In-Reply-To: <c@d>                 -> ('<a@b>', '<c@d>')
date       Date: Mon, 23 Nov 2026 10:00:00 +0200                -> 2026-11-23 08:00:00+00:00
date       Date: Mon, 23 Nov 2026 10:00:00                      -> 2026-11-23 10:00:00+00:00
date       Date: soon                                           -> None
is_suspect X-Spam-Flag: YES                                     -> True
is_suspect X-Spam-Status: yes, 9                                -> True
is_suspect X-Spam: no                                           -> False
is_suspect Authentication-Results: m; spf=fail, dmarc = fail    -> True
is_suspect X-DMARC-Status: dmarc=fail                           -> True
is_suspect Authentication-Results: m; dmarc=pass                -> False
"""


@pytest.mark.parametrize("row", FIELDS.strip().split("\n"))
def test_a_field_is_read(row: str) -> None:
    name, _, rest = row.partition(" ")
    fields, _, value = rest.strip().partition("->")
    head = read_head(f"no field\n{fields.strip().replace('|', chr(10))}\n\nSubject: x\n".encode())
    assert str(getattr(head, name)) == value.strip()
    assert head_of(b"a\r\n\r\nb\n\nc") == b"a"
    assert head_of(b"a\nb") == b"a\nb"


def test_a_field_is_cut() -> None:
    head = read_head(f"Subject: {'x' * 201}\nReferences: {'<a@b>' * 21}\n\n".encode())
    assert (len(head.subject), len(head.references)) == (200, 20)
    for longest, time in ((100, "08:00"), (101, "09:40")):  # the zone's last digit is cut off
        day = "Mon, 23 Nov 2026 10:00:00"
        head = read_head(f"Date: {day}{'+0200':>{longest - len(day)}}\n\n".encode())
        assert f" {time}:" in str(head.date)


def test_each_record_in_a_mail_is_found(tmp_path: Path) -> None:
    message = EmailMessage()
    message["Message-ID"] = "<pbem1.journal-1@club.org>"
    message.set_content("two")
    for name, data in (("journal-1.age", b"one"), ("other.age", b"no"), ("journal-2.age", b"two")):
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    both = message.as_bytes()
    (tmp_path / "both.eml").write_bytes(both)
    (tmp_path / "one.age").write_bytes(b"three")
    foreign = both.replace(b"<pbem1.journal", b"<journal").replace(base64.b64encode(b"one"), b"bm9uZQ==")
    (tmp_path / "other.eml").write_bytes(foreign)
    (tmp_path / "folder").mkdir()
    for number in (2, 1):
        (tmp_path / f"folder/journal-{number}.age").write_bytes(b"in %d" % number)
    paths = [tmp_path / name for name in ("both.eml", "one.age", "other.eml", "folder")]
    assert list(read_records(paths)) == [b"three", b"in 1", b"in 2", b"one", b"two"]
    assert is_for_itself(b"Message-ID: <pbem1.counter-1@x>\n\n")
    assert not is_for_itself(b"Subject: <pbem1.counter-1@x>\n\n")
    assert not is_for_itself(b"Subject: x\n\nMessage-ID: <pbem1.counter-1@x>\n")
