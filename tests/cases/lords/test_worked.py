"""The worked cases of Lords of Scotland, order by order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.lords.worked import Worked
from tests.cases.worked import worked_cases

BY_PLAYER = {"totals", "claims", "armies", "hands", "scores", "seen_by"}
AS_SETS = {"draw", "discard", "powers_used", "hands"}


def said(key: str, value: Any) -> Any:
    """An expectation in the order that results have."""
    if key == "hands":
        return {player: sorted(hand) for player, hand in value.items()}
    return sorted(value) if key in AS_SETS else value


@pytest.mark.parametrize("case", worked_cases("lords"), ids=lambda case: case["id"])
def test_a_worked_case_comes_out_as_written(case: dict[str, Any]) -> None:
    played = Worked(case)
    played.play()
    for key, expected in case["expect"].items():
        found = played.result(key)
        if key in BY_PLAYER:
            found = {player: value for player, value in found.items() if player in expected}
        assert found == said(key, expected), key


def test_a_case_that_expects_something_else_fails() -> None:
    case = next(case for case in worked_cases("lords") if case["id"] == "LC18")
    played = Worked(case)
    played.play()
    assert played.result("seen_by") != {**case["expect"]["seen_by"], "scott-8": ["A", "C"]}
    assert played.result("armies")["A"] != ["wemyss-9+", "ferguson-3-"]
