"""How often the captain beats the random player, from either side: python -m tests.tools.measure_bots.

The seeds are fixed, so the table is the same on every machine. 400 games take a few minutes.
"""

from __future__ import annotations

import argparse

from pbem.rules.hammer.facts import SIDES
from tests.bots.matches import interval, wins_from


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400, help="games in all, half of them from each side")
    parser.add_argument("--verbose", action="store_true", help="print every game's end")
    chosen = parser.parse_args()
    each = chosen.games // len(SIDES)
    print("the captain against the random player, half Braveheart, half The Bruce")
    print(f"{'captain plays':16}{'games':>8}{'won':>8}{'share':>9}   95 % interval")
    for side in SIDES:
        won = wins_from(side, range(each), print if chosen.verbose else None)
        low, high = interval(won, each)
        print(f"{side:16}{each:8}{won:8}{won / each:9.1%}   {low:.1%} to {high:.1%}")


if __name__ == "__main__":
    main()
