"""What players say to each other is read in one way, and hostile texts are refused."""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pbem.errors import PbemError
from pbem.trust import keys
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import parse_game_entry
from pbem.trust.press import (
    ALL,
    GM,
    GREY,
    MAX_READERS,
    MAX_SIGNED_SIZE,
    MAX_SUBJECT_LENGTH,
    MAX_TEXT_SIZE,
    NOBODY,
    WHITE,
    Message,
    PressFault,
    PressLetter,
    PressPaper,
    PressReceipt,
    PressTerms,
    check_text,
    closing_entry,
    content_hash,
    read_letter,
    read_message,
    read_paper,
    read_terms,
    reason_closed,
    show_paper,
    sign_letter,
    sign_message,
    sign_receipt,
    sign_terms,
    verify_message,
)
from pbem.trust.sealing import LETTER_SIZE
from pbem.trust.signature import sign_text

ALICE, JUDGE = keys.generate("alice"), keys.generate("gm")
NOW = datetime(2026, 7, 20, 18, tzinfo=UTC)
HELLO = Message(
    game="hearth",
    genesis="a" * 64,
    writer="alice",
    to=("bob", "side/north"),
    number=4,
    made=NOW,
    text="Peace?\n",
)


def receipt_of(message: Message, /, **changed: object) -> PressReceipt:
    """The judge's word on a message."""
    whole = PressReceipt(
        game=message.game,
        writer=message.writer,
        kind=message.kind,
        to=message.to,
        number=message.number,
        message=message.sha256,
        content=content_hash(message.subject, message.text),
        at=NOW,
    )
    return replace(whole, **changed)  # type: ignore[arg-type]


def paper_of(message: Message, /, **changed: object) -> PressPaper:
    """A paper about a message, with another receipt if that is changed."""
    receipt = sign_receipt(receipt_of(message, **changed), JUDGE)
    return PressPaper(receipt=receipt, message=sign_message(message, ALICE))


def test_a_message_comes_back_as_it_was_signed() -> None:
    for message in (HELLO, replace(HELLO, subject="About Stirling", kind=GREY), replace(HELLO, to=(ALL,))):
        read, body, armor = read_message(sign_message(message, ALICE))
        assert read == message
        verify_message(body, armor, ALICE.public)
    assert HELLO.body.decode() == (
        f"pbem1 press\ngame hearth\ngenesis {'a' * 64}\nwriter alice\nas white\nto bob side/north\nnumber 4\n"
        "made 2026-07-20T18:00:00Z\n---\nPeace?\n"
    )


def test_a_message_counts_in_its_own_namespace_alone() -> None:
    data = sign_text(ALICE, Namespace.ORDERS, HELLO.body)
    _, body, armor = read_message(data)
    with pytest.raises(PbemError, match="pbem1-orders"):
        verify_message(body, armor, ALICE.public)


@pytest.mark.parametrize(
    "sign",
    [
        "\x1b[2J",
        "\r",
        "\0",
        "\t",
        "\x9b31m",
        "\u202e",
        "\u2066",
        "\u200b",
        "\u200f",
        "\u2028",
        "\ufeff",
        "\u00a0",
    ],
)
def test_no_text_turns_or_moves_what_is_around_it(sign: str) -> None:
    with pytest.raises(PressFault, match="line 2"):
        sign_message(replace(HELLO, text=f"one\ntwo {sign} three\n"), ALICE)
    with pytest.raises(PressFault, match="subject"):
        sign_message(replace(HELLO, subject=f"one{sign}two"), ALICE)
    signed = sign_text(ALICE, Namespace.PRESS, replace(HELLO, text=f"one\ntwo {sign} three\n").body)
    with pytest.raises(PressFault):
        read_message(signed)


@pytest.mark.parametrize(
    "text", ["Grüße, Łódź 🏰\n", "<script>alert(1)</script>\n", "a\n\n\nb\n", "From: me\n"]
)
def test_what_is_only_text_is_taken_as_it_is(text: str) -> None:
    assert read_message(sign_message(replace(HELLO, text=text), ALICE))[0].text == text


