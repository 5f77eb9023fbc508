"""What views share: built once for all viewers, never stale, and changed by nobody."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from pbem.practice.table import SeededChance
from pbem.rules import load
from pbem.rules.base import Shared
from pbem.rules.hammer.facts import AREAS, NOBLES, OFF_MAP, POOL, SIDES
from pbem.rules.hammer.game import Hammer
from pbem.testing.games import random_game

RULES = load("hammer")
VIEWERS = (*SIDES, "public", "gm")

CHANGES: tuple[Callable[[Any], object], ...] = (
    lambda shown: shown.__setitem__("england", 9),
    lambda shown: shown.__delitem__("england"),
    lambda shown: shown.__ior__({"england": 9}),
    lambda shown: shown.update(england=9),
    lambda shown: shown.setdefault("wales", 9),
    lambda shown: shown.pop("england"),
    lambda shown: shown.popitem(),
    lambda shown: shown.clear(),
)


@pytest.mark.parametrize("change", CHANGES)
def test_nobody_changes_what_views_share(change: Callable[[Any], object]) -> None:
    shown = Shared({"england": 1})
    with pytest.raises(TypeError, match="views share this part"):
        change(shown)
    assert shown == {"england": 1}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, dict])
def test_a_copy_can_be_changed(copied: Callable[[Any], Any]) -> None:
    shown = Shared({"Fife": Shared({"england": 1})})
    other = copied(shown)
    other["Ross"] = {}
    assert type(other) is dict
    assert shown == {"Fife": {"england": 1}}
    assert json.dumps(shown) == '{"Fife": {"england": 1}}'


def test_viewers_are_shown_the_same_objects() -> None:
    """So what all may know is worked out once for all of them."""
    game = RULES.start({}, SeededChance(1))
    views = [game.view(viewer) for viewer in VIEWERS]
    for part in ("areas", "nobles", "options"):
        assert len({id(view[part]) for view in views}) == 1
        assert isinstance(views[0][part], Shared)
    assert all(isinstance(row, Shared) for view in views for row in view["blocks"].values())


@pytest.mark.ci
def test_what_was_kept_of_a_position_is_never_stale() -> None:
    for game in random_game(RULES, 3, SeededChance(3), {}):
        assert isinstance(game, Hammer)
        blocks = game.position.blocks
        gone = {name for name, block in blocks.items() if block.area == OFF_MAP}
        view = game.view("gm")
        assert view["out"] == sorted(gone)
        assert view["nobles"] == {name: blocks[name].side for name in NOBLES if name not in gone}
        assert view["areas"] == {
            area: {
                side: sum(block.area == area and block.side == side for block in blocks.values())
                for side in SIDES
            }
            for area in AREAS
        }
        for name, row in view["blocks"].items():
            assert row == {
                "side": blocks[name].side,
                "area": blocks[name].area,
                "strength": blocks[name].strength,
            }
        for side in SIDES:
            seen = game.view(side)
            face_up = (seen["battle"] or {"fighting": []})["fighting"]
            own = {name for name, block in blocks.items() if block.side == side}
            assert own <= set(seen["blocks"]) <= own | set(face_up)


def test_off_the_map_a_block_may_have_any_strength() -> None:
    """So a position may be given, and it is shown as it is."""
    view = RULES.start({}, SeededChance(1)).view("gm")
    given = {**view, "blocks": {**view["blocks"], "Keith": {"side": "scotland", "area": POOL, "strength": 9}}}
    shown = RULES.start({}, SeededChance(1), given).view("scotland")["blocks"]
    assert shown["Keith"] == {"side": "scotland", "area": POOL, "strength": 9}
    assert shown["Wallace"] == view["blocks"]["Wallace"]
