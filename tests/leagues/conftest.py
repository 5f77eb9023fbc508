"""A league as most stories find it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pbem.leagues.earlier_results import NOTHING, Carried
from tests.leagues.world import Called, Entered, World, make_world


@pytest.fixture
def entered(tmp_path: Path) -> Iterator[Entered]:
    """Makes a league of a file and its entrants, which takes more."""
    with ExitStack() as clubs:

        def enter(
            file: bytes,
            *players: str,
            people: Iterable[str] = (),
            carried: Carried = NOTHING,
            folder: str = "world",
        ) -> World:
            world = make_world(tmp_path / folder, file, people, carried)
            clubs.callback(lambda made: made.club.store.close(), world)
            world.enter(*players)
            return world

        yield enter


@pytest.fixture
def called(entered: Entered) -> Called:
    """Makes a league whose first draw is called for."""

    def call(file: bytes, *players: str, people: Iterable[str] = ()) -> World:
        world = entered(file, *players, people=people)
        world.after(31)
        return world

    return call
