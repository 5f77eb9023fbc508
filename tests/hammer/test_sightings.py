"""R2: wherever a reader is told that a block can be, there it is."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from pbem.rules import load
from pbem.rules.base import Game
from pbem.rules.hammer.sightings import Watcher
from tests.hammer.simulated_battles import SeededChance

pytestmark = pytest.mark.ci


WHOLE = {"card", "move", "battle", "king"}
"""Asks between which steps are whole: amid a retreat blocks have gone of which nobody is told yet."""


def whole_steps(game: Game, seed: int, answers: int) -> Iterator[int]:
    """Answer at random, seldom with "done"; yield the number of each answer after which steps are whole."""
    chooser = random.Random(seed)
    for number in range(answers):
        if game.outcome:
            return
        ask = chooser.choice(game.asks)
        busy = [answer for answer in ask.legal if answer != "done"]
        game.answer(ask.side, chooser.choice(busy or ask.legal))
        if {ask.kind for ask in game.asks} <= WHOLE:
            yield number


@pytest.mark.parametrize("edition", ["4", "3", "3-de"])
@pytest.mark.parametrize("seed", range(4))
def test_a_block_is_where_it_can_be(seed: int, edition: str) -> None:
    game = load("hammer").start({"scenario": "campaign", "edition": edition}, SeededChance(seed))
    viewers = {viewer: Watcher(viewer) for viewer in ("england", "scotland", "public")}
    heard = dict.fromkeys(viewers, 0)
    followed = sure = 0
    for _ in whole_steps(game, seed, answers=900):
        true = game.view("gm")["blocks"]
        for viewer, watcher in viewers.items():
            told = game.told(viewer, heard[viewer])
            heard[viewer] += len(told)
            watcher.hear(told)
            for sighting in watcher.seen(game.view(viewer)):
                block = true[sighting.block]
                assert block["area"] in sighting.may_be, (viewer, sighting, block)
                assert block["side"] == sighting.side
                assert sighting.side != viewer
                followed += 1
                sure += len(sighting.may_be) == 1
    assert followed > 100
    assert sure > 20


def test_a_card_by_which_nobody_sails_moves_nobody() -> None:
    watcher = Watcher("england")
    watcher.show("wallace", "scotland", 3, "moray")
    before = watcher.known[0].copy()
    nobody = {"event": "sea move", "side": "scotland", "origin": None, "to": None, "count": 0}
    somebody = {"event": "sea move", "side": "scotland", "origin": "moray", "to": "fife", "count": 1}
    watcher.hear([nobody])
    assert watcher.known[0] == before
    watcher.hear([somebody])
    assert watcher.known[0]["wallace"].may_be == ("moray", "fife")
