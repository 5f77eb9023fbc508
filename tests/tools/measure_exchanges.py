"""How many exchanges games take, and how many hand-overs step by step.

An exchange is one pause in which the judge waits; it counts for the turn or winter in which he waits. A
hand-over is one player's decisions until the other must decide (or, in winter, until the next drawn block
is seen): what the very same games would have cost in mails without orders given ahead. The cards, which
both play at once, are one of either.

Players "with plans" answer what they are asked and send plans for their battles when these are due; "with
guards" they also write for both cases, under conditions, before they know who moves first. Seeds are fixed.

    python -m tests.tools.measure_exchanges --games 50
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from pbem.bots import Bot
from pbem.bots.hammer.captain import Captain
from pbem.bots.hammer.random_player import RandomPlayer
from pbem.play.resolve import Answered, Resolution
from pbem.practice.table import Table, play_bots
from pbem.rules.hammer.facts import SIDES
from tests.bots.matches import SCENARIOS

WINTER = 6

Moment = tuple[int, int]
Seat = Callable[[str, int], Bot]
"""Makes a bot for a side and a seed."""


def _captain(side: str, seed: int, *, ahead: bool) -> Bot:
    del seed
    return Captain(side, ahead=ahead)


with_plans: Seat = partial(_captain, ahead=False)
with_guards: Seat = partial(_captain, ahead=True)
at_random: Seat = RandomPlayer

PAIRS: Mapping[str, tuple[Seat, Seat]] = {
    "captains with plans": (with_plans, with_plans),
    "captains with guards": (with_guards, with_guards),
    "captain (plans), random": (with_plans, at_random),
    "captain (guards), random": (with_guards, at_random),
}


@dataclass(slots=True)
class Count:
    """What was counted in some games."""

    games: int = 0
    turns: int = 0
    winters: int = 0
    battles: int = 0
    asked_in: int = 0  # battles in which the judge stopped
    exchanges: Counter[Moment] = field(default_factory=Counter)  # by game and moment
    handovers: Counter[Moment] = field(default_factory=Counter)
    most: int = 0  # exchanges in one turn

    def add(self, other: Count) -> None:
        """Add another count."""
        self.games += other.games
        self.turns += other.turns
        self.winters += other.winters
        self.battles += other.battles
        self.asked_in += other.asked_in
        self.exchanges += other.exchanges
        self.handovers += other.handovers
        self.most = max(self.most, other.most)

    def per(self, counted: Counter[Moment], *, winter: bool) -> float:
        """How many of these there are per turn, or per winter."""
        found = sum(number for (_, turn), number in counted.items() if (turn == WINTER) == winter)
        return found / max(1, self.winters if winter else self.turns)


class Ledger:
    """Counts one game while it is played."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.count = Count(games=1)
        self.asked_in: set[tuple[Moment, int]] = set()
        self.before: Answered | None = None
        table.play.watch = self.answered

    def answered(self, answer: Answered) -> None:
        """One Ask is about to be answered."""
        before, self.before = self.before, answer
        both_at_once = before is not None and before.kind == answer.kind == "card"
        goes_on = before is not None and before.side == answer.side and before.kind != "card"
        if before is not None and before.text.startswith("draw "):
            goes_on = False
        if not (goes_on or (both_at_once and before is not None and before.side != answer.side)):
            self.count.handovers[self.moment()] += 1

    def moment(self) -> Moment:
        """Year and turn."""
        view = self.table.play.game.view("public")
        return view["year"], view["turn"]

    def resolved(self, resolution: Resolution) -> None:
        """An exchange has been resolved: count what happened, and the pause that follows."""
        seen = resolution.seen["public"]
        told = Counter(event["event"] for event in seen.told)
        self.count.turns += told["turn"]
        self.count.winters += told["winter"]
        self.count.battles += told["battle"]
        if resolution.outcome is None:
            self.count.exchanges[self.moment()] += 1
            if (fight := seen.after["battle"]) is not None:
                self.asked_in.add((self.moment(), fight["number"]))

    def finished(self) -> Count:
        """The whole game's count."""
        count = self.count
        count.asked_in = len(self.asked_in)
        count.most = max(number for (_, turn), number in count.exchanges.items() if turn != WINTER)
        return count


def measure(scenario: str, seats: tuple[Seat, Seat], seeds: range) -> Count:
    """Play these games; the two players change sides with each seed."""
    total = Count()
    for seed in seeds:
        table = Table("hammer", {"scenario": scenario}, seed)
        ledger = Ledger(table)
        ledger.resolved(table.last)
        pair = seats if seed % 2 else seats[::-1]
        play_bots(
            table, {side: seat(side, seed) for side, seat in zip(SIDES, pair, strict=True)}, ledger.resolved
        )
        total.add(ledger.finished())
    return total


HEAD = (
    f"{'players':26}{'scenario':12}{'games':>6}{'turns':>7}"
    f"{'per turn':>10}{'most':>6}{'winter':>8}{'game':>7}"
    f"{'turn':>8}{'winter':>8}{'game':>8}{'factor':>8}{'unasked':>9}"
)


def row(players: str, scenario: str, count: Count) -> str:
    """One line of the table."""
    exchanges, handovers = sum(count.exchanges.values()), sum(count.handovers.values())
    return (
        f"{players:26}{scenario:12}{count.games:6}{count.turns:7}"
        f"{count.per(count.exchanges, winter=False):10.2f}{count.most:6}"
        f"{count.per(count.exchanges, winter=True):8.2f}{exchanges / count.games:7.1f}"
        f"{count.per(count.handovers, winter=False):8.1f}{count.per(count.handovers, winter=True):8.1f}"
        f"{handovers / count.games:8.1f}{handovers / exchanges:8.1f}"
        f"{1 - count.asked_in / max(1, count.battles):9.1%}"
    )


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=50, help="games in each line of the table")
    chosen = parser.parse_args()
    print(f"{'':51}{'exchanges':>31}{'hand-overs':>24}{'':8}{'battles':>9}")
    print(HEAD)
    for players, seats in PAIRS.items():
        for scenario in SCENARIOS:
            print(row(players, scenario, measure(scenario, seats, range(chosen.games))), flush=True)


if __name__ == "__main__":
    main()
