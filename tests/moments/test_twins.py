"""The files of two worlds that a reader cannot tell apart are the same bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pbem.moments.documents import write_json, write_page
from pbem.moments.tracks import plain_text, tell_shown
from pbem.play.setting import make_setting
from pbem.practice.table import SeededChance
from pbem.rules.base import EVERYBODY, Game
from pbem.testing.games import Trial
from pbem.testing.secrecy import positions
from pbem.titles import load

PAIRS = 3
"""Positions that are tried for each reader."""


def files(trial: Trial, game: Game, viewer: str, answers: Mapping[str, str]) -> tuple[bytes, str]:
    """A reader's files of a game that was begun from a position, and of what followed an answer of theirs."""
    setting = make_setting(
        "hearth", trial.title.name, trial.options, {side: f"player-{side}" for side in trial.sides}
    )
    shown = {1: plain_text(game.view(viewer), game.told(viewer))}
    heard = len(game.told(viewer))
    for side, answer in answers.items():
        game.answer(side, answer)
    shown[2] = plain_text(game.view(viewer), game.told(viewer)[heard:])
    story = tell_shown(setting, viewer, shown, {2: "note what I wrote"} if viewer in trial.sides else {})
    return write_page(story, luck=True, bot=True), write_json(story, luck=True, bot=True)


def worlds(trial: Trial, viewer: str) -> Iterator[tuple[Any, Any]]:
    """Positions, each with another one that looks the same to a viewer, and is another."""
    chooser = random.Random(trial.title.name)
    twin = trial.title.twin
    assert twin is not None
    for position in positions(trial):
        other = twin(position, viewer, chooser)
        start = trial.title.rules.start
        if start(trial.options, SeededChance(1), position).view("gm") != start(
            trial.options, SeededChance(1), other
        ).view("gm"):
            yield position, other


@pytest.mark.ci
@pytest.mark.parametrize("name", ["hammer", "lords", "first-war"])
def test_worlds_that_look_alike_give_the_same_files(name: str) -> None:
    trial = Trial(load(name), load(name).variants[0])
    compared = 0
    for viewer in (*trial.sides, EVERYBODY):
        for position, other in list(worlds(trial, viewer))[:PAIRS]:
            games = [
                trial.title.rules.start(trial.options, SeededChance(1), one) for one in (position, other)
            ]
            asks = [[ask for ask in game.asks if ask.side == viewer] for game in games]
            # what an answer brings may depend on what is hidden, where nobody else has to answer first
            answers = {viewer: asks[0][0].legal[0]} if asks[0] and len(games[0].asks) > 1 else {}
            if any(len(game.asks) == 1 for game in games):
                answers = {}
            one, two = (files(trial, game, viewer, answers) for game in games)
            assert one == two
            compared += 1
    assert compared >= 2 * PAIRS


@pytest.mark.ci
def test_the_judges_files_of_two_worlds_are_not_the_same() -> None:
    """The look that finds no difference above would find one."""
    trial = Trial(load("hammer"), load("hammer").variants[0])
    position, other = next(worlds(trial, "scotland"))
    one, two = (
        files(trial, trial.title.rules.start(trial.options, SeededChance(1), world), "gm", {})
        for world in (position, other)
    )
    assert one != two
