"""Puts one change after another into a pytest that has collected its tests. A plugin, for break_program.py.

    PBEM_FORKING=folder pytest -p tests.tools.forking TESTS...

The folder's `changes.json` says what to try (`Change`). Each gets a process of its own, a fork of this one,
in which the functions of the changed file are replaced and its tests played until one fails; the programs
that those tests start find the changed file in a copy of the package. Results come as lines of JSON in
`results.jsonl`, as soon as they are there. A test that fails in such a process without any change tells
nothing and is left out; so does one that fails for the file's bytes alone.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import _lru_cache_wrapper, cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NoReturn

import pytest

TREE = Path(__file__).parent.parent.parent
PACKAGE = f"{TREE / 'pbem'}{os.sep}"
WAITING = 5
"""How many times its processor time a run of tests may take, on a busy machine."""
NEVER_ENDS = "noticed: never ends"
SURVIVED = "survived"
EARLY = "survived, but ran before the change"


@dataclass(frozen=True, slots=True)
class Change:
    """A file below pbem with one thing changed, and the tests to play: quick ones, then heavier ones.

    Without tests all that were collected.
    """

    name: str
    file: str
    function: str
    source: str
    right: str
    """The file without the change, written alike."""
    tests: tuple[tuple[str, ...], tuple[str, ...]] | None
    seconds: int
    """Of processor time, that each of its processes may take."""

    @property
    def module(self) -> str:
        """What Python calls the file."""
        return "pbem." + self.file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


@dataclass(slots=True)
class Running:
    """The process of a change."""

    change: Change
    folder: Path
    until: float
    """On the clock of this process, when it has taken too long."""

    @property
    def failed(self) -> tuple[str, str]:
        """The test that noticed and what it said; empty if none did."""
        said = (self.folder / "failed").read_text(encoding="utf-8")
        test, _, words = said.partition("\n")
        return test, words


def ask(folder: Path, changes: Sequence[Change], processes: int) -> None:
    """Write what is to be tried."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.jsonl").write_text("", encoding="utf-8")
    asked = {"processes": processes, "changes": [asdict(change) for change in changes]}
    (folder / "changes.json").write_text(json.dumps(asked), encoding="utf-8")


