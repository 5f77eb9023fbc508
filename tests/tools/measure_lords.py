"""How many exchanges games of Lords take, beside hand-overs at the table, for two to five players.

An exchange is one pause in which the judge waits; a hand-over is one player's decisions until another must
decide. Chiefs and random players sit in turn, and write orders for the turn that comes; with plans they write
for the whole round, and the judge goes on where all have. Seeds are fixed.

    python -m tests.tools.measure_lords --games 200
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from pbem.bots import Bot
from pbem.play.resolve import Answered
from pbem.practice.table import Table, play_bots
from pbem.rules.base import Ask, View
from pbem.titles import load

PLAYERS = (2, 3, 4, 5)
HEAD = (
    f"{'players':>7}{'games':>7}{'rounds':>8}{'exchanges a round':>19}{'most':>6}{'a game':>8}"
    f"{'hand-overs':>12}{'factor':>8}"
)


class Planner:
    """A player who writes as another bot does, and a plan for every turn of the round."""

    def __init__(self, side: str) -> None:
        self.bot: Bot = load("lords").bots["chief"](side)

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """What the bot would do now, and in every later turn much the same."""
        lines = self.bot.write(view, asks)
        return f"{lines}turn any:\nrecruit best, hidden\nmuster best down\nend\n"


@dataclass
class Count:
    """What some games came to."""

    rounds: int = 0
    exchanges: int = 0
    handovers: int = 0
    most: int = 0


def play(players: int, seed: int, count: Count, *, plans: bool) -> None:
    """One game, counted."""
    table = Table("lords", {"players": players}, seed)
    bots = load("lords").bots
    latest: list[tuple[str, int]] = []

    def answered(answer: Answered, _: Ask) -> None:
        view = table.play.game.view("public")
        here = (answer.side, view["round"] * 10 + view["turn"] + (answer.kind == "claim"))
        if latest[-1:] != [here]:
            latest.append(here)

    table.play.watch = answered
    seated: dict[str, Bot] = {
        side: Planner(side) if plans else bots["random" if (place + seed) % 2 else "chief"](side)
        for place, side in enumerate(table.sides)
    }
    pauses: dict[int, int] = {1: 1}

    def resolved(resolution: object) -> None:
        if table.outcome is None:
            round_ = table.view("public")["round"]
            pauses[round_] = pauses.get(round_, 0) + 1

    play_bots(table, seated, resolved)
    count.rounds += table.view("public")["round"]
    count.exchanges += sum(pauses.values())
    count.most = max(count.most, *pauses.values())
    count.handovers += len(latest)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=200, help="games in all, in equal parts")
    games = parser.parse_args().games // (2 * len(PLAYERS))
    for plans in (False, True):
        print("\nwith plans for the whole round" if plans else "a file for each turn", HEAD, sep="\n")
        for players in PLAYERS:
            count = Count()
            for seed in range(games):
                play(players, seed, count, plans=plans)
            print(
                f"{players:7}{games:7}{count.rounds / games:8.1f}{count.exchanges / count.rounds:19.2f}"
                f"{count.most:6}{count.exchanges / games:8.1f}{count.handovers / games:12.1f}"
                f"{count.handovers / count.exchanges:8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
