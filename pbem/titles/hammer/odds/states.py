"""The states that the odds of a battle go through: fighters, the table round by round, and the endings.

5.31, 5.4: in a volley nobody decides anything: both sides fight to the end, a side's letter as one. Then a
hit always falls alike, so a line can only go down one way, hit by hit: that way is a `Line`. A `Grid` has the
weights of many states: in row r and column c that of the state in which the first side stands at place r of
its line, and the other at place c of its own. A side that fires moves weights along each row, or along each
column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from pbem.errors import OrderError
from pbem.orders.base import listed
from pbem.orders.hammer.vocabulary import ALL_BLOCKS, can_hold
from pbem.orders.lines import Token, read_text
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import (
    AREAS,
    BLOCKS,
    ENGLAND,
    ENGLAND_AREA,
    SCOTLAND,
    SIDES,
    Options,
    enemy_of,
    read_options,
)
from pbem.rules.hammer.losses_5_7 import worth
from pbem.rules.hammer.position import Block


@dataclass(frozen=True, slots=True)
class Fighter:
    """2.11, 2.12: one block in a battle, with its strength when the battle begins.

    `rank`: its place in the block list; `cheap`: how little its owner minds losing it, by the rules' own
    default (5.41). `at_home`: 1.4, a noble in a home of its own.
    """

    name: str
    side: str
    strength: int
    letter: str
    number: int
    kind: str
    rank: int
    cheap: tuple[int, int, int]
    at_home: bool = False
    black_cross: bool = False
    celtic: bool = False
    reserve: bool = False


@lru_cache(maxsize=4_096)
def fighter(name: str, side: str, strength: int, area: str, *, reserve: bool = False) -> Fighter:
    """Return the named block as a fighter in a battle for `area`, where a noble may be at home."""
    fact = BLOCKS[name]
    return Fighter(
        name=name,
        side=side,
        strength=strength,
        letter=fact.letter,
        number=fact.number,
        kind=fact.kind,
        rank=fact.order,
        cheap=worth(Block(fact, side, fact.move)),
        at_home=area in fact.homes,
        black_cross=fact.black_cross,
        celtic=fact.celtic,
        reserve=reserve,
    )


def land_ways_out(area: str, side: str) -> dict[str, int]:
    """5.5, R81: return the areas next door to which a side may retreat if no enemy is there, with limits."""
    english = not can_hold(side, "King")
    return {
        to: border.limit
        for to, border in AREAS[area].neighbours.items()
        if (english if to == ENGLAND_AREA else not (english and area == ENGLAND_AREA))
    }


def read_force(text: str, side: str, area: str) -> tuple[Fighter, ...]:
    """Return the blocks of a text such as "Wallace 4, Douglas; reserve Keith 2", reserves for round 2.

    A block without a number has full strength.

    Raises:
        OrderError: a name that the side has not, or an impossible strength.
    """
    found: list[Fighter] = []
    for statement in read_text(text).statements:
        reserve = False
        tokens = list(statement.tokens)
        while tokens:
            word = tokens[0].word
            if word in (",", "and"):
                tokens.pop(0)
            elif word in ("reserve", "reserves", ":"):
                reserve = True
                tokens.pop(0)
            else:
                name = _name(tokens, side)
                strength = _strength(tokens, name)
                if any(name == other.name for other in found):
                    raise OrderError(f"{name} is named twice")
                found.append(fighter(name, side, strength, area, reserve=reserve))
    if not found:
        raise OrderError(f"'{text}' names no block")
    return tuple(found)


def _name(tokens: list[Token], side: str) -> str:
    match = ALL_BLOCKS.read(tuple(token.word for token in tokens[:4]))
    said = " ".join(token.word for token in tokens[: match.words or 1])
    if len(match.names) > 1:
        raise OrderError(f"'{said}' can mean {listed(match.names, 'or')}; write more of the name")
    if not match.name:
        near = ALL_BLOCKS.near(tokens[0].word)
        meant = f"; did you mean {listed(near, 'or')}?" if near else ""
        raise OrderError(f"no block is called '{said}'{meant}")
    if not can_hold(side, match.name):
        raise OrderError(f"{match.name} cannot fight for {side.capitalize()}")
    del tokens[: match.words]
    return match.name


def _strength(tokens: list[Token], name: str) -> int:
    most = BLOCKS[name].max
    if not tokens or not tokens[0].word.isdigit():
        return most
    said = tokens.pop(0).word
    strength = int(said[:3])
    if not 1 <= strength <= most:
        raise OrderError(f"{name} cannot have strength {said}; 1 to {most} are possible")
    return strength


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
    """The tactics of a side in a battle; these plain ones fight to the end, and lose what is cheapest."""

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
    """The number of all equally likely rolls; an ending's rolls divided by it are the ending's chance."""

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


KING_FALLS = "the game ends with a king's death"

MAX_BLOCKS = 16
"""Maximum number of blocks in a battle, of both sides together, for which a game's file has odds."""


