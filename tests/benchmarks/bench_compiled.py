"""What a replay costs in several folders with a pbem: this checkout, another, an unpacked compiled wheel.

    python -m tests.benchmarks.bench_compiled GAME FOLDER ...

Random games are played here and their answers and dice written down; each folder plays them again, by turns,
in processes of its own: plain, with the list of legal answers at every Ask, with that and everybody's view at
every answer. Least user time of several runs, without the start; ratios to the first folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.bench_engine import Played
from tests.bots.matches import matches_of

SEEDS = range(3)
RUNS = 4
MODES = ("plain", "lists", "lists and views")

PLAY = """
import json, sys
from resource import RUSAGE_SELF, getrusage
from pbem.rules import load
rules, games, mode = load(sys.argv[1]), json.load(open(sys.argv[2])), int(sys.argv[3])
class Dice:
    def __init__(self, known): self.known = known
    def roll(self, label, sides=6): return self.known[label]
    def draw(self, label, choices): return self.known[label]
best = 1e9
for _ in range(3):
    begun = getrusage(RUSAGE_SELF).ru_utime
    for options, answers, dice in games:
        game, viewers = rules.start(options, Dice(dice)), (*rules.sides(options), "public", "gm")
        for side, text in answers:
            if mode: assert all(ask.legal for ask in game.asks)
            if mode > 1: views = [game.view(viewer) for viewer in viewers]
            game.answer(side, text)
        assert game.outcome is not None
    best = min(best, getrusage(RUSAGE_SELF).ru_utime - begun)
print(best)
"""


def write_games(name: str, path: Path) -> None:
    """Random games at every table of the game: options, answers, dice."""
    tables = matches_of(name).tables.values()
    games = [(options, Played(name, options, seed)) for options in tables for seed in SEEDS]
    told = [(options, game.answers, {**game.chance.rolled, **game.chance.drawn}) for options, game in games]
    path.write_text(json.dumps(told), encoding="utf-8")


def seconds(name: str, path: Path, mode: int, folder: Path) -> float:
    """User time of all games in one process."""
    places = os.environ | {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-c", PLAY, name, str(path), str(mode)]
    done = subprocess.run(command, env=places, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout)


def main(name: str, folders: Sequence[Path]) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "games.json"
        write_games(name, path)
        for mode, said in enumerate(MODES):
            runs = [[seconds(name, path, mode, folder) for folder in folders] for _ in range(RUNS)]
            least = [min(times) for times in zip(*runs, strict=True)]
            cells = "".join(f"{time:9.3f} s {time / least[0]:5.2f}" for time in least)
            sys.stdout.write(f"{name:10} {said:16}{cells}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], [Path(folder).resolve() for folder in sys.argv[2:]])
