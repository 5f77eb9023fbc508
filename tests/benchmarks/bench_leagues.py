"""How long it takes to pair 500 players, and to count and rate 10,000 results.

pytest tests/benchmarks/bench_leagues.py
"""

from random import Random

from pytest_benchmark.fixture import BenchmarkFixture

from pbem.leagues.formats import round_robin, swiss
from pbem.leagues.model import Entrant, Result, Round, Scoring
from pbem.leagues.ratings import ratings
from pbem.leagues.standings import standings
from tests.leagues.dice import dice

SIDES = ("left", "right")
BREAKS = ("head-to-head", "buchholz", "sonneborn-berger", "side-adjusted", "average nobles")


def results_of(drawn: Round, draw: Random) -> list[Result]:
    """The left side is a bit stronger; nine in ten games are decided."""
    return [
        Result(
            round=drawn.number,
            pairing=game.number,
            game="any",
            seats=game.seats,
            places=draw.choice(
                [(1, 2), (1, 2), (1, 2), (1, 2), (1, 2), (2, 1), (2, 1), (2, 1), (2, 1), (1, 1)]
            ),
            counts=(("nobles/left", draw.randrange(14)),),
            day="2026-01-01",
        )
        for game in drawn.pairings
    ]


def test_pair_500_in_the_fourth_round(benchmark: BenchmarkFixture) -> None:
    entrants = [Entrant(name=f"player-{number:03}") for number in range(500)]
    draw = Random(1)
    rounds: list[Round] = []
    results: list[Result] = []
    for number in range(3):
        rounds.append(swiss.pair(entrants, results, rounds, dice(number), sides=SIDES))
        results += results_of(rounds[-1], draw)
    drawn = benchmark(lambda: swiss.pair(entrants, results, rounds, dice("last"), sides=SIDES))
    assert len(drawn.pairings) == 250


def ten_thousand() -> tuple[list[Entrant], list[Result]]:
    """A double round robin of 101."""
    entrants = [Entrant(name=f"player-{number:03}") for number in range(101)]
    draw = Random(1)
    rounds = round_robin.schedule([entrant.name for entrant in entrants], True, sides=SIDES)
    return entrants, [result for drawn in rounds for result in results_of(drawn, draw)]


def test_standings_of_10000_results(benchmark: BenchmarkFixture) -> None:
    entrants, results = ten_thousand()
    table = benchmark(standings, entrants, results, Scoring(tie_breaks=BREAKS))
    assert len(results) == 10_100
    assert table[0].place == 1


def test_ratings_of_10000_results(benchmark: BenchmarkFixture) -> None:
    _, results = ten_thousand()
    found = benchmark(ratings, results)
    assert len(found) == 303
