"""A table at which games are played by order files: what a judge does, without keys, mail or store."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from pbem.orders.base import Answer, Follower, Parsed
from pbem.orders.hammer import LANGUAGE
from pbem.rules.base import Ask, Game
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import SIDES

Writer = Callable[[Game, str, Ask], str]
"""What a side writes when it is asked: the text of a new order file."""


class LabelChance:
    """Chance that depends on the label alone, so that the same answers meet the same dice."""

    def __init__(self, seed: object) -> None:
        self.seed = seed

    def _number(self, label: str) -> int:
        return int.from_bytes(sha256(f"{self.seed} {label}".encode()).digest()[:8], "big")

    def roll(self, label: str, sides: int = 6) -> int:
        """A die."""
        return self._number(label) % sides + 1

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """One of `choices`."""
        return choices[self._number(label) % len(choices)]


OPTIONS = ("braveheart", "the-bruce", "campaign")


def new_game(seed: int, **options: Any) -> Game:
    """A game of the scenario that the seed chooses."""
    given = {"scenario": OPTIONS[seed % 3], **options}
    if given["scenario"] == "campaign":
        given.setdefault("last_year", 1301)
    return RULES.start(given, LabelChance(seed))


def random_answer(seed: int) -> Callable[[Ask], str]:
    """A player who chooses any legal answer."""
    dice = random.Random(seed)
    return lambda ask: dice.choice(ask.legal)


@dataclass
class Played:
    """A game and how it was played."""

    game: Game
    answers: list[tuple[str, str, str]] = field(default_factory=list)  # side, kind, answer
    pauses: int = 0


def play_directly(seed: int, answer: Callable[[Ask], str], most: int = 100_000, **options: Any) -> Played:
    """Answer every Ask at once."""
    played = Played(new_game(seed, **options))
    while played.game.asks and len(played.answers) < most:
        ask = played.game.asks[0]
        text = answer(ask)
        played.answers.append((ask.side, ask.kind, text))
        played.game.answer(ask.side, text)
    return played


def play_by_files(seed: int, write: Writer, most: int = 100_000, **options: Any) -> Played:
    """Answer from order files; whoever has no order for an Ask writes a new file."""
    played = Played(new_game(seed, **options))
    game = played.game
    followers: dict[str, Follower] = {side: LANGUAGE.follower(side) for side in SIDES}
    while game.asks and len(played.answers) < most:
        ask = game.asks[0]
        follower = followers[ask.side]
        reply = follower.reply(ask, game.view(ask.side))
        if not isinstance(reply, Answer):
            played.pauses += 1
            parsed: Parsed = LANGUAGE.parse(write(game, ask.side, ask), ask.side)
            assert not parsed.faults, [str(fault) for fault in parsed.faults]
            follower.receive(parsed.orders, game.view(ask.side))
            reply = follower.reply(ask, game.view(ask.side))
            assert isinstance(reply, Answer), (ask.kind, ask.legal, parsed.orders, reply)
        played.answers.append((ask.side, ask.kind, reply.text))
        game.answer(ask.side, reply.text)
    return played


def situation(phase: str, stops: bool = False, seed: object = 0, **given: Any) -> Game:
    """A game begun in the middle. `scotland`, `england`: area -> "Wallace 3, Ross", Ross unhurt."""
    blocks: dict[str, dict[str, Any]] = {}
    for side in SIDES:
        for area, listed in {**given.pop(side, {}), **given.pop(f"{side}_out", {})}.items():
            for entry in listed.split(", "):
                name, _, strength = entry.rpartition(" ")
                known = name if strength.isdigit() else entry
                blocks[known] = {"side": side, "area": area}
                if strength.isdigit():
                    blocks[known]["strength"] = int(strength)
    options = given.pop("options", {"scenario": "braveheart"})
    return RULES.start(
        options, LabelChance(seed), position={"phase": phase, "blocks": blocks, **given}, stops=stops
    )


def followed(game: Game, side: str, *texts: str) -> Follower:
    """A follower that has received these files one after the other; none may have a fault."""
    follower = LANGUAGE.follower(side)
    for text in texts:
        parsed = LANGUAGE.parse(text, side)
        assert not parsed.faults, [str(fault) for fault in parsed.faults]
        follower.receive(parsed.orders, game.view(side))
    return follower


def answers_of(game: Game, side: str, *texts: str, most: int = 40) -> list[str]:
    """What a side's files answer until they leave a question open; the enemy takes every default."""
    follower = followed(game, side, *texts)
    given: list[str] = []
    while game.asks and len(given) < most:
        ask = next((ask for ask in game.asks if ask.side == side), game.asks[0])
        if ask.side != side:
            game.answer(ask.side, ask.default)
            continue
        reply = follower.reply(ask, game.view(side))
        given.append(reply.text if isinstance(reply, Answer) else type(reply).__name__)
        if not isinstance(reply, Answer):
            break
        game.answer(side, reply.text)
    return given
