"""The file of a club's database: written in transactions, with errors in words; and the rows of its tables.

A database that is missing, empty or damaged is never replaced by a new one: a club that has had games would
begin again without them. Only `pbem club init` makes one. Rows are named tuples, which load faster than
dataclasses.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
LEAGUE = "league."
"""Prefix of the names of leagues' ledgers; no game's name has it."""
OVER = "over"
"""The value of `moment` in a letter that says that its game is over."""


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


class PlayerRow(NamedTuple):
    """A player as the club knows them: name, public key, address."""

    name: str
    key: str
    address: str

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key with which the player is enrolled."""
        from pbem.trust.keys import parse_public

        return parse_public(self.key).fingerprint

    @property
    def refusal_of_another_key(self) -> str:
        """The sentence for whoever brings another key under the player's name.

        It is for the player, the director and strangers alike: it says nothing of the key enrolled.
        """
        name = self.name
        return (
            f"{name} is enrolled with another key. If you are {name} and have lost that key, ask the "
            "director, who enters the new one when it is clear that it is you who asks (pbem club player add "
            f"{name} KEYFILE --in-place-of OLD, where pbem club player list shows OLD); anybody else takes "
            "another name"
        )


class EntryRow(NamedTuple):
    """One entry of a ledger, as a row of the database."""

    number: int
    text: bytes
    salt: str
    leaf: str
    head: str


class CheckpointRow(NamedTuple):
    """A head of a ledger that the judge has signed."""

    size: int
    head: str
    signature: bytes


class IncomingRow(NamedTuple):
    """A mail or file that arrived, as a row of the database."""

    id: int
    at: str
    raw: bytes
    sender: str
    source: str = ""
    """The mail's location in its mailbox; "" for a file that was not mailed."""
    size: int = 0
    """The size in bytes of the whole mail, of which the raw bytes may be only the beginning."""


class LetterRow(NamedTuple):
    """A letter to a player or, if `player` is "", an answer to an address.

    `name` is also its file name; `sent` is when it left, or "".
    """

    id: int
    game: str
    player: str
    name: str
    data: bytes
    sent: str
    at: str = ""
    """The time at which the letter was written."""
    text: str = ""
    """The letter's text in plain words; `data` is the same text, signed and sealed."""
    address: str = ""
    """The address to which an answer goes; letters to players go to their enrolled addresses."""
    answers: str = ""
    """The Message-ID of the mail that the letter answers."""
    deadline: str = ""
    """The deadline of the exchange about which the letter asks."""
    key: str = ""
    """The public key that the letter is sealed to, as one line."""
    copy: int = 0
    """The number of this copy of the letter; 0 for the first."""
    tries: int = 0
    retry: str = ""
    """The earliest time of the next try to send the letter."""
    trouble: str = ""
    failed: str = ""
    """The time at which the letter was given up or came back; "" otherwise."""
    sealed: str = ""
    """The SHA-256 of the sealed file that a receipt confirms."""
    moment: str = ""
    """The game's time by the public view, in a letter with a position, or OVER."""
    calendar: int = 0
    """The number of the letter's deadline among its reader's deadlines in this game, which only grows."""


class UnsentRow(NamedTuple):
    """A letter that is still to be sent, without its text."""

    id: int
    player: str
    name: str
    address: str
    retry: str
    tries: int
    game: str = ""
    copy: int = 0
    """The number of this copy of the letter; 0 for the first."""
    at: str = ""
    """The time at which the letter was written."""
    deadline: str = ""
    """The deadline of the exchange about which the letter asks."""
    sealed: int = 0
    """Size in bytes of the letter as the database keeps it; 0 for a letter that nobody seals."""


class AbsenceRow(NamedTuple):
    """A player's signed absence, from one day to another, both included."""

    player: str
    begins: str
    ends: str
    made: str
    statement: bytes


class ProfileRow(NamedTuple):
    """A player's signed wishes about time zone, address and the club's pages."""

    player: str
    zone: str = ""
    share: str = ""
    made: str = ""
    """The time at which the wishes were signed; "" if they stood in a join file."""
    publish: str = ""
    """The word "yes" if everybody may see the player's games, with the player's name."""


class AlertRow(NamedTuple):
    """A trouble, since when it lasts, and when the game master was alerted to it ("" if not yet)."""

    name: str
    since: str
    told: str
    text: str


class LeagueRow(NamedTuple):
    """A league as the club knows it without reading its ledger."""

    name: str
    """The name of the league's ledger."""
    file: bytes
    head: str = ""
    """The head of the ledger for which the other columns hold."""
    due: str = ""
    """The time at which something may be due in the league even if nothing comes; "" if nothing."""
    over: int = 0
    trouble: str = ""
    """The reason why the league does not go on by itself; "" if it does."""
