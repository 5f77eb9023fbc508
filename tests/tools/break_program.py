"""Break the program outside the rules on purpose, one line at a time, and see whether a test notices.

    python -m tests.tools.break_program --map             once: which test runs which line (Python 3.12)
    python -m tests.tools.break_program                   100 changes, or those that are not tried yet
    python -m tests.tools.break_program --most 10         ten of them; call it again for the next ten

Everything happens in a copy of this checkout in --work, so a change of the checkout does no harm. There one
line is changed (mutants.py), and the tests that run it are played, the quickest first, up to --seconds of
processor time by the map. Each result is kept in --work/results.jsonl at once. A change that the tests never
finish with counts as noticed. break_program.toml lists what alters nothing that anybody could notice, with
the reason. The exit code is 1 if another survives.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.tools.covering import key
from tests.tools.mutants import Mutant, source_mutants

PROJECT = Path(__file__).parent.parent.parent
KNOWN = "tests/*/break_program.toml"
"""What the tests need not notice: in general, and in each game's modules."""
SIZE = 100
SEED = 1297
SECONDS = 40.0
"""Processor time of tests, by the map, that a change is tried with; the first is played whatever it takes."""

WAITING = 5
"""How many times its processor time a run of tests may take, on a busy machine."""

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
    "CHANGELOG.md",
    "LICENSE",
    ".ci",
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
        for mutant in source_mutants(path, path.relative_to(PROJECT / "pbem").as_posix(), further=True):
            if not harmless(mutant):
                found.setdefault(mutant.place, []).append(mutant)
    return found


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


# -- the copy


@dataclass(frozen=True, slots=True)
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

    def running(self, line: str) -> dict[str, set[str]]:
        """The tests that run this line, by their files; of a line newer than the map, its whole function."""
        lines = set().union(*self.tests.values())
        function = line[: line.index(": ") + 2]
        wanted = {line} if line in lines else {one for one in lines if one.startswith(function)}
        found: dict[str, set[str]] = {}
        for name, run in self.tests.items():
            if not wanted.isdisjoint(run):
                file, _, test = name.partition("::")
                alike = {name} if test else {one for one in self.seconds if one.startswith(f"{file}::")}
                found.setdefault(file, set()).update(alike - self.failed)
        return found


