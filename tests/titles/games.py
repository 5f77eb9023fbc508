"""Every title that is installed, and random games of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from pbem.practice.table import SeededChance
from pbem.rules import Game, Rules
from pbem.rules.base import View
from pbem.titles import Title, load, names
from tests.titles.installed import install_games

install_games()
TESTS = Path(__file__).parents[1]
TITLES = names()
MOST_ANSWERS = 20_000

Position = tuple[dict[str, Any], View]
"""Options, and what "gm" sees."""


class Counted(SeededChance):
    """Dice that note what they were asked for."""

    def __init__(self, seed: object) -> None:
        super().__init__(seed)
        self.labels: list[str] = []
        self.drawn: list[str] = []

    def roll(self, label: str, sides: int = 6) -> int:
        """One die."""
        self.labels.append(label)
        return self._number(label) % sides + 1

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """One of `choices`."""
        self.labels.append(label)
        self.drawn.append(label)
        return super().draw(label, choices)


def playable() -> list[Title]:
    """The titles that have all it takes to be played by order files."""
    titles = map(load, TITLES)
    return [title for title in titles if all((folder / "__init__.py").exists() for folder in folders(title))]


def folders(title: Title) -> list[Path]:
    """Where a title's packages lie; none of those that are not written yet."""
    try:
        return list(title.folders)
    except (ValueError, ModuleNotFoundError):
        return [Path("nowhere")]


def twins() -> dict[str, ModuleType]:
    """Title -> the module with its `twin`, in the game's own folder of tests or in its package."""
    packages = {name: name.replace("-", "_") for name in TITLES}
    places = {
        name: f"tests.{package}.twin" if (TESTS / package / "twin.py").exists() else f"{package}.twin"
        for name, package in packages.items()
    }
    return {name: import_module(place) for name, place in places.items() if _is_there(place)}


def _is_there(place: str) -> bool:
    try:
        return find_spec(place) is not None
    except ModuleNotFoundError:
        return False


def random_game(
    rules: Rules,
    seed: int,
    chance: SeededChance | None = None,
    options: Mapping[str, Any] | None = None,
    answers: list[tuple[str, str]] | None = None,
) -> Iterator[Game]:
    """A whole game of random answers, before each of them and at its end; `answers` takes them down."""
    game = rules.start(options or {}, chance or SeededChance(seed))
    dice = random.Random(seed)
    for _ in range(MOST_ANSWERS):
        yield game
        if game.outcome is not None:
            return
        ask = dice.choice(game.asks)
        text = dice.choice(ask.legal)
        if answers is not None:
            answers.append((ask.side, text))
        game.answer(ask.side, text)
    raise AssertionError("the game never ends")
