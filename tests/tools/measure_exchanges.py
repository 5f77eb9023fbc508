"""How many exchanges games take, and how many hand-overs step by step.

An exchange is one pause in which the judge waits; it counts for the turn or winter in which he waits. A
hand-over is one player's decisions until the other must decide (or, in winter, until the next drawn block
is seen): what the very same games would have cost in mails without orders given ahead. The cards, which
both play at once, are one of either.

Players "with plans" answer what they are asked and send plans for their battles when these are due; "with
guards" they also write for both cases, under conditions, before they know who moves first, and in a year's
last turn for its winter. A battle is unasked if the judge does not stop in it. A second table says why the
judge stopped. Seeds are fixed.

    python -m tests.tools.measure_exchanges --games 50
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import product
from multiprocessing import Pool

from pbem.play.resolve import Answered, Resolution
from pbem.practice.table import Table
from pbem.rules.base import Ask
from pbem.rules.hammer.facts import SIDES
from tests.bots.playing import play_bots
from tests.hammer.matches import SCENARIOS, seated

WINTER = 6

PAIRS: Mapping[str, tuple[str, str]] = {
    "both with plans": ("asked captain", "asked captain"),
    "both with guards": ("captain", "captain"),
    "one with plans": ("asked captain", "random"),
    "one with guards": ("captain", "random"),
}
"""Who plays: two captains, or one against the random player."""


@dataclass(slots=True)
class Count:
    """What was counted in some games, each by "turn" or "winter" where that matters."""

    games: int = 0
    battles: int = 0
    asked_in: int = 0  # battles in which the judge stopped
    played: Counter[str] = field(default_factory=Counter)
    exchanges: Counter[str] = field(default_factory=Counter)
    handovers: Counter[str] = field(default_factory=Counter)
    stops: Counter[str] = field(default_factory=Counter)  # why the judge stopped
    most: int = 0  # exchanges in one turn

    def __add__(self, other: Count) -> Count:
        """Both together."""
        both = {one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)}
        return Count(**{**both, "most": max(self.most, other.most)})

    def per(self, counted: Counter[str], part: str) -> float:
        """How many of these there are per turn, or per winter."""
        return counted[part] / max(1, self.played[part])


class Ledger:
    """Counts one game while it is played."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.count = Count(games=1)
        self.pauses: Counter[tuple[int, int]] = Counter()  # by year and turn
        self.asked_in: set[tuple[int, int, int]] = set()
        self.before: Answered | None = None
        table.play.watch = self.answered

    def answered(self, answer: Answered, _ask: Ask) -> None:
        """One Ask is about to be answered."""
        before, self.before = self.before, answer
        both_at_once = before is not None and before.kind == answer.kind == "card"
        goes_on = before is not None and before.side == answer.side and before.kind != "card"
        if before is not None and before.text.startswith("draw "):
            goes_on = False
        if not (goes_on or (both_at_once and before is not None and before.side != answer.side)):
            turn = self.table.play.game.view("public")["turn"]
            self.count.handovers[_part(turn)] += 1

    def resolved(self, resolution: Resolution) -> None:
        """An exchange has been resolved: count what happened, and the pause that follows."""
        seen = resolution.seen["public"]
        told = Counter(event["event"] for event in seen.told)
        self.count.played += Counter({part: told[part] for part in ("turn", "winter")})
        self.count.battles += told["battle"]
        if resolution.outcome is None:
            year, turn, fight = seen.after["year"], seen.after["turn"], seen.after["battle"]
            self.pauses[year, turn] += 1
            self.count.exchanges[_part(turn)] += 1
            self.count.stops[self._why(resolution)] += 1
            if fight is not None:
                self.asked_in.add((year, turn, fight["number"]))

    def _why(self, resolution: Resolution) -> str:
        """The public stop, or what was asked."""
        if resolution.stop != "asked":
            return resolution.stop
        kinds = {ask.kind for side in SIDES for ask in self.table.asks(side)}
        phase = resolution.seen["public"].after["phase"]
        return phase if kinds == {"move"} else ", ".join(sorted(kinds))

    def finished(self) -> Count:
        """The whole game's count."""
        self.count.asked_in = len(self.asked_in)
        self.count.most = max(number for (_, turn), number in self.pauses.items() if turn != WINTER)
        return self.count


def _part(turn: int) -> str:
    return "winter" if turn == WINTER else "turn"


def count_game(pair: str, scenario: str, seed: int) -> Count:
    """Play one game and count; the two players change sides with each seed."""
    table = Table("hammer", {"scenario": scenario}, seed)
    ledger = Ledger(table)
    ledger.resolved(table.last)
    names = PAIRS[pair] if seed % 2 else PAIRS[pair][::-1]
    bots = {side: seated(name, side, seed) for side, name in zip(SIDES, names, strict=True)}
    play_bots(table, bots, ledger.resolved)
    return ledger.finished()


OVER = f"{'':53}{'-- exchanges per --':>28}{'-- hand-overs per --':>24}{'':8}{'battles':>9}"
HEAD = (
    f"{'players':18}{'scenario':12}{'games':>6}{'turns':>7}{'battles':>9}"
    f"{'turn':>8}{'most':>6}{'winter':>8}{'game':>7}"
    f"{'turn':>8}{'winter':>8}{'game':>8}{'factor':>8}{'unasked':>9}"
)


def row(players: str, scenario: str, count: Count) -> str:
    """One line of the table."""
    exchanges, handovers = count.exchanges.total(), count.handovers.total()
    return (
        f"{players:18}{scenario:12}{count.games:6}{count.played['turn']:7}{count.battles:9}"
        f"{count.per(count.exchanges, 'turn'):8.2f}{count.most:6}"
        f"{count.per(count.exchanges, 'winter'):8.2f}{exchanges / count.games:7.1f}"
        f"{count.per(count.handovers, 'turn'):8.1f}{count.per(count.handovers, 'winter'):8.1f}"
        f"{handovers / count.games:8.1f}{handovers / exchanges:8.1f}"
        f"{1 - count.asked_in / max(1, count.battles):9.1%}"
    )


def reasons(players: str, count: Count) -> str:
    """Why the judge stopped, per game."""
    each = (f"{why} {number / count.games:.1f}" for why, number in count.stops.most_common())
    return f"{players:18}{'; '.join(each)}"


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=50, help="games in each line of the table")
    parser.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args()
    print(OVER, HEAD, sep="\n")
    totals = dict.fromkeys(PAIRS, Count())
    with Pool(chosen.processes) as pool:
        for pair, scenario in product(PAIRS, SCENARIOS):
            games = list(product([pair], [scenario], range(chosen.games)))
            count = sum(pool.starmap(count_game, games, chunksize=2), Count())
            totals[pair] += count
            print(row(pair, scenario, count), flush=True)
    print("\nwhy the judge stopped, per game")
    for pair, count in totals.items():
        print(reasons(pair, count))


if __name__ == "__main__":
    main()
