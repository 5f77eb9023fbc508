"""The file that a club's database is: its tables are as new as the program, whatever made it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from pbem.errors import ConfigError
from pbem.judge.tables.database import NEWEST, StoreFile
from pbem.judge.tables.schema import migrations
from pbem.judge.tables.store import Store


def made(path: Path) -> list[str]:
    """The versions of the tables in a database, in the order in which they were made."""
    with closing(sqlite3.connect(path)) as connection:
        sql = "SELECT name FROM _sqlite_migrations WHERE migration_set = 'pbem' ORDER BY id"
        return [name for (name,) in connection.execute(sql)]


def columns(path: Path) -> dict[str, list[str]]:
    """Every table's columns."""
    with closing(sqlite3.connect(path)) as connection:
        sql = "SELECT name FROM sqlite_master WHERE type = 'table'"
        tables = [name for (name,) in connection.execute(sql)]
        return {one: [row[1] for row in connection.execute(f"PRAGMA table_info({one})")] for one in tables}


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    StoreFile(tmp_path / "fresh.db", create=True).close()
    return tmp_path / "fresh.db"


def test_the_newest_version_is_the_last_one(fresh: Path) -> None:
    """A database of any other last version would never be brought up to date, or be looked at each time."""
    assert made(fresh)[-1] == NEWEST


@pytest.mark.ci
def test_every_older_database_is_brought_up_to_date(fresh: Path, tmp_path: Path) -> None:
    versions = made(fresh)
    for number in range(1, len(versions)):
        old = tmp_path / f"{number}.db"
        with closing(sqlite3.connect(old)) as connection:
            migrations.apply(Database(connection), stop_before=versions[number])
            connection.commit()
        assert made(old) == versions[:number]
        StoreFile(old).close()
        assert made(old) == versions
        assert columns(old) == columns(fresh)


def test_a_mail_from_before_that_might_pass_for_packed_is_read_as_it_came(tmp_path: Path) -> None:
    """Mails were kept as they came, whatever they begin with."""
    old, raws = tmp_path / "old.db", [b"\x01 is how this begins", b"From: a@example.org\n\nhello\n"]
    with closing(sqlite3.connect(old)) as connection:
        migrations.apply(Database(connection), stop_before="unsealed_schema")
        for raw in raws:
            connection.execute("INSERT INTO incoming (at, raw, done, source) VALUES ('', ?, 1, '')", (raw,))
        connection.commit()
    store = Store(old)
    assert [raw for _, raw in store.arrived()] == raws
    store.close()


def test_a_copy_is_kept_before_the_tables_change(fresh: Path, tmp_path: Path) -> None:
    """A release that then refuses the games can be put back, with its own database."""
    versions = made(fresh)
    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old)) as connection:
        migrations.apply(Database(connection), stop_before=versions[-1])
        connection.execute("INSERT INTO player (name, key, address) VALUES ('alice', 'k', '')")
        connection.commit()
    StoreFile(old).close()
    copy = tmp_path / f"old.db.before-{NEWEST}"
    assert made(copy) == versions[:-1]
    assert copy.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT name FROM player").fetchall() == [("alice",)]
    assert not list(tmp_path.glob("fresh.db.before*")), "a new one needs none"


def test_a_database_of_a_newer_release_is_refused_and_not_touched(fresh: Path) -> None:
    with closing(sqlite3.connect(fresh)) as connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)",
            ("pbem", "of_tomorrow", ""),
        )
        connection.commit()
    before, versions = fresh.read_bytes(), made(fresh)
    with pytest.raises(ConfigError, match=r"written by a newer release \(of_tomorrow\)"):
        StoreFile(fresh)
    assert made(fresh) == versions
    assert fresh.read_bytes() == before
    assert not list(fresh.parent.glob("*.before-*"))
