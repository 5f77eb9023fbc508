"""Luck in battles: the hits that dice were expected to bring, and those that they brought, for each side.

Only dice count that the track's reader was shown. A die that hits on 2 or less of 6 is expected to bring a
third of a hit; the interval is where all hits of a side fall with nine chances in ten or more, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from pbem.moments.tracks import Track
from pbem.playback import Board

PIPS = 6
TAIL = 20
"""One chance in so many may be left out at each end of the interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The dice of one side: how many, the hits expected and rolled, and the interval."""

    side: str
    dice: int
    expected: Fraction
    rolled: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleLuck:
    """A battle, or all of them: where it begins, and the dice of each side."""

    exchange: int
    """0 for all battles together."""
    step: int
    name: str
    sides: tuple[Hits, ...]


@dataclass(slots=True)
class _Sum:
    """Chances of the number of hits so far, and what was rolled."""

    ways: list[int] = field(default_factory=lambda: [1])
    """Number of hits -> in how many ways, of `PIPS` to the power of the dice, they fall so."""
    rolled: int = 0
    dice: int = 0
    expected: Fraction = Fraction(0)

    def add(self, dice: tuple[int, ...], hits_up_to: int) -> None:
        good = max(0, min(PIPS, hits_up_to))
        for pips in dice:
            self.rolled += pips <= hits_up_to
            self.dice += 1
            self.expected += Fraction(good, PIPS)
            miss = [(PIPS - good) * one for one in (*self.ways, 0)]
            hit = [good * one for one in (0, *self.ways)]
            self.ways = [one + other for one, other in zip(miss, hit, strict=True)]

    def interval(self) -> tuple[int, int]:
        """Return the fewest and the most hits, each tail beyond being at most one in twenty."""
        left_out = PIPS**self.dice // TAIL
        low, high, below, above = 0, self.dice, 0, 0
        while (below := below + self.ways[low]) <= left_out:
            low += 1
        while (above := above + self.ways[high]) <= left_out:
            high -= 1
        return low, high

    def hits(self, side: str) -> Hits:
        low, high = self.interval()
        return Hits(side=side, dice=self.dice, expected=self.expected, rolled=self.rolled, low=low, high=high)


def count_luck(track: Track) -> tuple[BattleLuck, ...]:
    """Return the luck of all battles together, then of each; nothing where no die was shown."""
    battles: list[tuple[int, int, str, dict[str, _Sum]]] = []
    total: dict[str, _Sum] = {}
    for exchange, step, name, board in _boards(track):
        if board.shot is None:
            continue
        side = next(
            (side for side, fighters in board.lines for one in fighters if one.name == board.shot.fighter), ""
        )
        if not battles or battles[-1][2] != name:
            battles.append((exchange, step, name, {}))
        for sums in (total, battles[-1][3]):
            sums.setdefault(side, _Sum()).add(board.shot.dice, board.shot.hits_up_to)
    if not total:
        return ()
    rows = [(0, 0, "", total), *battles]
    return tuple(
        BattleLuck(
            exchange=exchange,
            step=step,
            name=name,
            sides=tuple(sums[side].hits(side) for side in sorted(sums)),
        )
        for exchange, step, name, sums in rows
    )


def _boards(track: Track) -> Iterator[tuple[int, int, str, Board]]:
    """Yield every board with its place, and the number of its battle and area as a name."""
    battle, last = 0, ""
    for chapter in track.chapters:
        for number, moment in enumerate(chapter.moments, 1):
            step = moment.step
            if step.board is None:
                last = ""
                continue
            name = step.board.area or step.chapter
            battle += name != last and step.board.round <= 1
            last = name
            yield chapter.exchange, number, f"{battle}. {name}", step.board
