"""How often the chief and the marshal win against random players: python -m tests.tools.measure_card_bots.

As many games from each seat, asked question by question and by file. The seeds are fixed, so the table is
the same on every machine.
"""

from __future__ import annotations

import argparse

from tests.bots.card_matches import SENSIBLE, seats, wins_asked, wins_by_file
from tests.hammer.matches import interval


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100, help="from each seat, in each manner")
    games = parser.parse_args().games
    print(f"{'game':11}{'manner':9}{'players':>8} {'seat':9}{'games':>6}{'won':>6}   95 % interval")
    for name in SENSIBLE:
        for manner, wins in (("asked", wins_asked), ("by file", wins_by_file)):
            for options, side in seats(name):
                won = sum(wins(name, options, side, seed) for seed in range(games))
                low, high = interval(won, games)
                players = options.get("players", 2)
                print(
                    f"{name:11}{manner:9}{players:8} {side:9}{games:6}{won:6}   {low:.1%} to {high:.1%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
