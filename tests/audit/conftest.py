"""Games to check and to cheat with, played once for all tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.trust.entries import AFTER_CLOSE
from tests.audit.attack import Scene
from tests.audit.stage import Stage, afterwards, corrected, finish, interrupted, skirmish

SHORT = {"scenario": "campaign", "last_year": 1297}


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Stage]:
    """Makes new games, their first exchange open."""

    def make(**settings: object) -> Stage:
        return Stage(tmp_path_factory.mktemp("stage"), **(SHORT | settings))  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def scene(fresh: Callable[..., Stage]) -> Scene:
    """One game in the middle, one that is over."""
    middle, finished = fresh(), fresh()
    skirmish(middle, last=3)
    earlier = middle.bundle()
    skirmish(middle)
    skirmish(finished)
    finish(finished)
    late = fresh(mode=AFTER_CLOSE)
    afterwards(late)
    ended = fresh()
    interrupted(ended)
    replayed = fresh()
    corrected(replayed)
    return Scene(
        late=late,
        interrupted=ended,
        corrected=replayed,
        skirmish=middle,
        earlier=earlier,
        finished=finished,
        fresh=fresh,
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes empty folders."""
    return lambda: tmp_path_factory.mktemp("bundle")