def test_a_text_has_a_largest_size_in_bytes() -> None:
    largest = "ä" * (MAX_TEXT_SIZE // 2 - 1) + "a\n"
    check_text("", largest)
    for text in (f"a{largest}", "", "\n \n", "no end"):
        with pytest.raises(PressFault):
            check_text("", text)
    check_text("s" * MAX_SUBJECT_LENGTH, "a\n")
    for subject in ("s" * (MAX_SUBJECT_LENGTH + 1), " a", "a\nb"):
        with pytest.raises(PressFault):
            check_text(subject, "a\n")
    with pytest.raises(PressFault):
        check_text("", "\ud800\n")


def test_the_largest_letter_and_the_largest_report_have_the_size_of_a_letter() -> None:
    names = tuple(sorted(f"{'n' * 57}{place:03}" for place in range(MAX_READERS)))
    largest = replace(
        HELLO, to=names, subject="€" * MAX_SUBJECT_LENGTH, text="a" * (MAX_TEXT_SIZE - 1) + "\n"
    )
    letter = PressLetter(game="hearth", reader="bob", paper=paper_of(largest))
    assert len(sign_letter(letter, JUDGE)) < LETTER_SIZE
    report = replace(HELLO, to=(GM,), about=paper_of(largest).data, text="a" * 4_000 + "\n")
    assert len(sign_message(report, ALICE)) < LETTER_SIZE


@pytest.mark.parametrize(
    "to",
    [
        (),
        ("bob", "bob"),
        ("carol", "bob"),
        (ALL, "bob"),
        ("Bob",),
        ("b\u043eb",),
        ("bob ",),
        ("bob\u200b",),
        ("public",),
        ("gm-secret",),
        ("side/",),
        ("side/North",),
        ("side/a/b",),
        ("alice",),
        tuple(f"n{place:03}" for place in range(MAX_READERS + 1)),
    ],
)
def test_readers_are_named_in_one_way(to: tuple[str, ...]) -> None:
    """A name that only looks like another is none; nobody can be called like a side, all or the director."""
    with pytest.raises(PbemError):
        sign_message(replace(HELLO, to=to), ALICE)
    with pytest.raises(PbemError):
        read_message(sign_text(ALICE, Namespace.PRESS, replace(HELLO, to=to).body))


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "black"},
        {"genesis": "A" * 64},
        {"number": 0},
        {"writer": "gm"},
        {"kind": GREY, "to": (GM,)},
        {"about": b"x"},
        {"text": "a\n-----BEGIN SSH SIGNATURE-----\n"},
    ],
)
def test_what_cannot_be_is_refused_on_both_sides(changed: dict[str, object]) -> None:
    with pytest.raises(PbemError):
        sign_message(replace(HELLO, **changed), ALICE)  # type: ignore[arg-type]
    with pytest.raises(PbemError):
        read_message(sign_text(ALICE, Namespace.PRESS, replace(HELLO, **changed).body))  # type: ignore[arg-type]


def test_every_other_writing_of_a_message_is_refused() -> None:
    body = HELLO.body
    for old, new in (
        (b"number 4", b"number 04"),
        (b"as white\n", b""),
        (b"as white\n", b"as white\nas grey\n"),
        (b"as white\n", b"as white\nurgent yes\n"),
        (b"game hearth\ngenesis", b"genesis hearth\ngame"),
        (b"---\n", b""),
        (b"---\n", b"subject \n---\n"),
        (b"Peace", b"\xff"),
        (b"\nas", b"\r\nas"),
        (b"pbem1 press\n", b"pbem1 order\n"),
    ):
        assert old in body
        with pytest.raises(PbemError):
            read_message(sign_text(ALICE, Namespace.PRESS, body.replace(old, new, 1)))


def test_nested_papers_end_at_the_first() -> None:
    """A report of a report of a report is larger than any message; and only a report to gm encloses one."""
    inner = replace(HELLO, text="a" * 4_000 + "\n")
    sizes = []
    for _ in range(6):
        inner = replace(HELLO, to=(GM,), about=paper_of(inner).data)
        sizes.append(len(sign_message(inner, ALICE)))
    assert sizes == sorted(sizes)
    assert sizes[-1] > MAX_SIGNED_SIZE
    with pytest.raises(PressFault, match="too long"):
        read_message(sign_message(inner, ALICE))


def test_a_letter_comes_back_and_shows_what_was_said() -> None:
    letter = PressLetter(game="hearth", reader="bob", paper=paper_of(HELLO))
    read = read_letter(sign_letter(letter, JUDGE), JUDGE.public)
    assert read == letter
    shown = show_paper(read.paper, JUDGE.public)
    assert (shown.message, shown.signer, shown.text) == (HELLO, ALICE.public, "Peace?\n")
    assert read_paper(letter.paper.data) == letter.paper


