"""The states of a battle for odds: what is on the table, what does not change, tactics, and endings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from pbem.rules.hammer.facts import Options
from pbem.titles.hammer.odds.fighters import Fighter

Units = tuple[tuple[int, int], ...]
"""The blocks of one side: place in `Field.fighters` and strength, in the order of the block list."""
Pair = tuple[Units, Units]
"""The blocks of both sides, in the order of `SIDES`."""


class State(NamedTuple):
    """A battle's position on the table at one moment."""

    attacker: int  # place in SIDES; 5.32 may change it
    fighting: Pair
    reserves: Pair
    left: Pair = ((), ())  # retreated
    crossed: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # 5.5: ways out used in this round
    waiting: tuple[int, ...] = ()  # who has a Combat Turn in the step going on
    beaten: tuple[int, ...] = ()  # eliminated first defenders, where a house rule counts them (R65)
    fallen: int = -1  # 9.1: the leader whose death ends the game


class Turn(NamedTuple):
    """5.31: an action of one block in its Combat Turn: "fire", "pass" or "retreat"."""

    fighter: int
    action: str
    to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """The facts that do not change while a battle is fought."""

    area: str
    attacker: str
    fighters: tuple[Fighter, ...]
    options: Options
    ways_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """The areas to which each side may retreat, with how many blocks in a round. A side that is left out has
    no limit."""
    havens: tuple[str, ...] = ()
    """4.7: the areas where the Norse could retreat to."""
    second_edward: bool = False
    """6.1: whether Edward II is on the throne."""
    round: int = 0
    """5.3: the round in progress, which is counted from its beginning; 0 before the battle."""


class Tactics:
    """The tactics of a side: these fight to the end, and a hit falls where it hurts least."""

    plain = True
    """Whether nothing that the tactics decide depends on the battle's course; a letter's blocks then fire as
    one."""
    plain_hits = True
    """Whether the cheapest of the strongest blocks is always the one to be hit."""

    turn: Callable[[Field, State, int, Sequence[Turn]], Turn]
    """Function that returns whose turn it is next, and what the block does; plain tactics are not asked."""

    def hit(self, where: Field, state: State, round_: int, tied: Sequence[int]) -> int:
        """5.41: return which of the strongest blocks takes a hit."""
        return min(tied, key=lambda index: where.fighters[index].cheap)


class Fate(NamedTuple):
    """The fate of a block: its side, its strength, and where it is."""

    side: str
    strength: int
    where: str  # "area", "left" or "gone"


class Ending(NamedTuple):
    """One way in which a battle may end: who holds the area, and what became of each block."""

    holder: str | None
    """The side that holds the area; None if it is nobody's."""
    fates: tuple[Fate, ...]
    """The fates of the blocks, in the order of `Field.fighters`."""
    fallen: str = ""
    """The leader whose death ended the game; empty if none did."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All endings that a battle may have."""

    endings: tuple[tuple[Ending, int], ...]
    """The endings, each with the number of equally likely rolls that lead to it; the same one may stand there
    twice."""
    rolls: int
    """The number of all rolls, by which a weight becomes a chance."""

    def chance(self, so: Callable[[Ending], bool]) -> Fraction:
        """Return the exact chance of the endings for which `so` is true."""
        return Fraction(sum([rolls for ending, rolls in self.endings if so(ending)]), self.rolls)

    def mean(self, count: Callable[[Ending], int]) -> Fraction:
        """Return the average of what `count` gives for an ending."""
        return Fraction(sum([rolls * count(ending) for ending, rolls in self.endings]), self.rolls)

    def chances(self) -> dict[Ending, Fraction]:
        """Return each ending with its exact chance."""
        found: dict[Ending, int] = {}
        for ending, rolls in self.endings:
            found[ending] = found.get(ending, 0) + rolls
        return {ending: Fraction(rolls, self.rolls) for ending, rolls in found.items()}
