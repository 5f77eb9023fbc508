"""What a command costs before it does anything is what it imports."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree

import pytest

from tests.disputes.story import GAME, Story
from tests.running import python

pytestmark = pytest.mark.ci

LISTING = "import sys; from pbem.cli import main; main(sys.argv[1:]); print(*sys.modules)"
ORDERS = ("orders.txt", "--game", GAME)
REPORT = f"{{}}/club/out/alice/{GAME}-0001-report.txt"
FAR = {"importlib.metadata", "importlib.resources", "pbem.audit", "pbem.judge.adjudication", "zipfile"}
"""No command of a turn needs these: they take as long as the rules of a game."""
MAIL, PAGES = {"email", "pbem.mail"}, {"css_inline", "jinja2", "pbem.pages"}
MOST = {"check": 161, "seal": 147, "receive": 91, "submit": 74}
"""So many modules of ours does a command of a turn import."""


@pytest.mark.parametrize(
    ("command", "without"),
    [
        (("check", *ORDERS), FAR | MAIL | PAGES | {"pbem.player.incoming"}),
        (("seal", *ORDERS, "--out", "again.age"), FAR | MAIL | PAGES | {"pbem.odds"}),
        (("receive", REPORT), FAR | MAIL | PAGES | {"pbem.rules.flow"}),
        (("submit", "{}/alice.age"), FAR | PAGES | {"pbem.forecast", "pbem.player"}),
    ],
    ids=MOST,
)
def test_few_modules_are_on_the_way_of_a_turn(
    played: Story, tmp_path: Path, command: Sequence[str], without: set[str]
) -> None:
    """So many of ours, and no more: a check needs the game with its rules, its orders and its odds."""
    copytree(played.folder / "alice", tmp_path / "home")
    (tmp_path / "orders.txt").write_text("move all to Fife\n", encoding="utf-8")
    words = (word.format(played.folder) for word in command)
    places = {"PBEM_HOME": str(tmp_path / "home"), "PBEM_CLUB": str(played.folder / "club")}
    done = python("-c", LISTING, *words, cwd=tmp_path, env=os.environ | places)
    names = set(done.stdout.splitlines()[-1].split())
    ours = sorted(name for name in names if name.split(".")[0] == "pbem")
    assert len(ours) <= MOST[command[0]], (len(ours), ours, done.stderr)
    assert not without & names
