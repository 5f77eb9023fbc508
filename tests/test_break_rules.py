"""A broken rule makes a case fail: house rules, facts and a sample of lines (tests/tools/break_rules.py)."""

from __future__ import annotations

import pytest

from tests.cases.casefile import Case, all_cases
from tests.tools.break_rules import (
    CASES,
    GAMES,
    SAMPLE,
    SEED,
    defaults,
    facts,
    harmless,
    harmless_rows,
    in_order,
    rule_files,
    rule_lines,
    sample,
    try_mutant,
    unsound,
)
from tests.tools.mutants import Mutant

pytestmark = pytest.mark.ci


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def cases(game: str) -> list[Case]:
    found = all_cases(CASES / game)
    assert not unsound(game, found)
    return found


def unnoticed(mutants: list[Mutant], cases: list[Case]) -> list[str]:
    return [
        f"{mutant.place} {mutant.rule}: {mutant.change}"
        for mutant in mutants
        if not harmless(mutant) and not try_mutant(mutant, in_order(cases, mutant))
    ]


@pytest.mark.slow
def test_a_case_notices_every_other_default(game: str, cases: list[Case]) -> None:
    assert not unnoticed(defaults(game), cases)


@pytest.mark.slow
def test_a_case_notices_every_other_fact(game: str, cases: list[Case]) -> None:
    assert not unnoticed(facts(game), cases)


@pytest.mark.slow
def test_a_case_notices_when_one_of_fifty_lines_is_broken(game: str, cases: list[Case]) -> None:
    assert not unnoticed(sample(rule_lines(rule_files(game)), SAMPLE, SEED), cases)


def test_what_is_called_harmless_is_still_there() -> None:
    """A row that fits no change any more hides nothing and explains nothing."""
    for game in GAMES:
        mutants = [*defaults(game), *facts(game), *rule_lines(rule_files(game))]
        assert [row for row in harmless_rows(game) if not any(row.fits(one) for one in mutants)] == []
