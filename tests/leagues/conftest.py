"""A league as most stories find it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leagues.world import Called, World, make_world


@pytest.fixture
def called(tmp_path: Path) -> Iterator[Called]:
    """Makes a league of a file and its entrants, whose first draw is called for."""
    made: list[World] = []

    def call(file: bytes, players: tuple[str, ...]) -> World:
        world = make_world(tmp_path / "world", file)
        made.append(world)
        world.enter(*players)
        world.later(31)
        world.run()
        return world

    yield call
    for world in made:
        world.club.store.close()
