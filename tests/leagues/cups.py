"""A cup for tests, its games by chance: drawn and counted as the program does it, without a ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from pbem.leagues.formats.knockout import LOT, Cup
from pbem.leagues.model import Ending, Pairing, Result, Round, Scoring, Sides
from pbem.leagues.model import Entrant as Person
from pbem.leagues.standings import standings
from tests.leagues.dice import dice

SIDES: Sides = ("scots", "english")
Fate = Callable[[Pairing, Random], tuple[int, ...]]


def coin(_: Pairing, chance: Random) -> tuple[int, ...]:
    return chance.choice([(1, 2), (2, 1)])


def loose(_: Pairing, chance: Random) -> tuple[int, ...]:
    """A draw one time in three."""
    return chance.choice([(1, 2), (2, 1), (1, 1)])


@dataclass
class Season:
    """A cup, its games by chance."""

    order: tuple[str, ...]
    seed: int = 0
    fate: Fate = coin
    eliminators: frozenset[str] = frozenset()
    drawn: str = LOT
    third: bool = False
    sides: Sides = SIDES
    rounds: list[Round] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)

    @property
    def cup(self) -> Cup:
        return Cup(
            order=self.order,
            rounds=tuple(self.rounds),
            results=tuple(self.results),
            eliminators=self.eliminators,
            gone=frozenset(self.gone),
            drawn=self.drawn,
            third=self.third,
        )

    def draw(self) -> Round:
        asked = {*self.cup.still_asked(), *self.eliminators} if self.rounds else ()
        number = len(self.rounds) + 1
        self.rounds.append(self.cup.next_round(dice(f"{self.seed} {number}"), asked=asked, sides=self.sides))
        return self.rounds[-1]

    def end(self, pairing: Pairing, places: tuple[int, ...], ending: Ending = Ending.PLAYED) -> None:
        self.results.append(
            Result(
                round=len(self.rounds),
                pairing=pairing.number,
                game="any",
                seats=pairing.seats,
                places=places,
                ending=ending,
                day="2027-01-01",
            )
        )

    def correct(self, number: int, pairing: int, places: tuple[int, ...]) -> None:
        """What a result is by a ruling that came later."""
        at = next(at for at, one in enumerate(self.results) if (one.round, one.pairing) == (number, pairing))
        self.results[at] = replace(self.results[at], places=places)

    def play(self, until: Callable[[Season], bool] = lambda _: False) -> Season:
        while not (self.cup.is_over() or until(self)):
            assert len(self.rounds) < 20, "it does not end"
            chance = Random(f"{self.seed} {len(self.rounds)}")
            for pairing in self.draw().pairings:
                self.end(pairing, self.fate(pairing, chance))
        return self

    def places(self) -> dict[str, int]:
        people = [Person(name=name) for name in self.order]
        people += [Person(name=name, eliminator=True) for name in self.eliminators]
        rows = standings(
            people,
            self.results,
            Scoring(),
            rounds=self.rounds,
            left=frozenset(self.gone),
            ranks=self.cup.ranks(),
        )
        return {row.player: row.place for row in rows}


def people(many: int) -> tuple[str, ...]:
    return tuple(f"p{number:02}" for number in range(1, many + 1))


def players(drawn: Round) -> list[str]:
    return ["".join(seat.player for seat in game.seats) for game in drawn.pairings]