class Copy:
    """A copy of the checkout, in which things may be broken."""

    def __init__(self, work: Path, marked: str) -> None:
        self.work = work
        self.marked = marked
        self.tree = work / "tree"
        self.map_folder = work / "map"

    def make(self) -> None:
        """Copy the checkout anew; every module is written as its changed version would be."""
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for name in COPIED:
            source, to = PROJECT / name, self.tree / name
            if source.is_dir():
                shutil.copytree(source, to, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, to)
        for path in modules():
            plain = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
            (self.tree / path.relative_to(PROJECT)).write_text(plain, encoding="utf-8")

    def environment(self, **more: str) -> dict[str, str]:
        """For a run of tests in the copy."""
        places = {"PYTHONPATH": str(self.tree), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**os.environ, **places, **more}

    def make_map(self, processes: int, only: Sequence[str]) -> None:
        """Play every test in the unchanged copy, or only those of some files, and note what they run."""
        self.make()
        if only:
            Map.forget(self.map_folder, only)
        else:
            shutil.rmtree(self.map_folder, ignore_errors=True)
        self.map_folder.mkdir(exist_ok=True)
        hook = "import os\nif os.environ.get('PBEM_COVERING_CHILD'):\n    from tests.tools import covering\n"
        child = self.tree / "sitecustomize.py"
        child.write_text(f"{hook}    covering.in_child()\n", encoding="utf-8")
        left_out = [f"--ignore={name}" for name in TESTS_LEFT_OUT]
        command = [sys.executable, "-m", "pytest", *PYTEST, "-m", self.marked, "-p", "tests.tools.covering"]
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
        before = (self.tree / "pbem" / mutant.file).read_text(encoding="utf-8").split("\n")
        after = mutant.source.split("\n")
        text = next(old for old, new in zip_longest(before, after, fillvalue="") if old != new)
        return key(mutant.file, mutant.rule, text)

    def tests_of(self, mutant: Mutant, most: float) -> tuple[list[list[str]], float]:
        """The tests that run the changed line, and how long they take: those of its own folder, and others.

        By files, the quickest first.
        """
        seconds = self.map.seconds
        files = self.map.running(self._changed_line(mutant))
        own = f"tests/{mutant.file.partition('/')[0]}/"
        batches: list[list[str]] = [[], []]
        spent = 0.0
        for file in sorted(files, key=lambda file: sum(seconds[name] for name in files[file])):
            for name in sorted(files[file], key=lambda name: (seconds[name], name)):
                if self._is_there(name) and (not spent or spent + seconds[name] <= most):
                    batches[not file.startswith(own)].append(name)
                    spent += seconds[name]
        return [batch for batch in batches if batch], spent

    def _is_there(self, test: str) -> bool:
        """Is a test of the map still in the checkout?"""
        file, _, name = test.partition("::")
        path = self.tree / file
        return bool(name) and path.exists() and f"def {name.rpartition('::')[2]}(" in path.read_text("utf-8")

    def try_mutant(self, mutant: Mutant, most: float) -> str:
        """What becomes of it: which test notices, "survived", or "no test runs it"."""
        batches, spent = self.tests_of(mutant, most)
        if not batches:
            return "no test runs it"
        path = self.tree / "pbem" / mutant.file
        right = path.read_text(encoding="utf-8")
        path.write_text(mutant.source, encoding="utf-8")
        try:
            for tests in batches:
                code, last = self._play(tests, int(30 + 5 * spent))
                if code:
                    break
        finally:
            path.write_text(right, encoding="utf-8")
        if code < 0:
            return "noticed: never ends"
        if code == 4 and "not found" not in last:  # what all tests share cannot even be imported
            return f"noticed: {last[:160]}"
        if code not in (0, 1, 2):
            return f"not tried: pytest ended with {code}"
        return "survived" if code == 0 else f"noticed: {last[:160]}"

    def _play(self, tests: Sequence[str], seconds: int) -> tuple[int, str]:
        """Play tests until one fails; the end of the process, negative if it was ended, and what it said."""

        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

        command = [sys.executable, "-m", "pytest", *PYTEST, "-m", self.marked, "-x", "-rfE", *tests]
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
    parser.add_argument("--processes", type=int, default=1, help="for the map")
    parser.add_argument("--marked", default="not slow", help="these tests alone, as pytest's -m has it")
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--most", type=int, default=SIZE, help="try so many that are not tried yet")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of tests for each change, by the map")
    parser.add_argument("--again", action="store_true", help="try the survivors once more")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "pbem-broken")
    asked = parser.parse_args(arguments)
    copy = Copy(asked.work, asked.marked)
    if asked.map is not None or not copy.map_folder.exists():
        copy.make_map(asked.processes, asked.map or ())
        if asked.map is not None:
            return 0
    copy.make()
    done = {
        row["mutant"]: row["result"]
        for row in results(asked.work)
        if not (asked.again and not row["result"].startswith("noticed"))
    }
    mutants = chosen(asked.size, asked.seed)
    waiting = [mutant for mutant in mutants if name_of(mutant) not in done]
    for mutant in waiting[: asked.most]:
        began = perf_counter()
        done[name_of(mutant)] = result = copy.try_mutant(mutant, asked.seconds)
        with (asked.work / "results.jsonl").open("a", encoding="utf-8") as kept:
            kept.write(json.dumps({"mutant": name_of(mutant), "result": result}) + "\n")
        print(f"{mutant.place} {mutant.rule}\n    {mutant.change}\n    {result}", end=" ")
        print(f"({perf_counter() - began:.0f} s)", flush=True)
    tried = [mutant for mutant in mutants if name_of(mutant) in done]
    living = [mutant for mutant in tried if not done[name_of(mutant)].startswith("noticed")]
    print(f"\n{len(tried)} of {len(mutants)} tried (seed {asked.seed}): {len(tried) - len(living)} noticed")
    for mutant in living:
        reason = next((f" ({row.reason})" for row in known() if row.fits(mutant)), "")
        what = done[name_of(mutant)]
        print(f"{what}: {mutant.place} {mutant.rule}: {mutant.change}{reason}")
    return 1 if any(not any(row.fits(mutant) for row in known()) for mutant in living) else 0


if __name__ == "__main__":
    raise SystemExit(main())
