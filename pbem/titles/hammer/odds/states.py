"""What a battle is for odds: what lies on the table, what stays as it is, how a side fights, how it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from pbem.rules.hammer.options import Options
from pbem.titles.hammer.odds.fighters import Fighter

Units = tuple[tuple[int, int], ...]
"""Blocks of one side: place in `Field.fighters` and strength, in the order of the block list."""
Pair = tuple[Units, Units]
"""The same for both sides, in the order of `SIDES`."""


class State(NamedTuple):
    """A battle as it lies on the table."""

    attacker: int  # place in SIDES; 5.32 may change it
    fighting: Pair
    reserves: Pair
    left: Pair = ((), ())  # retreated
    crossed: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # 5.5: ways out used in this round
    waiting: tuple[int, ...] = ()  # who has a Combat Turn in the step going on
    beaten: tuple[int, ...] = ()  # eliminated first defenders, where a house rule counts them (R65)
    fallen: int = -1  # 9.1: the leader whose death ends the game


class Turn(NamedTuple):
    """5.31: what one block does in its Combat Turn: "fire", "pass" or "retreat"."""

    fighter: int
    action: str
    to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What does not change while a battle is fought."""

    area: str
    attacker: str
    fighters: tuple[Fighter, ...]
    options: Options
    ways_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Side -> area it may retreat to -> how many in a round. A side that is left out is not limited."""
    havens: tuple[str, ...] = ()
    """4.7: where the Norse could retreat to."""
    second_edward: bool = False
    """6.1: is Edward II on the throne?"""
    round: int = 0
    """5.3: the round going on, which is counted from its beginning; 0 before the battle."""


class Tactics:
    """How a side fights: here, to the end, and a hit falls where it hurts least."""

    plain = True
    """Does nothing that it decides depend on how the battle goes? Then its blocks of a letter fire as one."""
    plain_hits = True
    """Is the cheapest of the strongest always the one to be hit?"""

    turn: Callable[[Field, State, int, Sequence[Turn]], Turn]
    """Whose turn it is next, and what it does; who is plain is not asked."""

    def hit(self, where: Field, state: State, round_: int, tied: Sequence[int]) -> int:
        """5.41: which of the strongest takes a hit."""
        return min(tied, key=lambda index: where.fighters[index].cheap)


class Fate(NamedTuple):
    """What has become of a block: its side, its strength, and where it is."""

    side: str
    strength: int
    where: str  # "area", "left" or "gone"


class Ending(NamedTuple):
    """One way in which a battle may end."""

    holder: str | None
    """Who holds the area."""
    fates: tuple[Fate, ...]
    """In the order of `Field.fighters`."""
    fallen: str = ""
    """The leader whose death ended the game."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that may come of a battle."""

    endings: tuple[tuple[Ending, int], ...]
    """Each with the number of equally likely rolls that lead to it; the same ending may stand there twice."""
    rolls: int
    """How many rolls there are."""

    def chance(self, so: Callable[[Ending], bool]) -> Fraction:
        """Return the exact chance of an ending of which this is so."""
        return Fraction(sum([rolls for ending, rolls in self.endings if so(ending)]), self.rolls)

    def mean(self, count: Callable[[Ending], int]) -> Fraction:
        """Return what is counted in an ending, on average."""
        return Fraction(sum([rolls * count(ending) for ending, rolls in self.endings]), self.rolls)

    def chances(self) -> dict[Ending, Fraction]:
        """Return each ending with its exact chance."""
        found: dict[Ending, int] = {}
        for ending, rolls in self.endings:
            found[ending] = found.get(ending, 0) + rolls
        return {ending: Fraction(rolls, self.rolls) for ending, rolls in found.items()}
