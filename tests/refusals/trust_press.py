"""What messages are refused for, and what the judge signs about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pbem.trust.identifiers import Namespace
from pbem.trust.player_statements import check_hours
from pbem.trust.press import (
    ALL,
    GM,
    GREY,
    MAX_READERS,
    MAX_SIGNED_SIZE,
    MAX_TEXT_SIZE,
    NOBODY,
    PressLetter,
    PressPaper,
    PressTerms,
    check_readers,
    check_text,
    read_letter,
    read_message,
    read_paper,
    read_terms,
    show_paper,
    sign_message,
    sign_receipt,
)
from pbem.trust.signature import sign_text
from tests.refusals.clauses import Row
from tests.trust.test_press import ALICE, HELLO, JUDGE, NOW, paper_of, receipt_of

FORMAT = "not written as its format demands"
MANY = tuple(f"n{place:03}" for place in range(MAX_READERS + 1))
BAD = b"pbem1 press-paper\nreceipt QQ==\ntext /w==\n"
PAPER = paper_of(HELLO)
GREY_HELLO = replace(HELLO, kind=GREY)
HIDDEN = receipt_of(GREY_HELLO, writer=NOBODY, number=0, message=NOBODY)
LETTER = PressLetter(game="hearth", reader="bob", paper=PAPER)
TERMS = PressTerms(game="hearth", kind="white", made=NOW)


def message(old: bytes, new: bytes) -> Callable[[], object]:
    """Alice signs a message that is written otherwise."""
    assert old in HELLO.body
    return lambda: read_message(sign_text(ALICE, Namespace.PRESS, HELLO.body.replace(old, new, 1)))


def by_judge(read: Callable[..., object], body: bytes, old: bytes, new: bytes) -> Callable[[], object]:
    """The judge signs something that is written otherwise."""
    assert old in body
    changed = body.replace(old, new, 1)
    return lambda: read(sign_text(JUDGE, Namespace.PRESS, changed), JUDGE.public)


def paper(old: bytes, new: bytes) -> Callable[[], object]:
    """A paper that is written otherwise."""
    assert old in PAPER.data
    return lambda: read_paper(PAPER.data.replace(old, new, 1))


def receipt(body: bytes) -> Callable[[], object]:
    """The judge signs another receipt into a paper."""
    signed = sign_text(JUDGE, Namespace.PRESS, body)
    return lambda: show_paper(replace(PAPER, receipt=signed), JUDGE.public)


def sign(**changed: object) -> Callable[[], object]:
    """The judge's program signs a receipt."""
    return lambda: sign_receipt(receipt_of(HELLO, **changed), JUDGE)


def write(**changed: object) -> Callable[[], object]:
    """Alice's program signs a message."""
    return lambda: sign_message(replace(HELLO, **changed), ALICE)  # type: ignore[arg-type]


TEXTS = (
    Row("one plain line", partial(check_text, "s" * 201, "a\n")),
    Row("one plain line", partial(check_text, " a", "a\n")),
    Row("something that is not a character", partial(check_text, "", "\ud800\n")),
    Row("bytes; 16,384 are taken", partial(check_text, "", "a" * MAX_TEXT_SIZE + "\n")),
    Row("last line does not end", partial(check_text, "", "b\na")),
    Row("the text is empty", partial(check_text, "", "\n")),
    Row("a character that nobody sees", partial(check_text, "", "a\u202eb\n")),
    Row("begins as a signature does", partial(check_text, "", "-----BEGIN SSH SIGNATURE-----\n")),
    Row("named once each", partial(check_readers, ())),
    Row("named once each", partial(check_readers, tuple(f"n{place:03}" for place in range(MAX_READERS + 1)))),
    Row("named once each", partial(check_readers, ("carol", "bob"))),
    Row("names nobody besides", partial(check_readers, (ALL, "bob"))),
    Row("22:00-07:00", partial(check_hours, "22:00", "")),
    Row("18:00", partial(check_hours, "", "24:00")),
)
MESSAGES = (
    Row("too long for a message", partial(read_message, bytes(MAX_SIGNED_SIZE + 1))),
    Row(FORMAT, message(b"---\nPeace?\n", b"")),
    Row(FORMAT, message(b"as white\n", b"")),
    Row(FORMAT, message(b"---\n", b"subject a---\n")),
    Row("not written in UTF-8", message(b"Peace", b"\xff")),
    Row("not written in UTF-8", message(b"hearth", b"\xff")),
    Row("is not a pbem1 press", message(b"pbem1 press", b"pbem1 orders")),
    Row("is not a pbem1 press", message(b"game hearth", b"game hearth ")),
    Row("stands there twice", message(b"as white\n", b"as white\nas white\n")),
    Row("is not a number", message(b"number 4", b"number 04")),
    Row("is not a kind of message", write(kind="black")),
    Row("the first head of its game", write(genesis="a")),
    Row("numbered from 1", write(number=0)),
    Row("nobody writes to themselves", write(to=("alice",))),
    Row("only a report to the director", write(about=b"x")),
    Row("write to them as yourself", write(kind=GREY, to=(GM,))),
)
LETTERS = (
    Row(FORMAT, receipt(receipt_of(HELLO).body.replace(b"number 4\n", b""))),
    Row(FORMAT, by_judge(read_letter, LETTER.body, b"reader bob\n", b"")),
    Row("too long to be about a message", partial(read_letter, bytes(MAX_SIGNED_SIZE + 1), JUDGE.public)),
    Row(FORMAT[4:12], by_judge(read_terms, TERMS.body, b"game hearth", b"game " + b"h" * 3_000)),
    Row("format demands", by_judge(read_terms, TERMS.body, b"press white\n", b"")),
    Row("format demands", by_judge(read_terms, TERMS.body, b"press white", b"press black")),
    Row(FORMAT, lambda: read_paper(PAPER.data[:-1])),
    Row("do not stand as their format", paper(b"message ", b"told ")),
    Row("what should be base64", paper(b"receipt ", b"receipt !")),
    Row("not written in its one way", lambda: read_paper(b"pbem1 press-paper\nreceipt\nmessage QQ==\n")),
    Row("not written in its one way", lambda: read_paper(b"pbem1 press-paper\nreceipt QQ==\nmessage QR==\n")),
    Row(
        "the text is not written in UTF-8",
        partial(read_paper, BAD),
    ),
    Row(
        "stands without what it is for",
        lambda: show_paper(PressPaper(receipt=sign_receipt(HIDDEN, JUDGE)), JUDGE.public),
    ),
    Row(
        "for another text",
        lambda: show_paper(PressPaper(receipt=sign_receipt(HIDDEN, JUDGE), text="War!\n"), JUDGE.public),
    ),
    Row("for another message", lambda: show_paper(paper_of(HELLO, number=5), JUDGE.public)),
    Row("for another text", lambda: show_paper(paper_of(HELLO, content="b" * 64), JUDGE.public)),
    Row(FORMAT, sign(kind="black")),
    Row(FORMAT, sign(content="b")),
    Row("number and hash", sign(message=NOBODY)),
    Row("number and hash", sign(number=0)),
    Row(FORMAT, lambda: sign_receipt(replace(HIDDEN, message="x"), JUDGE)),
    Row("only of a grey message", lambda: sign_receipt(replace(HIDDEN, kind="white"), JUDGE)),
)
ROWS = (*TEXTS, *MESSAGES, *LETTERS)
UNREACHABLE = {
    f"trust/press.py {place}": "each of its lines has one writing, which is seen before"
    for place in (
        "read_receipt: receipt.body != body",
        "read_letter: letter.body != split(data).body",
        "read_terms: terms.body != body",
    )
}
