"""The promise that CI skips nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

A_SKIPPED_TEST = """
import pytest

def test_that_needs_something():
    pytest.skip("no such program here")  # the skip under test
"""
A_SKIPPED_MODULE = 'import pytest\n\npytest.importorskip("no_such_module")\n'


@pytest.mark.parametrize("text", [A_SKIPPED_TEST, A_SKIPPED_MODULE], ids=["test", "module"])
@pytest.mark.parametrize(("ci", "passes"), [("", True), ("true", False)])
def test_a_skip_fails_in_ci_alone(text: str, ci: str, passes: bool, tmp_path: Path, project: Path) -> None:
    (tmp_path / "conftest.py").write_text((project / "tests/conftest.py").read_text())
    (tmp_path / "test_skipped.py").write_text(text)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={"CI": ci, "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("skipped, but CI skips nothing" in run.stdout) is not passes
    assert ("1 skipped" in run.stdout) is passes
