"""Every fault of the table has a test of the name that stands beside it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
TABLE = tomllib.loads((TESTS / "known_faults.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("fault", TABLE)
def test_what_went_wrong_once_is_tried(fault: str) -> None:
    file, _, name = TABLE[fault].partition("::")
    assert f"\ndef {name}(" in (TESTS / file).read_text(encoding="utf-8")
