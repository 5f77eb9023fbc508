"""A letter's ledger part: rows that are not written as they must be are refused, whoever signed them."""

from __future__ import annotations

import pytest

from pbem.trust.faults import IdentifierFault, SignatureFault
from pbem.trust.keys import generate
from pbem.trust.ledger import Checkpoint, fold, leaf, sign_statement
from pbem.trust.letters import (
    Addresses,
    OpenEntry,
    ReportLetter,
    parse_addresses,
    parse_report,
    read_report,
    sign_report,
    with_salt,
    without_salt,
)

JUDGE = generate("judge")
SALT = "5a" * 32
ENTRY = b"open 2\nat 2026-12-01T20:00:00Z\n"
LEAVES = (leaf("1b" * 32, b"first"), leaf(SALT, ENTRY), leaf("2c" * 32, b"third"))


def letter(*, leaves: tuple[str, ...] = LEAVES) -> ReportLetter:
    """Three leaves, the second of them opened, and two proofs."""
    checkpoint = Checkpoint(game="hearth", size=3, head=fold("hearth", leaves)[-1])
    return ReportLetter(
        game="hearth",
        exchange=2,
        player="alice",
        audience="scotland",
        report="What happened\n",
        leaves=tuple(enumerate(leaves, start=1)),
        opened=((2, OpenEntry(SALT, ENTRY)),),
        checkpoint=checkpoint,
        signature=sign_statement(checkpoint, JUDGE),
        proofs=(b"one", b"two"),
    )


CHECKPOINT = next(row for row in letter().text.decode().split("\n") if row.startswith("checkpoint "))


def test_a_letter_is_read_as_it_was_written() -> None:
    assert read_report(sign_report(letter(), JUDGE), JUDGE.public) == letter()
    assert parse_report(letter().text, JUDGE.public) == letter()


def test_a_checkpoint_that_the_judge_has_not_signed_is_refused() -> None:
    with pytest.raises(SignatureFault):
        parse_report(letter().text, generate().public)
    with pytest.raises(SignatureFault, match="something in it was changed"):
        parse_report(letter().text.replace(b"checkpoint 3 ", b"checkpoint 4 "), JUDGE.public)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (with_salt("taken\nbefore\n", SALT, 100), "taken\nbefore\n"),
        (f"taken\nsalt {SALT[1:]}\n", f"taken\nsalt {SALT[1:]}\n"),
        (f"taken\n{SALT}\n", f"taken\n{SALT}\n"),
        ("taken\n", "taken\n"),
        (f"salt {SALT}\ntaken\n", f"salt {SALT}\ntaken\n"),
    ],
)
def test_a_salt_ends_a_receipt_and_is_not_read(text: str, words: str) -> None:
    assert without_salt(text) == words


@pytest.mark.parametrize("wrong", ["judge", "address", "copies"])
def test_each_address_of_a_letter_is_an_address(wrong: str) -> None:
    words = {"judge": "j@b.org", "address": "a@b.org", "copies": "c@b.org d@b.org"}
    found = Addresses(judge="j@b.org", own="a@b.org", copies=("c@b.org", "d@b.org"))
    assert parse_addresses(words) == found
    assert found.lines == [f"{name} {words[name]}" for name in words]
    assert parse_addresses({}) == Addresses()
    with pytest.raises(IdentifierFault, match=r"^'x' is not a mail address"):
        parse_addresses({**words, wrong: {"copies": "c@b.org x"}.get(wrong, "x")})
