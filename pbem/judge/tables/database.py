"""The file of a club's database, which is written in transactions and tells its errors in words.

A database that is missing, empty or damaged is never replaced by a new one: a club that has had games would
begin again without them. Only `pbem club init` makes one.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.errors import ConfigError, LedgerError

if TYPE_CHECKING:
    from sqlite_utils import Database

NEWEST = "published_profiles"
"""Name of the newest version of the tables, as pbem.judge.tables.schema names it."""
LEAST_ROOM = 100
"""Free megabytes below which the error for a database that cannot be written says to make room on the
disk."""
BUSY_MILLISECONDS = 30_000
_OUTER = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
_INNER = ("SAVEPOINT inner_step", "RELEASE inner_step", "ROLLBACK TO inner_step")
RESTORE = (
    "stop the judge, keep a copy of the file, and restore the last backup: "
    "pbem club restore BACKUP NEW-FOLDER"
)


def wall_clock() -> datetime:
    """Return the present time, in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


class Unwritable(ConfigError):
    """Raised if the database cannot be written: the disk is full, or the database read-only or locked."""


class Damaged(LedgerError):
    """Raised if the database cannot be read."""


class StoreFile:
    """One opened database file of a club, with its transactions and errors."""

    def __init__(
        self, path: Path, clock: Callable[[], datetime] = wall_clock, *, create: bool = False
    ) -> None:
        self.clock = clock
        self.path = path
        if create:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        elif not path.exists() or path.stat().st_size == 0:
            state = "empty" if path.exists() else "missing"
            raise ConfigError(
                f"the database {path} is {state}; the judge does not make a new one. Is its disk mounted? "
                "If it is lost, restore the last backup: pbem club restore BACKUP NEW-FOLDER"
            )
        try:
            # The garbage of one thread may be collected in another; only one ever works with it.
            connection = sqlite3.connect(path, timeout=BUSY_MILLISECONDS / 1000, check_same_thread=False)
            self._closing = weakref.finalize(self, connection.close)
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            self.connection = connection
            tables = {
                row["name"] for row in self._rows("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            if not create and "entry" not in tables:
                raise ConfigError(f"{path} is a database, but not that of a club; {RESTORE}")
            if "_sqlite_migrations" not in tables or not self._is_current():
                self._check_known()
                self._migrate()
        except sqlite3.DatabaseError as problem:
            raise self._describe_error(problem) from None

    def _is_current(self) -> bool:
        return self._versions()[-1:] == [NEWEST]

    def _versions(self) -> list[str]:
        """Return the names of the changes that were made to the tables, the newest last."""
        rows = self._rows("SELECT name FROM _sqlite_migrations WHERE migration_set = 'pbem' ORDER BY id")
        return [row["name"] for row in rows]

    def _check_known(self) -> None:
        """Refuse a database whose tables another release has made, before anything is written."""
        if not self._rows("SELECT name FROM sqlite_master WHERE name = '_sqlite_migrations'"):
            return
        from sqlite_utils import Database

        from pbem.judge.tables.schema import migrations

        with closing(sqlite3.connect(":memory:")) as nothing:
            known = {one.name for one in migrations.pending(Database(nothing))}
        made = self._versions()
        if unknown := [name for name in made if name not in known]:
            which = "a newer" if known <= set(made) else "an older"
            raise ConfigError(
                f"the database {self.path} was written by {which} release ({unknown[-1]}), and this one "
                f"cannot read it; nothing was changed: install that release, or restore a backup"
            )

    def _migrate(self) -> None:
        """Bring the database's tables to this release's version, after copying the older database."""
        from pbem.judge.tables.schema import migrations

        if self._rows("SELECT name FROM sqlite_master WHERE name = '_sqlite_migrations'"):
            self._keep_copy()
        with self.step():
            migrations.apply(self.db)

    def _keep_copy(self) -> None:
        """Copy the database beside itself, so that the previous release can go on with the copy."""
        copy = self.path.with_name(f"{self.path.name}.before-{NEWEST}")
        part = copy.with_name(f"{copy.name}.part")
        try:
            part.unlink(missing_ok=True)
            part.touch(mode=0o600)
            with closing(sqlite3.connect(part)) as target:
                self.connection.backup(target)
            part.replace(copy)
        except (OSError, sqlite3.OperationalError) as problem:
            raise Unwritable(
                f"no copy of {self.path} can be kept before its tables change: {problem}"
            ) from None

    @property
    def db(self) -> Database:
        """Return the sqlite-utils database, for making and inspecting tables; loading that takes long."""
        from sqlite_utils import Database

        return Database(self.connection)

    def close(self) -> None:
        """Close the database, which closes by itself when nobody holds it any more."""
        self._closing()

    def integrity(self) -> str:
        """Return the result of the database's own check: "ok", or what is broken."""
        return str(self._rows("PRAGMA integrity_check")[0]["integrity_check"])

    @contextmanager
    def step(self, *, keep: bool = True) -> Iterator[None]:
        """Open one transaction, which excludes other writers: all of its changes are made, or none.

        Without `keep` the transaction is undone at its end: a dry run.

        What a step uses it must read inside, for another process may have worked before it. A step
        within a step happens or not by itself, and only if the outer one does.
        """
        begin, done, undo = _INNER if self._is_within_step() else _OUTER
        self._begin(begin)
        try:
            yield
            self.connection.execute(done if keep else undo)
        except BaseException as problem:
            if self._is_within_step():
                self.connection.execute(undo)
            if isinstance(problem, sqlite3.DatabaseError):
                raise self._describe_error(problem) from None
            raise

    def _begin(self, statement: str) -> None:
        """Begin a transaction, with a second try if another process has locked the database."""
        try:
            try:
                self.connection.execute(statement)
            except sqlite3.OperationalError as problem:
                if problem.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                self.connection.execute(statement)
        except sqlite3.DatabaseError as problem:
            raise self._describe_error(problem) from None

    def _is_within_step(self) -> bool:
        return bool(self.connection.in_transaction)

    def _rows(self, sql: str, *values: object) -> list[dict[str, Any]]:
        try:
            cursor = self.connection.execute(sql, values)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except sqlite3.DatabaseError as problem:
            raise self._describe_error(problem) from None

    def _change(self, sql: str, *values: object) -> sqlite3.Cursor:
        try:
            return self.connection.execute(sql, values)
        except sqlite3.DatabaseError as problem:
            raise self._describe_error(problem) from None

    def _describe_error(self, problem: sqlite3.DatabaseError) -> Exception:
        """Return the message for a database error, which says if the file is at fault or the machine."""
        code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return Damaged(f"the database {self.path} is damaged ({problem}); {RESTORE}")
        if code == sqlite3.SQLITE_BUSY:
            return Unwritable(f"the database cannot be written: another process holds it ({problem})")
        if isinstance(problem, sqlite3.OperationalError):
            disk = os.statvfs(self.path.parent)
            free = disk.f_bavail * disk.f_frsize // 1_000_000
            room = f"; {free} MB are free beside {self.path}: make room" if free < LEAST_ROOM else ""
            return Unwritable(f"the database cannot be written: {problem}{room}")
        return problem
