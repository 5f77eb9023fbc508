"""The contract as tests, one for each clause and variant of the titles that `--pbem-title` names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pbem.testing.contract import CONTRACT
from pbem.testing.games import Clause, Trial, trials
from pbem.testing.plugin import NOTE
from pbem.titles import load


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test for each clause, of each variant of the named titles."""
    titles = [load(name) for name in metafunc.config.getoption("pbem_title")]
    metafunc.parametrize("clause", CONTRACT, ids=lambda clause: str(clause.__name__))
    metafunc.parametrize("trial", [trial for title in titles for trial in trials(title)], ids=str)


def test_contract(trial: Trial, clause: Clause, record_property: Callable[[str, Any], None]) -> None:
    """Check that the title of a trial keeps a clause of the contract."""
    clause(replace(trial, note=lambda said: record_property(NOTE, f"{trial}: {said}")))
