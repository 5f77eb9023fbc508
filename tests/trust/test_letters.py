"""A letter's ledger part: rows that are not written as they must be are refused, whoever signed them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pbem.trust.faults import LedgerFault, SignatureFault
from pbem.trust.keys import generate
from pbem.trust.ledger import Checkpoint, fold, leaf, sign_statement
from pbem.trust.letters import OpenEntry, ReportLetter, parse_report, read_report, sign_report

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


TEXT = letter().text.decode()
ROWS = TEXT.split("\n")
LEAF, OPENED, PROOF, CHECKPOINT = (
    next(row for row in ROWS if row.startswith(f"{word} "))
    for word in ("leaf 2", "entry", "proof", "checkpoint")
)


def test_a_letter_is_read_as_it_was_written() -> None:
    assert read_report(sign_report(letter(), JUDGE), JUDGE.public) == letter()
    assert parse_report(letter().text, JUDGE.public) == letter()


def without(row: str) -> str:
    return TEXT.replace(f"{row}\n", "", 1)


def with_row(row: str, after: str) -> str:
    return TEXT.replace(f"{after}\n", f"{after}\n{row}\n", 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TEXT.replace("leaf 2 ", "leaf two "), "'leaf two "),
        (TEXT.replace("leaf 2 ", "leaf -2 "), "'leaf -2 "),
        (TEXT.replace("leaf 2 ", "leaf 02 "), "cannot stand"),
        (TEXT.replace("leaf 2 ", "twig 2 "), "'twig 2 "),
        (TEXT.replace(LEAF, LEAF[:-1]), "cannot stand"),
        (TEXT.replace(LEAF, LEAF.upper()), "cannot stand"),
        (TEXT.replace(LEAF, f"{LEAF} more"), "cannot stand"),
        (TEXT.replace(LEAF, f"{LEAF} "), "not written as its format demands"),
        (TEXT.replace(LEAF, "leaf"), "'leaf' cannot stand"),
        (TEXT.replace(LEAF, ""), "'' cannot stand"),
        (TEXT.replace("entry 2 ", "entry 1 "), "'entry 1 "),
        (TEXT.replace("entry 2 ", "entry 3 "), "'entry 3 "),
        (with_row(OPENED, "pbem1 ledger"), "'entry 2 "),
        (with_row(OPENED, OPENED), "not written as its format demands"),
        (TEXT.replace(OPENED, OPENED.rpartition(" ")[0]), "not written as its format demands"),
        (TEXT.replace(OPENED, f"{OPENED[:-4]}!!!!"), "is not base64"),
        (TEXT.replace(OPENED, f"{OPENED[:-1]}"), "is not base64"),
        (TEXT.replace("proof ", "proof !", 1), "is not base64"),
        (with_row(PROOF, "pbem1 ledger"), "not written as its format demands"),
        (with_row(PROOF, CHECKPOINT), "'proof "),
        (with_row(LEAF, CHECKPOINT), "'leaf 2 "),
        (with_row(CHECKPOINT, CHECKPOINT), "'checkpoint 3 "),
        (without(CHECKPOINT), "comes without a checkpoint"),
        (TEXT.replace("checkpoint 3 ", "checkpoint three "), "'checkpoint three "),
        (TEXT.replace("\npbem1 ledger\n", "\n"), "not written as its format demands"),
        (TEXT.replace("\n---\n", "\n"), "not written as its format demands"),
        (TEXT.replace("exchange 2\n", "exchange two\n"), "the head of the report"),
        (TEXT.replace("audience scotland\n", ""), "the head of the report"),
    ],
)  # fmt: skip
def test_a_row_that_is_not_written_so_is_refused(text: str, told: str) -> None:
    """Every one of these is signed by the judge: his own program would not write it."""
    assert text != TEXT
    with pytest.raises(LedgerFault, match=re.escape(told)):
        parse_report(text.encode(), JUDGE.public)


def test_a_checkpoint_that_the_judge_has_not_signed_is_refused() -> None:
    with pytest.raises(SignatureFault):
        parse_report(letter().text, generate().public)
    with pytest.raises(SignatureFault, match="something in it was changed"):
        parse_report(letter().text.replace(b"checkpoint 3 ", b"checkpoint 4 "), JUDGE.public)


def test_a_report_cannot_look_like_its_own_ledger() -> None:
    """Else whoever writes a remark that a report shows could put rows in."""
    for report in ("no line's end", "a\npbem1 ledger\nleaf 4\n"):
        with pytest.raises(LedgerFault, match="must end with a line's end"):
            _ = replace(letter(), report=report).text
