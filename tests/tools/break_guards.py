"""Takes a guard out of the program on purpose, and sees whether its tests notice.

    python -m tests.tools.break_guards           every `[[guard]]` of break_program.toml
    python -m tests.tools.break_guards room      those whose file or name has this word

Everything happens in a copy of this checkout, one guard at a time. A row says what the guard is for, where it
stands, what it becomes, and the tests that have to fail then. The exit code is 1 if they do not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.tools.break_program import COPIED, KNOWN, PROJECT, PYTEST

LONGEST = 300
"""Seconds that the tests of a guard may take."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A guard, and what becomes of it. `test`: as pytest takes them, by blanks."""

    name: str
    file: str
    before: str
    after: str
    test: str

    @property
    def stands(self) -> bool:
        """Whether it is there, once."""
        return (PROJECT / "pbem" / self.file).read_text(encoding="utf-8").count(self.before) == 1

    def is_noticed(self, copy: Path) -> bool:
        """Whether its tests pass with it, and one fails without it."""
        path = copy / "pbem" / self.file
        text = path.read_text(encoding="utf-8")
        passes = self._passes(copy)
        path.write_text(text.replace(self.before, self.after), encoding="utf-8")
        try:
            return passes and not self._passes(copy)
        finally:
            path.write_text(text, encoding="utf-8")

    def _passes(self, copy: Path) -> bool:
        command = [sys.executable, "-m", "pytest", *PYTEST, "-x", *self.test.split()]
        environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=LONGEST, check=False
        )
        return done.returncode == 0


def guards() -> list[Guard]:
    """Those that are listed."""
    found = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(PROJECT.glob(KNOWN))]
    return [Guard(**row) for rows in found for row in rows.get("guard", [])]


def main(words: Sequence[str]) -> int:
    """Try them; how many are not noticed."""
    survived = 0
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy"
        for name in COPIED:
            if (PROJECT / name).is_dir():
                shutil.copytree(PROJECT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                copy.mkdir(exist_ok=True)
                shutil.copy2(PROJECT / name, copy / name)
        for guard in guards():
            if all(word in f"{guard.file} {guard.name}" for word in words):
                noticed = guard.is_noticed(copy)
                survived += not noticed
                print(f"{'noticed' if noticed else 'SURVIVED':<9} {guard.file}: {guard.name}", flush=True)
    return survived


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
