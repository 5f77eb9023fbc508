"""How many exchanges games of a title take, and how many hand-overs step by step.

An exchange is one pause in which the judge waits. A hand-over is one player's decisions until another must
decide: what the very same games would have cost in mails without orders given ahead; what several are asked
at once counts once. Parts are the largest that the game's views name: years, or rounds.

    python -m tests.tools.measure_card_exchanges first-war --games 200

Seeds are fixed; the best bot of the game plays all sides.
"""

from __future__ import annotations

import argparse
from collections import Counter

from pbem.play.resolve import Answered, Resolution
from pbem.practice.table import Table, play_bots
from pbem.rules.base import Ask, read_head
from pbem.titles import Title, load


class Count:
    """What was counted in some games of a title."""

    def __init__(self) -> None:
        self.games = self.exchanges = self.handovers = 0
        self.pauses: Counter[tuple[int, str]] = Counter()  # by game and part
        self.stops: Counter[str] = Counter()

    def play(self, title: Title, options: dict[str, object], seed: int) -> None:
        """Play a game and count it."""
        table = Table(title.name, options, seed)
        last: list[Answered] = []
        at_once: set[tuple[str, str]] = set()

        def answered(answer: Answered, _ask: Ask) -> None:
            both = bool(last) and (answer.side, answer.kind) in at_once
            if not both and (not last or last[-1].side != answer.side):
                self.handovers += 1
            at_once.clear()
            at_once.update((ask.side, ask.kind) for ask in table.play.game.asks if ask.side != answer.side)
            last[:] = [answer]

        def resolved(resolution: Resolution) -> None:
            if resolution.outcome is None:
                self.exchanges += 1
                self.pauses[seed, read_head(resolution.seen["public"].after).moment[0]] += 1
                self.stops[resolution.stop] += 1

        table.play.watch = answered
        resolved(table.last)
        make = next(iter(title.bots.values()))
        play_bots(table, {side: make(side) for side in table.sides}, resolved)
        self.games += 1

    def told(self) -> str:
        """The figures in lines."""
        each = {
            number: list(self.pauses.values()).count(number) for number in sorted(set(self.pauses.values()))
        }
        why = ", ".join(f"{stop} {number / self.games:.1f}" for stop, number in self.stops.most_common())
        return (
            f"{self.games} games, {len(self.pauses)} years or rounds\n"
            f"exchanges a game {self.exchanges / self.games:.1f}, "
            f"beside {self.handovers / self.games:.1f} hand-overs: "
            f"{self.handovers / self.exchanges:.1f} times as many\n"
            f"years or rounds by their exchanges: {each}\nstops per game: {why}"
        )


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("title")
    parser.add_argument("options", nargs="*", metavar="OPTION=VALUE")
    parser.add_argument("--games", type=int, default=200)
    chosen = parser.parse_args()
    given = dict(one.split("=", 1) for one in chosen.options)
    options = {name: int(value) if value.isdigit() else value for name, value in given.items()}
    count = Count()
    for seed in range(chosen.games):
        count.play(load(chosen.title), dict(options), seed)
    print(count.told())


if __name__ == "__main__":
    main()
