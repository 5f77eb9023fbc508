"""Break the program outside the rules on purpose, one line at a time, and see whether a test notices.

    python -m tests.tools.break_program --map             once: which test runs which line (Python 3.12)
    python -m tests.tools.break_program                   100 changes, or those that are not tried yet
    python -m tests.tools.break_program --most 10         ten of them; call it again for the next ten
    python -m tests.tools.break_program --of audit/orders.py:_counting --tests tests/audit
                                    every change of a function (or file), in forks alone, by these tests

Everything happens in a copy of this checkout in --work, so a change of the checkout does no harm. There one
line is changed (mutants.py), and the tests that run it are played, the quickest first: those of the quick
suite up to --seconds of processor time by the map, then the heavier ones up to as much. They are collected
once, and each change gets a fork of that process (forking.py); what survives there is tried once more in a
Python that starts with it, if the function had run before the fork. Results are kept in
--work/results.jsonl. A change that the tests never finish with counts as noticed. break_program.toml lists
what alters nothing that anybody could notice, with the reason. The exit code is 1 if another survives.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tests.tools.covering import key
from tests.tools.forking import NEVER_ENDS, SURVIVED, WAITING, Change, ask
from tests.tools.mutants import Mutant, source_mutants

PROJECT = Path(__file__).parent.parent.parent
KNOWN = "tests/*/break_program.toml"
"""What the tests need not notice: in general, and in each game's modules."""
SIZE = 100
SEED = 1297
SECONDS = 50.0
"""Processor time of tests, by the map, that a change is tried with; the first is played whatever it takes."""

LONGEST = 120
"""Seconds of processor time for a change whose tests are given, not chosen by the map."""

OTHERS = 4
"""So many times as quick as a test file of its own folder is one of another that is played before it."""

QUICK = "not slow and not ci"
HEAVIER = "ci"
"""The two suites, as pytest's -m has them."""

LEFT_OUT = ("pbem/rules",)
"""tests/tools/break_rules.py breaks these."""

TESTS_LEFT_OUT = (
    "tests/cases",
    "tests/test_break_rules.py",
    "tests/test_packaging.py",
    "tests/test_readme.py",
)
"""They try the rules, or need more of the checkout than is copied."""

COPIED = (
    "pbem",
    "templates",
    "tests",
    "games",
    "pyproject.toml",
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Containerfile",
    "LICENSE",
    ".ci",
    ".github",
)
PYTEST = ("-q", "-n", "0", "-p", "no:cacheprovider", "--override-ini=addopts=", "--hypothesis-seed=0")


def modules() -> list[Path]:
    """Every module of pbem but the rules."""
    found = sorted((PROJECT / "pbem").rglob("*.py"))
    return [path for path in found if not path.relative_to(PROJECT).as_posix().startswith(LEFT_OUT)]


def chosen(size: int, seed: int) -> list[Mutant]:
    """Changes of `size` different lines, those left out that alter nothing; the same for the same seed.

    Lines are ranked by what stands in them, so that a change of the program elsewhere leaves the rest chosen.
    """
    lines = sorted(changes().values(), key=lambda line: rank(seed, *map(name_of, line)))
    return [min(line, key=lambda mutant: rank(seed, name_of(mutant))) for line in lines[:size]]


def rank(seed: int, *words: str) -> bytes:
    """Where words come in an order that only the seed decides."""
    return sha256("\n".join((str(seed), *words)).encode()).digest()


def name_of(mutant: Mutant) -> str:
    """The mutant, wherever in its file it stands now; no other has this name."""
    again = f", the {mutant.number}. of them" if mutant.number > 1 else ""
    return f"{mutant.file} {mutant.rule}: {mutant.change}{again}"


@cache
def changes() -> dict[str, list[Mutant]]:
    """Every change outside the rules, by its line."""
    found: dict[str, list[Mutant]] = {}
    for path in modules():
        for mutant in changes_of(path.relative_to(PROJECT / "pbem").as_posix()):
            found.setdefault(mutant.place, []).append(mutant)
    return found


def changes_of(file: str) -> list[Mutant]:
    """Every change of one file below pbem."""
    found = source_mutants(PROJECT / "pbem" / file, file, further=True)
    return [mutant for mutant in found if not harmless(mutant)]


