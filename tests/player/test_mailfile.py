"""What mail programs save: encoded bodies, attachments, forwarded mails, several mails in one file."""

import base64
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from pbem.player import Home
from pbem.player.faults import NotOurs
from pbem.player.incoming.mail_parts import PLAIN, Part, find_open, find_plain, read_part, readable
from pbem.trust.letters import UNSIGNED
from pbem.trust.sealing import seal
from pbem.trust.signature import END
from tests.player.judge import GAME, Judge


def mail(body: str, encoding: str) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = "judge@example.org", "a@example.org", "hearth"
    message.set_content(body, cte=encoding)
    return message


def in_base64(body: str) -> bytes:
    return mail(body, "base64").as_bytes()


def as_attachment(body: str) -> bytes:
    message = mail("see the attachment", "7bit")
    message.add_attachment(
        body.encode(), maintype="application", subtype="octet-stream", filename="letter.txt"
    )
    return message.as_bytes()


def forwarded(body: str) -> bytes:
    message = mail("forwarded", "7bit")
    message.add_attachment(mail(body, "base64"))
    return message.as_bytes()


def forwarded_as_a_file(body: str) -> bytes:
    """As programs do that attach the .eml, in base64, as any other file."""
    message = mail("forwarded", "7bit")
    inner = in_base64(body)
    message.add_attachment(inner, maintype="application", subtype="octet-stream", filename="mail.eml")
    return message.as_bytes()


def several(body: str) -> bytes:
    other = in_base64("nothing for you")
    return (
        b"From a Mon Nov 23 00:00:00 2026\n"
        + other
        + b"\nFrom b Mon Nov 23 00:00:00 2026\n"
        + in_base64(body)
    )


@pytest.mark.parametrize("saved", [in_base64, as_attachment, forwarded, forwarded_as_a_file, several])
def test_a_letter_is_found_however_the_mail_was_saved(
    alice: Home, judge: Judge, saved: Callable[[str], bytes]
) -> None:
    (arrival,) = alice.receive(saved(judge.mail(judge.letter(0))))
    assert (arrival.kind, arrival.game) == ("report", GAME)


def test_a_sealed_file_may_be_attached_as_bytes(alice: Home, judge: Judge) -> None:
    from pbem.trust.armor import find_sealed

    (sealed,) = find_sealed(judge.mail(judge.letter(0)).encode())
    message = mail("see the attachment", "7bit")
    message.add_attachment(sealed, maintype="application", subtype="age", filename="letter.age")
    (arrival,) = alice.receive(message.as_bytes())
    assert arrival.kind == "report"


def test_the_page_that_comes_sealed_beside_a_letter_is_passed_over(alice: Home, judge: Judge) -> None:
    page = seal(b"<!DOCTYPE html><p>the same as a page", [alice.keys.public("alice")])
    message = mail(judge.mail(judge.letter(0)), "7bit")
    message.add_attachment(page, maintype="application", subtype="octet-stream", filename="page.html.age")
    (arrival,) = alice.receive(message.as_bytes())
    assert arrival.kind == "report"
    with pytest.raises(NotOurs, match="a letter as a page for a browser"):
        alice.receive(page)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"pbem1 orders\ngame hearth\n---\ncard 3\n",
        b"Subject: hearth\n\nnothing is encoded here\n",
        b"a text that speaks of it:\nContent-Transfer-Encoding: base64\n",
        b"age-encryption.org/v1\n\x00\xff",
    ],
)
def test_what_is_no_encoded_mail_stays_as_it_is(data: bytes) -> None:
    assert readable(data) == data


def test_a_mail_in_a_mail_without_end_is_read_to_a_depth() -> None:
    inner = b"the innermost"
    for _ in range(9):
        head = b"Subject: x\nContent-Transfer-Encoding: base64\n\n"
        inner = head + base64.encodebytes(inner)
    assert b"the innermost" not in readable(inner)


@pytest.mark.ci
def test_parts_in_parts_without_end_do_no_harm() -> None:
    opened = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000))
    hostile = b"Content-Transfer-Encoding: base64\n" + opened
    assert readable(hostile) == hostile


def test_what_stands_in_a_text_is_found_part_by_part() -> None:
    """Signed texts, whole and cut off; plain words, alone and in a mail; what opened texts say they are."""
    receipt, notice = (f"pbem1 {kind}\ngame ros\n{END.decode()}\n".encode() for kind in ("receipt", "notice"))
    assert [*find_open(b"Hi\n" + receipt + b"and\n" + notice)] == [receipt, notice]
    assert [*find_open(receipt.replace(b"\n", b"\r\n") + notice[:-9])] == [receipt]
    plain = f"All is well.\n{UNSIGNED}"
    found = [[*find_plain(text.encode())] for text in ("", f"{plain}\n", f"{plain}\nMore.\n")]
    assert found == [
        [],
        [Part(PLAIN, "", 0, plain.removesuffix(UNSIGNED).encode())],
        [Part(PLAIN, "", 0, b"")],
    ]
    texts = [
        b"pbem1 notice\ngame ros\nleaf 7 a\n",
        b"pbem1 receipt\r\nnumber 12\n",
        b"game ros\nleaf 3\n",
        b"pbem1 copy\n",
    ]
    parts = [read_part(text) for text in texts]
    assert [(part.kind, part.game, part.place) for part in parts] == [
        *(("notice", "ros", 7), ("receipt", "", 12), ("words", "", 0), ("copy", "", 0))
    ]
    assert sorted(part.rank for part in parts) == [(0, "ros", 7), (1, "", 12), (2, "", 0), (3, "", 0)]
