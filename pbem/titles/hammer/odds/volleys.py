"""5.31, 5.4: rounds in which nobody decides anything: both sides fight to the end, a side's letter as one.

Then a hit always falls alike, so a line after so many hits follows from the line before them. States are
packed: lines by numbers, in one table for all that lies beside them. What a line fires, and what becomes of
one that is hit, is computed once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pbem.titles.hammer.odds.fighters import Fighter
from pbem.titles.hammer.odds.states import State, Units

WIDE = 1 << 20
"""Two lines are one number: the first side's times this, and the second's."""

NOBODY: tuple[Units, Units] = ((), ())
Cells = dict[int, int]
"""Both lines as one number -> weight."""
Grid = dict[State, Cells]
"""All but the lines, as a state without them -> cells."""


class Shot(NamedTuple):
    """What a line's blocks of one letter fire."""

    dice: int
    rolls: tuple[int, ...]
    """In how many rolls there are 0, 1, 2, ... hits."""


class Hit(NamedTuple):
    """What becomes of a line by some hits."""

    line: int
    dead: tuple[int, ...]
    """Who falls, in turn."""


class Table:
    """The lines of one side, by number."""

    def __init__(self, weaker: Callable[[Units], tuple[Units, int]], ends: Callable[[int], bool]) -> None:
        self.lines: list[Units] = []
        self._numbers: dict[Units, int] = {}
        self._hits: dict[int, list[Hit]] = {}
        self._weaker, self._ends = weaker, ends

    def number(self, line: Units) -> int:
        """A line's number."""
        found = self._numbers.get(line)
        if found is None:
            found = self._numbers[line] = len(self.lines)
            self.lines.append(line)
        return found

    def hits(self, number: int, most: int) -> list[Hit]:
        """What becomes of a line by 0, 1, 2, ... hits, up to `most` at least. R60: too many are lost."""
        found = self._hits.setdefault(number, [Hit(number, ())])
        while len(found) <= most:
            last = found[-1]
            line = self.lines[last.line]
            if not line or (last.dead and self._ends(last.dead[-1])):
                found.append(last)
                continue
            after, dead = self._weaker(line)
            found.append(Hit(self.number(after), last.dead if dead < 0 else (*last.dead, dead)))
        return found


class Volleys:
    """Rounds of one battle. `eliminated`: the state after a side has lost a block."""

    def __init__(
        self,
        fighters: tuple[Fighter, ...],
        weaker: Callable[[Units, int], tuple[Units, int]],
        eliminated: Callable[[State, int, int], State],
        volley: Callable[[tuple[tuple[int, int], ...]], tuple[int, ...]],
    ) -> None:
        self.fighters = fighters
        self.eliminated = eliminated
        self.volley = volley
        empty = State(0, NOBODY, NOBODY)
        self.tables = [
            Table(
                lambda line, side=side: weaker(line, side),  # type: ignore[misc]
                lambda index, side=side: eliminated(empty, side, index).fallen >= 0,  # type: ignore[misc]
            )
            for side in (0, 1)
        ]
        self._shots: dict[tuple[int, int, str, bool], Shot | None] = {}
        self._beside: dict[tuple[State, int, tuple[int, ...]], State] = {}

    def packed(self, weights: dict[State, int]) -> Grid:
        """States as a grid."""
        grid: Grid = {}
        one, other = self.tables
        for state, weight in weights.items():
            cell = one.number(state.fighting[0]) * WIDE + other.number(state.fighting[1])
            grid.setdefault(state._replace(fighting=NOBODY), {})[cell] = weight
        return grid

    def unpacked(self, grid: Grid) -> dict[State, int]:
        """A grid as states."""
        return {
            self._state(beside, cell): weight
            for beside, cells in grid.items()
            for cell, weight in cells.items()
        }

    def _state(self, beside: State, cell: int) -> State:
        one, other = divmod(cell, WIDE)
        return beside._replace(fighting=(self.tables[0].lines[one], self.tables[1].lines[other]))

    def step(self, grid: Grid, letter: str, attacking: bool) -> tuple[int, Grid, dict[State, int]]:
        """5.31: a side's blocks of a letter fire: by how many dice weights grow, what goes on, what ends."""
        firing = [
            (beside, side, cell, weight, self._shot(side, self._line(cell, side), letter, attacking))
            for beside, cells in grid.items()
            for side in (beside.attacker if attacking else 1 - beside.attacker,)
            for cell, weight in cells.items()
        ]
        empty = [table.number(()) for table in self.tables]
        most = max((shot.dice for *_, shot in firing if shot is not None), default=0)
        unit = 6**most
        scaled: dict[Shot, list[int]] = {}
        after: Grid = {}
        ended: dict[tuple[State, int], int] = {}
        for beside, side, cell, weight, shot in firing:
            cells = after.setdefault(beside, {})
            theirs = self._line(cell, 1 - side)
            if shot is None or theirs == empty[1 - side]:
                cells[cell] = cells.get(cell, 0) + weight * unit
                continue
            if (rolls := scaled.get(shot)) is None:
                rolls = scaled[shot] = [number * 6 ** (most - shot.dice) for number in shot.rolls]
            place = 1 if side == 0 else WIDE
            base = cell - theirs * place
            for (line, dead), number in zip(
                self.tables[1 - side].hits(theirs, len(rolls)), rolls, strict=False
            ):
                there = base + line * place
                if not dead:
                    cells[there] = cells.get(there, 0) + weight * number
                    continue
                other = self._without(beside, 1 - side, dead)
                if other.fallen >= 0 or (line == empty[1 - side] and not other.reserves[1 - side]):
                    ended[other, there] = ended.get((other, there), 0) + weight * number
                else:
                    others = after.setdefault(other, {})
                    others[there] = others.get(there, 0) + weight * number
        return most, after, {self._state(*place): weight for place, weight in ended.items()}

    @staticmethod
    def _line(cell: int, side: int) -> int:
        return cell % WIDE if side else cell // WIDE

    def _shot(self, side: int, number: int, letter: str, attacking: bool) -> Shot | None:
        """What a line fires; None if it has no block of this letter. 1.4: a noble at home defends better."""
        key = side, number, letter, attacking
        if key not in self._shots:
            thrown: dict[int, int] = {}
            for index, strength in self.tables[side].lines[number]:
                one = self.fighters[index]
                if one.letter == letter:
                    rating = one.number + (one.at_home and not attacking)
                    thrown[rating] = thrown.get(rating, 0) + strength
            rolls = self.volley(tuple(sorted(thrown.items())))
            self._shots[key] = Shot(sum(thrown.values()), rolls) if thrown else None
        return self._shots[key]

    def _without(self, beside: State, side: int, dead: tuple[int, ...]) -> State:
        """What lies beside the lines when these have fallen."""
        key = beside, side, dead
        if (found := self._beside.get(key)) is None:
            found = beside
            for index in dead:
                found = self.eliminated(found, side, index)
            self._beside[key] = found
        return found
