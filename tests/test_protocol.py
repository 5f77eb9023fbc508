"""What the protocol names is there: every claim that a table gives a test for has it."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "pbem" / "docs"
PROTOCOL = (DOCS / "protocol.md").read_text(encoding="utf-8")
LEAGUES = (DOCS / "protocol-leagues.md").read_text(encoding="utf-8")


def rows_below(page: str, section: str, head: str) -> list[list[str]]:
    """The rows of the table with this head, in this section of a page."""
    part = page.partition(f"## {section}\n")[2].partition("\n## ")[0]
    table = part.partition(f"{head}\n")[2].partition("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[1:]]


def test_each_row_of_who_can_read_what_names_tests_that_exist() -> None:
    rows = rows_below(PROTOCOL, "Who can read what", "| what | who can read it | the test |")
    assert len(rows) > 7
    for what, _, named in rows:
        files = re.findall(r"`([\w/]+\.py)`", named)
        assert files, what
        for file in files:
            assert "def test_" in (TESTS / file).read_text(encoding="utf-8"), (what, file)


def claims_of_leagues() -> list[list[str]]:
    """Where each claim stands, what it says, and which tests show it."""
    return rows_below(LEAGUES, "Which test shows it", "| where | claim | the test |")


def test_each_claim_about_leagues_names_tests_that_exist() -> None:
    rows = claims_of_leagues()
    assert len({claim for _, claim, _ in rows}) == len(rows) > 40
    for _, claim, named in rows:
        tests = re.findall(r"`([\w/]+\.py)::(test_\w+)`", named)
        assert tests, claim
        assert named == ", ".join(f"`{file}::{test}`" for file, test in tests), claim
        for file, test in tests:
            assert f"\ndef {test}(" in (TESTS / file).read_text(encoding="utf-8"), (claim, file, test)


def test_no_rule_of_leagues_is_claimed_without_a_test() -> None:
    """Each numbered rule, each row of what is guaranteed, the limits and the bundle."""
    places = [where for where, _, _ in claims_of_leagues()]
    rules = re.findall(r"^\*\*(L\d+)\. ", LEAGUES, re.MULTILINE)
    assert rules == [f"L{number}" for number in range(1, len(rules) + 1)]
    guaranteed = [row for row in LEAGUES.split("\n## ") if row.startswith("What is guaranteed")]
    assert len(guaranteed) == 1
    headings = ("What is guaranteed", "Limits", "The bundle")
    assert all(f"\n## {heading}" in LEAGUES for heading in headings)
    assert [one for one in (*rules, *headings) if one not in places] == []
    assert sorted({*places} - {*rules, *headings}) == []
