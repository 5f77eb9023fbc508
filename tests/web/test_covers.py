"""The covers of the page: tables of cards, drawn as their games draw them, before there is a game."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from pbem.pictures.svg import document, group
from pbem.titles import load
from pbem.web.build import SITE
from tests.kept import as_kept
from tests.properties.random_play import LabelledChance

if TYPE_CHECKING:
    from pbem.pictures.base import Picture
    from pbem.rules.base import View

PLAYED = {"lords": ({"players": 3}, 10), "first-war": ({}, 140)}
"""The options of each game, and the number of answers after which its table is shown."""


def table(name: str) -> View:
    """The table that everybody sees, with cards of all sides on it."""
    options, answers = PLAYED[name]
    game, dice = load(name).rules.start(options=dict(options), chance=LabelledChance(1)), random.Random(1)
    for _ in range(answers):
        ask = game.asks[0]
        game.answer(ask.side, dice.choice(ask.legal))
    return game.view("public")


@pytest.mark.parametrize("name", PLAYED)
def test_a_cover_is_drawn_as_the_game_draws_its_table(name: str) -> None:
    painter = load(name).pictures
    assert painter
    as_kept(SITE / f"cover-{name}.svg", on_any_ground(painter.draw(table(name), ())))


def on_any_ground(picture: Picture) -> str:
    """A picture down to the last of what lies on it, without its ground and the dark words of a pale one."""
    end = max(layer.y + layer.height for layer in picture.layers) + 8
    laid = [group([layer.svg], transform=f"translate({layer.x},{layer.y})") for layer in picture.layers]
    ground, words = picture.board.svg.split("/>", 1)
    is_dark = int(ground.partition('fill="#')[2][:2], 16) < 128
    return document(picture.board.width, round(end), "", [words if is_dark else "", *laid])
