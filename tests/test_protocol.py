"""What the protocol names is there: every claim that a table gives a test for has it."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from pbem.player.incoming.mail_parts import _FIRST
from pbem.trust import formats
from pbem.trust.ledger import Receipt, SaidReceipt
from pbem.trust.letters import Addresses, ForecastLetter, OrdersCopy, ReportLetter
from pbem.trust.post_box import BoxLetter
from tests.named import TESTS, is_test

DOCS = TESTS.parent / "pbem" / "docs"
GAMES, LEAGUES = (
    (DOCS / name).read_text(encoding="utf-8") for name in ("protocol.md", "protocol-leagues.md")
)
each_page = pytest.mark.parametrize("page", [GAMES, LEAGUES], ids=["games", "leagues"])
CLAIMS_NOTHING = {"Words", "The rules", "Which test shows it"}
"""Sections that only say what words mean, or hold what has a name of its own."""


def rows_below(page: str, section: str, head: str) -> list[list[str]]:
    """The rows of the table with this head, in this section of a page."""
    part = page.partition(f"## {section}\n")[2].partition("\n## ")[0]
    table = part.partition(f"{head}\n")[2].partition("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[1:]]


def claims_of(page: str) -> list[list[str]]:
    """Where each claim stands, what it says, and which tests show it."""
    return rows_below(page, "Which test shows it", "| where | claim | the test |")


def test_each_row_of_who_can_read_what_names_tests_that_exist() -> None:
    rows = rows_below(GAMES, "Who can read what", "| what | who can read it | the test |")
    assert len(rows) > 7
    for what, _, named in rows:
        files = re.findall(r"`([\w/]+\.py)`", named)
        assert files, what
        for file in files:
            assert "def test_" in (TESTS / file).read_text(encoding="utf-8"), (what, file)


LETTERS = {
    "report": ReportLetter,
    "notice": ReportLetter,
    "addresses": Addresses,
    "copy": OrdersCopy,
    "forecast": ForecastLetter,
    "receipt": Receipt,
    "box": BoxLetter,
    "said": SaidReceipt,
}


def test_each_field_of_each_letter_has_a_row() -> None:
    """Fields are those of the code, so a new one fails until somebody has said what commits it."""
    rows = rows_below(
        GAMES,
        "What a letter says",
        "| letter | fields | what commits it | what a lie does, and how it shows |",
    )
    said = [(kind, word) for row in rows for kind in row[0].split(", ") for word in row[1].split(", ")]
    due = [(kind, one.name) for kind, letter in LETTERS.items() for one in fields(letter)]
    assert sorted(said) == sorted(due)
    assert {part.decode() for part in re.findall(rb"\w+", _FIRST.pattern)} & (
        LETTERS.keys() | {"entries"}
    ) == {
        *LETTERS.keys() - {"addresses"},
        "entries",
    }
    assert all(len(row) == 4 and all(row) for row in rows)


@each_page
def test_each_claim_names_tests_that_exist(page: str) -> None:
    rows = claims_of(page)
    assert len({claim for _, claim, _ in rows}) == len(rows) > 40
    for _, claim, named in rows:
        tests = re.findall(r"`([\w/]+\.py)::(\w+)`", named)
        assert tests, claim
        assert named == ", ".join(f"`{file}::{test}`" for file, test in tests), claim
        for file, test in tests:
            assert is_test(file, test), (claim, file, test)


@each_page
def test_nothing_is_claimed_without_a_test(page: str) -> None:
    """Each numbered rule, and each section that claims something."""
    places = {where for where, _, _ in claims_of(page)}
    rules = re.findall(r"^\*\*(L?\d+)\. ", page, re.MULTILINE)
    letter = rules[0].removesuffix("1")
    assert rules == [f"{letter}{number}" for number in range(1, len(rules) + 1)]
    sections = set(re.findall(r"^## ([^,\n]+)", page, re.MULTILINE))
    assert sections >= CLAIMS_NOTHING
    assert places == {*rules, *sections} - CLAIMS_NOTHING


def test_the_parts_of_an_exchange_add_up_to_its_limits() -> None:
    """What the section "Limits" says of the bytes and files of one exchange has room in its formula."""
    rows = rows_below(GAMES, "Limits", "| for each player | bytes | files | | for all | bytes | files |")
    numbers = [[int(one.replace(",", "") or 0) for one in (row[1], row[2], row[-2], row[-1])] for row in rows]
    each_bytes, each_files, all_bytes, all_files = (sum(column) for column in zip(*numbers, strict=True))
    found = re.search(r"\*E\* \((\d+) \*P\* \+ (\d+)\) files and \*E\* \(([\d,]+) \*P\* \+ ([\d,]+)\)", GAMES)
    assert found is not None
    most = [int(one.replace(",", "")) for one in found.groups()]
    assert [each_files <= most[0], all_files <= most[1], each_bytes <= most[2], all_bytes <= most[3]] == [
        True
    ] * 4
    limits = formats.limits(players=3, exchanges=7)
    assert limits.files == 7 * (most[0] * 3 + most[1])
    assert limits.size == 7 * (most[2] * 3 + most[3])


def test_each_rule_that_the_program_names_is_there() -> None:
    """As in "(protocol 8)": a fault, or a page, tells a reader where to look."""
    protocol = (DOCS / "protocol.md").read_text(encoding="utf-8")
    rules = set(re.findall(r"^\*\*(\d+)\. ", protocol, re.MULTILINE))
    named = {
        (path.name, number)
        for pattern in ("pbem/**/*.py", "pbem/**/*.md", "templates/**/*.j2", "*.md")
        for path in TESTS.parent.glob(pattern)
        for number in re.findall(r"\bprotocol (\d+(?:\.\d+)?)", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 30
    assert sorted((name, number) for name, number in named if number not in rules) == []
