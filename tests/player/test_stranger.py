"""Mistakes at the command line, and whether the answer says what one would want to know."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.player import Home

MISTAKES = tomllib.loads((Path(__file__).parent / "stranger.toml").read_text(encoding="utf-8"))["mistake"]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one["command"])
def test_a_command_that_is_not_right_is_told_what_would_be(
    mistake: dict[str, str],
    play: Callable[[int], None],
    alice: Home,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    play(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        patch.setenv("PBEM_HOME", str(alice.path))
        assert main(shlex.split(mistake["command"])) != 0
    said = capsys.readouterr().err
    for want in mistake["wants"]:
        assert want in said, said
