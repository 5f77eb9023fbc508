"""How fast the rules are: whole games replayed, with and without the lists of legal answers.

As benchmarks: pytest tests/benchmarks/bench_engine.py. As a table: python -m tests.benchmarks.bench_engine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbem.rules import Game
from pbem.rules.hammer import RULES
from tests.hammer.phases import random_game
from tests.hammer.play import Play
from tests.properties.random_play import LabelledChance, Options

SCENARIOS: dict[str, Options] = {
    "braveheart": {"scenario": "braveheart", "edition": "4"},
    "the-bruce": {"scenario": "the-bruce", "edition": "4"},
    "campaign": {"scenario": "campaign", "edition": "4", "last_year": 1305},
}
VIEWERS = ("england", "scotland", "public", "gm")
ROUNDS = 7


class Recorded:
    """Chance that has been rolled before: what the rules themselves cost, without any hashing."""

    def __init__(self, chance: LabelledChance) -> None:
        self.results = chance.results

    def roll(self, label: str, sides: int = 6) -> int:
        return int(self.results[label])

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        return str(self.results[label])


def longest_game(options: Options) -> Play:
    """The longest of some random games."""
    games = (random_game(options, seed)[0] for seed in range(6))
    return max(games, key=lambda play: len(play.answers))


def replay(play: Play) -> Game:
    """The whole game once more, as a judge does whenever he touches it."""
    game = RULES.start(play.options, Recorded(play.chance))
    for side, text in play.answers:
        game.answer(side, text)
    return game


def replay_with_legal(play: Play) -> Game:
    """The same, as a fuzzer does: every list of legal answers is built."""
    game = RULES.start(play.options, Recorded(play.chance))
    for side, text in play.answers:
        for ask in game.asks:
            assert ask.legal
        game.answer(side, text)
    return game


def views(game: Game) -> None:
    """What a report needs."""
    for viewer in VIEWERS:
        game.view(viewer)


@pytest.fixture(params=SCENARIOS)
def play(request: pytest.FixtureRequest) -> Play:
    return longest_game(SCENARIOS[request.param])


def test_replay(benchmark: BenchmarkFixture, play: Play) -> None:
    assert benchmark(replay, play).outcome
    benchmark.extra_info["answers"] = len(play.answers)


def test_replay_with_legal(benchmark: BenchmarkFixture, play: Play) -> None:
    assert benchmark(replay_with_legal, play).outcome
    benchmark.extra_info["answers"] = len(play.answers)


def test_views(benchmark: BenchmarkFixture, play: Play) -> None:
    benchmark(views, replay(play))


def fastest(work: Callable[[], object]) -> float:
    """Seconds of processor time, the best of some runs."""
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def row(name: str, *cells: object) -> None:
    """One line of the table."""
    numbers = (f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in cells)
    sys.stdout.write(name.ljust(12) + "".join(cell.rjust(11) for cell in numbers) + "\n")


def main() -> None:
    """Print the table."""
    row("game", "answers", "replay ms", "us/answer", "+legal", "us/list", "4 views us")
    for name, options in SCENARIOS.items():
        plays = [random_game(options, seed)[0] for seed in range(6)]
        answers = sum(len(play.answers) for play in plays)
        plain = fastest(lambda plays=plays: [replay(play) for play in plays])  # type: ignore[misc]
        listed = fastest(lambda plays=plays: [replay_with_legal(play) for play in plays])  # type: ignore[misc]
        last = replay(plays[0])
        shown = fastest(lambda last=last: views(last))  # type: ignore[misc]
        length = int(median(len(play.answers) for play in plays))
        per_answer = [seconds / answers * 1e6 for seconds in (plain, listed, listed - plain)]
        row(name, length, plain / len(plays) * 1e3, *per_answer, shown * 1e6)


if __name__ == "__main__":
    main()
