"""Shapes of real mail, one file each, with what must be taken from them: corpus/expected.txt is the table.

A and B stand for two sealed files; "join" is a signed wish to join; "-" is nothing.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import re
from collections.abc import Callable
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import Path
from typing import NamedTuple

import pytest

from pbem.cli import main
from pbem.mail.director import words_beside
from pbem.mail.extract import DEEPEST, MAX_PARTS, Extract, extract
from pbem.mail.headers import _fields
from pbem.mail.mail_text import read_commands
from pbem.trust import keys, sealing
from pbem.trust.fields import sign_fields
from pbem.trust.player_statements import Join, read_join
from pbem.trust.sealing import sealed_name

CORPUS = Path(__file__).parent / "corpus"
JUDGE = "judge@club.example"


class Row(NamedTuple):
    """One line of the table."""

    file: str
    origin: str
    answerable: str
    taken: str
    why: str


def table() -> tuple[list[Row], dict[str, str]]:
    """The rows, and the hashes that A and B stand for."""
    rows, names = [], {}
    for line in (CORPUS / "expected.txt").read_text().splitlines():
        if line.startswith("#"):
            letter, sign, value = line[2:].partition(" = ")
            names.update({value: letter} if sign else {})
        else:
            rows.append(Row(*(field.strip() for field in line.split("|"))))
    return rows, names


ROWS, NAMES = table()


def taken(found: Extract) -> str:
    """What was taken, as the table writes it."""
    sealed = " ".join(NAMES[sealed_name(one)] for one in found.sealed_files)
    statements = " ".join(f"join {read_join(one).player}" for one in found.statements)
    commands = ", ".join(f"command: {one.text}" for one in found.commands)
    return (
        " ".join(part for part in (sealed, statements.replace("join alice", "join"), commands) if part) or "-"
    )


@pytest.mark.parametrize("row", ROWS, ids=[row.file for row in ROWS])
def test_what_is_taken(row: Row) -> None:
    found = extract((CORPUS / row.file).read_bytes(), JUDGE)
    assert taken(found) == row.taken, found.reason
    assert found.head.origin == row.origin
    assert found.head.answerable == (row.answerable == "yes")
    assert row.why in found.reason
    assert bool(found.reason) == (row.taken == "-")


@pytest.mark.parametrize(
    ("head", "fields"),
    [
        (b"Subject: a\n b\n\t c\nFrom: x", {"subject": ["a b c"], "from": ["x"]}),
        (b"To: a\nTo: b\n c\n\nBcc: d", {"to": ["a", "b c"]}),
        (b" a\nno field\nTO : b", {"to": ["b"]}),
    ],
)
def test_a_head_is_read_with_its_folded_lines(head: bytes, fields: dict[str, list[str]]) -> None:
    assert _fields(head) == fields


def nested(depth: int) -> bytes:
    """A mail within a mail, so many times."""
    return b"Content-Type: message/rfc822\n\n" * depth + b"From: bob@example.org\n\nhelp\n"


def parted(parts: int) -> bytes:
    """A mail of so many parts, itself counted."""
    inner = b"".join(b"--b\n\nhelp\n" for _ in range(parts - 1))
    return b"Content-Type: multipart/mixed; boundary=b\n\n" + inner + b"--b--\n"


@pytest.mark.parametrize(("mail", "most"), [(nested, DEEPEST), (parted, MAX_PARTS)])
def test_a_mail_may_be_as_deep_and_have_as_many_parts_as_said(
    mail: Callable[[int], bytes], most: int
) -> None:
    assert "parts within parts, too many times" not in (said := extract(mail(most)).reason)
    assert "more than" not in said
    assert re.search("parts within parts, too many times|more than", extract(mail(most + 1)).reason)


def test_the_table_and_the_folder_agree() -> None:
    assert [row.file for row in ROWS] == sorted(path.name for path in CORPUS.glob("*.eml"))
    assert len(ROWS) >= 60


@pytest.mark.parametrize(
    ("name", "status", "told"),
    [
        ("plain-inline", 0, "sealed file "),
        ("command-help", 0, "command: help"),
        ("join-inline", 0, "signed statement: pbem1 join"),
        ("winmail", 1, "nothing is taken: it is a winmail.dat; send plain text instead"),
        ("bounce-qmail", 0, "a report of a mail server, which gets no answer"),
    ],
)
def test_the_command_says_so(name: str, status: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = CORPUS.glob(f"[0-9]*-{name}.eml")
    assert main(["mail", "extract", str(path), "--own", JUDGE]) == status
    assert told in capsys.readouterr().out


FOOTER = """\
_______________________________________________
club mailing list
club@lists.example
"""
KEY = sealing.seal_key(bytes(32), "demo", 1, "a").recipient
SEALED = [sealing.seal(b"x" * (900 + length), [KEY]) for length in range(12)]


@pytest.mark.parametrize("sealed", SEALED, ids=[str(length) for length in range(12)])
@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("cut", [True, False])
@pytest.mark.parametrize(
    "behind", ["", "\n" + FOOTER, "!!\n" + FOOTER, "\n\n" + FOOTER, "\nTo leave: write\n"]
)
@pytest.mark.parametrize("width", [76, 61])
def test_a_list_s_footer_behind_base64_loses_no_orders(
    sealed: bytes, binary: bool, cut: bool, behind: str, width: int
) -> None:
    """At all lengths modulo 12, for four signs are three bytes, and a line's end may be one of each."""
    inner = sealed if binary else sealing.to_armor(sealed).encode()
    whole = base64.b64encode(inner).decode()
    text = "\n".join(whole[start : start + width] for start in range(0, len(whole), width))
    mail = (
        f"From: alice@example.org\nContent-Type: {'application/octet-stream' if binary else 'text/plain'}\n"
        f"Content-Transfer-Encoding: base64\n\n{text.rstrip('=') if cut else text}{behind}"
    )
    found = extract(mail.encode(), JUDGE)
    assert found.sealed_files == (sealed,), found.reason


