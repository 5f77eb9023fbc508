"""How much a club's database grows with each exchange of a game that is played by mail, and what fills it.

    python -m tests.benchmarks.bench_growth [--exchanges 12]

Every order comes as a mail, and every letter leaves as one, over a mail server on this machine. The orders
say nothing: longer ones add their own length.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.judge.table import SEATS
from tests.mail.postal import Postal, make_postal
from tests.mail.servers import Post, smtp_server


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


def measure(exchanges: int) -> None:
    """Print what the database has grown by, an exchange."""
    with tempfile.TemporaryDirectory() as folder:
        post = Post(Path(folder) / "post")
        with smtp_server(post) as port:
            postal = make_postal(Path(folder), port, post)
            postal.run()
            before = sizes(postal)
            for _ in range(exchanges):
                for name in SEATS:
                    postal.send(postal.table.sealed(name), f"{name}@example.org")
                postal.run()
            after = sizes(postal)
            postal.table.club.store.close()
    grown = {name: (size - before[name]) / exchanges / 1000 for name, size in after.items()}
    tell(f"a game of {exchanges} exchanges, kB an exchange:")
    for name, size in sorted(grown.items(), key=lambda item: -item[1]):
        if size >= 0.5:
            tell(f"{size:7.1f}  {name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--exchanges", type=int, default=12)
    measure(parser.parse_args().exchanges)
