"""The page's pure modules, tried by Node alone: drafts, undo, steps, the map's geometry, the state."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = Path(__file__).parent / "units"


@pytest.mark.skipif(
    shutil.which("node") is None and os.environ.get("CI") != "true", reason="no Node is installed"
)
def test_the_pages_modules_do_what_their_tests_say() -> None:
    files = sorted(map(str, UNITS.glob("*.test.mjs")))
    assert files
    done = subprocess.run(["node", "--test", *files], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
