"""A table to play at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.table import Table, make_table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A club with one game, its first exchange open."""
    return make_table(tmp_path)
