"""Builds the compiled wheel and looks whether it plays as the .py files do.

    python -m tests.tools.try_compiled

Random games are played by both and compared byte for byte: every Ask, view and refusal, what was told and is
remembered, and games begun again from a position. Then the rulebook's cases and the recorded games are played
compiled. At last a .py is changed, and must be what runs. It takes a C compiler, and most of the time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parents[2]
PLAYED = ("tests/cases", "tests/golden", "tests/test_compiled.py")
"""By pytest, with what is compiled."""
LEFT_OUT = ("pbem", "templates")
"""Of the checkout: the wheel brings them."""
IN_USE = "the rules run compiled"

STATE = "import pbem.compiled as c, pbem.rules.base as b; print(c.compiled_in_words(), b.EVERYBODY)"
CHANGED = "\nEVERYBODY = 'changed'\n"

PLAY = """
import hashlib, json, sys
from pbem.rules import IllegalAnswer
from pbem.testing.games import random_game
from pbem.practice.table import SeededChance
from pbem.titles import load
from tests.benchmarks.bench_engine import TABLES
for title, said, options in TABLES:
    rules, words, found = load(title).rules, load(title).words, hashlib.sha256()
    def note(*what): found.update(json.dumps(what).encode())
    viewers = (*rules.sides(options), "public", "gm")
    memories, heard = {viewer: words.memory(viewer) for viewer in viewers}, dict.fromkeys(viewers, 0)
    note(rules.name, rules.title, sorted((stop, *sorted(kinds)) for stop, kinds in rules.stops.items()))
    for number, game in enumerate(random_game(rules, 1297, SeededChance(1297), options)):
        for side in rules.sides(options):
            if side not in [ask.side for ask in game.asks]:
                try:
                    game.answer(side, "pass")
                except IllegalAnswer as refused:
                    note(str(refused))
        for ask in game.asks:
            note(ask.side, ask.kind, ask.rule, ask.public, ask.default, ask.legal)
            try:
                game.answer(ask.side, ask.default + "s")
            except IllegalAnswer as refused:
                note(str(refused), refused.rule, refused.reason, refused.suggestions)
        note([game.view(viewer) for viewer in viewers], [game.told(viewer) for viewer in viewers])
        for viewer, memory in memories.items():
            told = game.told(viewer, heard[viewer])
            memory.hear(told)
            heard[viewer] += len(told)
            note(memory.lines(game.view(viewer)), memory.save())
        if number % 10 == 5 and not game.outcome:
            again = rules.start(options, SeededChance(number), game.view("gm"))
            note(again.view("gm"), [ask.legal for ask in again.asks])
    values = (5, -1, 1.5, True, None, "x", "", [], ["x"], {}, {"x": 1})
    for wrong in ({name: value} for name in (*rules.checked(options), "no such") for value in values):
        try:
            note(rules.checked({**options, **wrong}))
            rules.start({**options, **wrong}, SeededChance(1297))
        except Exception as refused:
            note(type(refused).__name__, str(refused))
    print(title, said, number, found.hexdigest())
"""


def run(folder: Path, *arguments: str) -> str:
    """What Python prints in a folder, whose package it has; where it fails, the end, with all it printed."""
    places = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=places, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\nended with {done.returncode}: {arguments}")
    return done.stdout


def copy_of_checkout(folder: Path, left_out: tuple[str, ...] = ()) -> None:
    """Copy into a folder the files of this checkout that git lists, but those below what is left out."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=HERE, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if name.split("/")[0] not in left_out and (HERE / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(HERE / name, folder / name)


def unpack(scratch: Path) -> Path:
    """Return a folder like this checkout with the compiled package instead of its own.

    The wheel is built from a copy: other tests may run in the checkout meanwhile.
    """
    source, folder = scratch / "source", scratch / "unpacked"
    copy_of_checkout(source)
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(scratch)],
        cwd=source,
        env=os.environ | {"PBEM_COMPILED": os.environ.get("PBEM_COMPILED") or "1"},
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if built.returncode:
        raise SystemExit(f"{built.stdout}\nthe build ended with {built.returncode}")
    (wheel,) = scratch.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    copy_of_checkout(folder, LEFT_OUT)
    return folder


def expect(what: str, holds: bool) -> None:
    """Say it, and end if it does not hold."""
    print(f"{'yes' if holds else 'NO '}  {what}", flush=True)
    if not holds:
        raise SystemExit(1)


def main() -> None:
    """Build, compare, change."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = unpack(Path(scratch))
        expect("what was compiled is in use", run(folder, "-c", STATE).startswith(IN_USE))
        expect("random games come out byte for byte", run(folder, "-c", PLAY) == run(HERE, "-c", PLAY))
        played = run(
            folder, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", "-n", "2", *PLAYED
        )
        expect(f"cases and recorded games: {played.splitlines()[-1]}", True)
        with (folder / "pbem/rules/base.py").open("a", encoding="utf-8") as source:
            source.write(CHANGED)
        said = run(folder, "-c", STATE)
        expect("a .py that was changed is what runs", "changed" in said and IN_USE not in said)


if __name__ == "__main__":
    main()
