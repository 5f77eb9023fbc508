"""Mails as fifteen further programs and web mails write them: made by us, after what is documented of each.

No mail here came out of the program that it is named after. Each is written from what its makers, a standard
or public threads say of it: the types that it gives to files whose ending it does not know, the parts that it
makes, how it breaks and marks lines, and what it adds. `SHAPES` says of each what is peculiar.
"""

from __future__ import annotations

import base64
import html
import quopri
import textwrap
from collections.abc import Callable, Sequence

import pytest

from pbem.mail.extract import Extract, extract
from pbem.trust.armor import find_sealed
from tests.mail.test_programs import MEMBERS, taken
from tests.mail.test_statements import STATEMENTS

SEALED = next(
    data
    for name, data in sorted(MEMBERS.items())
    if name.endswith(".age") and data.startswith(b"-----BEGIN AGE")
)
SENT = {**STATEMENTS, "orders": SEALED}
"""What is sent: each kind of signed text, and sealed orders in armor."""
ENDINGS = {"orders": "orders.age", "join": "alice.join"}
HEAD = (
    "From: Alice <alice@players.example>\nTo: judge@club.example\nSubject: my file\n"
    "Date: Fri, 27 Nov 2026 18:00:00 +0100\nMessage-ID: <1@mail.example>\nMIME-Version: 1.0\n"
)


def expected(kind: str) -> list[bytes]:
    """Return what is to be taken out of a mail with it."""
    return [find_sealed(SEALED)[0]] if kind == "orders" else [STATEMENTS[kind]]


def part(head: str, data: bytes, encoding: str = "base64") -> str:
    """Return one part of a mail: its head, and its bytes as they are encoded."""
    if encoding == "base64":
        text = base64.encodebytes(data).decode()
    elif encoding == "quoted-printable":
        text = quopri.encodestring(data).decode()
    else:
        text = data.decode()
    return f"{head}\nContent-Transfer-Encoding: {encoding}\n\n{text}\n"


