"""The table of First War: every Unit of the view and no more, the same bytes for worlds that look alike."""

from __future__ import annotations

import random
import re
from xml.etree import ElementTree as ET

import pytest

from pbem.pictures.png import png
from pbem.practice.table import SeededChance
from pbem.rules.first_war import RULES
from pbem.titles import load
from tests.first_war.twin import twin
from tests.titles.games import random_game

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
        cards = [layer for layer in picture.layers if "Nobles" in layer.svg]
        nobles = [card for pile in position["play"].values() for card in pile if "noble" in card]
        assert len(cards) == len(nobles)
        assert len(re.findall(r'y="3" width="30"', picture.svg)) == 20
        for layer in picture.layers:
            assert 0 <= layer.x <= layer.x + layer.width <= picture.board.width
            assert 0 <= layer.y <= layer.y + layer.height <= picture.board.height
    assert png(picture).startswith(b"\x89PNG")
