"""How long odds take, and a captain's orders when it remembers none: pytest tests/hammer/bench_odds.py."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbem.odds import Question
from pbem.practice.table import Table
from pbem.titles.hammer.bots import BOTS
from pbem.titles.hammer.bots.estimates import _chance
from pbem.titles.hammer.odds import ODDS

FORCES = {
    2: ("Edward, York Knights 3", "Wallace, Douglas 3"),
    4: ("Edward, York Knights, Durham Infantry, Mar", "Wallace, Douglas, Barclay, Grant"),
    6: (
        "Edward, York Knights, Durham Infantry, Mar, Hobelars, York Infantry",
        "Wallace, Douglas, Barclay, Grant, Fraser, Keith",
    ),
}


@pytest.mark.parametrize("blocks", FORCES)
def test_the_odds_of_a_battle(benchmark: BenchmarkFixture, blocks: int) -> None:
    attackers, defenders = FORCES[blocks]
    question = Question(area="Fife", attacker="england", attackers=attackers, defenders=defenders)
    assert benchmark(ODDS.ask, question).rows


def test_the_odds_of_a_battle_by_a_plan(benchmark: BenchmarkFixture) -> None:
    attackers, defenders = FORCES[2]
    plans = {"scotland": "fire\nif our strength less than their strength: retreat all"}
    question = Question(
        area="Fife", attacker="england", attackers=attackers, defenders=defenders, plans=plans
    )
    assert benchmark(ODDS.ask, question).rows


def test_a_captain_s_orders(benchmark: BenchmarkFixture) -> None:
    view = Table("hammer", {}, 3).view("scotland")

    def write() -> str:
        _chance.cache_clear()  # odds that it remembers would cost nothing
        return BOTS["captain"]("scotland").write(view)

    assert benchmark(write).startswith("card")
