"""225 mails of real mail programs: what players sent comes out byte for byte, or is told as damaged.

`programs/mails.tar.xz` holds the mails, and under `sent/` what was sent; `programs/expected.txt` is a table.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from email import policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.mail.extract import Extract, extract
from pbem.trust.armor import find_sealed
from tests.mail.test_statements import STATEMENTS

PROGRAMS = Path(__file__).parent / "programs"


def _members() -> Iterator[tuple[str, bytes]]:
    with tarfile.open(PROGRAMS / "mails.tar.xz") as archive:
        for member in archive:
            opened = archive.extractfile(member)
            assert opened
            yield member.name, opened.read()


MEMBERS = dict(_members())
ROWS = [
    tuple(field.strip() for field in line.split("|"))
    for line in (PROGRAMS / "expected.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def sent(names: str) -> bytes:
    """Return what was sent: a file, or a text and its signature; a sealed one as the judge reads it."""
    data = b"".join(MEMBERS[f"sent/{name}"] for name in names.split())
    return find_sealed(data)[0] if names.endswith(".age") else data


def taken(found: Extract) -> list[bytes]:
    return [*found.sealed_files, *found.statements]


def test_the_table_names_each_mail() -> None:
    assert sorted(row[0] for row in ROWS) == sorted(name for name in MEMBERS if "/" not in name)


@pytest.mark.parametrize(("file", "program", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_what_a_program_sends_is_what_was_sent(file: str, program: str, expected: str) -> None:
    found = extract(MEMBERS[file])
    if expected.startswith("damaged: "):
        assert taken(found) == [], program
        assert found.reason == expected.removeprefix("damaged: ")
        assert found.has_orders == ("-sealed-" in file), "orders count as orders, also in pieces"
        assert found.has_orders or found.has_signed
    else:
        assert taken(found) == [sent(expected)], program


def _zip(*files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, data in enumerate(files):
            archive.writestr(f"{place}.txt", data)
    return made.getvalue()


def _in_two(data: bytes) -> list[tuple[str, bytes]]:
    place = data.index(b"-----BEGIN")
    return [("octet-stream", data[:place]), ("pgp-signature", data[place:])]


SHAPES: dict[str, Callable[[bytes], list[tuple[str, bytes]]]] = {
    "octet-stream": lambda data: [("octet-stream", data)],
    "with a mark": lambda data: [("octet-stream", b"\xef\xbb\xbf" + data)],
    "CRLF": lambda data: [("octet-stream", data.replace(b"\n", b"\r\n"))],
    "UTF-16": lambda data: [("octet-stream", data.decode().encode("utf-16"))],
    "UTF-16, big-endian, without a mark": lambda data: [("octet-stream", data.decode().encode("utf-16-be"))],
    "zipped": lambda data: [("zip", _zip(data))],
    "in two parts": _in_two,
    "escaped by PGP": lambda data: [("octet-stream", data.replace(b"\n-----", b"\n- -----"))],
}


def attached(parts: list[tuple[str, bytes]]) -> bytes:
    """Return a mail with attachments of a type and bytes each."""
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"], mail["To"], mail["Subject"] = "alice@players.example", "judge@club.example", "for you"
    mail.set_content("see attached")
    for place, (kind, data) in enumerate(parts):
        mail.add_attachment(data, maintype="application", subtype=kind, filename=f"{place}.bin")
    return mail.as_bytes()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", STATEMENTS)
def test_each_kind_of_signed_text_is_found_in_each_shape(kind: str, shape: str) -> None:
    assert taken(extract(attached(SHAPES[shape](STATEMENTS[kind])))) == [STATEMENTS[kind]]


@pytest.mark.parametrize(
    "data",
    [
        _zip(STATEMENTS["join"], b"another file"),
        _zip(b" " * 3_000_000 + STATEMENTS["join"]),
        _zip(STATEMENTS["join"])[:-30],
        b"PK\x03\x04 no archive",
    ],
    ids=["two files", "too large", "cut off", "none"],
)
def test_what_an_archive_hides_is_not_guessed(data: bytes) -> None:
    found = extract(attached([("zip", data)]))
    assert taken(found) == []
    assert found.reason == "its attachment is an archive; attach the sealed file itself"


@pytest.mark.parametrize(
    "text",
    [
        "I have sent you my pbem1 join last week. Did it come?",
        "The file begins with pbem1 absence, and then?",
        "How do I make an SSH SIGNATURE?",
    ],
)
def test_who_only_speaks_of_signed_texts_has_signed_nothing(text: str) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"] = "alice@players.example", "judge@club.example"
    mail.set_content(text)
    found = extract(mail.as_bytes())
    assert not found.has_signed
    assert not found.has_orders


@pytest.mark.ci
@pytest.mark.parametrize(
    "text",
    [
        "-" * 1_900_000,
        "- " * 900_000,
        "pbem1 join " * 170_000,
        "pbem1 rotate\n" + "-" * 1_900_000,
        "---\n" * 470_000,
    ],
    ids=["dashes", "escapes", "beginnings", "a beginning and dashes", "rules"],
)
def test_a_text_made_to_take_long_is_read_all_the_same(text: str) -> None:
    """What takes time by the square of its size would not end here."""
    found = extract(b"".join((b"From: e@x.example\r\nContent-Type: text/plain\r\n\r\n", text.encode())))
    assert taken(found) == []
