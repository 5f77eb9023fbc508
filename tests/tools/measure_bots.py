"""How often the captain wins, from either side and in either scenario: python -m tests.tools.measure_bots.

As many games from each side in each scenario. The seeds are fixed, so the table is the same on every
machine. 400 games against the random player take some four minutes of one core.
"""

from __future__ import annotations

import argparse
from itertools import product
from multiprocessing import Pool

from pbem.rules.hammer.facts import SIDES
from tests.hammer.matches import PLAYERS, SCENARIOS, captain_wins, interval


def row(side: str, scenario: str, results: list[bool]) -> str:
    """One line of the table."""
    won, games = sum(results), len(results)
    low, high = interval(won, games)
    return f"{side:12}{scenario:14}{games:6}{won:6}{won / games:9.1%}   {low:.1%} to {high:.1%}"


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--games", type=int, default=400, help="in all: as many from each side, in each scenario"
    )
    parser.add_argument("--against", choices=PLAYERS, default="random")
    parser.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args()
    seeds = range(chosen.games // (len(SIDES) * len(SCENARIOS)))
    print(f"the captain against the {chosen.against}, seeds 0 to {seeds[-1]}")
    print(f"{'captain':12}{'scenario':14}{'games':>6}{'won':>6}{'share':>9}   95 % interval")
    with Pool(chosen.processes) as pool:
        for side in SIDES:
            games = list(product([side], seeds, [chosen.against], SCENARIOS))
            results = pool.starmap(captain_wins, games, chunksize=4)
            for place, scenario in enumerate(SCENARIOS):
                print(row(side, scenario, results[place :: len(SCENARIOS)]))
            print(row(side, "both", results), flush=True)


if __name__ == "__main__":
    main()
