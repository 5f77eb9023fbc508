"""The table of cards: it shows every card of the view and no other, whatever is hidden."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET

import pytest

from pbem.pictures.base import Picture, png
from pbem.practice.table import SeededChance
from pbem.rules.base import Game, View
from pbem.rules.lords import RULES
from pbem.rules.lords.facts import CARDS, CLANS, SIDES
from pbem.titles.lords.pictures import PAINTER
from pbem.titles.lords.testing import twin

RANKS = {card.rank: card.name for card in CARDS.values()}


def played(seed: int, answers: int, players: int = 3) -> Game:
    """A game after so many random answers."""
    game, dice = RULES.start({"players": players, "use_bruce": True}, SeededChance(seed)), random.Random(seed)
    for _ in range(answers):
        ask = game.asks[0]
        game.answer(ask.side, dice.choice(ask.legal))
    return game


def shown(picture: Picture) -> set[str]:
    """Every card on it, face up by its rank, on a back by its name."""
    texts = [
        "".join(node.itertext())
        for node in ET.fromstring(picture.svg).iter()  # noqa: S314 - our own
        if node.tag.endswith("}text")
    ]
    ranks = {RANKS[int(found[1])] for said in texts if (found := re.fullmatch(r"rank (\d+)", said))}
    return ranks | {name for name, card in CARDS.items() if card.title in texts}


def visible(view: View) -> set[str]:
    """Every card on the table and in hands that a view names."""
    hands = [name for hand in view["hands"].values() if isinstance(hand, list) for name in hand]
    armies = [row["card"] for army in view["armies"].values() for row in army]
    return {*view["supporters"], *view["recruits"], *hands, *armies} - {"", "?"}


@pytest.mark.parametrize("seed", range(4))
def test_it_shows_every_card_that_the_view_shows_and_no_other(seed: int) -> None:
    game = played(seed, 10 + 7 * seed, 2 + seed)
    for viewer in (*game.view("gm")["hands"], "public", "gm"):
        picture = PAINTER.draw(game.view(viewer), ())
        assert shown(picture) == visible(game.view(viewer))
        layers = PAINTER.draw({**game.view(viewer), "supporters": [*CARDS][:9]}, ()).layers
        assert len({(one.x, one.y) for one in layers}) == len(layers), "none hides another"
        assert not re.search(r"<(script|a|image)\b|href", picture.svg)


def test_every_active_power_has_its_token() -> None:
    active = 0
    for answers in range(10, 40, 5):
        view = played(3, answers, 5).view("public")
        powers = sum(bool(row["active"]) for army in view["armies"].values() for row in army)
        assert PAINTER.draw(view, ()).svg.count("<circle") == 1 + powers, "one is in the legend"
        active += powers
    assert active


def test_what_a_side_may_not_know_changes_no_byte() -> None:
    game, dice, differ = played(2, 25), random.Random(2), 0
    for viewer in SIDES[:3]:
        here = game.view("gm")
        there = twin(here, viewer, dice)
        pictures = []
        for world in (here, there):
            view = RULES.start(here["options"], SeededChance(1), world).view(viewer)
            pictures.append(PAINTER.draw(view, ()).svg)
        assert pictures[0] == pictures[1]
        differ += PAINTER.draw(here, ()).svg != PAINTER.draw(there, ()).svg
    assert differ == 3


@pytest.mark.ci
def test_the_legend_names_every_clan_and_the_picture_can_be_sent() -> None:
    picture = PAINTER.draw(played(1, 12).view("red"), ())
    assert all(clan.title in picture.board.svg for clan in CLANS.values())
    assert "Red has" in picture.words
    assert png(picture).startswith(b"\x89PNG")
