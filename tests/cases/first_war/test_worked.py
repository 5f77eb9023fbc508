"""The worked cases of First War of Scottish Independence, phase by phase."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.first_war.worked import Worked
from tests.cases.worked import worked_cases

BY_SIDE = {"hands", "play", "territories", "hand_counts"}
CARDS_BY_SIDE = {"hands", "play"}
SORTED = {"deck", "discard", "illegal"}


def said(played: Worked, key: str, value: Any) -> Any:
    """An expectation in the order that results have."""
    if key in CARDS_BY_SIDE:
        return {letter: played.cards(cards) for letter, cards in value.items()}
    return sorted(value) if key in SORTED else value


@pytest.mark.parametrize("case", worked_cases("first_war"), ids=lambda case: case["id"])
def test_a_worked_case_comes_out_as_written(case: dict[str, Any]) -> None:
    played = Worked(case)
    played.play()
    for key, expected in case["expect"].items():
        found = played.result(key)
        if key in BY_SIDE:
            found = {letter: value for letter, value in found.items() if letter in expected}
        assert found == said(played, key, expected), key


def test_a_case_that_expects_something_else_fails() -> None:
    case = next(case for case in worked_cases("first_war") if case["id"] == "FC22")
    played = Worked(case)
    played.play()
    assert played.result("strategy_log") != [*case["expect"]["strategy_log"][:-1], "S castle-1"]
    assert played.result("force") != {"S": 3, "E": 2}
