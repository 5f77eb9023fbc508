"""The promises that CI skips nothing and overwrites nothing that it should compare."""

import ast
import re
import secrets
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pbem.judge.club import create_club
from tests.conftest import chance
from tests.running import python

pytestmark = pytest.mark.ci


A_SKIPPED_TEST = """
import pytest

def test_that_needs_something():
    pytest.skip("no such program here")  # the skip under test
"""
A_SKIPPED_MODULE = 'import pytest\n\npytest.importorskip("no_such_module")\n'


def pytest_in(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Pytest, run there with nothing else in its environment."""
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    return python(*words, check=False, cwd=folder, env={"PATH": ""}, **environment)


@pytest.mark.parametrize("text", [A_SKIPPED_TEST, A_SKIPPED_MODULE], ids=["test", "module"])
@pytest.mark.parametrize(("ci", "passes"), [("", True), ("true", False)])
def test_a_skip_fails_in_ci_alone(text: str, ci: str, passes: bool, tmp_path: Path, project: Path) -> None:
    (tmp_path / "conftest.py").write_text((project / "tests/conftest.py").read_text())
    (tmp_path / "test_skipped.py").write_text(text)
    run = pytest_in(tmp_path, CI=ci)
    assert ("skipped, but CI skips nothing" in run.stdout) is not passes
    assert ("1 skipped" in run.stdout) is passes


@pytest.mark.parametrize(
    ("environment", "passes"),
    [
        ({"CI": "true", "PBEM_GOLDEN": "update"}, False),
        ({"CI": "1", "PBEM_GOLDEN": "update"}, False),
        ({"PBEM_GOLDEN": "update"}, True),
        ({"CI": "true"}, True),
    ],
)
def test_golden_files_are_not_written_anew_in_ci(
    environment: dict[str, str], passes: bool, tmp_path: Path, project: Path
) -> None:
    """Else a report that has changed would agree with itself."""
    (tmp_path / "conftest.py").write_text((project / "tests/conftest.py").read_text())
    (tmp_path / "test_nothing.py").write_text("def test_nothing() -> None:\n    pass\n")
    run = pytest_in(tmp_path, **environment)
    assert (run.returncode == 0) is passes
    assert ("with CI set they are compared" in run.stderr) is not passes


@pytest.mark.parametrize(("cache", "kept"), [([], True), (["-p", "no:cacheprovider"], False)])
def test_bytecode_is_kept_where_a_cache_is(
    cache: list[str], kept: bool, tmp_path: Path, project: Path
) -> None:
    """To compile all tests took longer than to collect them; a program broken on purpose must be compiled."""
    (tmp_path / "conftest.py").write_text((project / "tests/conftest.py").read_text())
    (tmp_path / "test_nothing.py").write_text("def test_nothing() -> None:\n    pass\n")
    python("-m", "pytest", "-q", *cache, cwd=tmp_path, env={"PATH": "", "PYTHONDONTWRITEBYTECODE": "1"})
    assert bool([*tmp_path.glob("__pycache__/test_nothing*.pyc")]) is kept


LIGHT = re.compile(
    r"^@pytest\.mark\.ci\(\s*but=(\(.*?\))\s*\)$.*?^def (test_\w+)\(", re.MULTILINE | re.DOTALL
)
"""The light ones of a heavy test, and the test."""
LIGHT_TESTS = re.compile(r"^pytestmark = pytest\.mark\.ci\(\s*but=(\(.*?\))\s*\)$", re.MULTILINE | re.DOTALL)
"""The light ones of a heavy module."""


def test_the_light_ones_of_what_is_heavy_are_in_the_quick_suite(project: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "--collect-only"]
    found = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout
    quick = set(found.splitlines())
    named = [
        f"{path.relative_to(project).as_posix()}::{test}[{light}]"
        for path in sorted((project / "tests").rglob("test_*.py"))
        for lights, test in LIGHT.findall(path.read_text(encoding="utf-8"))
        for light in ast.literal_eval(lights)
    ]
    assert len(named) > 50
    assert [one for one in named if one not in quick] == []
    played = {one.partition("[")[0] for one in quick}
    light = {
        path: {f"{path.relative_to(project).as_posix()}::{test}" for test in ast.literal_eval(tests)}
        for path in (project / "tests").rglob("test_*.py")
        for tests in LIGHT_TESTS.findall(path.read_text(encoding="utf-8"))
    }
    for path, tests in light.items():
        module = path.relative_to(project).as_posix()
        assert {one for one in played if one.startswith(f"{module}::")} == tests, "and no others of its tests"


def test_every_row_of_the_slow_ones_names_a_heavy_test(project: Path) -> None:
    """And of each with parameters `.ci/run` plays one of so many as the row says: the first, at least."""
    rows = tomllib.loads((project / "tests/slow.toml").read_text(encoding="utf-8"))
    modules = [f"tests/{module}" for module in rows]

    def collected(marks: str) -> set[str]:
        command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "--collect-only", "-m", marks, *modules]
        run = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
        return set(run.stdout.splitlines())

    heavy, slow = collected("ci"), collected("slow")
    left_out, played = ({one.partition("[")[0] for one in found} for found in (slow, heavy))
    named = {
        f"tests/{module}::{test}": one_of for module, tests in rows.items() for test, one_of in tests.items()
    }
    assert named.keys() - left_out == set(), "no such heavy tests, or none of them is left to the slow ones"
    assert {name for name, one_of in named.items() if one_of} - played == set()
    assert {name for name, one_of in named.items() if not one_of} & played == set()


@pytest.fixture(scope="session")
def shared() -> bytes:
    """Drawn when the first test needs it, which may be any."""
    return secrets.token_bytes(32)


def test_dice_do_not_depend_on_which_tests_ran_before(
    shared: bytes, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """The judge's secret of a club is the same in every run, for tests, fixtures and shared worlds."""
    masters = []
    for name, of in (("test", request.node.nodeid), ("fixture", " shared 0"), ("again", " shared 0")):
        with chance.of(of):
            club = create_club(tmp_path / name, "test")
        masters.append(club.master)
        club.store.close()
    assert secrets.token_bytes(32) == masters[0] != masters[1]
    assert shared == masters[1] == masters[2]


def test_the_quick_suite_reads_no_module_that_it_leaves_out(project: Path) -> None:
    """But a module that is asked for by its name is read, and so is every one if more is asked for."""

    def read(*arguments: str) -> str:
        command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "--collect-only", *arguments]
        return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False).stdout

    assert "deselected" not in read("tests/odds")
    assert "deselected" in read("tests/odds/test_battle.py")
    assert "test_battle.py" in read("tests/odds", "-m", "ci")
