"""The tables of Lords and of First War as they are, letter by letter.

Where a mark stands and what colour it has is of no rule, and yet nobody should move it without seeing it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.pictures.base import Picture
from pbem.testing.games import random_game
from pbem.titles import load
from tests.kept import as_kept
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
