"""Which functions of pbem each test runs, with how long it takes. A pytest plugin, for break_program.py.

    PBEM_COVERING=map.json pytest -p tests.tools.covering

A child process of a test counts as part of it where it runs Python with this checkout first in its path
and the test's environment. What a fixture of a module runs is counted for that whole module.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType

import pytest

PROJECT = Path(__file__).parent.parent.parent
PACKAGE = f"{PROJECT / 'pbem'}{os.sep}"
CHILD = "PBEM_COVERING_CHILD"
"""Names the folder in which a child process leaves what it ran."""

_called: dict[int, CodeType] = {}


def _note(frame: FrameType, event: str, arg: object) -> None:
    _called.setdefault(id(frame.f_code), frame.f_code)


def listen() -> None:
    """From here on every call of a function is noted."""
    threading.settrace(_note)
    sys.settrace(_note)


def taken() -> set[str]:
    """The functions that were called since this was last asked: `judge/desk.py:Desk.receive`."""
    codes = list(_called.values())
    _called.clear()
    return {
        f"{code.co_filename.removeprefix(PACKAGE)}:{code.co_qualname.replace('.<locals>', '')}"
        for code in codes
        if code.co_filename.startswith(PACKAGE)
    }


def in_child() -> None:
    """Called by the sitecustomize of a child process: note what it runs."""
    listen()
    folder = os.environ[CHILD]

    def leave() -> None:
        sys.settrace(None)
        _, name = tempfile.mkstemp(dir=folder)
        Path(name).write_text("\n".join(taken()), encoding="utf-8")

    atexit.register(leave)


class Covering:
    """Collects, test by test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.functions: dict[str, set[str]] = defaultdict(set)
        """Test (or, for what its fixtures run, test file) -> functions."""
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Fixtures count for the file."""
        listen()
        yield
        self._add(item.nodeid.partition("::")[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """The test itself; all of its parameters are one."""
        listen()
        yield
        self._add(item.nodeid.partition("[")[0])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """How long it took, and whether it can be used at all."""
        name = report.nodeid.partition("[")[0]
        self.seconds[name] += report.duration
        if report.outcome != "passed":
            self.failed.add(name)

    def _add(self, name: str) -> None:
        sys.settrace(None)
        self.functions[name] |= taken()
        for left in self.folder.iterdir():
            self.functions[name] |= set(left.read_text(encoding="utf-8").split("\n")) - {""}
            left.unlink()

    def pytest_sessionfinish(self) -> None:
        """Write the map."""
        names = sorted(set().union(*self.functions.values()))
        numbers = {name: number for number, name in enumerate(names)}
        found = {
            "functions": names,
            "tests": {name: sorted(numbers[one] for one in run) for name, run in self.functions.items()},
            "seconds": {name: round(taken, 3) for name, taken in self.seconds.items()},
            "failed": sorted(self.failed),
        }
        Path(os.environ["PBEM_COVERING"]).write_text(json.dumps(found), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Begin, if a map is wanted."""
    if os.environ.get("PBEM_COVERING"):
        folder = Path(tempfile.mkdtemp())
        os.environ[CHILD] = str(folder)
        config.pluginmanager.register(Covering(folder))