def changes_in(place: str) -> list[Mutant]:
    """Every change of a file, `audit/orders.py`, or of one function, `audit/orders.py:_counting`."""
    file, _, function = place.partition(":")
    return [
        mutant
        for mutant in changes_of(file)
        if not function or function in (mutant.rule, *mutant.rule.split("."))
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A change of which a row of break_program.toml speaks."""

    file: str
    rule: str
    before: str
    after: str
    reason: str
    harmless: bool = False

    def fits(self, mutant: Mutant) -> bool:
        """Is the mutant this change?"""
        there = (mutant.file, mutant.rule, mutant.before, mutant.after)
        return (self.file, self.rule, self.before, self.after) == there


@cache
def known() -> tuple[Known, ...]:
    """What the files of that name list."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(PROJECT.glob(KNOWN))]
    return tuple(Known(**row) for text in texts for row in tomllib.loads(text)["change"])


def harmless(mutant: Mutant) -> bool:
    """Does break_program.toml say that this alters nothing?"""
    return any(row.harmless and row.fits(mutant) for row in known())


def unchanged(path: Path) -> str:
    """A module as it is written where nothing in it is changed: one line for each statement."""
    return ast.unparse(ast.parse(path.read_text(encoding="utf-8")))


# -- the copy


@dataclass(frozen=True)
class Map:
    """Which tests run which lines, as covering.py found it, over all its processes."""

    tests: dict[str, frozenset[str]]
    """Test, or test file for what its fixtures run -> lines."""
    seconds: dict[str, float]
    failed: frozenset[str]

    @classmethod
    def read(cls, folder: Path) -> Map:
        """From the files of a folder."""
        tests: dict[str, frozenset[str]] = {}
        seconds: dict[str, float] = {}
        failed: set[str] = set()
        for path in sorted(folder.glob("*.json")):
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            for test, run in found["tests"].items():
                lines = frozenset(found["lines"][number] for number in run)
                tests[test] = tests.get(test, frozenset()) | lines
            for test, taken in found["seconds"].items():
                seconds[test] = seconds.get(test, 0.0) + taken
            failed.update(found["failed"])
        return cls(tests, seconds, frozenset(failed))

    @staticmethod
    def forget(folder: Path, files: Sequence[str]) -> None:
        """Take some test files out of the map, to play them anew."""
        for path in folder.glob("*.json"):
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            for part in ("tests", "seconds"):
                found[part] = {
                    one: all_ for one, all_ in found[part].items() if not one.startswith(tuple(files))
                }
            found["failed"] = [one for one in found["failed"] if not one.startswith(tuple(files))]
            path.write_text(json.dumps(found), encoding="utf-8")

    @cached_property
    def lines(self) -> frozenset[str]:
        """All that tests run."""
        return frozenset().union(*self.tests.values())

    def running(self, line: str) -> dict[str, set[str]]:
        """The tests that run this line, by their files; of a line newer than the map, its whole function."""
        function = line[: line.index(": ") + 2]
        wanted = {line} if line in self.lines else {one for one in self.lines if one.startswith(function)}
        found: dict[str, set[str]] = {}
        for name, run in self.tests.items():
            if not wanted.isdisjoint(run):
                file, _, test = name.partition("::")
                alike = {name} if test else {one for one in self.seconds if one.startswith(f"{file}::")}
                found.setdefault(file, set()).update(alike)
        return found


class Copy:
    """A copy of the checkout, in which things may be broken."""

    def __init__(self, work: Path, only: Sequence[str] = ()) -> None:
        self.work = work
        self.only = only
        """Test files that are played for every change, in place of those that the map names."""
        self.tree = work / "tree"
        self.map_folder = work / "map"

    def make(self, *, plain: bool = False) -> None:
        """Copy the checkout anew; if asked, every module is written as its changed version would be."""
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for name in COPIED:
            source, to = PROJECT / name, self.tree / name
            if source.is_dir():
                shutil.copytree(source, to, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, to)
        for path in modules() if plain else ():
            (self.tree / path.relative_to(PROJECT)).write_text(unchanged(path), encoding="utf-8")
        compileall.compile_dir(self.tree / "pbem", quiet=2)

    def environment(self, **more: str) -> dict[str, str]:
        """For a run of tests in the copy."""
        places = {"PYTHONPATH": str(self.tree), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**os.environ, **places, **more}

    def make_map(self, processes: int, only: Sequence[str]) -> None:
        """Play every test in the unchanged copy, or only those of some files, and note what they run."""
        self.make(plain=True)
        if only:
            Map.forget(self.map_folder, only)
        else:
            shutil.rmtree(self.map_folder, ignore_errors=True)
        self.map_folder.mkdir(exist_ok=True)
        hook = "import os\nif os.environ.get('PBEM_COVERING_CHILD'):\n    from tests.tools import covering\n"
        child = self.tree / "sitecustomize.py"
        child.write_text(f"{hook}    covering.in_child()\n", encoding="utf-8")
        left_out = [f"--ignore={name}" for name in TESTS_LEFT_OUT]
        command = [sys.executable, "-m", "pytest", *PYTEST, "-m", "not slow", "-p", "tests.tools.covering"]
        command += ["-n", str(processes if processes > 1 else 0), "-W", "ignore:Module already imported"]
        subprocess.run(
            [*command, *(only or left_out)],
            cwd=self.tree,
            env=self.environment(PBEM_COVERING=str(self.map_folder)),
            check=False,
        )
        child.unlink()

    @cached_property
    def map(self) -> Map:
        """The map that was made."""
        return Map.read(self.map_folder)

    def _changed_line(self, mutant: Mutant) -> str:
        """The line as the map knows it: ast.unparse writes one for each statement."""
        before = unchanged(PROJECT / "pbem" / mutant.file).split("\n")
        after = mutant.source.split("\n")
        text = next(old for old, new in zip_longest(before, after, fillvalue="") if old != new)
        return key(mutant.file, mutant.rule, text)

    def tests_of(self, mutant: Mutant, most: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tests of either suite that run the changed line: quickest first, its own folder's earlier."""
        seconds = self.map.seconds
        files = self.map.running(self._changed_line(mutant))
        own = f"tests/{mutant.file.partition('/')[0]}/"
        weights = {
            file: sum(seconds[name] for name in names) * (1 if file.startswith(own) else OTHERS)
            for file, names in files.items()
        }
        ordered = [
            name
            for file in sorted(files, key=lambda file: (weights[file], file))
            for name in sorted(files[file], key=lambda name: (seconds[name], name))
        ]
        suites: tuple[list[str], list[str]] = ([], [])
        for suite, names in zip(suites, self.suites, strict=True):
            spent = 0.0
            for name in ordered:
                if name in names and (not spent or spent + seconds[name] <= most):
                    suite.append(name)
                    spent += seconds[name]
        return tuple(suites[0]), tuple(suites[1])

    @cached_property
    def suites(self) -> tuple[frozenset[str], frozenset[str]]:
        """The tests of the quick suite and the heavier ones that are in the checkout."""
        return self._collected(QUICK), self._collected(HEAVIER)

    def _collected(self, marked: str) -> frozenset[str]:
        command = [sys.executable, "-m", "pytest", *PYTEST, "-m", marked, "--collect-only"]
        said = subprocess.run(
            command, cwd=self.tree, env=self.environment(), capture_output=True, text=True, check=False
        )
        return frozenset(line.partition("[")[0] for line in said.stdout.splitlines() if "::" in line)

    def seconds_of(self, tests: Sequence[str]) -> int:
        """Of processor time, that these tests may take before they are said never to end."""
        return int(20 + 3 * sum(self.map.seconds[name] for name in tests))

    def try_all(self, mutants: Sequence[Mutant], most: float, processes: int) -> Iterator[tuple[Mutant, str]]:
        """What becomes of each: in a fork, and, if a fork comes too late for it, from the start."""
        named = {name_of(mutant): mutant for mutant in mutants}
        changes = []
        for name, mutant in named.items():
            tests = None if self.only else self.tests_of(mutant, most)
            seconds = self.seconds_of([*tests[0], *tests[1]]) if tests else LONGEST
            right = unchanged(PROJECT / "pbem" / mutant.file)
            changes.append(Change(name, mutant.file, mutant.rule, mutant.source, right, tests, seconds))
        folder = self.work / "forking"
        shutil.rmtree(folder, ignore_errors=True)
        ask(folder, [change for change in changes if change.tests is None or any(change.tests)], processes)
        run = {name for change in changes for suite in change.tests or () for name in suite}
        files = self.only or sorted({name.partition("::")[0] for name in run})
        said = (self.work / "forking.log").open("w", encoding="utf-8")
        command = [sys.executable, "-m", "pytest", *PYTEST, "-m", f"({QUICK}) or {HEAVIER}", "--capture=sys"]
        with said:
            subprocess.run(
                [*command, "-p", "tests.tools.forking", *files],
                cwd=self.tree,
                env=self.environment(PBEM_FORKING=str(folder)),
                stdout=said,
                stderr=said,
                check=False,
            )
        for row in results(folder):
            if row["result"].startswith("noticed") or row["result"] == SURVIVED or self.only:
                yield named.pop(row["mutant"]), row["result"]
        for mutant in named.values():
            yield mutant, "no test runs it" if self.only else self.try_mutant(mutant, most)

    def try_mutant(self, mutant: Mutant, most: float) -> str:
        """What becomes of it: which test notices, "survived", or "no test runs it"."""
        suites = [
            [name for name in suite if name not in self.map.failed] for suite in self.tests_of(mutant, most)
        ]
        if not any(suites):
            return "no test runs it"
        path = self.tree / "pbem" / mutant.file
        right = path.read_text(encoding="utf-8")
        path.write_text(mutant.source, encoding="utf-8")
        try:
            for marked, suite, tests in zip(
                (QUICK, HEAVIER), ("quick suite", "heavier tests"), suites, strict=True
            ):
                code, last = self._play(tests, marked) if tests else (0, "")
                if code == 0:
                    continue
                if code < 0:
                    return NEVER_ENDS
                if code in (1, 2) or (
                    code == 4 and "not found" not in last
                ):  # 4: what all share is not imported
                    return f"noticed by the {suite}: {last[:160]}"
                return f"not tried: pytest ended with {code}"
        finally:
            path.write_text(right, encoding="utf-8")
        return SURVIVED

    def _play(self, tests: Sequence[str], marked: str) -> tuple[int, str]:
        """Play tests until one fails; the end of the process, negative if it was ended, and what it said."""
        seconds = self.seconds_of(tests)

        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

        command = [sys.executable, "-m", "pytest", *PYTEST, "-m", marked, "-x", "-rfE", *tests]
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                command,
                cwd=self.tree,
                env=self.environment(),
                stdout=said,
                stderr=said,
                preexec_fn=limited,  # noqa: PLW1509 (this process has one thread)
                start_new_session=True,
            )
            try:
                code = process.wait(timeout=WAITING * seconds)
            except subprocess.TimeoutExpired:
                code = -1
            with suppress(ProcessLookupError):  # what it started ends with it
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().split("\n")
            named = next((line for line in lines if line.startswith(("FAILED ", "ERROR "))), "")
            return code, named or " ".join(lines[-2:])


# -- all of them


def results(work: Path) -> Iterator[dict[str, str]]:
    """What has been tried so far."""
    kept = work / "results.jsonl"
    if kept.exists():
        yield from (json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines())


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--map", nargs="*", metavar="FILE", help="make the map anew, or for these test files")
    parser.add_argument("--processes", type=int, default=1, help="at the same time")
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--seed", type=int, nargs="+", default=[SEED], help="one or several")
    parser.add_argument("--most", type=int, default=10 * SIZE, help="try so many that are not tried yet")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="of either suite for each change, by the map"
    )
    parser.add_argument("--of", metavar="FILE[:FUNCTION]", help="every change there, kept nowhere")
    parser.add_argument("--tests", nargs="*", default=(), metavar="FILE", help="these, in place of the map's")
    parser.add_argument("--again", action="store_true", help="try the survivors once more")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "pbem-broken")
    asked = parser.parse_args(arguments)
    copy = Copy(asked.work, asked.tests)
    if asked.map is not None or (not asked.tests and not copy.map_folder.exists()):
        copy.make_map(asked.processes, asked.map or ())
        if asked.map is not None:
            return 0
    copy.make()
    if asked.of:
        for mutant, result in copy.try_all(changes_in(asked.of), asked.seconds, asked.processes):
            print(f"{mutant.place} {mutant.rule}: {mutant.change}\n    {result}", flush=True)
        return 0
    done = {
        row["mutant"]: row["result"]
        for row in results(asked.work)
        if not (asked.again and not row["result"].startswith("noticed"))
    }
    by_seed = {seed: chosen(asked.size, seed) for seed in asked.seed}
    drawn = {name_of(mutant): mutant for mutants in by_seed.values() for mutant in mutants}
    waiting = [mutant for name, mutant in drawn.items() if name not in done]
    for mutant, result in copy.try_all(waiting[: asked.most], asked.seconds, asked.processes):
        done[name_of(mutant)] = result
        with (asked.work / "results.jsonl").open("a", encoding="utf-8") as kept:
            kept.write(json.dumps({"mutant": name_of(mutant), "result": result}) + "\n")
        print(f"{mutant.place} {mutant.rule}\n    {mutant.change}\n    {result}", flush=True)
    return max(summed_up(seed, mutants, done) for seed, mutants in by_seed.items())


def summed_up(seed: int, mutants: Sequence[Mutant], done: Mapping[str, str]) -> int:
    """Print the score of a seed and what survives; 1 if break_program.toml does not list all of that."""
    tried = [mutant for mutant in mutants if name_of(mutant) in done]
    living = [mutant for mutant in tried if not done[name_of(mutant)].startswith("noticed")]
    quick = sum(done[name_of(mutant)].startswith("noticed by the quick suite") for mutant in tried)
    print(f"\nseed {seed}, {len(tried)} of {len(mutants)} tried: {len(tried) - len(living)} noticed", end="")
    print(f", {quick} of them by the quick suite")
    for mutant in living:
        reason = next((f" ({row.reason})" for row in known() if row.fits(mutant)), "")
        what = done[name_of(mutant)]
        print(f"{what}: {mutant.place} {mutant.rule}: {mutant.change}{reason}")
    return int(any(not any(row.fits(mutant) for row in known()) for mutant in living))


if __name__ == "__main__":
    raise SystemExit(main())
