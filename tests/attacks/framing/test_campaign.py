"""The campaign: a few compositions whenever the heavier tests run, very many in the slow suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.framing.campaign import compose, main
from tests.attacks.framing.moves import PLAYERS, STRANGERS


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(60))
def test_nobody_can_make_an_honest_judge_look_guilty(tmp_path: Path, seed: int) -> None:
    compose(seed, tmp_path, script=seed % 20 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 3_000, 50))
def test_nor_in_two_thousand_compositions(first: int) -> None:
    assert main(50, first) == 0


def test_every_move_is_one_that_a_composition_makes() -> None:
    assert len(STRANGERS) >= 8
    assert len(PLAYERS) >= 12
    assert all(move.__doc__ for move in (STRANGERS | PLAYERS).values())
