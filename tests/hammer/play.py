"""A seeded game of Hammer in progress, and the random player who plays it."""

from __future__ import annotations

import random
from typing import Any

from pbem.rules.base import Ask, View
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import EDITIONS, SCENARIOS, SWITCHES
from tests.hammer.referee import Referee
from tests.properties.random_play import LabelledChance, Options, game_record

CAMPAIGN_YEARS = (1297, 1299, 1303, 1308)
GAMES = [(scenario, edition) for scenario in SCENARIOS for edition in EDITIONS]


class Play:
    """One game, with all that is needed to play it again."""

    def __init__(
        self,
        options: Options,
        seed: int,
        *,
        chance: LabelledChance | None = None,
        position: View | None = None,
        stops: bool = False,
    ) -> None:
        self.options = options
        self.seed = seed
        self.chance = chance or LabelledChance(seed)
        self.answers: list[tuple[str, str]] = []
        self.game = RULES.start(options, self.chance, position, stops)

    def answer(self, side: str, text: str) -> None:
        """Give an answer and remember it."""
        self.answers.append((side, text))
        self.game.answer(side, text)

    def again(self) -> Play:
        """The same game once more, played up to here."""
        copy = Play(self.options, self.seed)
        for side, text in self.answers:
            copy.answer(side, text)
        return copy

    def record(self) -> dict[str, Any]:
        """Options, seed and answers, those to come as well: the whole game."""
        return game_record(RULES.name, self.options, self.seed, self.answers, Referee)


class RandomPlayer:
    """Answers at random; each game has its own inclination to do what a silent player would."""

    def __init__(self, options: Options, seed: int) -> None:
        self.random = random.Random(f"player {options['scenario']} {options['edition']} {seed}")
        self.silence = self.random.choice((0.0, 0.0, 0.15, 0.5))

    def next(self, play: Play) -> tuple[str, str]:
        """An answer to one of the open Asks."""
        ask = self.random.choice(play.game.asks)
        return ask.side, self.choice(ask)

    def choice(self, ask: Ask) -> str:
        """An answer to this Ask."""
        return ask.default if self.random.random() < self.silence else self.random.choice(ask.legal)


def option_mix(scenario: str, edition: str, seed: int) -> Options:
    """The edition's own rules, with some house rules turned; a campaign ends in some year."""
    chooser = random.Random(f"options {scenario} {edition} {seed}")
    options: Options = {"scenario": scenario, "edition": edition}
    if scenario == "campaign":
        options["last_year"] = chooser.choice(CAMPAIGN_YEARS)
    turned = chooser.choice((0.0, 0.3, 0.7))
    for name, values in SWITCHES.items():
        if chooser.random() < turned:
            options[name] = chooser.choice(values)
    return options
