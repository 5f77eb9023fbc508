"""How fast the rules of each game are: random games replayed, with and without the lists of legal answers.

As benchmarks: pytest tests/benchmarks/bench_engine.py. As a table: python -m tests.benchmarks.bench_engine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbem.practice.table import SeededChance
from pbem.rules import Game
from pbem.testing.games import random_game
from pbem.titles import load
from tests.bots.matches import GAMES, matches_of
from tests.properties.random_play import Options

TABLES = [(title, said, options) for title in GAMES for said, options in matches_of(title).tables.items()]
SEEDS = range(6)
ROUNDS = 7


class Remembered(SeededChance):
    """Dice of a random game, and then the same without any hashing: what the rules themselves cost."""

    def __init__(self, seed: object) -> None:
        super().__init__(seed)
        self.rolled: dict[str, int] = {}
        self.drawn: dict[str, str] = {}

    def roll(self, label: str, sides: int = 6) -> int:
        """What this label brought before."""
        if label not in self.rolled:
            self.rolled[label] = super().roll(label, sides)
        return self.rolled[label]

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """What this label brought before."""
        if label not in self.drawn:
            self.drawn[label] = super().draw(label, choices)
        return self.drawn[label]


class Played:
    """A random game that is over."""

    def __init__(self, title: str, options: Options, seed: int) -> None:
        self.rules, self.options, self.chance = load(title).rules, options, Remembered(seed)
        self.answers: list[tuple[str, str]] = []
        for game in random_game(self.rules, seed, self.chance, options, self.answers):
            self.end = game.outcome

    def again(self, *, listed: bool = False) -> Game:
        """The same game once more, as a judge does whenever it is touched; as a fuzzer does, if `listed`."""
        game = self.rules.start(self.options, self.chance)
        for side, text in self.answers:
            if listed:
                assert all(ask.legal for ask in game.asks)
            game.answer(side, text)
        return game

    def views(self, game: Game) -> None:
        """What reports need."""
        for viewer in (*self.rules.sides(self.options), "public", "gm"):
            game.view(viewer)


@pytest.fixture(scope="module", params=TABLES, ids=str)
def played(request: pytest.FixtureRequest) -> Played:
    """The longest of some random games."""
    title, _, options = request.param
    return max((Played(title, options, seed) for seed in SEEDS), key=lambda game: len(game.answers))


@pytest.mark.parametrize("listed", [False, True])
def test_replay(benchmark: BenchmarkFixture, played: Played, listed: bool) -> None:
    assert benchmark(played.again, listed=listed).outcome == played.end
    benchmark.extra_info["answers"] = len(played.answers)


def test_views(benchmark: BenchmarkFixture, played: Played) -> None:
    benchmark(played.views, played.again())


def fastest(work: Callable[[], object]) -> float:
    """Seconds of processor time, the best of some runs."""
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def replay_all(games: list[Played], *, listed: bool) -> None:
    """Each game once more."""
    for game in games:
        game.again(listed=listed)


def row(*cells: object) -> None:
    """One line of the table."""
    numbers = (f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in cells[2:])
    sys.stdout.write(f"{cells[0]:10}{cells[1]:12}" + "".join(cell.rjust(11) for cell in numbers) + "\n")


def main() -> None:
    """Print the table."""
    row("game", "table", "answers", "replay ms", "us/answer", "+legal", "us/list", "views us")
    for title, said, options in TABLES:
        games = [Played(title, options, seed) for seed in SEEDS]
        answers = sum(len(game.answers) for game in games)
        plain, listed = (fastest(partial(replay_all, games, listed=listed)) for listed in (False, True))
        shown = fastest(partial(games[0].views, games[0].again()))
        length = int(median(len(game.answers) for game in games))
        per_answer = [seconds / answers * 1e6 for seconds in (plain, listed, listed - plain)]
        row(title, said, length, plain / len(games) * 1e3, *per_answer, shown * 1e6)


if __name__ == "__main__":
    main()
