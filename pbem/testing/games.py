"""Random games of a title, and the trial that each clause of the contract gets."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.practice.table import SeededChance
from pbem.rules import Ask, Game, Rules
from pbem.rules.base import EVERYBODY
from pbem.titles import Title

MAX_ANSWERS = 20_000
"""Number of answers that no game reaches; one that does is taken to be endless."""


def _unheard(_: str) -> None:
    """Drop a note, for a trial of a title whose notes nobody reads."""


@dataclass(frozen=True)
class Trial:
    """A title that clauses of the contract are tried on, with the options of the games that are played."""

    title: Title
    options: Mapping[str, Any]
    note: Callable[[str], None] = _unheard
    """Function that takes a note of what could not be tried with the title."""

    def __str__(self) -> str:
        said = [f"{name}={value}" for name, value in self.options.items()]
        return " ".join((self.title.name, *said))

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of the title's games."""
        return self.title.rules.sides(self.title.rules.checked(self.options))

    @property
    def readers(self) -> tuple[str, ...]:
        """The readers who are shown a game while it goes on: its sides and the public, without the judge."""
        return (*self.sides, EVERYBODY)

    def play(
        self,
        seed: int,
        chance: SeededChance | None = None,
        answers: list[tuple[str, str]] | None = None,
    ) -> Iterator[Game]:
        """Yield a whole game of random answers; see `random_game` for the arguments."""
        return random_game(self.title.rules, seed, chance, self.options, answers)


Clause = Callable[[Trial], None]
"""One clause of the contract: a function that raises AssertionError if a title breaks the clause."""


def trials(title: Title, note: Callable[[str], None] = _unheard) -> tuple[Trial, ...]:
    """Return a trial of a title for each of its variants."""
    return tuple(Trial(title, options, note) for options in title.variants)


class Counted(SeededChance):
    """Dice that record the labels under which they were asked for."""

    def __init__(self, seed: object) -> None:
        super().__init__(seed)
        self.labels: list[str] = []
        self.drawn: list[str] = []

    def roll(self, label: str, sides: int = 6) -> int:
        """Return the value of one die, and record its label."""
        self.labels.append(label)
        return super().roll(label, sides)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`, and record the label of the draw."""
        self.labels.append(label)
        self.drawn.append(label)
        return super().draw(label, choices)


def random_game(
    rules: Rules,
    seed: int,
    chance: SeededChance | None = None,
    options: Mapping[str, Any] | None = None,
    answers: list[tuple[str, str]] | None = None,
) -> Iterator[Game]:
    """Yield a random game before each answer and at its end; `answers` collects the answers."""
    game = rules.start(options or {}, chance or SeededChance(seed))
    dice = random.Random(seed)  # noqa: S311 - a game that is tried is no secret
    for _ in range(MAX_ANSWERS):
        yield game
        if game.outcome is not None:
            return
        ask = first_of(game, dice.choice(game.asks).side)
        text = dice.choice(ask.legal)
        if answers is not None:
            answers.append((ask.side, text))
        game.answer(ask.side, text)
    raise AssertionError("the game never ends")


def first_of(game: Game, side: str) -> Ask:
    """Return the Ask to which the next answer of a side belongs, as a side may be asked several at once."""
    return next(ask for ask in game.asks if ask.side == side)


Question = tuple[str, str, bool, str, tuple[str, ...]]
"""An Ask in a form that can be compared: kind, rule, public, default and legal answers."""


def questions(game: Game, side: str) -> list[Question]:
    """Return the questions that a side is asked now, in a form that can be compared."""
    return [(ask.kind, ask.rule, ask.public, ask.default, ask.legal) for ask in game.asks if ask.side == side]
