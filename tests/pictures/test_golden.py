"""The tables of Lords and of First War, and what changes on the map of Hammer, as they are, letter by letter.

Where a mark stands and what colour it has is of no rule, and yet nobody should move it without seeing it.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from pbem.pictures.base import Picture
from pbem.testing.games import random_game
from pbem.titles import load
from pbem.titles.hammer import pictures as drawn_map
from pbem.titles.hammer.pictures import beside, caption
from pbem.titles.hammer.pictures.blocks import arrows, battle_marks
from tests.hammer.map_scenes import played as hammer
from tests.hammer.map_scenes import scene
from tests.kept import Telling, as_kept
from tests.pictures.test_lords import played

GOLDEN = Path(__file__).parent / "golden"


def lords() -> Picture:
    """Three armies in the middle of a round, as one of their owners sees them."""
    painter = load("lords").pictures
    assert painter is not None
    game = played(4, 31)
    return painter.draw(game.view("red"), game.told("red"))


def first_war() -> Picture:
    """A battle of First War, as the Scots see it."""
    title = load("first-war")
    assert title.pictures is not None
    games = random_game(title.rules, 2)
    return next(
        title.pictures.draw(game.view("scots"), game.told("scots"))
        for place, game in enumerate(games)
        if place >= 260
    )


TABLES: dict[str, Callable[[], Picture]] = {"lords": lords, "first_war": first_war}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_drawn_as_it_was(name: str) -> None:
    drawn = TABLES[name]().svg.replace("><", ">\n<") + "\n"
    as_kept(GOLDEN / f"{name}.svg", drawn)


@pytest.mark.ci
def test_what_lies_on_the_map_is_as_it_was() -> None:
    """Arrows, swords and words of Hammer along games by chance, as readers see them; blocks by a digest."""
    told, spots = Telling(), drawn_map.centres()
    for seed, answers in enumerate((0, 60, 95, 130, 260)):
        game = hammer(seed, answers)
        for viewer in ("england", "scotland", "public", "gm"):
            view, since = scene(game, viewer)
            marks = [*arrows(since, spots), *battle_marks(view, since, spots)]
            stacks = sha256(str([*drawn_map.stacks(view, marks)]).encode()).hexdigest()
            said = [*beside(view), *caption(view, since).split(". ")]
            told.add(f"{seed} {viewer}", [*marks, stacks, *said])
    told.add("legend", [*drawn_map.legend().split("><"), *drawn_map.plates()])
    as_kept(GOLDEN / "hammer.txt", str(told))
