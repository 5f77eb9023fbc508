"""Ten thousand random battles have the very odds that the first engine computed, state by state."""

from __future__ import annotations

import pytest

from tests.hammer.random_battles import HUNDRED, RECORDED, digest

pytestmark = pytest.mark.ci


KNOWN = {
    int(first): found
    for first, found in (line.split() for line in RECORDED.read_text(encoding="ascii").splitlines())
}
EACH = 1_000


def test_the_record_is_of_ten_thousand_battles() -> None:
    assert list(KNOWN) == list(range(0, 10_000, HUNDRED))


@pytest.mark.ci
def test_a_hundred_battles_have_the_odds_that_were_recorded() -> None:
    assert digest(0) == KNOWN[0]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, EACH))
def test_ten_thousand_battles_have_the_odds_that_were_recorded(first: int) -> None:
    for hundred in range(first, first + EACH, HUNDRED):
        assert digest(hundred) == KNOWN[hundred], hundred
