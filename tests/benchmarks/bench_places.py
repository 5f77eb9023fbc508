"""What it costs a pass to bring a game back: from its beginning, and from its saved place.

    python -m tests.benchmarks.bench_places [--at 50 100 190]

User time of one process in milliseconds, medians of several runs on copies of one club. A game of the default
title between bots; in each run a club is opened whose next exchange is complete, and one pass brings it on.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from pbem.judge import adjudication, saved_places
from pbem.judge.book import Book
from pbem.judge.club import Club, open_club
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, Table, make_table

RUNS = 7
LONG = {"scenario": "campaign"}
"""Games of so many exchanges are of this kind."""


def spent() -> float:
    """The user time of this process so far, in milliseconds."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime * 1000


def from_nothing(club: Club, book: Book) -> None:
    """No place is loaded."""


def send(table: Table) -> None:
    """Bots answer what the open exchange asks."""
    played = adjudication.bring_back(table.club, table.book)
    play, title = played.adjudicator.play, played.adjudicator.setting.title
    for person in table.people.values():
        asked = play.begun and (play.game.view(person.side), play.asks(person.side))
        table.send(person.name, next(iter(title.bots.values()))(person.side).write(*asked) if asked else "")


def timed(folder: Path, table: Table, *, is_placed: bool) -> tuple[float, float, float]:
    """Of one pass on a copy: to read the ledger, to bring the game back, and all of the pass."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(table.club.path, folder)
    found = []
    with pytest.MonkeyPatch.context() as patch:
        if not is_placed:
            patch.setattr(adjudication, "load_place", from_nothing)
        deeds: tuple[Callable[[Club], object], ...] = (
            lambda club: club.book(GAME),
            lambda club: adjudication.bring_back(club, club.book(GAME)),
            run_pass,
        )
        for deed in deeds:
            club = open_club(folder, table.clock)
            begun = spent()
            deed(club)
            found.append(spent() - begun)
            club.store.close()
    read, back, whole = found
    return read, back - read, whole


def measure(stops: list[int]) -> None:
    """Print a row for each number of past exchanges."""
    saved_places.SAMPLE = 1 << 300
    sys.stdout.write(
        "past exchanges    ledger read    brought back: beginning  place    pass: beginning  place\n"
    )
    with tempfile.TemporaryDirectory() as made:
        table = make_table(Path(made), **LONG)
        while (past := len(table.book.history.resolved)) < max(stops):
            send(table)
            if past in stops:
                row(Path(made) / "copy", table, past)
            run_pass(table.club)
        send(table)
        row(Path(made) / "copy", table, past)


def row(folder: Path, table: Table, past: int) -> None:
    """Print what a pass costs now."""
    table.reopen()
    with_place, without = (
        [timed(folder, table, is_placed=one) for _ in range(RUNS)] for one in (True, False)
    )
    read, back, whole = (median(column) for column in zip(*without, strict=True))
    _, placed, shorter = (median(column) for column in zip(*with_place, strict=True))
    sys.stdout.write(f"{past:14}{read:15.1f}{back:28.1f}{placed:7.1f}{whole:19.1f}{shorter:7.1f}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--at", type=int, nargs="+", default=[50, 100, 190])
    measure(parser.parse_args().at)
