"""Which lines of pbem each test runs, and its processor time. A pytest plugin, for break_program.py.

    PBEM_COVERING=folder pytest -p tests.tools.covering       (Python 3.12 or newer; -n 2 is allowed)

Every process writes a map of its own into the folder. A child process of a test counts as part of it where
it runs Python with this checkout first in its path and the test's environment. What a fixture of a module
runs is counted for that whole module.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator
from linecache import getline
from pathlib import Path
from types import CodeType

import pytest

PROJECT = Path(__file__).parent.parent.parent
PACKAGE = f"{PROJECT / 'pbem'}{os.sep}"
CHILD = "PBEM_COVERING_CHILD"
"""Names the folder in which a child process leaves what it ran."""

_run: set[tuple[str, str, int]] = set()

if sys.version_info >= (3, 12):
    _monitoring = sys.monitoring

    def _note(code: CodeType, line: int) -> object:
        if code.co_filename.startswith(PACKAGE):
            _run.add((code.co_filename, code.co_qualname, line))
        return _monitoring.DISABLE  # heard of once; `listen` begins anew

    def listen() -> None:
        """From here on every line is noted."""
        tool = _monitoring.COVERAGE_ID
        if _monitoring.get_tool(tool) is None:
            _monitoring.use_tool_id(tool, "pbem")
            _monitoring.register_callback(tool, _monitoring.events.LINE, _note)
        _monitoring.set_events(tool, _monitoring.events.LINE)
        _monitoring.restart_events()

    def stop() -> None:
        """No more is noted."""
        _monitoring.set_events(_monitoring.COVERAGE_ID, _monitoring.events.NO_EVENTS)

else:

    def listen() -> None:
        """Older Pythons can only trace, which takes too long."""
        raise pytest.UsageError("which test runs which line is asked of Python 3.12 or newer")

    def stop() -> None:
        """Nothing is noted."""


def key(file: str, function: str, text: str) -> str:
    """What a line is called, anywhere in its file: `judge/intake/desk.py:refuse: book.append(entry)`.

    Functions without a name are part of the one around them.
    """
    names = (name for name in function.split(".") if not name.startswith("<"))
    return f"{file}:{'.'.join(names)}: {text.strip()}"


def taken() -> set[str]:
    """The lines that ran since this was last asked."""
    found = {
        key(file.removeprefix(PACKAGE), function, getline(file, line)) for file, function, line in _run.copy()
    }
    _run.clear()
    return found


def in_child() -> None:
    """Called by the sitecustomize of a child process: note what it runs."""
    listen()
    folder = os.environ[CHILD]

    def leave() -> None:
        stop()
        _, name = tempfile.mkstemp(dir=folder)
        Path(name).write_text("\n".join(taken()), encoding="utf-8")

    atexit.register(leave)


class Covering:
    """Collects, test by test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: dict[str, set[str]] = defaultdict(set)
        """Test (or, for what its fixtures run, test file) -> lines."""
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Fixtures count for the file."""
        yield from self._noted(item, item.nodeid.partition("::")[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """The test itself; all of its parameters are one."""
        yield from self._noted(item, item.nodeid.partition("[")[0])

    def _noted(self, item: pytest.Item, name: str) -> Generator[None, None, None]:
        listen()
        before = sum(os.times()[:4])
        try:
            yield
        finally:
            stop()
            self.seconds[item.nodeid.partition("[")[0]] += sum(os.times()[:4]) - before
            self.lines[name] |= taken()
            for left in self.folder.iterdir():
                self.lines[name] |= set(left.read_text(encoding="utf-8").split("\n")) - {""}
                left.unlink()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Whether it can be used at all."""
        if report.outcome != "passed":
            self.failed.add(report.nodeid.partition("[")[0])

    def pytest_sessionfinish(self) -> None:
        """Write the map."""
        names = sorted(set().union(*self.lines.values()))
        numbers = {name: number for number, name in enumerate(names)}
        found = {
            "lines": names,
            "tests": {name: sorted(numbers[one] for one in run) for name, run in self.lines.items()},
            "seconds": {name: round(taken, 3) for name, taken in self.seconds.items()},
            "failed": sorted(self.failed),
        }
        place = Path(os.environ["PBEM_COVERING"]) / f"{os.getpid()}.json"
        place.write_text(json.dumps(found), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Begin, if a map is wanted."""
    if os.environ.get("PBEM_COVERING"):
        folder = Path(tempfile.mkdtemp())
        os.environ[CHILD] = str(folder)
        config.pluginmanager.register(Covering(folder))
