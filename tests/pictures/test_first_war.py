"""The table of First War: every Unit of the view and no more, the same bytes for worlds that look alike."""

from __future__ import annotations

import random
import re
from itertools import islice
from xml.etree import ElementTree as ET

import pytest

from pbem.pictures.png import png
from pbem.practice.table import SeededChance
from pbem.rules.first_war import RULES
from pbem.testing.games import random_game
from pbem.titles import load
from pbem.titles.first_war.testing import twin

PAINTER = load("first-war").pictures
POSITIONS = [game.view("gm") for game in random_game(RULES, 2) if game.outcome is None][20:400:40]


@pytest.mark.parametrize("position", POSITIONS)
def test_what_a_reader_may_not_know_changes_no_byte(position: dict[str, object]) -> None:
    assert PAINTER is not None
    for viewer in ("scots", "english", "public"):
        worlds = (position, twin(position, viewer, random.Random(1)))
        games = [RULES.start({}, SeededChance(1), world) for world in worlds]
        first, second = (PAINTER.draw(game.view(viewer), game.told(viewer)).svg for game in games)
        assert first == second


def test_it_shows_every_unit_and_is_well_formed() -> None:
    assert PAINTER is not None
    for position in POSITIONS:
        picture = PAINTER.draw(position, ())
        tree = ET.fromstring(picture.svg)  # noqa: S314 - our own picture
        names = {element.tag.rpartition("}")[2] for element in tree.iter()}
        assert names <= {"svg", "title", "g", "rect", "path", "text"}
        cards = [layer for layer in picture.layers if 'nobles">' in layer.svg]
        nobles = [card for pile in position["play"].values() for card in pile if "noble" in card]
        assert len(cards) == len(nobles)
        assert len(re.findall(r'y="3" width="30"', picture.svg)) == 20
        for layer in picture.layers:
            assert 0 <= layer.x <= layer.x + layer.width <= picture.board.width
            assert 0 <= layer.y <= layer.y + layer.height <= picture.board.height
    assert png(picture).startswith(b"\x89PNG")


@pytest.mark.ci
def test_what_is_said_lies_on_no_card() -> None:
    """In 1,000 positions: the lines of words and the tokens beside the stacks, however high those are."""
    assert PAINTER is not None
    games = (game for seed in range(4) for game in random_game(RULES, seed))
    for game in islice(games, 0, 1000):
        for viewer in ("scots", "gm"):
            layers = PAINTER.draw(game.view(viewer), ()).layers
            cards = [one for one in layers if "data-name" in one.svg]
            others = [one for one in layers if "data-name" not in one.svg]
            for card in cards:
                for one in others:
                    apart = card.y + card.height <= one.y or one.y + one.height <= card.y
                    assert apart or card.x + card.width <= one.x or one.x + one.width <= card.x


def test_the_words_and_the_picture_count_for_the_reader() -> None:
    assert PAINTER is not None
    view = RULES.start({}, SeededChance(1), POSITIONS[3]).view("scots")
    picture = PAINTER.draw(view, ())
    for said in (
        f"Scots: {view['territories']['scots']} territories",
        "Force",
        str(view["year"]),
        "Hand of the Scots",
    ):
        assert said in picture.words
        assert said in picture.svg
