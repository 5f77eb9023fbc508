"""Two worlds that differ only in what a viewer may not know look the same to that viewer, in every game.

A game supplies `twin(position, viewer, chooser)` in tests/<game>/twin.py: another position that looks alike;
and `OPTIONS` there, if worlds are to be compared in games with others than the usual ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.practice.table import SeededChance
from pbem.reports.base import Context
from pbem.rules import Game, IllegalAnswer
from pbem.rules.base import EVERYBODY, View
from pbem.titles import load
from tests.titles.games import random_game, twins

TWINS = twins()
MOMENTS = 12
WRONG = ("sing a song", "pass", "done")

Options = dict[str, Any]
NO_OPTIONS: tuple[Options, ...] = ({},)
GAMES: list[tuple[str, Options]] = [
    (name, options) for name in sorted(TWINS) for options in getattr(TWINS[name], "OPTIONS", NO_OPTIONS)
]
"""Each game with the options to be tried."""


def positions(name: str, seed: int, options: Options) -> Iterator[View]:
    """Moments of a random game at which one can be begun."""
    rules = load(name).rules
    found = []
    for game in random_game(rules, seed, options=options):
        position = game.view("gm")
        if game.outcome is None and rules.start(options, SeededChance(seed), position).view("gm") == position:
            found.append(position)
    yield from random.Random(seed).sample(found, min(MOMENTS, len(found)))


def looks(name: str, game: Game, viewer: str) -> dict[str, Any]:
    """Everything that a viewer is shown."""
    title = load(name)
    asks = [ask for ask in game.asks if ask.side == viewer]
    view = game.view(viewer)
    context = Context(game="dunbar-7", form=title.language.form(view, asks) if asks else "")
    refusals = []
    for ask in asks:
        for text in (*WRONG, *(f"{answer} twice" for answer in ask.legal[:3])):
            try:
                ask.read(text)
            except IllegalAnswer as refused:
                refusals.append((refused.rule, refused.reason, refused.suggestions))
    return {
        "view": view,
        "told": game.told(viewer),
        "asked": [(ask.kind, ask.rule, ask.legal, ask.default) for ask in asks],
        "public": [(ask.side, ask.kind, ask.rule) for ask in game.asks if ask.public],
        "report": title.style.report(viewer, view, view, game.told(viewer), asks, context),
        "forecast": title.forecast.forecast(title.language.parse("", viewer).orders, view)
        if title.forecast and viewer != EVERYBODY
        else (),
        "refusals": refusals,
        "over": game.outcome,
    }


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_worlds_that_look_the_same_are_told_the_same(name: str, options: Options) -> None:
    title, chooser, pairs = load(name), random.Random(name), 0
    for position in positions(name, 3, options):
        for viewer in (*title.rules.sides(options), EVERYBODY):
            twin = TWINS[name].twin(position, viewer, chooser)
            games = [title.rules.start(options, SeededChance(1), world) for world in (position, twin)]
            pairs += games[0].view("gm") != games[1].view("gm")
            assert looks(name, games[0], viewer) == looks(name, games[1], viewer)
            for ask in [ask for ask in games[0].asks if ask.side == viewer][:1]:
                answer = chooser.choice(ask.legal)
                if any(len(game.asks) == 1 for game in games):
                    continue  # what it brings depends on what is hidden
                for game in games:
                    game.answer(viewer, answer)
                assert looks(name, games[0], viewer) == looks(name, games[1], viewer)
    assert pairs >= MOMENTS, "hardly any two worlds differ, so this shows nothing"


@pytest.mark.parametrize("name", sorted(TWINS))
def test_a_leak_would_be_found(name: str) -> None:
    """The judge's view in place of a side's tells worlds apart."""
    title, chooser = load(name), random.Random(name)
    side = title.rules.sides({})[0]
    apart = 0
    for position in positions(name, 3, {}):
        twin = TWINS[name].twin(position, side, chooser)
        games = [title.rules.start({}, SeededChance(1), world) for world in (position, twin)]
        apart += looks(name, games[0], side) | {"view": games[0].view("gm")} != looks(
            name, games[1], side
        ) | {"view": games[1].view("gm")}
    assert apart


@pytest.mark.parametrize("name", sorted(TWINS))
def test_what_others_answer_at_the_same_time_is_not_seen(name: str) -> None:
    """Whoever has not answered yet is shown the same before and after others do; so is the public."""
    dice, unseen = random.Random(name), 0
    for game in random_game(load(name).rules, 5):
        sides = {ask.side for ask in game.asks}
        if unseen >= MOMENTS or len(sides) < 2:
            continue
        waiting = min(sides)
        before = {reader: looks(name, game, reader) for reader in (waiting, EVERYBODY)}
        other = next(ask for ask in game.asks if ask.side != waiting)
        game.answer(other.side, dice.choice(other.legal))
        for reader, seen in before.items():
            if waiting in {ask.side for ask in game.asks}:
                assert looks(name, game, reader) | {"public": []} == seen | {"public": []}
                unseen += 1
    assert unseen or not any(len(game.asks) > 1 for game in random_game(load(name).rules, 5))
