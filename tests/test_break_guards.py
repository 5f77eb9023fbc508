"""The guards that are taken out on purpose (tests/tools/break_program.toml): each of them can be tried."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.tools.break_guards import Guard, guards
from tests.tools.break_program import PROJECT, PYTEST


@cache
def text_of(path: Path) -> str:
    """What stands in a file, or in all tests of a folder: a table lies beside the file that plays it."""
    files = sorted(path.glob("*.py")) if path.is_dir() else [path]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def asked(guard: Guard) -> tuple[list[str], str]:
    """The files or tests that a row names, and the word by which it chooses among them."""
    names, _, word = guard.test.partition(" -k ")
    return names.split(), word


def stale(guard: Guard) -> str:
    """Why a guard cannot be tried as its row says; "" if it can."""
    names, word = asked(guard)
    if not guard.stands:
        return "its text does not stand there once"
    if guard.before == guard.after:
        return "nothing is taken out"
    for name in names:
        path, _, test = name.partition("::")
        if not (PROJECT / path).exists():
            return f"there is no {path}"
        if test and f"def {test}(" not in text_of(PROJECT / path):
            return f"there is no {name}"
    if word and (
        not re.fullmatch(r"\w+", word) or word.lower() not in text_of((PROJECT / names[0]).parent).lower()
    ):
        return f"nothing is called {word}"
    return ""


def test_every_guard_that_is_listed_can_be_taken_out() -> None:
    listed = guards()
    assert len({guard.name for guard in listed}) == len(listed) > 100
    assert {guard.name: why for guard in listed if (why := stale(guard))} == {}


def test_a_row_that_nobody_can_try_is_found() -> None:
    one = next(guard for guard in guards() if " -k " in guard.test)
    path = asked(one)[0][0]
    assert stale(replace(one, before=f"{one.before}#")) == "its text does not stand there once"
    assert stale(replace(one, after=one.before)) == "nothing is taken out"
    assert stale(replace(one, test="tests/test_gone.py")) == "there is no tests/test_gone.py"
    assert stale(replace(one, test=f"{path}::test_gone")) == f"there is no {path}::test_gone"
    word = "gone" * 3  # which stands in no file
    assert stale(replace(one, test=f"{path} -k {word}")) == f"nothing is called {word}"


@pytest.mark.ci
def test_every_word_of_a_row_chooses_a_test() -> None:
    wanted = {(name, word) for guard in guards() for names, word in [asked(guard)] for name in names if word}
    files = sorted({name for name, _ in wanted})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PYTEST, "--collect-only", *files],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    ids = [line.lower() for line in done.stdout.splitlines() if "::" in line]
    missing = [
        (name, word)
        for name, word in sorted(wanted)
        if not any(one.startswith(name) and word.lower() in one.removeprefix(name) for one in ids)
    ]
    assert missing == []