def test_a_grey_receipt_says_nothing_by_which_its_writer_can_be_tried_out() -> None:
    grey = replace(HELLO, kind=GREY)
    receipt = receipt_of(grey, writer=NOBODY, number=0, message=NOBODY)
    paper = PressPaper(receipt=sign_receipt(receipt, JUDGE), text=grey.text)
    shown = show_paper(paper, JUDGE.public)
    assert shown.message is None
    assert shown.signer is None
    other = replace(grey, writer="carol", number=9, made=NOW.replace(hour=3))
    assert receipt_of(other, writer=NOBODY, number=0, message=NOBODY) == receipt
    for wrong in (
        receipt_of(grey, writer=NOBODY),
        receipt_of(grey, writer=NOBODY, number=0),
        receipt_of(HELLO, writer=NOBODY, number=0, message=NOBODY),
        receipt_of(grey, number=0, message=NOBODY),
        receipt_of(grey, writer=GM, number=0, message=NOBODY),
    ):
        with pytest.raises(PressFault):
            sign_receipt(wrong, JUDGE)


@pytest.mark.parametrize(
    "changed",
    [
        {"to": ("bob",)},
        {"number": 5},
        {"content": "b" * 64},
        {"message": "b" * 64},
        {"game": "other"},
        {"kind": GREY},
        {"writer": "carol"},
    ],
)
def test_a_receipt_for_something_else_is_not_taken(changed: dict[str, object]) -> None:
    with pytest.raises(PressFault, match="another"):
        show_paper(paper_of(HELLO, **changed), JUDGE.public)


def test_nobody_but_the_judge_signs_a_receipt_or_letter() -> None:
    letter = PressLetter(game="hearth", reader="bob", paper=paper_of(HELLO))
    with pytest.raises(PbemError):
        read_letter(sign_letter(letter, ALICE), JUDGE.public)
    forged = replace(letter.paper, receipt=sign_receipt(receipt_of(HELLO), ALICE))
    with pytest.raises(PbemError):
        show_paper(forged, JUDGE.public)


def test_a_message_that_another_key_signed_shows_that_key() -> None:
    mallory = keys.generate("mallory")
    paper = replace(paper_of(HELLO), message=sign_message(HELLO, mallory))
    assert show_paper(paper, JUDGE.public).signer == mallory.public


def test_other_writings_of_letters_and_papers_are_refused() -> None:
    letter = PressLetter(game="hearth", reader="bob", paper=paper_of(HELLO))
    for old, new in ((b"reader bob", b"reader gm"), (b"receipt ", b"receipt  "), (b"message ", b"text ")):
        assert old in letter.body
        changed = sign_text(JUDGE, Namespace.PRESS, letter.body.replace(old, new))
        with pytest.raises(PbemError):
            show_paper(read_letter(changed, JUDGE.public).paper, JUDGE.public)
    for data in (b"", b"pbem1 press-paper\n", b"x" * 100_000, letter.paper.data + b"\n", b"\xff"):
        with pytest.raises(PbemError):
            read_paper(data)
    bare = base64.b64encode(sign_receipt(receipt_of(HELLO), JUDGE)).decode().rstrip("=")
    with pytest.raises(PressFault):
        read_paper(f"pbem1 press-paper\nreceipt {bare}===\n".encode())


def test_terms_come_back() -> None:
    terms = PressTerms(game="hearth", kind=WHITE, made=NOW)
    assert read_terms(sign_terms(terms, JUDGE), JUDGE.public) == terms
    for wrong in (replace(terms, kind="black"), replace(terms, game="Hearth")):
        with pytest.raises(PbemError):
            read_terms(sign_terms(wrong, JUDGE), JUDGE.public)
    with pytest.raises(PbemError):
        read_terms(sign_terms(terms, ALICE), JUDGE.public)


def test_the_entry_is_read_back_from_its_bytes() -> None:
    entry = closing_entry(3, NOW, "quarrels")
    assert entry.text == b"press 3 closed\nat 2026-07-20T18:00:00Z\nreason quarrels\n"
    assert reason_closed([parse_game_entry(entry.text)]) == "quarrels"
    assert reason_closed([]) == ""
