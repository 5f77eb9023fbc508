"""What a command costs before it does anything is what it imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.disputes.story import GAME, Story

pytestmark = pytest.mark.ci

LISTING = "import sys; from pbem.cli import main; main(sys.argv[1:]); print(*sys.modules)"
MOST = 164
"""Modules of ours; a forecast needs the game with its rules, its order language and its odds."""


def test_few_modules_are_on_the_way_to_a_turn_that_is_looked_at(played: Story, tmp_path: Path) -> None:
    """Nothing takes in mail, and nothing seals."""
    path = tmp_path / "orders.txt"
    path.write_text("move all to Fife\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LISTING, "check", str(path), "--game", GAME],
        env=os.environ | {"PBEM_HOME": str(played.folder / "alice")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Orders for Scotland, not sent yet" in done.stdout, done.stderr
    names = done.stdout.splitlines()[-1].split()
    ours = [name for name in names if name.split(".")[0] == "pbem"]
    assert "pbem.titles.hammer.forecast.trial" in ours
    assert len(ours) <= MOST, sorted(ours)
    assert not {"pbem.player.incoming", "pbem.player.outgoing.ordering"} & set(names)
