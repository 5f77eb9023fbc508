"""The files of the recorded games, by their hashes in games/."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pbem.moments.documents import write_page
from tests.kept import as_kept
from tests.moments.stories import GAMES, story_of

SUMS = Path(__file__).parents[2] / "games/STORIES.sha256"


@pytest.mark.ci
def test_the_stories_of_the_recorded_games_are_as_they_were() -> None:
    rows = (
        f"{hashlib.sha256(write_page(story_of(game.name))).hexdigest()}  {game.name}.html\n" for game in GAMES
    )
    as_kept(SUMS, "".join(rows))
