"""How long it takes to pair 500 players, to count and rate 10,000 results, and to pass over running games.

pytest tests/benchmarks/bench_leagues.py

The passes are over a league in sections of 15 and of 46: of 105 and of 1,035 running games, really opened.
"""

from collections.abc import Iterator
from contextlib import closing
from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbem.judge.agenda import read_agendas
from pbem.judge.leagues.book import load_league
from pbem.judge.leagues.steps import run_leagues
from pbem.leagues.entries import parse_league_entry
from pbem.leagues.formats import round_robin, swiss
from pbem.leagues.model import Entrant, Result, Round, Scoring
from pbem.leagues.ratings import ratings
from pbem.leagues.standings import standings
from tests.leagues.dice import dice
from tests.leagues.world import NAME, World, file_of, make_world

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
        rounds.append(swiss.pair_players(entrants, results, rounds, dice(number), sides=SIDES))
        results += results_of(rounds[-1], draw)
    drawn = benchmark(lambda: swiss.pair_players(entrants, results, rounds, dice("last"), sides=SIDES))
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


@pytest.fixture(scope="module", params=[15, 46])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Everybody plays everybody, and all games go on."""
    folder = tmp_path_factory.mktemp("running")
    world = make_world(folder, file_of("sections", more=f"[sections]\nsize = {request.param}"))
    world.enter(*(f"player-{number:02}" for number in range(request.param)))
    world.later(31)
    for _ in range(3):
        world.run()
        world.later(5)
    assert len(world.open_pairs()) == request.param * (request.param - 1) // 2
    with closing(world.club.store):
        yield world


def test_an_idle_pass(benchmark: BenchmarkFixture, running: World) -> None:
    """Nothing has come: a row for each game and for the league."""
    agendas = read_agendas(running.club)
    assert benchmark(lambda: list(run_leagues(running.club, agendas))) == []


def test_a_pass_in_which_one_game_has_ended(benchmark: BenchmarkFixture, running: World) -> None:
    """The league's ledger is read once, by a process that has not read it before."""
    pairs = iter(running.open_pairs())

    def concede() -> tuple[tuple[()], dict[str, object]]:
        pair = next(pairs)
        running.concede(pair.game, pair.players[0])
        parse_league_entry.cache_clear()
        return (), {"agendas": read_agendas(running.club)}

    done = benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda agendas: list(run_leagues(running.club, agendas)), setup=concede, rounds=5
    )
    assert len(done) == 1


def test_the_ledger_of_a_league_is_read(benchmark: BenchmarkFixture, running: World) -> None:
    """What most of such a pass is."""

    def read() -> int:
        parse_league_entry.cache_clear()
        return load_league(running.club, NAME).size

    assert benchmark.pedantic(read, rounds=5) > 100  # type: ignore[no-untyped-call]