def many(kind: str, parts: Sequence[str], boundary: str = "=_b1") -> str:
    """Return a part of several."""
    inside = "".join(f"--{boundary}\n{one}" for one in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n{inside}--{boundary}--\n'


def mail(content: str, *more: str) -> bytes:
    """Return a mail with CRLF, as it comes from a server."""
    head = HEAD + "".join(f"{line}\n" for line in more)
    return (head + content).replace("\n", "\r\n").encode()


def name_of(kind: str) -> str:
    """Return the file's name: joins and orders have endings that no mail program knows."""
    return ENDINGS.get(kind, "signed.txt")


def plain(text: str) -> str:
    return part("Content-Type: text/plain; charset=UTF-8", text.encode(), "quoted-printable")


def page(text: str) -> str:
    return part("Content-Type: text/html; charset=UTF-8", text.encode(), "quoted-printable")


def lines_as(form: str, data: bytes, before: str = "") -> str:
    """Return a text as HTML in which each line is an element of its own."""
    rows = "".join(form.format(html.escape(line) or "<br>") for line in data.decode().splitlines())
    return f"<html><head></head><body>{before}{rows}</body></html>"


def zoho(kind: str, data: bytes) -> bytes:
    """Zoho Mail: alternative inside mixed, the file as octet-stream, named in type and disposition."""
    words = many("alternative", [plain("Here it is."), page("<div>Here it is.</div>")], "----=_Part_2")
    file = part(
        f"Content-Type: application/octet-stream; name={name_of(kind)}\n"
        f"Content-Disposition: attachment; filename={name_of(kind)}",
        data,
    )
    return mail(many("mixed", [words, file], "----=_Part_1"), "X-Mailer: Zoho Mail", "Importance: Medium")


def fastmail(kind: str, data: bytes) -> bytes:
    """Fastmail: the file's name in the extended form (RFC 2231), a type for each ending that it knows."""
    file = part(
        f"Content-Type: application/octet-stream; name*=utf-8''{name_of(kind)}\n"
        f"Content-Disposition: attachment; filename*=utf-8''{name_of(kind)}",
        data,
    )
    return mail(many("mixed", [plain("Here it is."), file]), "User-Agent: Cyrus-JMAP/3.11.0-alpha0")


def tutanota(kind: str, data: bytes) -> bytes:
    """Tuta: HTML alone beside the file, in base64, with the name as an encoded word."""
    name = base64.b64encode(name_of(kind).encode()).decode()
    file = part(
        f'Content-Type: application/octet-stream; name="=?UTF-8?B?{name}?="\n'
        f'Content-Disposition: attachment; filename="=?UTF-8?B?{name}?="',
        data,
    )
    words = part("Content-Type: text/html; charset=UTF-8", b"<div>Here it is.</div>")
    return mail(many("mixed", [words, file], "------------79Bu5A16qPEYcVIZL@tutanota"))


def samsung(kind: str, data: bytes) -> bytes:
    """Samsung Email: mixed in related, the text in base64, the file inline with a Content-ID."""
    words = part("Content-Type: text/html; charset=utf-8", b'<div dir="auto">Here it is.</div>')
    file = part(
        f'Content-Type: application/octet-stream; name="{name_of(kind)}"\nContent-ID: <0@com.samsung>\n'
        f'Content-Disposition: inline; filename="{name_of(kind)}"',
        data,
    )
    return mail(many("mixed", [many("related", [words], "--_com.samsung_1"), file], "--_com.samsung_0"))


def ios_share(kind: str, data: bytes) -> bytes:
    """The share sheet of iOS: no text but a signature, the file before it, bare octet-stream."""
    file = part(
        f"Content-Type: application/octet-stream;\n\tname={name_of(kind)};\n\tx-unix-mode=0644\n"
        f"Content-Disposition: inline;\n\tfilename={name_of(kind)}",
        data,
    )
    words = part("Content-Type: text/plain; charset=us-ascii", b"\n\nSent from my iPhone\n", "7bit")
    return mail(many("mixed", [file, words], "Apple-Mail-1"), "X-Mailer: iPhone Mail (21F90)")


def em_client(kind: str, data: bytes) -> bytes:
    """The client eM: text files inline as text/plain in quoted-printable, in Windows' character set."""
    file = part(
        f"Content-Type: text/plain; charset=windows-1252; name={name_of(kind)}\n"
        f"Content-Disposition: attachment; filename={name_of(kind)}",
        data,
        "quoted-printable",
    )
    words = many("alternative", [plain("Here."), page("<p>Here.</p>")], "------=_MB1")
    return mail(many("mixed", [words, file], "------=_MB2"), "User-Agent: eM_Client/9.2")


def the_bat(kind: str, data: bytes) -> bytes:
    """The Bat: octet-stream, the name quoted, the text in another character set, a priority."""
    words = part("Content-Type: text/plain; charset=koi8-r", "Привет".encode("koi8-r"))
    file = part(
        f'Content-Type: application/octet-stream;\n name="{name_of(kind)}"\n'
        f'Content-Disposition: attachment;\n filename="{name_of(kind)}"',
        data,
    )
    return mail(many("mixed", [words, file], "----------0DA1"), "X-Mailer: The Bat! (v10)", "X-Priority: 3")


def notes(kind: str, data: bytes) -> bytes:
    """Lotus Notes: a type made from the ending, the file named in the type alone."""
    ending = name_of(kind).rpartition(".")[2]
    words = part("Content-Type: text/plain; charset=US-ASCII", b"Here it is.", "7bit")
    file = part(f'Content-Type: application/x-{ending}; name="{name_of(kind)}"', data)
    return mail(many("mixed", [words, file], "0__=4CBB"), "X-Mailer: Lotus Notes Release 9.0.1")


def roundcube(kind: str, data: bytes) -> bytes:
    """Roundcube: a file that looks like text gets text/plain and its size."""
    file = part(
        f"Content-Type: text/plain; charset=UTF-8;\n name={name_of(kind)}\n"
        f"Content-Disposition: attachment;\n filename={name_of(kind)};\n size={len(data)}",
        data,
    )
    return mail(many("mixed", [plain("Here it is."), file]), "User-Agent: Roundcube Webmail/1.6.6")


def evolution(kind: str, data: bytes) -> bytes:
    """Evolution: a type guessed by content; age has one (application/vnd.age)."""
    what = "vnd.age" if kind == "orders" else "x-trash"
    file = part(
        f'Content-Type: application/{what}; name="{name_of(kind)}"\n'
        f'Content-Disposition: attachment; filename="{name_of(kind)}"',
        data,
    )
    return mail(many("mixed", [plain(""), file], "=-abc"), "User-Agent: Evolution 3.50.3")


def spark(kind: str, data: bytes) -> bytes:
    """Spark: HTML in which each line is a div with a style, and its own signature above."""
    text = lines_as('<div dir="auto" style="font-size:16px">{}</div>', data, "<div>Hi</div>")
    words = many("alternative", [plain(data.decode()), page(text)], "67890_1")
    return mail(words, "X-Readdle-Message-ID: 1@Spark")


def snappy(kind: str, data: bytes) -> bytes:
    """SnappyMail: HTML alone in which spaces are kept hard, lines end by br."""
    text = html.escape(data.decode()).replace(" ", "&nbsp;").replace("\n", "<br>\n")
    return mail(page(f"<div>{text}</div>"), "X-Mailer: SnappyMail/2.36")


def outlook_app(kind: str, data: bytes) -> bytes:
    """Outlook on a phone: HTML alone, a div a line, then its advertisement."""
    text = lines_as('<div dir="ltr">{}</div>', data)
    return mail(page(text.replace("</body>", '<div>Get <a href="https://aka.ms/x">Outlook</a></div></body>')))


def geary(kind: str, data: bytes) -> bytes:
    """Geary: format=flowed text that is wrapped at 66 characters, with a space where a line goes on."""
    rows = [
        row
        for line in data.decode().splitlines()
        for row in (textwrap.wrap(line, 65, break_long_words=False, break_on_hyphens=False) or [""])
    ]
    flowed = " \n".join(rows).replace("\n-----", "\n-----")
    words = part("Content-Type: text/plain; charset=utf-8; format=flowed", flowed.encode(), "8bit")
    return mail(words, "X-Mailer: geary/44.1")


def blue_mail(kind: str, data: bytes) -> bytes:
    """BlueMail: pasted text in HTML paragraphs, links made of what looks like an address."""
    text = lines_as("<p>{}</p>", data)
    text = text.replace("alice@example.org", '<a href="mailto:alice@example.org">alice@example.org</a>')
    return mail(many("alternative", [page(text)], "----BLUE"), "X-Correlation-ID: <2@blue.example>")


SHAPES: dict[str, Callable[[str, bytes], bytes]] = {
    "Zoho, attached": zoho,
    "Fastmail, attached": fastmail,
    "Tuta, attached": tutanota,
    "Samsung Email, attached": samsung,
    "iOS share sheet": ios_share,
    "eM Client, attached": em_client,
    "The Bat, attached": the_bat,
    "Lotus Notes, attached": notes,
    "Roundcube, attached": roundcube,
    "Evolution, attached": evolution,
    "Spark, pasted": spark,
    "SnappyMail, pasted": snappy,
    "Outlook for Android, pasted": outlook_app,
    "Geary, pasted": geary,
    "BlueMail, pasted": blue_mail,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", SENT)
def test_what_is_sent_is_taken_byte_for_byte(kind: str, shape: str) -> None:
    assert taken(extract(SHAPES[shape](kind, SENT[kind]))) == expected(kind)


def cut(kind: str, data: bytes) -> bytes:
    """Its second half is lost."""
    return data[: len(data) * 2 // 3]


def beginning_lost(kind: str, data: bytes) -> bytes:
    """Its first line is lost."""
    return data.partition(b"\n")[2]


@pytest.mark.parametrize("damage", [cut, beginning_lost])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", SENT)
def test_what_is_damaged_is_told_as_what_it_is(
    kind: str, shape: str, damage: Callable[[str, bytes], bytes]
) -> None:
    """Nothing of it is taken, orders count as orders, and its sender hears what is wrong."""
    found: Extract = extract(SHAPES[shape](kind, damage(kind, SENT[kind])))
    assert taken(found) == []
    assert found.has_orders if kind == "orders" else found.has_signed
    assert found.reason
    assert "nothing sealed in it" not in found.reason
