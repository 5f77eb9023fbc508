"""How often the best bot of a game wins, from every seat at every table of tests/<game>/matches.py.

    python -m tests.tools.measure_bots GAME --games 100

The seeds are fixed, so the table is the same on every machine.
"""

from __future__ import annotations

import argparse
from itertools import islice
from math import sqrt

from pbem.titles import default_name, load
from tests.bots.matches import GAMES, best_wins, seats
from tests.tools.in_processes import results


def interval(won: int, games: int) -> tuple[float, float]:
    """Wilson's interval for a share, at 95 percent."""
    z = 1.96
    share = won / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return max(0.0, middle - half), min(1.0, middle + half)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="?", choices=GAMES, default=default_name())
    parser.add_argument("--games", type=int, default=100, help="from each seat at each table")
    parser.add_argument("--against", default="random", help="the bot on all other seats")
    parser.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args()
    best = next(iter(load(chosen.game).bots))
    print(f"the {best} against the {chosen.against}, seeds 0 to {chosen.games - 1}")
    print(f"{best:12}{'table':14}{'games':>6}{'won':>6}{'share':>9}   95 % interval")
    rows = list(seats(chosen.game))
    games = [
        (chosen.game, options, side, seed, chosen.against)
        for _, options, side in rows
        for seed in range(chosen.games)
    ]
    wins = results(best_wins, games, chosen.processes)
    for table, _, side in rows:
        won = sum(islice(wins, chosen.games))
        low, high = interval(won, chosen.games)
        share = f"{won / chosen.games:9.1%}   {low:.1%} to {high:.1%}"
        print(f"{side:12}{table:14}{chosen.games:6}{won:6}{share}", flush=True)


if __name__ == "__main__":
    main()
