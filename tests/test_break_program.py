"""The tool that breaks the program outside the rules (tests/tools/break_program.py): what it would break."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.tools.break_program import PROJECT, SEED, SIZE, chosen, known, main, modules, name_of
from tests.tools.mutants import source_mutants

pytestmark = pytest.mark.ci


@pytest.mark.slow
def test_the_same_hundred_lines_for_the_same_seed() -> None:
    first, again = chosen(SIZE, SEED), chosen(SIZE, SEED)
    assert [(one.place, one.change) for one in first] == [(one.place, one.change) for one in again]
    assert len({one.place for one in first}) == SIZE
    assert not any(one.file.startswith("rules/") for one in first)
    for one in first[:10]:
        right = (PROJECT / "pbem" / one.file).read_text(encoding="utf-8")
        assert ast.unparse(ast.parse(one.source)) != ast.unparse(ast.parse(right))
    assert chosen(SIZE, SEED + 1) != first


TURNED = """
def said(side: str, shares: list[int]) -> None:
    if side and shares:
        return
    for share in shares:
        tell(share)
    tell(enemy_of(side))
    tell(min(shares))
"""
"""Breaks in every way that only the program outside the rules is broken in."""


def test_guards_ends_and_sides_are_broken_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "said.py"
    path.write_text(TURNED, encoding="utf-8")
    usual = {one.change for one in source_mutants(path, "said.py")}
    further = {one.change: one.source for one in source_mutants(path, "said.py", further=True)}
    assert further.keys() - usual == {
        "if side and shares -> pass",
        "for share in shares -> for share in shares, once",
        "tell(share) -> return",
        "tell(enemy_of(side)) -> return",
        "enemy_of(side) -> side",
        "min(shares) -> max(shares)",
    }
    assert {"tell(min(shares)) -> pass", "side and shares -> side"} <= usual
    assert "tell(share)\n        break" in further["for share in shares -> for share in shares, once"]
    assert "tell(side)" in further["enemy_of(side) -> side"]


def test_two_changes_of_a_function_that_read_alike_have_names_of_their_own(tmp_path: Path) -> None:
    """The results are kept by name: the second was once taken for the first."""
    path = tmp_path / "said.py"
    path.write_text("def one():\n    return 1, 1\n\n\ndef other():\n    return 1\n", encoding="utf-8")
    assert [name_of(one) for one in source_mutants(path, "said.py")] == [
        *("said.py one: 1 -> 2", "said.py one: 1 -> 2, the 2. of them"),
        "said.py other: 1 -> 2",
    ]


HALF = """
from pbem.mail.headers import is_for_itself

def test_always_fails():
    assert not is_for_itself

def test_half():
    assert is_for_itself(b"Message-ID: <pbem1.counter-1@x>")
"""


def test_a_fork_has_the_change_and_convicts_no_test_that_fails_without_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tests = tmp_path / "test_half.py"
    tests.write_text(HALF, encoding="utf-8")
    asked = ["--of", "mail/headers.py:is_for_itself", "--tests", str(tests), "--work", str(tmp_path / "work")]
    assert main(asked) == 0
    said = capfd.readouterr().out
    assert "-> COUNTER.encode() not in head\n    noticed by the quick suite" in said
    assert "-> RECORD.encode() not in head\n    survived" in said
    assert "always_fails" not in said


def test_what_is_listed_is_still_there() -> None:
    """A row that fits no change any more hides nothing and explains nothing."""
    assert known()
    files = {row.file for row in known()}
    there = [
        mutant
        for path in modules()
        if (name := path.relative_to(PROJECT / "pbem").as_posix()) in files
        for mutant in source_mutants(path, name, further=True)
    ]
    assert not [row for row in known() if not any(row.fits(mutant) for mutant in there)]
