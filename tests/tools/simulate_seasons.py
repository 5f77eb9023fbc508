"""Plays seasons in which people stop, are silent and come late, and checks each: in several processes.

    python -m tests.tools.simulate_seasons --seasons 30:530 --most 64 --processes 2

These are the seasons of `tests/leagues/test_stoppers.py`, each the same whenever it is played. One that fails
is named, and the others are played all the same.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from pbem.cli.processes import Failed, map_in_processes
from tests.leagues.test_stoppers import check, played


def simulated(most: int, number: int) -> str:
    """A season of at most so many players, played and checked; what it was."""
    with tempfile.TemporaryDirectory() as scratch:
        for found in played(Path(scratch), number, most):
            check(found, Path(scratch) / "bundle")
            told = f"{found.form}, {len(found.model.strengths)} players, {found.world.book.size} entries"
    return told


def main(arguments: list[str]) -> int:
    """Play and print; 1 if one failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seasons", default="0:30", help="by their numbers (first:last)")
    parser.add_argument("--most", type=int, default=10, help="so many players at most")
    parser.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args(arguments)
    first, _, last = chosen.seasons.partition(":")
    failed = 0
    seasons = range(int(first), int(last))
    for number, found in map_in_processes(partial(simulated, chosen.most), seasons, chosen.processes):
        failed += isinstance(found, Failed)
        print(f"season {number}: {found.why if isinstance(found, Failed) else found}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
