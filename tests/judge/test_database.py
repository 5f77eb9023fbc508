"""The file that a club's database is: its tables are as new as the program, whatever made it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from copy import deepcopy
from pathlib import Path

import pytest
from sqlite_utils import Database

from pbem.errors import ConfigError
from pbem.judge.tables import database, schema
from pbem.judge.tables.database import NEWEST, StoreFile


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


@pytest.fixture
def next_release(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A release that changes the tables; undone, it is this one again."""
    changed = deepcopy(schema.migrations)

    @changed()
    def of_tomorrow(db: Database) -> None:
        db.conn.execute("ALTER TABLE player ADD COLUMN shoe TEXT NOT NULL DEFAULT ''")

    monkeypatch.setattr(schema, "migrations", changed)
    monkeypatch.setattr(database, "NEWEST", "of_tomorrow")
    return monkeypatch


def test_an_older_database_is_brought_up_to_date_and_a_copy_is_kept(
    fresh: Path, next_release: pytest.MonkeyPatch
) -> None:
    """A release that then refuses the games can be put back, with its own database."""
    with closing(sqlite3.connect(fresh)) as connection:
        connection.execute("INSERT INTO player (name, key, address) VALUES ('alice', 'k', '')")
        connection.commit()
    before, steps = columns(fresh), made(fresh)
    StoreFile(fresh).close()
    assert made(fresh) == [*steps, "of_tomorrow"]
    assert columns(fresh)["player"] == [*before["player"], "shoe"]
    copy = fresh.with_name(f"{fresh.name}.before-of_tomorrow")
    assert (made(copy), columns(copy)) == (steps, before)
    assert copy.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT name FROM player").fetchall() == [("alice",)]


def test_a_new_database_needs_no_copy(fresh: Path) -> None:
    assert not list(fresh.parent.glob("*.before-*"))


def test_a_database_of_an_older_release_is_told_as_that(fresh: Path) -> None:
    with closing(sqlite3.connect(fresh)) as connection:
        connection.execute("UPDATE _sqlite_migrations SET name = 'of_yesterday' WHERE name = ?", (NEWEST,))
        connection.commit()
    with pytest.raises(ConfigError, match=r"written by an older release \(of_yesterday\)"):
        StoreFile(fresh)


def test_a_database_of_a_newer_release_is_refused_and_not_touched(
    fresh: Path, next_release: pytest.MonkeyPatch
) -> None:
    StoreFile(fresh).close()
    next_release.undo()
    before, files = fresh.read_bytes(), sorted(fresh.parent.iterdir())
    with pytest.raises(ConfigError, match=r"written by a newer release \(of_tomorrow\)"):
        StoreFile(fresh)
    assert fresh.read_bytes() == before
    assert sorted(fresh.parent.iterdir()) == files
