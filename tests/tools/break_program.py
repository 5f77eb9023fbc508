"""Break the program outside the rules on purpose, one line at a time, and see whether a test notices.

    python -m tests.tools.break_program --map             once: which test runs which function
    python -m tests.tools.break_program                   100 changes, or those that are not tried yet
    python -m tests.tools.break_program --most 10         ten of them; call it again for the next ten

Everything happens in a copy of this checkout in --work, so a change of the checkout does no harm. There one
line is changed (mutants.py), and the tests that run its function are played, the quickest first, up to
--seconds of them by the map. Each result is kept in --work/results.jsonl at once. A change that the tests
never finish with counts as noticed. break_program.toml lists what alters nothing that anybody could notice,
with the reason. The exit code is 1 if another survives.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.tools.mutants import Mutant, source_mutants

PROJECT = Path(__file__).parent.parent.parent
KNOWN = Path(__file__).with_name("break_program.toml")
SIZE = 100
SEED = 1297
SECONDS = 40.0
"""Seconds of tests, by the map, that a change is tried with; the first file is played whatever it takes."""

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
    """Changes of `size` different lines, those left out that alter nothing; the same for the same seed."""
    by_line = changes()
    chance = random.Random(seed)
    lines = chance.sample(sorted(by_line), min(size, len(by_line)))
    return [chance.choice(by_line[line]) for line in lines]


@cache
def changes() -> dict[str, list[Mutant]]:
    """Every change outside the rules, by its line."""
    found: dict[str, list[Mutant]] = {}
    for path in modules():
        for mutant in source_mutants(path, path.relative_to(PROJECT / "pbem").as_posix()):
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
    """What break_program.toml lists."""
    if not KNOWN.exists():
        return ()
    return tuple(Known(**row) for row in tomllib.loads(KNOWN.read_text(encoding="utf-8")).get("change", ()))


def harmless(mutant: Mutant) -> bool:
    """Does break_program.toml say that this alters nothing?"""
    return any(row.harmless and row.fits(mutant) for row in known())


# -- the copy


class Copy:
    """A copy of the checkout, in which things may be broken."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.tree = work / "tree"
        self.map_file = work / "map.json"

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

    def make_map(self, marked: str) -> None:
        """Play every test in the unchanged copy and note what it runs."""
        self.make()
        hook = "import os\nif os.environ.get('PBEM_COVERING_CHILD'):\n    from tests.tools import covering\n"
        child = self.tree / "sitecustomize.py"
        child.write_text(f"{hook}    covering.in_child()\n", encoding="utf-8")
        left_out = [f"--ignore={name}" for name in TESTS_LEFT_OUT]
        command = [sys.executable, "-m", "pytest", *PYTEST, "-m", marked, "-p", "tests.tools.covering"]
        subprocess.run(
            [*command, *left_out],
            cwd=self.tree,
            env=self.environment(PBEM_COVERING=str(self.map_file)),
            check=False,
        )
        child.unlink()

    def tests_of(self, mutant: Mutant, most: float) -> tuple[list[str], float]:
        """The tests that run the changed function, and how long they take; by files, the quickest first."""
        found: dict[str, Any] = json.loads(self.map_file.read_text(encoding="utf-8"))
        functions = list(enumerate(found["functions"]))
        wanted = {number for number, name in functions if name == f"{mutant.file}:{mutant.rule}"}
        if not wanted:  # a function that is newer than the map: whatever runs its module
            wanted = {number for number, name in functions if name.partition(":")[0] == mutant.file}
        folder = f"tests/{mutant.file.partition('/')[0]}/"
        seconds: dict[str, float] = found["seconds"]
        files: dict[str, set[str]] = {}
        for name, run in found["tests"].items():
            file, _, test = name.partition("::")
            if (wanted & set(run)) if wanted else file.startswith(folder):
                alike = [one for one in seconds if one.startswith(f"{file}::")] if not test else [name]
                there = {one for one in alike if self._is_there(one)}
                files.setdefault(file, set()).update(there - set(found["failed"]))
        tests: list[str] = []
        spent = 0.0
        for names in sorted(files.values(), key=lambda names: sum(seconds[name] for name in names)):
            for name in sorted(names, key=seconds.__getitem__):
                if not tests or spent + seconds[name] <= most:
                    tests.append(name)
                    spent += seconds[name]
        return tests, spent

    def _is_there(self, test: str) -> bool:
        """Is a test of the map still in the checkout?"""
        file, _, name = test.partition("::")
        path = self.tree / file
        return bool(name) and path.exists() and f"def {name.rpartition('::')[2]}(" in path.read_text("utf-8")

    def try_mutant(self, mutant: Mutant, most: float) -> str:
        """What becomes of it: which test notices, "survived", or "no test runs it"."""
        tests, spent = self.tests_of(mutant, most)
        if not tests:
            return "no test runs it"
        path = self.tree / "pbem" / mutant.file
        right = path.read_text(encoding="utf-8")
        path.write_text(mutant.source, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", *PYTEST, "-m", "not slow", "-x", *tests]
        try:
            with tempfile.TemporaryFile() as said:
                process = subprocess.Popen(
                    command, cwd=self.tree, env=self.environment(), stdout=said, stderr=said
                )
                try:
                    code = process.wait(timeout=120 + 10 * spent)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    return "noticed: never ends"
                said.seek(0)
                last = said.read().decode(errors="replace").strip().split("\n")[-2:]
        finally:
            path.write_text(right, encoding="utf-8")
        if code not in (0, 1, 2):
            return f"not tried: pytest ended with {code}"
        return "survived" if code == 0 else f"noticed: {' '.join(last)[:160]}"


# -- all of them


def results(work: Path) -> Iterator[dict[str, str]]:
    """What has been tried so far."""
    kept = work / "results.jsonl"
    if kept.exists():
        yield from (json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines())


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--map", action="store_true", help="make the map of tests anew, and nothing else")
    parser.add_argument("--marked", default="not slow", help="the tests of the map, as pytest's -m has it")
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--most", type=int, default=SIZE, help="try so many that are not tried yet")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of tests for each change, by the map")
    parser.add_argument("--again", action="store_true", help="try the survivors once more")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "pbem-broken")
    asked = parser.parse_args(arguments)
    copy = Copy(asked.work)
    if asked.map or not copy.map_file.exists():
        copy.make_map(asked.marked)
        if asked.map:
            return 0
    copy.make()
    done = {
        (row["place"], row["change"]): row["result"]
        for row in results(asked.work)
        if not (asked.again and not row["result"].startswith("noticed"))
    }
    mutants = chosen(asked.size, asked.seed)
    waiting = [mutant for mutant in mutants if (mutant.place, mutant.change) not in done]
    for mutant in waiting[: asked.most]:
        result = copy.try_mutant(mutant, asked.seconds)
        done[mutant.place, mutant.change] = result
        row = {"place": mutant.place, "rule": mutant.rule, "change": mutant.change, "result": result}
        with (asked.work / "results.jsonl").open("a", encoding="utf-8") as kept:
            kept.write(json.dumps(row) + "\n")
        print(f"{mutant.place} {mutant.rule}\n    {mutant.change}\n    {result}", flush=True)
    tried = [mutant for mutant in mutants if (mutant.place, mutant.change) in done]
    living = [mutant for mutant in tried if not done[mutant.place, mutant.change].startswith("noticed")]
    print(f"\n{len(tried)} of {len(mutants)} tried (seed {asked.seed}): {len(tried) - len(living)} noticed")
    for mutant in living:
        reason = next((f" ({row.reason})" for row in known() if row.fits(mutant)), "")
        what = done[mutant.place, mutant.change]
        print(f"{what}: {mutant.place} {mutant.rule}: {mutant.change}{reason}")
    return 1 if any(not any(row.fits(mutant) for row in known()) for mutant in living) else 0


if __name__ == "__main__":
    raise SystemExit(main())
