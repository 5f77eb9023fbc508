"""Random games of a title, and what a clause of the contract is given."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.practice.table import SeededChance
from pbem.rules import Ask, Game, Rules
from pbem.rules.base import EVERYBODY
from pbem.titles import Title

MOST_ANSWERS = 20_000
"""No game is as long."""


def _unheard(_: str) -> None:
    """Drop a note, which nobody reads."""


@dataclass(frozen=True)
class Trial:
    """A title and the options of the games that are played of it."""

    title: Title
    options: Mapping[str, Any]
    note: Callable[[str], None] = _unheard
    """Takes down what could not be tried."""

    def __str__(self) -> str:
        said = [f"{name}={value}" for name, value in self.options.items()]
        return " ".join((self.title.name, *said))

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of its games."""
        return self.title.rules.sides(self.title.rules.checked(self.options))

    @property
    def readers(self) -> tuple[str, ...]:
        """Whoever is shown a game while it goes on, but for the judge."""
        return (*self.sides, EVERYBODY)

    def play(
        self,
        seed: int,
        chance: SeededChance | None = None,
        answers: list[tuple[str, str]] | None = None,
    ) -> Iterator[Game]:
        """Yield a whole game of random answers; see `random_game`."""
        return random_game(self.title.rules, seed, chance, self.options, answers)


Clause = Callable[[Trial], None]
"""Raises AssertionError if a title breaks it."""


def trials(title: Title, note: Callable[[str], None] = _unheard) -> tuple[Trial, ...]:
    """Return a title with each of its variants."""
    return tuple(Trial(title, options, note) for options in title.variants)


class Counted(SeededChance):
    """Dice that note what they were asked for."""

    def __init__(self, seed: object) -> None:
        super().__init__(seed)
        self.labels: list[str] = []
        self.drawn: list[str] = []

    def roll(self, label: str, sides: int = 6) -> int:
        """Return one die."""
        self.labels.append(label)
        return super().roll(label, sides)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`."""
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
    """Yield a whole game of random answers, before each of them and at its end; `answers` takes them down."""
    game = rules.start(options or {}, chance or SeededChance(seed))
    dice = random.Random(seed)  # noqa: S311 - a game that is tried is no secret
    for _ in range(MOST_ANSWERS):
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
    """Return the Ask that the next answer of a side belongs to; it may be asked several things at once."""
    return next(ask for ask in game.asks if ask.side == side)


Question = tuple[str, str, bool, str, tuple[str, ...]]
"""An Ask, as it can be compared: kind, rule, public, default, legal answers."""


def questions(game: Game, side: str) -> list[Question]:
    """Return what a side is asked now."""
    return [(ask.kind, ask.rule, ask.public, ask.default, ask.legal) for ask in game.asks if ask.side == side]