class Forking:
    """Plays the tests of each change in a fork."""

    def __init__(self, folder: Path) -> None:
        asked = json.loads((folder / "changes.json").read_text(encoding="utf-8"))
        self.folder = folder
        self.processes: int = asked["processes"]
        self.waiting = deque(Change(**change) for change in asked["changes"])
        self.running: dict[int, Running] = {}
        self.early: set[tuple[str, str]] = set()
        """File and function that ran while tests were collected: for these a fork comes too late."""
        self.innocent: set[tuple[str, str]] = set()
        """File and test that passes in a fork without a change of it."""
        self.useless: set[tuple[str, str]] = set()
        """Tests that do not."""

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """What Python calls at each call."""
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            file = code.co_filename.removeprefix(PACKAGE)
            self.early.add((file, code.co_qualname.replace("<locals>.", "")))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of playing the tests."""
        sys.setprofile(None)
        items: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            items[item.nodeid.partition("[")[0]].append(item)
        for change in self.waiting:
            with suppress(ImportError):
                importlib.import_module(change.module)
        _of_package()
        while self.waiting or self.running:
            while self.waiting and len(self.running) < self.processes:
                change = self.waiting.popleft()
                self._begin(change, list(self._wanted(items, change)))
            self._look(session)
            time.sleep(0.02)
        return True

    def _wanted(self, items: Mapping[str, Sequence[pytest.Item]], change: Change) -> Iterator[pytest.Item]:
        for heavy, tests in enumerate(change.tests or (items, items)):
            for test in tests:
                for item in items.get(test, ()):
                    is_heavy = item.get_closest_marker("ci") is not None
                    if is_heavy == bool(heavy) and (change.file, item.nodeid) not in self.useless:
                        yield item

    def _begin(self, change: Change, items: Sequence[pytest.Item]) -> Running:
        folder = Path(tempfile.mkdtemp(prefix="f", dir=self.folder))
        child = os.fork()
        if not child:
            _play(change, items, folder)
        running = Running(change, folder, time.monotonic() + WAITING * change.seconds)
        self.running[child] = running
        return running

    def _look(self, session: pytest.Session) -> None:
        """Whichever processes are over, or take too long."""
        for child, running in [*self.running.items()]:
            ended, status = os.waitpid(child, os.WNOHANG)
            if not ended and time.monotonic() < running.until:
                continue
            with suppress(ProcessLookupError):  # what it started ends with it
                os.killpg(child, signal.SIGKILL)
            if not ended:
                os.waitpid(child, 0)
            del self.running[child]
            result = self._result(session, running, never=not ended or os.WIFSIGNALED(status))
            shutil.rmtree(running.folder, ignore_errors=True)
            if result is None:
                self.waiting.appendleft(running.change)
                continue
            with (self.folder / "results.jsonl").open("a", encoding="utf-8") as kept:
                kept.write(json.dumps({"mutant": running.change.name, "result": result}) + "\n")

    def _result(self, session: pytest.Session, running: Running, *, never: bool) -> str | None:
        """None if it has to be tried again, without a test that tells nothing."""
        if not (running.folder / "failed").exists():
            return NEVER_ENDS if never else "not tried: its process ended by itself"
        test, words = running.failed
        if not test:
            change = running.change
            return EARLY if (change.file, change.function) in self.early else SURVIVED
        item = next(item for item in session.items if item.nodeid == test)
        if not self._is_innocent(running.change, item):
            return None
        suite = "the heavier tests" if item.get_closest_marker("ci") else "the quick suite"
        return f"noticed by {suite}: {test} - {words}"[:300]

    def _is_innocent(self, change: Change, item: pytest.Item) -> bool:
        asked = change.file, item.nodeid
        if asked not in self.innocent | self.useless:
            others, self.running = self.running, {}
            alone = self._begin(replace(change, source=change.right), [item])
            (child,) = self.running
            os.waitpid(child, 0)
            self.running = others
            passes = (alone.folder / "failed").exists() and not alone.failed[0]
            shutil.rmtree(alone.folder, ignore_errors=True)
            (self.innocent if passes else self.useless).add(asked)
        return asked in self.innocent


def _play(change: Change, items: Sequence[pytest.Item], folder: Path) -> NoReturn:
    """The process of one change: play the tests until one fails, write it down, and end."""
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (change.seconds, change.seconds + 5))
        log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="f")
        tempfile.tempdir = None
        _put_in(change)
        os.environ["PYTHONPATH"] = str(_copy(change, folder))
        said = _first_failure(items)
        shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)
        (folder / "written").write_text(said, encoding="utf-8")
        (folder / "written").rename(folder / "failed")
    finally:
        os._exit(0)


def _first_failure(items: Sequence[pytest.Item]) -> str:
    failed: list[str] = []

    class Listening:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed and not failed:
                crash = getattr(report.longrepr, "reprcrash", None)
                failed.append(f"{report.nodeid}\n{' '.join(str(getattr(crash, 'message', '')).split())}")

    if items:
        items[0].config.pluginmanager.register(Listening())
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failed:
            return failed[0]
    return ""


def _copy(change: Change, folder: Path) -> Path:
    """This checkout with the changed file, for the programs that tests start."""
    copy = folder / "tree"
    copy.mkdir()
    for one in TREE.iterdir():
        if one.name != "pbem":
            (copy / one.name).symlink_to(one)
    shutil.copytree(TREE / "pbem", copy / "pbem", copy_function=os.link)
    path = copy / "pbem" / change.file
    path.unlink()
    path.write_text(change.source, encoding="utf-8")
    for old in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        old.unlink()
    return copy


def _put_in(change: Change) -> None:
    """Every function of the file does what the changed one says; what they remember is forgotten."""
    path = TREE / "pbem" / change.file
    name = str(path)
    old = _codes(compile(path.read_text(encoding="utf-8"), name, "exec", dont_inherit=True))
    new = _codes(compile(change.source, name, "exec", dont_inherit=True))
    become = {
        (qualname, code.co_firstlineno): changed
        for qualname, codes in old.items()
        if len(codes) == len(new.get(qualname, ()))
        for code, changed in zip(codes, new[qualname], strict=True)
    }
    functions, caches = _of_package()
    for function in functions[name]:
        changed = become.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if changed is not None and changed.co_freevars == function.__code__.co_freevars:
            function.__code__ = changed
    for kept in caches[name]:
        kept.cache_clear()


@cache
def _of_package() -> tuple[dict[str, list[FunctionType]], dict[str, list[Any]]]:
    """The functions of pbem, and what remembers their answers, by file; looked for before the first fork."""
    functions: dict[str, list[FunctionType]] = defaultdict(list)
    caches: dict[str, list[Any]] = defaultdict(list)
    for one in gc.get_objects():
        if isinstance(one, FunctionType):
            functions[one.__code__.co_filename].append(one)
        elif isinstance(one, _lru_cache_wrapper) and isinstance(one.__wrapped__, FunctionType):
            caches[one.__wrapped__.__code__.co_filename].append(one)
    return functions, caches


def _codes(code: CodeType) -> dict[str, list[CodeType]]:
    """Those of all functions, by their names, in order."""
    found: dict[str, list[CodeType]] = defaultdict(list)

    def walk(around: CodeType) -> None:
        for inner in around.co_consts:
            if isinstance(inner, CodeType):
                found[inner.co_qualname].append(inner)
                walk(inner)

    walk(code)
    return found


def pytest_configure(config: pytest.Config) -> None:
    """Begin, if changes are to be tried."""
    if os.environ.get("PBEM_FORKING"):
        forking = Forking(Path(os.environ.pop("PBEM_FORKING")))
        config.pluginmanager.register(forking)
        sys.setprofile(forking.note)
