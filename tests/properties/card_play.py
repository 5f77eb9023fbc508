"""Random play of the card games: every Ask, view and refusal is looked at on the way.

A game brings a referee, whose `check` asserts its invariants after each answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any, Protocol

from pbem.rules.base import Ask, Game, IllegalAnswer, Rules
from tests.properties.random_play import (
    MAX_ANSWERS,
    LabelledChance,
    Options,
    canonical,
    game_record,
    kept_on_failure,
)

CARD = re.compile(r'"([a-z_]+-\d+)"')


class Referee(Protocol):
    """The invariants of one game."""

    def check(self) -> None:
        """Assert them after an answer."""


def cards_in(value: Any) -> set[str]:
    """Every card that a view or an event names."""
    return set(CARD.findall(canonical(value)))


def play_a_game(
    rules: Rules, options: Options, seed: int, referee: Callable[[Game], Referee], always: frozenset[str]
) -> Game:
    """A whole game of random answers; `always`: kinds that are asked even with one legal answer."""
    chooser = random.Random(f"{rules.name} {sorted(options.items())} {seed}")
    silence = chooser.choice((0.0, 0.0, 0.15, 0.5))
    game = rules.start(options, LabelledChance(seed))
    watcher = referee(game)
    answers: list[tuple[str, str]] = []
    record = game_record(rules.name, options, seed, answers, referee)
    with kept_on_failure(f"game-{rules.name}-{seed}", record):
        while game.outcome is None:
            assert len(answers) < MAX_ANSWERS
            assert game.asks, "the game goes on, and nobody is asked"
            assert len({ask.side for ask in game.asks}) == len(game.asks)
            for ask in game.asks:
                check_ask(ask, always)
            ask = chooser.choice(game.asks)
            if chooser.random() < 0.05:
                check_refusals(game, rules.sides(options), chooser)
            text = ask.default if chooser.random() < silence else chooser.choice(ask.legal)
            answers.append((ask.side, text))
            game.answer(ask.side, text)
            watcher.check()
        assert not game.asks
    return game


def check_ask(ask: Ask, always: frozenset[str]) -> None:
    """An Ask that somebody can answer, always in the same words."""
    assert ask.rule
    assert ask.legal == tuple(sorted(set(ask.legal))), "legal is not sorted, or says something twice"
    assert len(ask.legal) >= 2 or ask.kind in always, "there was no choice"
    assert ask.default in ask.legal
    for text in ask.legal:
        ask.read(text)


def check_refusals(game: Game, sides: tuple[str, ...], chooser: random.Random) -> None:
    """What is not among the legal answers is refused, says why, and changes nothing."""
    before = canonical([game.view("gm"), game.told("gm")])
    legal = {ask.side: ask.legal for ask in game.asks}
    for side in sides:
        known = legal.get(side, ())
        stray = chooser.choice([text for texts in legal.values() for text in texts])
        for text in ("", "pass", "done", "no power", "use", f"{stray} ", stray.upper(), stray[:-1], stray):
            if text in known:
                continue
            refused = refusal(game.answer, side, text)
            assert refused.rule
            assert refused.reason
            assert set(refused.suggestions) <= set(known)
    assert canonical([game.view("gm"), game.told("gm")]) == before


def goes_on_from_its_views(rules: Rules, options: Options, seed: int) -> set[str]:
    """Begins a random game anew now and then, from what the judge sees, and plays both on alike.

    Returns the kinds of what was asked where a game began anew: all that came.
    """
    chooser = random.Random(f"anew {rules.name} {seed}")
    audiences = (*rules.sides(options), "public", "gm")
    games = [rules.start(options, LabelledChance(seed))]
    kinds: set[str] = set()
    while games[0].outcome is None:
        asked = {ask.kind for ask in games[0].asks}
        if chooser.random() < 0.1 or not asked <= kinds:
            games[1:] = [rules.start(options, LabelledChance(seed), games[0].view("gm"))]
            kinds |= asked
        ask = chooser.choice(games[0].asks)
        text = chooser.choice(ask.legal)
        for game in games:
            game.answer(ask.side, text)
        shown = [
            canonical(
                [
                    [game.view(audience) for audience in audiences],
                    [[ask.side, ask.kind, ask.legal, ask.default, ask.public] for ask in game.asks],
                ]
            )
            for game in games
        ]
        assert len(set(shown)) == 1
    return kinds


def refusal(answer: Callable[[str, str], None], side: str, text: str) -> IllegalAnswer:
    """The refusal of an answer that must not be accepted."""
    try:
        answer(side, text)
    except IllegalAnswer as refused:
        return refused
    raise AssertionError(f"{text!r} of {side} was accepted")


def said_by(rules: Rules, record: dict[str, Any]) -> str:
    """All Asks, views, events and draws of a game that is played again."""
    chance = LabelledChance(record["seed"])
    game = rules.start(record["options"], chance)
    audiences = (*rules.sides(record["options"]), "public", "gm")
    said: list[Any] = []
    for side, text in record["answers"]:
        said.append([[ask.side, ask.kind, ask.public, ask.default, ask.legal] for ask in game.asks])
        game.answer(side, text)
        said.append([game.view(audience) for audience in audiences])
    said.append([[game.told(audience) for audience in audiences], list(chance.results.items())])
    return canonical(said)


def random_record(rules: Rules, options: Options, seed: int) -> dict[str, Any]:
    """Options, seed and answers of a random game."""
    chooser = random.Random(seed)
    game = rules.start(options, LabelledChance(seed))
    answers = []
    while game.outcome is None:
        ask = chooser.choice(game.asks)
        answers.append((ask.side, chooser.choice(ask.legal)))
        game.answer(*answers[-1])
    return {"options": options, "seed": seed, "answers": answers}
