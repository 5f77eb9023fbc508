"""Three months of twenty games and a league each, which are befallen by every kind of misfortune there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mail.long_month import ALL_KINDS, LongMonth, live


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_month_is_lived_through(tmp_path: Path, seed: int) -> None:
    live(tmp_path, seed)


def test_three_months_draw_every_kind() -> None:
    drawn = set()
    for seed in (0, 1, 2):
        month = LongMonth.__new__(LongMonth)
        month.seed, month.drawn = seed, []
        month.draw(ALL_KINDS)
        drawn |= {type(one.misfortune) for one in month.drawn}
    assert drawn == set(ALL_KINDS)
