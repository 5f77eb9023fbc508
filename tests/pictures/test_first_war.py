"""The table of First War: every Unit of the view and no more, the same bytes for worlds that look alike."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import islice
from xml.etree import ElementTree as ET

import pytest

from pbem.pictures.base import png
from pbem.practice.table import SeededChance
from pbem.rules.first_war import RULES
from pbem.rules.first_war.facts import KINDS, kind_of
from pbem.testing.games import random_game
from pbem.titles import load
from pbem.titles.first_war.pictures import in_hand
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
        cards = [layer for layer in picture.layers if 'noble">' in layer.svg]
        nobles = [card for pile in position["play"].values() for card in pile if "noble" in card]
        held = {(side, kind_of(card).id) for side, cards in position["hands"].items() for card in cards}
        assert len(cards) == len(nobles) + sum("noble" in name for _, name in held)
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


def test_the_readers_hand_lies_on_the_table_as_cards_that_orders_name() -> None:
    assert PAINTER is not None
    for position in POSITIONS:
        game = RULES.start({}, SeededChance(1), position)
        view = game.view("scots")
        bare = {**view, "play": {side: [] for side in view["play"]}}
        words = "".join(layer.svg for layer in PAINTER.draw(bare, ()).layers)
        held = Counter(kind_of(card) for card in view["hands"]["scots"])
        assert Counter(re.findall(r'data-name="([^"]*)"', words)) == Counter(
            kind.id.replace("_", " ") for kind in held
        )
        for kind, number in held.items():
            assert f">{kind.type} x{number}<" in words or number == 1


def test_the_name_of_a_card_lies_in_its_band() -> None:
    """The words of the name are pale: they would not be seen below the band."""
    drawn = in_hand(KINDS["scottish_leader"], "scots", 1)
    band = float(re.findall(r'height="([0-9.]+)"', drawn)[1])
    words = re.findall(r'y="([0-9.]+)"[^>]*>(Scottish|Leader)<', drawn)
    assert [word for _, word in words] == ["Scottish", "Leader"]
    assert all(float(y) < 3 + band for y, _ in words)
