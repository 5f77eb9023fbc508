"""The club's database. One transaction per step; a crash between two steps loses and repeats nothing.

    player      name, public key, address
    game        id
    entry       the ledgers, row by row: the exact bytes, leaf and head
    checkpoint  the judge's signature under a head
    sealed      order files as received (binary age), by their SHA-256
    incoming    everything that arrived, raw, stored before it is looked at
    letter      what leaves for the players, and whether it has left

Order files, entries and the judge's keys are inputs. Everything else can be made again from them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlite_utils import Database, Migrations

from pbem.errors import ConfigError, LedgerError

BUSY_MILLISECONDS = 30_000
migrations = Migrations("pbem")


@migrations()
def first_schema(db: Database) -> None:
    """Version 1."""
    db.table("player").create({"name": str, "key": str, "address": str}, pk="name", strict=True)
    db.table("game").create({"id": str}, pk="id", strict=True)
    db.table("entry").create(
        {"game": str, "number": int, "text": bytes, "salt": str, "leaf": str, "head": str},
        pk=("game", "number"),
        foreign_keys=[("game", "game", "id")],
        strict=True,
    )
    db.table("checkpoint").create(
        {"game": str, "size": int, "head": str, "signature": bytes}, pk=("game", "size"), strict=True
    )
    db.table("sealed").create({"sha256": str, "data": bytes}, pk="sha256", strict=True)
    db.table("incoming").create(
        {"id": int, "at": str, "raw": bytes, "sender": str, "done": int, "result": str}, pk="id", strict=True
    )
    db.table("letter").create(
        {"id": int, "game": str, "player": str, "name": str, "data": bytes, "sent": str},
        pk="id",
        strict=True,
    )
    db.table("letter").create_index(["game", "player", "name"], unique=True)


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player as the club knows him."""

    name: str
    key: str
    address: str


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One entry of a ledger as stored."""

    number: int
    text: bytes
    salt: str
    leaf: str
    head: str


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """A head that the judge has signed."""

    size: int
    head: str
    signature: bytes


@dataclass(frozen=True, slots=True)
class IncomingRow:
    """Something that arrived."""

    id: int
    at: str
    raw: bytes
    sender: str


@dataclass(frozen=True, slots=True)
class LetterRow:
    """Something for a player. `name` is also its file name; `sent` is when it left, or ""."""

    id: int
    game: str
    player: str
    name: str
    data: bytes
    sent: str


class Store:
    """The database of one club."""

    def __init__(self, path: Path) -> None:
        try:
            connection = sqlite3.connect(path, timeout=BUSY_MILLISECONDS / 1000)
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            self.db = Database(connection)
            if migrations.pending(self.db):
                with self.step():
                    migrations.apply(self.db)
        except sqlite3.DatabaseError as problem:
            raise ConfigError(f"the database {path} cannot be used: {problem}") from None

    def close(self) -> None:
        """Let go of the database."""
        self.db.close()

    @contextmanager
    def step(self) -> Iterator[None]:
        """One transaction that nobody else can write beside: all of it happens, or nothing.

        What the step reads it must read inside, for another process may have worked before it.
        """
        try:
            self.db.conn.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as problem:
            raise ConfigError(f"the database cannot be written: {problem}") from None
        try:
            yield
            self.db.conn.execute("COMMIT")
        except BaseException as problem:
            if self.db.conn.in_transaction:
                self.db.conn.execute("ROLLBACK")
            if isinstance(problem, sqlite3.OperationalError):
                raise ConfigError(f"the database cannot be written: {problem}") from None
            raise

    # -- players and games

    def players(self) -> list[PlayerRow]:
        """Everybody, by name."""
        return [PlayerRow(**row) for row in self.db.table("player").rows_where(order_by="name")]

    def player(self, name: str) -> PlayerRow | None:
        """One player."""
        rows = list(self.db.table("player").rows_where("name = ?", [name]))
        return PlayerRow(**rows[0]) if rows else None

    def put_player(self, player: PlayerRow) -> None:
        """Add a player, or change key or address."""
        row = {"name": player.name, "key": player.key, "address": player.address}
        self.db.table("player").upsert(row, pk="name")

    def games(self) -> list[str]:
        """All games, by id."""
        return [row["id"] for row in self.db.table("game").rows_where(order_by="id")]

    def add_game(self, game: str) -> None:
        """Begin a game's ledger."""
        self.db.table("game").insert({"id": game})

    # -- ledgers

    def entries(self, game: str, after: int = 0) -> list[EntryRow]:
        """A ledger's rows from `after` on."""
        rows = self._rows("SELECT * FROM entry WHERE game = ? AND number > ? ORDER BY number", game, after)
        return [EntryRow(row["number"], row["text"], row["salt"], row["leaf"], row["head"]) for row in rows]

    def add_entry(self, game: str, row: EntryRow) -> None:
        """Append to a ledger; a number that is taken is refused by the database."""
        self.db.conn.execute(
            "INSERT INTO entry (game, number, text, salt, leaf, head) VALUES (?, ?, ?, ?, ?, ?)",
            (game, row.number, row.text, row.salt, row.leaf, row.head),
        )

    def checkpoints(self, game: str) -> list[CheckpointRow]:
        """The signed heads, by size."""
        rows = self._rows("SELECT * FROM checkpoint WHERE game = ? ORDER BY size", game)
        return [CheckpointRow(row["size"], row["head"], row["signature"]) for row in rows]

    def add_checkpoint(self, game: str, row: CheckpointRow) -> None:
        """Keep a signed head."""
        self.db.conn.execute(
            "INSERT INTO checkpoint (game, size, head, signature) VALUES (?, ?, ?, ?)",
            (game, row.size, row.head, row.signature),
        )

    # -- order files

    def add_sealed(self, sha256: str, data: bytes) -> None:
        """Keep a sealed order file."""
        self.db.conn.execute("INSERT OR IGNORE INTO sealed (sha256, data) VALUES (?, ?)", (sha256, data))

    def sealed(self, sha256: str) -> bytes:
        """A sealed order file that the ledger names."""
        rows = self._rows("SELECT data FROM sealed WHERE sha256 = ?", sha256)
        if not rows:
            raise LedgerError(f"the order file {sha256} is missing from the database")
        data: bytes = rows[0]["data"]
        return data

    # -- what arrives

    def add_incoming(self, at: str, raw: bytes, sender: str) -> int:
        """Store something that arrived, before anybody looks at it."""
        cursor = self.db.conn.execute(
            "INSERT INTO incoming (at, raw, sender, done, result) VALUES (?, ?, ?, 0, '')", (at, raw, sender)
        )
        return int(cursor.lastrowid or 0)

    def waiting(self) -> list[IncomingRow]:
        """What has arrived and not been looked at, in order of arrival."""
        rows = self._rows("SELECT id, at, raw, sender FROM incoming WHERE done = 0 ORDER BY id")
        return [IncomingRow(row["id"], row["at"], row["raw"], row["sender"]) for row in rows]

    def is_waiting(self, number: int) -> bool:
        """Whether nobody has looked at this yet."""
        return bool(self._rows("SELECT id FROM incoming WHERE id = ? AND done = 0", number))

    def finish_incoming(self, number: int, result: str) -> None:
        """Note what became of it."""
        self.db.conn.execute("UPDATE incoming SET done = 1, result = ? WHERE id = ?", (result, number))

    # -- what leaves

    def add_letter(self, game: str, player: str, name: str, data: bytes) -> None:
        """Put a letter into the outbox, once."""
        self.db.conn.execute(
            "INSERT OR IGNORE INTO letter (game, player, name, data, sent) VALUES (?, ?, ?, ?, '')",
            (game, player, name, data),
        )

    def letters(self, *, unsent: bool = False) -> list[LetterRow]:
        """Letters in the order in which they were written."""
        where = "WHERE sent = ''" if unsent else ""
        rows = self._rows(f"SELECT * FROM letter {where} ORDER BY id")  # noqa: S608 - no outside text
        return [LetterRow(**row) for row in rows]

    def mark_sent(self, letter: int, at: str) -> None:
        """Note that a letter has left."""
        self.db.conn.execute("UPDATE letter SET sent = ? WHERE id = ?", (at, letter))

    def _rows(self, sql: str, *values: object) -> list[dict[str, Any]]:
        return list(self.db.query(sql, list(values)))
