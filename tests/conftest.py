"""What all tests share.

No test touches the home of the person who runs it, none passes by luck, and CI skips none.
"""

import gc
import hashlib
import importlib.metadata
import os
import re
import secrets
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import pytest

IN_CI = os.environ.get("CI") == "true"

# No example is timed; in CI the same examples are tried at every run.
hypothesis.settings.register_profile("pbem", deadline=None, derandomize=IN_CI)
hypothesis.settings.load_profile("pbem")

CHANCE = os.environ.get("PBEM_TEST_CHANCE", "")
"""Other dice for every test: a test that holds for one value should hold for all."""


class Chance:
    """The secrets that the program makes, so the dice of every game, follow from the name of who needs them.

    With real ones a test that does not hold in one game of a hundred fails in one run of a hundred, and
    nobody can look at that game again. Keys stay real: no die comes from them.
    """

    def __init__(self) -> None:
        self._name, self._drawn = "", 0

    def token_bytes(self, nbytes: int | None = None) -> bytes:
        """What `secrets.token_bytes` gives."""
        self._drawn += 1
        return hashlib.shake_256(f"{CHANCE} {self._name} {self._drawn}".encode()).digest(nbytes or 32)

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Whose secrets are made now: a test's, a fixture's, or those of a world that tests share."""
        before = self._name, self._drawn
        self._name, self._drawn = name, 0
        try:
            yield
        finally:
            self._name, self._drawn = before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """A test has secrets of its own, whatever ran before it."""
        with self.of(item.nodeid):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """So has a fixture, whichever test comes first to need it."""
        with self.of(f"{request.node.nodeid} {fixturedef.argname} {getattr(request, 'param_index', 0)}"):
            return (yield)


chance = Chance()
secrets.token_bytes = chance.token_bytes

metadata: Any = importlib.metadata
_look_through = metadata.entry_points


@cache
def _installed(_path: tuple[str, ...], **asked: str) -> object:
    """What is installed along a path: to look through all packages takes as long as most tests."""
    return _look_through(**asked)


metadata.entry_points = lambda **asked: _installed(tuple(sys.path), **asked)

MEMORY = Path("/dev/shm")  # noqa: S108  (tests make folders of their own in it)
ROOM = 8 * 2**30
"""Bytes that must be free there."""


def _write_to_memory() -> None:
    """Tests write to memory where it has room: a club waits for its disk, often as long as it works."""
    if "TMPDIR" in os.environ or not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ROOM:
        return
    if not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # whoever asks next looks again


def pytest_configure(config: pytest.Config) -> None:
    """Golden files are written anew by a person who reads the difference, never where they are compared.

    Where a cache may be kept, bytecode is: else each worker would compile every test anew, and each pbem that
    a test starts would compile pbem.
    """
    _write_to_memory()
    config.pluginmanager.register(chance)  # not as hooks of this file, which no session's fixture would reach
    if config.pluginmanager.hasplugin("cacheprovider"):
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
    if os.environ.get("PBEM_GOLDEN") == "update" and os.environ.get("CI"):
        raise pytest.UsageError("PBEM_GOLDEN=update writes golden files anew; with CI set they are compared")


@pytest.fixture(scope="session", autouse=True)
def _nobodys_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every pbem that a test runs finds an empty home, unless the test names another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PBEM_HOME", str(tmp_path_factory.mktemp("home") / "pbem"))
        patch.delenv("PBEM_TRACE", raising=False)
        yield


QUICK = "not slow and not ci"
"""What pyproject.toml selects where nobody asks for anything else."""

_HEAVY = re.compile(r"^pytestmark = .*\bpytest\.mark\.ci\b(?!\()", re.MULTILINE)
"""How a module says that all of it is heavy."""
YOUNG_OBJECTS = (50_000, 10, 10)
"""After so many new objects garbage is looked for among them; the interpreter itself would after 700."""
CHOOSING = ("ci", "dated")
"""Marks that say in which run of .ci/run a test is played."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The quick suite does not import what it leaves out, unless a module is asked for by its name."""
    if (
        not collection_path.match("test_*.py")
        or config.getoption("markexpr") != QUICK
        or config.getoption("keyword")
    ):
        return None
    asked = {Path(one.partition("::")[0]).absolute() for one in config.args}
    heavy = collection_path not in asked and _HEAVY.search(collection_path.read_text(encoding="utf-8"))
    return True if heavy else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is collected is garbage, and tests make little of it; to look for it took long."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.set_threshold(*YOUNG_OBJECTS)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a heavy test or module `ci(but=...)` names the light ones: parameters or tests of the quick suite.

    What is slow is neither heavy nor played by the machine's clock, wherever it stands. Of the heavy tests in
    `tests/slow.toml` all that `.ci/run` has no time for is slow.
    """
    for item in items:
        if _is_chosen(item, "ci") and _is_left_to_long_runs(item):
            item.add_marker("slow")
    chosen = [(item, [name for name in CHOOSING if _is_chosen(item, name)]) for item in items]
    for item in items:
        for node in item.listchain():
            node.own_markers = [mark for mark in node.own_markers if mark.name not in CHOOSING]
    for item, names in chosen:
        for name in names:
            item.add_marker(name)


@cache
def _long_tests() -> dict[str, dict[str, int]]:
    """Return the heavy tests that are slow in part: of how many parameters `.ci/run` plays one, or 0."""
    table = Path(__file__).parent / "slow.toml"
    return tomllib.loads(table.read_text(encoding="utf-8")) if table.is_file() else {}


def _is_left_to_long_runs(item: pytest.Item) -> bool:
    module, _, test = item.nodeid.partition("[")[0].partition("::")
    one_of = _long_tests().get(module.removeprefix("tests/"), {}).get(test)
    if one_of is None:
        return False
    place = min(item.callspec.indices.values(), default=0) if hasattr(item, "callspec") else 0
    return one_of == 0 or place % one_of != 0


def _is_chosen(item: pytest.Item, name: str) -> bool:
    test, _, parameters = item.name.removesuffix("]").partition("[")
    marks = [*item.iter_markers(name)]
    light = any({test, parameters} & {*mark.kwargs.get("but", ())} for mark in marks)
    return bool(marks) and not light and item.get_closest_marker("slow") is None


def pytest_report_header(config: pytest.Config) -> str:
    """What was drawn can be drawn again."""
    return f"tests/matrix: --draw {config.getoption('--draw')}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--seeds FIRST:LAST` says which random games the long runs play."""
    parser.addoption("--seeds", default="0:350", help="random games of the slow tests (first:last)")
    parser.addoption("--draw", default="first", help="a word by which cells of tests/matrix are drawn")


@pytest.fixture(scope="session")
def seeds(request: pytest.FixtureRequest) -> range:
    """The seeds that a long run plays."""
    first, _, last = str(request.config.getoption("--seeds")).partition(":")
    return range(int(first), int(last))


@pytest.fixture(scope="session")
def project() -> Path:
    """The source checkout."""
    return Path(__file__).parent.parent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With CI=true a skipped test is a failed one: whatever it needs has to be installed."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but CI skips nothing: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that skips itself."""
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, but CI skips nothing: {report.longrepr}"
    return report
