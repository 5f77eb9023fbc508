"""5.31, 5.4: rounds in which nobody decides anything: both sides fight to the end, a side's letter as one.

Then a hit always falls alike, so a line can only go down one way, hit by hit: that way is a `Line`. A `Grid`
has the weights of many states: in row r and column c that of the state in which the first side stands at
place r of its line, and the other at place c of its own. A side that fires moves weights along each row, or
along each column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pbem.titles.hammer.odds.states import Fighter, Pair, State, Units

NOBODY: Pair = ((), ())
EMPTY = State(0, NOBODY, NOBODY)


class Shot(NamedTuple):
    """The dice that a line's blocks of one letter fire."""

    dice: int
    rolls: tuple[int, ...]
    """The numbers of rolls that give 0, 1, 2, ... hits."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A side's blocks, and all that becomes of them hit by hit. R60: at the last place more hits are lost."""

    places: tuple[Units, ...]
    dead: tuple[int, ...]
    """The blocks that die and still count after the battle, in the order of their deaths."""
    fallen: tuple[int, ...]
    """The number of the dead that have fallen at each place of the line."""


@dataclass(slots=True, eq=False)
class Grid:
    """The weights of all states that differ only in how many hits the lines have taken."""

    beside: State
    """The state of everything but the lines, as it was when the round began."""
    lines: tuple[Line, Line]
    fallen: tuple[int, int]
    """The number of each line's dead that had fallen when the round began."""
    weights: Sequence[Sequence[int]]


class Volleys:
    """The rounds of one battle. `eliminated` returns the state after a side has lost a block."""

    def __init__(
        self,
        fighters: tuple[Fighter, ...],
        weaker: Callable[[Units, int], tuple[Units, int]],
        eliminated: Callable[[State, int, int], State],
        volley: Callable[[tuple[tuple[int, int], ...]], tuple[int, ...]],
    ) -> None:
        self.fighters = fighters
        self.weaker, self.eliminated, self.volley = weaker, eliminated, volley
        self._lines: tuple[dict[Units, tuple[Line, int]], ...] = ({}, {})
        self._shots: dict[tuple[int, Units, str, bool], Shot | None] = {}

    def round(self, weights: dict[State, int]) -> tuple[int, Iterator[tuple[State, int]]]:
        """5.31: play a whole round.

        Return by how many dice weights have grown, and the states that came of it.
        """
        grids = self._grids(weights)
        steps = [(letter, attacking) for letter in "ABC" for attacking in (False, True)]
        thrown = sum(self.step(grids, letter, attacking) for letter, attacking in steps)
        return thrown, (found for grid in grids for found in self._states(grid))

    def step(self, grids: Sequence[Grid], letter: str, attacking: bool) -> int:
        """Let a side's blocks of a letter fire in all grids; return by how many dice weights have grown."""
        firing = []
        for grid in grids:
            side = grid.beside.attacker if attacking else 1 - grid.beside.attacker
            rows = grid.weights if side == 0 else list(zip(*grid.weights, strict=True))
            *going_on, _ = grid.lines[side].places
            shots = [
                self._shot(side, units, letter, attacking) if any(row) else None
                for row, units in zip(rows, going_on, strict=False)
            ]
            firing.append((grid, side, rows, [*shots, None]))
        most = max((shot.dice for *_, shots in firing for shot in shots if shot), default=0)
        if most:
            unit = 6**most
            rolls = {
                shot: [number * 6 ** (most - shot.dice) for number in shot.rolls]
                for *_, shots in firing
                for shot in shots
                if shot
            }
            for grid, side, rows, shots in firing:
                after = [
                    _fire_at(row, rolls[shot]) if shot else [weight and weight * unit for weight in row]
                    for row, shot in zip(rows, shots, strict=True)
                ]
                grid.weights = after if side == 0 else list(zip(*after, strict=True))
        return most

    def _grids(self, weights: dict[State, int]) -> list[Grid]:
        grids: dict[tuple[object, ...], tuple[Grid, list[list[int]]]] = {}
        for state, weight in weights.items():
            (one, row), (other, column) = (self._line(side, state.fighting[side]) for side in (0, 1))
            fallen = one.fallen[row], other.fallen[column]
            beside = State(state.attacker, NOBODY, *state[2:])
            key = beside, one, other, fallen
            if key not in grids:
                table = [[0] * len(other.places) for _ in one.places]
                grids[key] = Grid(beside, (one, other), fallen, table), table
            grids[key][1][row][column] = weight
        return [grid for grid, _ in grids.values()]

    def _line(self, side: int, units: Units) -> tuple[Line, int]:
        """Return a line in which these blocks stand, and their place in it."""
        lines = self._lines[side]
        if units not in lines:
            places, dead, fallen = [units], [], [0]
            fell = EMPTY
            while places[-1] and fell.fallen < 0:
                after, index = self.weaker(places[-1], side)
                fell = self.eliminated(EMPTY, side, index) if index >= 0 else EMPTY
                dead += [index] if fell != EMPTY else []
                places.append(after)
                fallen.append(len(dead))
            line = Line(tuple(places), tuple(dead), tuple(fallen))
            for place, there in enumerate(places):
                if place == 0 or place < len(places) - 1 or fell.fallen < 0:
                    lines.setdefault(there, (line, place))
        return lines[units]

    def _states(self, grid: Grid) -> Iterator[tuple[State, int]]:
        one, other = grid.lines
        besides: dict[tuple[int, int], State] = {}
        for units, fallen, row in zip(one.places, one.fallen, grid.weights, strict=True):
            for others, others_fallen, weight in zip(other.places, other.fallen, row, strict=True):
                if weight:
                    key = fallen, others_fallen
                    if key not in besides:
                        besides[key] = self._beside(grid, key)
                    beside = besides[key]
                    yield State(beside.attacker, (units, others), *beside[2:]), weight

    def _beside(self, grid: Grid, fallen: Iterable[int]) -> State:
        """Return the state beside the lines when these numbers of blocks of each have fallen."""
        found = grid.beside
        for side, (line, before, now) in enumerate(zip(grid.lines, grid.fallen, fallen, strict=True)):
            for index in line.dead[before:now]:
                found = self.eliminated(found, side, index)
        return found

    def _shot(self, side: int, units: Units, letter: str, attacking: bool) -> Shot | None:
        """Return the dice that a line's blocks of a letter fire; None if it has no such block.

        1.4: a noble at home defends better.
        """
        key = side, units, letter, attacking
        if key not in self._shots:
            thrown: dict[int, int] = {}
            for index, strength in units:
                one = self.fighters[index]
                if one.letter == letter:
                    rating = one.number + (one.at_home and not attacking)
                    thrown[rating] = thrown.get(rating, 0) + strength
            rolls = self.volley(tuple(sorted(thrown.items())))
            self._shots[key] = Shot(sum(thrown.values()), rolls) if thrown else None
        return self._shots[key]


def _fire_at(row: Sequence[int], rolls: Sequence[int]) -> list[int]:
    """Return the weights after a line was fired at. `rolls`: how many there are with 0, 1, 2, ... hits."""
    last = len(row) - 1
    after = [0] * (last + len(rolls))
    for place, weight in enumerate(row):
        if weight:
            for hits, number in enumerate(rolls, place):
                after[hits] += weight * number
    return [*after[:last], sum(after[last:])]
