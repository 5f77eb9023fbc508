"""A broken rule makes a case fail: house rules, facts and a sample of lines (tests/tools/break_rules.py)."""

from __future__ import annotations

import pytest

from tests.cases.casefile import Case, all_cases
from tests.tools.break_rules import (
    CASES,
    RULE_FILES,
    SAMPLE,
    SEED,
    defaults,
    facts,
    harmless,
    in_order,
    known,
    rule_lines,
    sample,
    try_mutant,
    unsound,
)
from tests.tools.mutants import RULES, Mutant


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    found = all_cases(CASES)
    assert not unsound(found)
    return found


def unnoticed(mutants: list[Mutant], cases: list[Case]) -> list[str]:
    return [
        f"{mutant.place} {mutant.rule}: {mutant.change}"
        for mutant in mutants
        if not harmless(mutant) and not try_mutant(mutant, in_order(cases, mutant))
    ]


@pytest.mark.slow
def test_a_case_notices_every_other_default(cases: list[Case]) -> None:
    assert not unnoticed(defaults(), cases)


@pytest.mark.slow
def test_a_case_notices_every_other_fact(cases: list[Case]) -> None:
    assert not unnoticed(facts(), cases)


@pytest.mark.slow
def test_a_case_notices_when_one_of_fifty_lines_is_broken(cases: list[Case]) -> None:
    assert not unnoticed(sample(rule_lines(), SAMPLE, SEED), cases)


def test_what_is_called_harmless_is_still_there() -> None:
    """A row that fits no change any more hides nothing and explains nothing."""
    mutants = [*defaults(), *facts(), *rule_lines()]
    idle = [row for row in known() if not any(row.fits(mutant) for mutant in mutants)]
    assert not idle


def test_every_module_of_rules_is_broken() -> None:
    ruled = {path.name for path in RULES.glob("*.py")}
    told_apart = {"__init__.py", "facts.py", "game.py", "options.py", "restart.py", "views.py"}
    told_apart |= {"imagined.py", "sightings.py"}  # no rules: what is known of a position
    assert ruled == {*RULE_FILES, *told_apart}
