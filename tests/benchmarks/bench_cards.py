"""How fast the card games are: a replay, random games, and the audit of a game of Lords with five players.

As benchmarks: pytest tests/benchmarks/bench_cards.py. As a table: python -m tests.benchmarks.bench_cards.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbem.audit.all_claims import audit
from pbem.cli import main as pbem
from pbem.practice.table import SeededChance
from pbem.rules import Game, load
from tests.benchmarks.bench_engine import fastest
from tests.properties.random_play import Options
from tests.titles.games import random_game

GAMES: list[tuple[str, Options]] = [
    *(("lords", {"players": players}) for players in (2, 5)),
    ("first-war", {}),
]
SEEDS = range(6)

Answers = list[tuple[str, str]]


class Watched(SeededChance):
    """Dice of a random game, and then the same without any hashing."""

    def __init__(self, seed: object) -> None:
        super().__init__(seed)
        self.drawn: dict[str, str] = {}

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """What this label brought before."""
        if label not in self.drawn:
            self.drawn[label] = super().draw(label, choices)
        return self.drawn[label]


class Played:
    """A random game that is over."""

    def __init__(self, title: str, options: Options, seed: int) -> None:
        self.rules, self.options, self.chance = load(title), options, Watched(seed)
        self.answers: Answers = []
        for game in random_game(self.rules, seed, self.chance, options, self.answers):
            self.end = game.outcome

    def again(self) -> Game:
        """The same game once more, as a judge does whenever it is touched."""
        game = self.rules.start(self.options, self.chance)
        for side, text in self.answers:
            game.answer(side, text)
        return game


def finish(title: str, options: Options, seed: int) -> None:
    """A random game: every list of legal answers is built."""
    for _ in random_game(load(title), seed, options=options):
        pass


def five_players(folder: Path) -> Path:
    """The bundle of a whole game of Lords with five players."""
    bots = [str(word) for word in ("--game", "lords", "--players", 5, "--into", folder / "game")]
    assert pbem(["demo", *bots]) == 0
    return folder / "game" / "bundle"


@pytest.mark.parametrize(("title", "options"), GAMES, ids=str)
def test_replay(benchmark: BenchmarkFixture, title: str, options: Options) -> None:
    played = Played(title, options, 1)
    assert benchmark(played.again).outcome == played.end
    benchmark.extra_info["answers"] = len(played.answers)


@pytest.mark.parametrize(("title", "options"), GAMES, ids=str)
def test_a_random_game(benchmark: BenchmarkFixture, title: str, options: Options) -> None:
    benchmark(finish, title, options, 1)


def test_audit_of_five_players(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    bundle = five_players(tmp_path)
    assert not benchmark(audit, bundle).refuted


def main() -> None:
    """Print the table."""
    row = "{:32}{:>9}{:>12}{:>11}{:>16}\n".format
    sys.stdout.write(row("game", "answers", "replay ms", "us/answer", "random games/s"))
    for title, options in GAMES:
        games = [Played(title, options, seed) for seed in SEEDS]
        answers = sum(len(game.answers) for game in games)
        replayed = fastest(lambda games=games: [game.again() for game in games])  # type: ignore[misc]
        begun = fastest(lambda t=title, o=options: [finish(t, o, seed) for seed in SEEDS])  # type: ignore[misc, func-returns-value]
        times = replayed / len(games) * 1e3, replayed / answers * 1e6, len(games) / begun
        name = f"{title}, {options.get('players', 2)} players"
        sys.stdout.write(row(name, answers // len(games), *(f"{number:.1f}" for number in times)))
    with tempfile.TemporaryDirectory() as scratch:
        bundle = five_players(Path(scratch))
        exchanges = len(list((bundle / "mix").glob("*.secret.txt")))
        taken = fastest(lambda: audit(bundle))
    sys.stdout.write(f"audit of lords, 5 players: {taken:.2f} s for {exchanges} exchanges\n")


if __name__ == "__main__":
    main()
