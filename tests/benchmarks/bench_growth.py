"""How much a club's database grows with each exchange of a game that is played by mail, and what fills it.

    python -m tests.benchmarks.bench_growth [--exchanges 20]

Two play. Every order comes as a mail, and every letter leaves as one, over a mail server on
this machine; the judge passes copies on, as a club does that says nothing else. Once the orders say nothing
and all is done by default, and once bots write them, with a forecast for each file that waits.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pbem.practice.other_program import stand_in
from tests.judge.table import GAME, SEATS
from tests.mail.postal import Postal, make_postal
from tests.mail.servers import Post, smtp_server

LEAST = 500
"""Columns that grow by fewer bytes an exchange are not told."""


def tell(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def sizes(postal: Postal) -> dict[str, int]:
    """The bytes in each column of each table, and those of all pages in use."""
    connection = postal.table.club.store.connection
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {}
    for table in tables:
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        for column in names:
            sql = f"SELECT sum(length(CAST({column} AS BLOB))) FROM {table}"  # noqa: S608
            found[f"{table}.{column}"] = connection.execute(sql).fetchone()[0] or 0
    pages, each, free = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "page_size", "freelist_count")
    )
    return found | {"the whole file": (pages - free) * each}


def bare(postal: Postal, name: str) -> str:
    """Orders that say nothing."""
    return ""


def bots(postal: Postal, name: str) -> str:
    """What a bot answers to the last report of a side."""
    number = postal.table.exchange - 1
    report = postal.table.club.store.letter_text(GAME, name, f"{GAME}-{number:04d}-report.txt")
    return stand_in(report, "").partition("---\n")[2] if number else ""


def grown(exchanges: int, orders: Callable[[Postal, str], str]) -> dict[str, float]:
    """By how many kilobytes the database has grown, an exchange."""
    with tempfile.TemporaryDirectory() as folder:
        post = Post(Path(folder) / "post")
        with smtp_server(post) as port:
            postal = make_postal(Path(folder), port, post)
            postal.settle(copies="relay")
            postal.run()
            before = sizes(postal)
            for _ in range(exchanges):
                for name in SEATS:
                    body = orders(postal, name)
                    postal.send(postal.table.sealed(name, body), f"{name}@example.org")
                    if orders is bots:
                        postal.run()  # and its forecast is made
                postal.run()
            after = sizes(postal)
            postal.table.club.store.close()
    return {
        name: (size - before.get(name, 0)) / exchanges / 1000
        for name, size in after.items()
        if size - before.get(name, 0) >= LEAST * exchanges
    }


def measure(exchanges: int) -> None:
    """Print what the database has grown by, kB an exchange."""
    silent, written = grown(exchanges, bare), grown(exchanges, bots)
    tell(f"{exchanges} exchanges, kB each   no orders       bots")
    for name in sorted({**silent, **written}, key=lambda name: -written.get(name, 0)):
        tell(f"{name:24} {silent.get(name, 0):10.1f} {written.get(name, 0):10.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--exchanges", type=int, default=20)
    measure(parser.parse_args().exchanges)