def test_base64_that_a_program_has_double_spaced_is_whole() -> None:
    text = "\n\n".join(base64.encodebytes(sealing.to_armor(SEALED[5]).encode()).decode().split())
    head = "From: alice@example.org\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n"
    assert extract(f"{head}{text}\n\n{FOOTER}".encode(), JUDGE).sealed_files == (SEALED[5],)


TEXTS = (
    ("<p>status page</p>", "html"),
    (" \n", "plain"),
    ("status old\n", "plain"),
    ("status mine\n", "plain"),
    ("status second\n", "plain"),
)


def test_commands_are_read_in_the_first_plain_text_that_somebody_wrote() -> None:
    page, empty, attached, written, second = (MIMEText(text, kind) for text, kind in TEXTS)
    attached["Content-Disposition"] = "attachment; filename=old.txt"
    mail = MIMEMultipart("mixed", _subparts=[page, empty, attached, written, second])
    mail["From"] = "alice@example.org"
    assert [found.text for found in extract(mail.as_bytes(), JUDGE).commands] == ["status mine"]


@pytest.mark.parametrize(("blanks", "commands"), [(99_996, 1), (99_997, 0)])
def test_a_hundred_thousand_signs_of_a_mail_are_read(blanks: int, commands: int) -> None:
    assert len(read_commands(" " * blanks + "help")) == commands


def armor() -> bytes:
    (sealed,) = extract((CORPUS / "01-plain-inline.eml").read_bytes(), JUDGE).sealed_files
    return sealing.to_armor(sealed).encode()


HEAD = b"From: alice@example.org\nTo: judge@club.example\nMIME-Version: 1.0\n"


def in_uuencode(data: bytes) -> bytes:
    """As `uuencode orders.age orders.age | mail` writes it."""
    lines = (binascii.b2a_uu(data[start : start + 45]) for start in range(0, len(data), 45))
    return HEAD + b"\nmy orders\n\nbegin 644 orders.age\n" + b"".join(lines) + b"`\nend\n"


@pytest.mark.parametrize("binary", [False, True])
def test_what_uuencode_writes_into_a_text_is_read(binary: bool) -> None:
    (sealed,) = extract((CORPUS / "01-plain-inline.eml").read_bytes(), JUDGE).sealed_files
    found = extract(in_uuencode(sealed if binary else armor()), JUDGE)
    assert found.sealed_files == (sealed,)


def test_a_signed_text_that_outlook_has_uuencoded_is_read() -> None:
    """As Outlook writes an attachment into a mail in plain text, if it is told to."""
    key = keys.generate("carol")
    wish = sign_fields(Join(game="dunbar", player="carol", key=key.public), key)
    lines = b"".join(binascii.b2a_uu(wish[at : at + 45]) for at in range(0, len(wish), 45))
    text = b"Here it is.\n\nbegin 666 carol.join\n" + lines + b"`\nend\n"
    found = extract(HEAD + b"MIME-Version: 1.0\nContent-Type: text/plain\n\n" + text, JUDGE)
    assert found.statements == (wish,)
    assert words_beside(found.text, (), is_own=True) == ""


def test_damaged_uuencode_stops_nothing() -> None:
    """Each of many beginnings is followed by two megabytes of nothing; it takes no longer than its size."""
    damaged = HEAD + b"\n" + b"begin 644 x\nM\xff\n" * 50_000
    assert extract(damaged, JUDGE).sealed_files == ()


@pytest.mark.parametrize("kind", ["application/x-gtar", "application/octet-stream", "application/x-tgz"])
def test_an_archive_is_told_whatever_it_is_called(kind: str) -> None:
    packed = base64.encodebytes(gzip.compress(armor()))
    part = f"Content-Type: {kind}; name=orders.tgz\nContent-Transfer-Encoding: base64\n"
    part += "Content-Disposition: attachment\n"
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=x\n\n--x\n" + part.encode() + b"\n" + packed
    assert "its attachment is an archive" in extract(raw + b"\n--x--\n", JUDGE).reason
