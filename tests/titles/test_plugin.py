"""`pytest --pbem-title NAME`, as somebody who writes a game runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.guides import own_name
from pbem.testing.contract import CONTRACT
from tests.titles.installed import install_games


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """Exit status and what was said, in a folder that has nothing to do with this project."""
    install_games()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.ci
def test_a_title_from_outside_is_tried_beside_its_own_tests(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own(): pass\n")
    status, said = run(tmp_path, "--pbem-title", own_name())
    assert status == 0, said
    assert f"{len(CONTRACT) + 1} passed" in said
    assert "not tried of the contract" not in said


@pytest.mark.ci
def test_a_title_that_is_not_installed_is_told_with_those_that_are(tmp_path: Path) -> None:
    status, said = run(tmp_path, "--pbem-title", "chess")
    assert status == 4
    assert f"--pbem-title: no game called 'chess'; installed: first-war, hammer, {own_name()}, " in said
    assert "Traceback" not in said


@pytest.mark.ci
def test_what_could_not_be_tried_is_told_at_the_end(tmp_path: Path) -> None:
    status, said = run(tmp_path, "--pbem-title", "hammer", "-k", "goes_on")
    assert status == 0, said
    assert "not tried of the contract of titles" in said
    assert "hammer: no place to begin: " in said
