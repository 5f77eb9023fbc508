"""How many exchanges the games of bots take, and how many hand-overs step by step.

    python -m tests.tools.measure_exchanges GAME --games 50

An exchange is one pause in which the judge waits; it counts for the part of the game (a turn, a winter, a
round, a year) in which the judge waits. A hand-over is one player's decisions until another must decide, or
until something new is seen: what the very same games would have cost in mails without orders given ahead;
what several are asked at once counts once. A second table says why the judge stopped. Who plays, and at which
tables, stands in tests/<game>/matches.py. Seeds are fixed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field, fields
from itertools import islice, product

from pbem.play.resolve import Answered, Resolution
from pbem.practice.table import Table
from pbem.rules.base import Ask, View, read_head
from pbem.titles import default_name
from tests.bots.matches import GAMES, matches_of, seated
from tests.bots.playing import play_bots
from tests.tools.in_processes import results

Part = tuple[int, tuple[str, ...]]
"""A game's seed, and a part of that game."""


@dataclass(slots=True)
class Count:
    """What was counted in some games."""

    exchanges: Counter[Part] = field(default_factory=Counter)
    handovers: Counter[Part] = field(default_factory=Counter)
    stops: Counter[str] = field(default_factory=Counter)
    """Why the judge stopped."""

    def __add__(self, other: Count) -> Count:
        """Both together."""
        return Count(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def factor(self) -> float:
        """Hand-overs for each exchange."""
        return self.handovers.total() / self.exchanges.total()

    def parts(self) -> dict[str, list[Part]]:
        """The parts that were played, by their kind: turns, winters, rounds."""
        found: dict[str, list[Part]] = {}
        for part in dict.fromkeys((*self.exchanges, *self.handovers)):
            found.setdefault(part[1][-1].strip(" 0123456789") or "year", []).append(part)
        return found

    def per(self, counted: Counter[Part], kind: str) -> float:
        """How many of these there are in a part of this kind."""
        parts = self.parts()[kind]
        return sum(counted[part] for part in parts) / len(parts)


class Watcher:
    """Counts one game while it is played."""

    def __init__(self, title: str, table: Table, seed: int) -> None:
        self.matches = matches_of(title)
        self.table, self.seed = table, seed
        self.count = Count()
        self.last = ""
        self.at_once: set[tuple[str, str]] = set()
        table.play.watch = self.answered

    def part(self, view: View) -> Part:
        """Where the game stands."""
        return self.seed, read_head(view).moment[: self.matches.words]

    def answered(self, answer: Answered, _ask: Ask) -> None:
        """One Ask is about to be answered."""
        game = self.table.play.game
        others = {(ask.side, ask.kind) for ask in game.asks if ask.side != answer.side}
        was_open = (answer.side, answer.kind) in self.at_once
        if answer.side != self.last and not was_open:
            self.count.handovers[self.part(game.view("public"))] += 1
        seen_next = others or was_open or self.matches.learns(answer)
        self.last, self.at_once = "" if seen_next else answer.side, others

    def resolved(self, resolution: Resolution) -> None:
        """An exchange has been resolved: count the pause that follows."""
        if resolution.outcome is None:
            self.count.exchanges[self.part(resolution.seen["public"].after)] += 1
            kinds = {ask.kind for side in self.table.sides for ask in self.table.open_asks(side)}
            self.count.stops[", ".join(sorted(kinds)) if resolution.stop == "asked" else resolution.stop] += 1


def count_game(title: str, seating: str, at: str, seed: int) -> Count:
    """Play one game and count."""
    matches = matches_of(title)
    table, names = Table(title, matches.tables[at], seed), matches.seatings[seating]
    watcher = Watcher(title, table, seed)
    watcher.resolved(table.last)
    bots = {
        side: seated(title, names[(place + seed) % len(names)], side)
        for place, side in enumerate(table.sides)
    }
    play_bots(table, bots, watcher.resolved)
    return watcher.count


def row(seating: str, at: str, games: int, count: Count) -> str:
    """One line of the table."""
    exchanges, handovers = count.exchanges.total() / games, count.handovers.total() / games
    said = "; ".join(
        f"{kind} {count.per(count.exchanges, kind):.2f} (most {max(count.exchanges[p] for p in parts)}), "
        f"{count.per(count.handovers, kind):.1f} hand-overs"
        for kind, parts in count.parts().items()
    )
    return f"{seating:24}{at:12}{games:6}{exchanges:10.1f}{handovers:12.1f}{count.factor:8.1f}   {said}"


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="?", choices=GAMES, default=default_name())
    parser.add_argument("--games", type=int, default=50, help="games in each line of the table")
    parser.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args()
    matches = matches_of(chosen.game)
    print(f"{'players':24}{'table':12}{'games':>6}{'exchanges':>10}{'hand-overs':>12}{'factor':>8}   in each")
    totals = dict.fromkeys(matches.seatings, Count())
    rows = list(product(matches.seatings, matches.tables))
    games = [(chosen.game, seating, at, seed) for seating, at in rows for seed in range(chosen.games)]
    counts = results(count_game, games, chosen.processes)
    for seating, at in rows:
        count = sum(islice(counts, chosen.games), Count())
        totals[seating] += count
        print(row(seating, at, chosen.games, count), flush=True)
    print("\nwhy the judge stopped, per game")
    for seating, count in totals.items():
        stops = count.stops.most_common()
        said = (f"{why} {number / (chosen.games * len(matches.tables)):.1f}" for why, number in stops)
        print(f"{seating:24}{'; '.join(said)}")


if __name__ == "__main__":
    main()
