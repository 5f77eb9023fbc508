"""How many exchanges games of Lords and First War take, beside hand-overs step by step.

An exchange is one pause in which the judge waits. A hand-over is one player's decisions until another must
decide: what the very same games would have cost in mails without orders given ahead; what several are asked
at once counts once. Parts are the largest that a view names: years, or rounds. Seeds are fixed.

    python -m tests.tools.measure_card_exchanges --games 200
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pbem.bots import Bot
from pbem.play.resolve import Answered, Resolution
from pbem.practice.table import Table
from pbem.rules.base import Ask, View, read_head
from pbem.titles import load
from tests.bots.playing import play_bots
from tests.properties.random_play import Options

Seat = Callable[[str, int, int], Bot]
"""Side, its place at the table and the game's seed -> who plays it."""


class Planner:
    """A player of Lords who writes as the chief does, and a plan for every turn of the round."""

    def __init__(self, side: str) -> None:
        self.bot: Bot = load("lords").bots["chief"](side)

    def write(self, view: View, asks: Sequence[Ask] = ()) -> str:
        """What the bot would do now, and in every later turn much the same."""
        lines = self.bot.write(view, asks)
        return f"{lines}turn any:\nrecruit best, hidden\nmuster best down\nend\n"


def chiefs_and_others(side: str, place: int, seed: int) -> Bot:
    """Chiefs and random players in turn."""
    return load("lords").bots["random" if (place + seed) % 2 else "chief"](side)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table."""

    title: str
    who: str
    seat: Seat
    options: Options = field(default_factory=dict)


ROWS = (
    *(
        Row(title="lords", who=f"{players}, {who}", seat=seat, options={"players": players})
        for who, seat in (
            ("a file for each turn", chiefs_and_others),
            ("a plan for the round", lambda side, *_: Planner(side)),
        )
        for players in (2, 3, 4, 5)
    ),
    Row(
        title="first-war",
        who="2, a sheet for each season",
        seat=lambda side, *_: load("first-war").bots["marshal"](side),
    ),
)
HEAD = (
    f"{'game':10}{'players':26}{'games':>6}{'parts':>7}{'exchanges a part':>18}{'most':>6}{'a game':>8}"
    f"{'hand-overs':>12}{'factor':>8}"
)


class Count:
    """What was counted in some games."""

    def __init__(self) -> None:
        self.pauses: Counter[tuple[int, str]] = Counter()
        """By game and part."""
        self.handovers = 0

    def play(self, row: Row, seed: int) -> None:
        """Play a game and count it."""
        table = Table(row.title, row.options, seed)
        last = ""
        at_once: set[tuple[str, str]] = set()

        def answered(answer: Answered, _ask: Ask) -> None:
            nonlocal last
            self.handovers += answer.side != last and (answer.side, answer.kind) not in at_once
            at_once.clear()
            at_once.update((ask.side, ask.kind) for ask in table.play.game.asks if ask.side != answer.side)
            last = answer.side

        def resolved(resolution: Resolution) -> None:
            if resolution.outcome is None:
                self.pauses[seed, read_head(resolution.seen["public"].after).moment[0]] += 1

        table.play.watch = answered
        resolved(table.last)
        play_bots(table, {side: row.seat(side, n, seed) for n, side in enumerate(table.sides)}, resolved)

    def cells(self, games: int) -> Iterator[str]:
        """The figures of a line."""
        exchanges, parts = sum(self.pauses.values()), len(self.pauses)
        yield f"{parts / games:7.1f}{exchanges / parts:18.2f}{max(self.pauses.values()):6}"
        yield f"{exchanges / games:8.1f}{self.handovers / games:12.1f}{self.handovers / exchanges:8.1f}"


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=200, help="of each game, in equal parts")
    chosen = parser.parse_args()
    print(HEAD)
    for row in ROWS:
        count, games = Count(), max(1, chosen.games // sum(one.title == row.title for one in ROWS))
        for seed in range(games):
            count.play(row, seed)
        print(f"{row.title:10}{row.who:26}{games:6}", *count.cells(games), sep="", flush=True)


if __name__ == "__main__":
    main()