def ways_out(area: str, side: str, view: View) -> dict[str, int]:
    """5.5: return the areas where a side may retreat to from a battle, with each border's limit."""
    by_turn = read_options(view["options"]).border_control == "turn"
    found = {}
    for to, limit in land_ways_out(area, side).items():
        border = AREAS[area].neighbours[to]
        users = [
            user for name, into, user in view["entered"] if name == border.name and (by_turn or into == area)
        ]
        if not view["areas"][to][enemy_of(side)] and (not users or users[-1] == side):
            found[to] = limit
    return found


def field_of(
    area: str, attacker: str, fighters: tuple[Fighter, ...], view: View, *, of_round: int = 0
) -> Field:
    """Return a battle of these blocks, with what the position says of retreats and of the king."""
    return Field(
        area=area,
        attacker=attacker,
        fighters=fighters,
        options=read_options(view["options"]),
        ways_out={side: ways_out(area, side, view) for side in SIDES},
        havens=tuple(
            name
            for name, counts in view["areas"].items()
            if AREAS[name].coastal
            and name not in (ENGLAND_AREA, area)
            and counts[SCOTLAND]
            and not counts[ENGLAND]
        ),
        second_edward=view["edward"] == "II",
        round=of_round,
    )


def field_before(view: View) -> Field | None:
    """Return the battle of a view in which its first blocks have just been turned up, before the first die.

    Return None where blocks in reserve are hidden from the viewer, or where more than `MAX_BLOCKS` fight.
    """
    fight = view["battle"]
    if fight is None or not fight["fighting"]:
        return None
    area = fight["area"]
    here = [(name, row) for name, row in view["blocks"].items() if row["area"] == area]
    fighters = tuple(
        fighter(name, row["side"], row["strength"], area, reserve=name not in fight["fighting"])
        for name, row in sorted(here, key=lambda found: BLOCKS[found[0]].order)
    )
    reserves = sum(one.reserve for one in fighters)
    if reserves != sum(fight["reserves"].values()) or len(fighters) > MAX_BLOCKS:
        return None
    return field_of(area, fight["attacker"], fighters, view)


def outcome_rows(told: Sequence[Event]) -> Iterator[str]:
    """Yield sentences on how a battle ended, from its events, worded as in the list of the battle's odds."""
    captured = [event["noble"] for event in told if event["event"] == "captured"]
    yield from (changes_sides(name) for name in captured if captured.count(name) % 2)
    dead = {event["block"] for event in told if event["event"] == "hit" and not event["strength"]}
    dead |= {name for event in told for name in event.get("who_lost", ())}
    yield from map(is_lost, sorted(dead - set(captured)))
    second_edward = any(event["event"] == "edward ii" for event in told)
    if "King" in dead or ("Edward" in dead and not second_edward):
        yield KING_FALLS
    yield from (holds(event["holder"], event["area"]) for event in told if event["event"] == "battle over")


def holds(side: str | None, area: str) -> str:
    """Return who stands alone in an area at the end of a battle, in words."""
    return f"{side.capitalize()} holds {area}" if side else f"nobody is left in {area}"


def changes_sides(name: str) -> str:
    """5.7: return the sentence that a noble changes sides."""
    return f"{name} changes sides"


def is_lost(name: str) -> str:
    """5.8: return the sentence that a block is lost: it is dead, or in the pool."""
    return f"{name} is lost"


NOBODY: Pair = ((), ())
EMPTY = State(0, NOBODY, NOBODY)


class Shot(NamedTuple):
    """The dice that a line's blocks of one letter fire."""

    dice: int
    rolls: tuple[int, ...]
    """The numbers of rolls that give 0, 1, 2, ... hits."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A side's blocks, and what they become hit by hit. R60: hits beyond the last place are lost."""

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
        """5.31: play a whole round; return the number n of its dice, and the states after it with weights.

        The weights have grown by the factor 6 ** n.
        """
        grids = self._grids(weights)
        steps = [(letter, attacking) for letter in "ABC" for attacking in (False, True)]
        thrown = sum(self.step(grids, letter, attacking) for letter, attacking in steps)
        return thrown, (found for grid in grids for found in self._states(grid))

    def step(self, grids: Sequence[Grid], letter: str, attacking: bool) -> int:
        """Let a side's blocks of a letter fire in all grids; return n, where weights have grown by 6 ** n."""
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
        """Return the state of everything but the lines once `fallen` of each line's dead have fallen."""
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
