"""Games to check and to cheat with, played once for all tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.audit.attack import SHORT, Scene, make_scene
from tests.audit.stage import Stage


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Stage]:
    """Makes new games, their first exchange open."""

    def make(**settings: object) -> Stage:
        return Stage(tmp_path_factory.mktemp("stage"), **(SHORT | settings))  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def scene(fresh: Callable[..., Stage]) -> Scene:
    """One game in the middle, and several that are over."""
    return make_scene(fresh)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes empty folders."""
    return lambda: tmp_path_factory.mktemp("bundle")
