"""The contract of titles, on every title that is installed."""

from __future__ import annotations

import pytest

from pbem.testing.contract import CONTRACT
from pbem.testing.games import Clause, Trial, trials
from tests.titles.games import playable

TRIALS = [trial for title in playable() for trial in trials(title)]


@pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: str(clause.__name__))
@pytest.mark.parametrize("trial", TRIALS, ids=str)
def test_a_title_keeps_its_contract(clause: Clause, trial: Trial) -> None:
    clause(trial)
