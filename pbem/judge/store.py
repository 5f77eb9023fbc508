"""The club's database. One transaction per step; a crash between two steps loses and repeats nothing.

    player      name, public key, address
    game        id
    entry       the ledgers, row by row: the exact bytes, leaf and head
    checkpoint  the judge's signature under a head
    sealed      order files as received (binary age), by their SHA-256
    incoming    everything that arrived, raw, stored before it is looked at
    letter      what leaves, and whether it has left
    profile     players' time zones, and the addresses that may be told to opponents
    absence     when players said, signed, that they would be away
    answered    how often an address was written to on a day by way of answer
    note        what a pass leaves to the next, by name
    derived     what was worked out from a ledger, with the head that it holds for; never the truth

Order files, entries and the judge's keys are inputs. Everything else can be made again from them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlite_utils import Database, Migrations

from pbem.errors import ConfigError, LedgerError
from pbem.trust.entries import utc_text

BUSY_MILLISECONDS = 30_000
_OUTER = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
_INNER = ("SAVEPOINT inner_step", "RELEASE inner_step", "ROLLBACK TO inner_step")
migrations = Migrations("pbem")


def wall_clock() -> datetime:
    """Now, in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


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


@migrations()
def mail_schema(db: Database) -> None:
    """Version 2: mail in and mail out."""
    for statement in (
        "ALTER TABLE incoming ADD COLUMN source TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE incoming ADD COLUMN size INTEGER NOT NULL DEFAULT 0",
        "CREATE UNIQUE INDEX incoming_source ON incoming (source) WHERE source <> ''",
        "CREATE INDEX incoming_waiting ON incoming (id) WHERE done = 0",
        "ALTER TABLE letter ADD COLUMN at TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN text TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN address TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN answers TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN deadline TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN copy INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE letter ADD COLUMN tries INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE letter ADD COLUMN retry TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE letter ADD COLUMN trouble TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX letter_unsent ON letter (id) WHERE sent = ''",
        (
            "CREATE TABLE absence (player TEXT, begins TEXT, ends TEXT, made TEXT, statement BLOB, "
            "PRIMARY KEY (player, begins, ends)) STRICT"
        ),
        "CREATE TABLE answered (address TEXT, day TEXT, count INTEGER, PRIMARY KEY (address, day)) STRICT",
        "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT) STRICT",
        "CREATE TABLE derived (game TEXT, name TEXT, head TEXT, data TEXT, PRIMARY KEY (game, name)) STRICT",
    ):
        db.conn.execute(statement)


@migrations()
def profile_schema(db: Database) -> None:
    """Version 3: what players wish of the judge's mail."""
    db.conn.execute("CREATE TABLE profile (player TEXT PRIMARY KEY, zone TEXT, share TEXT, made TEXT) STRICT")


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
    source: str = ""
    """Where a mail lay in its mailbox; "" for what was handed in as a file."""
    size: int = 0
    """Of a mail, whose raw bytes may have been cut."""


@dataclass(frozen=True, slots=True)
class LetterRow:
    """Something for a player or, if `player` is "", an answer to an address.

    `name` is also its file name; `sent` is when it left, or "".
    """

    id: int
    game: str
    player: str
    name: str
    data: bytes
    sent: str
    at: str = ""
    """When it was written."""
    text: str = ""
    """What it says, in plain words; `data` is the same signed and sealed."""
    address: str = ""
    """Where an answer goes; letters to players go to where these are enrolled."""
    answers: str = ""
    """The Message-ID of the mail that it answers."""
    deadline: str = ""
    """Until when the exchange is open that it asks about."""
    copy: int = 0
    """How often it was asked for again."""
    tries: int = 0
    retry: str = ""
    """Not to be tried again before this time."""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class AbsenceRow:
    """A player's signed word that he is away, from one day to another, both included."""

    player: str
    begins: str
    ends: str
    made: str
    statement: bytes


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """What a player has said, signed, of his zone and of the address that may be told."""

    player: str
    zone: str = ""
    share: str = ""
    made: str = ""
    """When he signed it; "" if it stood in a join file."""


class Unwritable(ConfigError):
    """The database takes nothing: the disk is full, or it may only be read."""


class Store:
    """The database of one club."""

    def __init__(self, path: Path, clock: Callable[[], datetime] = wall_clock) -> None:
        self.clock = clock
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

    def integrity(self) -> str:
        """What the database's own check says: "ok", or what is broken."""
        return str(self._rows("PRAGMA integrity_check")[0]["integrity_check"])

    @contextmanager
    def step(self) -> Iterator[None]:
        """One transaction that nobody else can write beside: all of it happens, or nothing.

        What the step reads it must read inside, for another process may have worked before it. A step
        within a step happens or not by itself, and only if the outer one does.
        """
        begin, done, undo = _INNER if self._is_within_step() else _OUTER
        try:
            self.db.conn.execute(begin)
        except sqlite3.OperationalError as problem:
            raise Unwritable(f"the database cannot be written: {problem}") from None
        try:
            yield
            self.db.conn.execute(done)
        except BaseException as problem:
            if self._is_within_step():
                self.db.conn.execute(undo)
            if isinstance(problem, sqlite3.OperationalError):
                raise Unwritable(f"the database cannot be written: {problem}") from None
            raise

    def _is_within_step(self) -> bool:
        return bool(self.db.conn.in_transaction)

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

    def forget_player(self, name: str) -> None:
        """Drop a player's address, wishes and absences; name and key stay, ledgers are checked with them."""
        self.db.conn.execute("UPDATE player SET address = '' WHERE name = ?", (name,))
        self.db.conn.execute("DELETE FROM absence WHERE player = ?", (name,))
        self.db.conn.execute("DELETE FROM profile WHERE player = ?", (name,))

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

    def add_incoming(self, at: str, raw: bytes, sender: str, source: str = "", size: int = 0) -> int:
        """Store something that arrived, before anybody looks at it; 0 if that `source` was stored before."""
        cursor = self.db.conn.execute(
            "INSERT OR IGNORE INTO incoming (at, raw, sender, done, result, source, size) "
            "VALUES (?, ?, ?, 0, '', ?, ?)",
            (at, raw, sender, source, size or len(raw)),
        )
        return int(cursor.lastrowid or 0) if cursor.rowcount else 0

    def waiting(self, *, mail: bool = False) -> Iterator[IncomingRow]:
        """What has arrived and not been looked at, in order of arrival: files, or mails."""
        of_source = "source <> ''" if mail else "source = ''"
        for found in self._rows(f"SELECT id FROM incoming WHERE done = 0 AND {of_source} ORDER BY id"):  # noqa: S608
            for row in self._rows(
                "SELECT id, at, raw, sender, source, size FROM incoming WHERE id = ?", found["id"]
            ):
                yield IncomingRow(**row)

    def is_waiting(self, number: int) -> bool:
        """Whether nobody has looked at this yet."""
        return bool(self._rows("SELECT id FROM incoming WHERE id = ? AND done = 0", number))

    def finish_incoming(self, number: int, result: str, sender: str = "") -> None:
        """Note what became of it, and whom it says that it is from."""
        self.db.conn.execute(
            "UPDATE incoming SET done = 1, result = ?, sender = iif(? = '', sender, ?) WHERE id = ?",
            (result, sender, sender, number),
        )

    def forget_incoming(self, *, before: str = "", sender: str = "") -> int:
        """Drop the raw bytes and senders of what was looked at before a time, or is of or to an address."""
        cursor = self.db.conn.execute(
            "UPDATE incoming SET raw = x'', sender = '', result = '' WHERE done = 1 AND "
            "((? <> '' AND at < ? AND length(raw) > 0) OR (? <> '' AND (lower(sender) = lower(?) "
            "OR instr(lower(CAST(raw AS TEXT)), lower(?)) > 0)))",
            (before, before, sender, sender, sender),
        )
        return cursor.rowcount

    # -- what leaves

    def add_letter(
        self,
        game: str,
        player: str,
        name: str,
        data: bytes,
        *,
        text: str = "",
        address: str = "",
        answers: str = "",
        deadline: str = "",
    ) -> None:
        """Put a letter into the outbox, once."""
        self.db.conn.execute(
            "INSERT OR IGNORE INTO letter "
            "(game, player, name, data, sent, at, text, address, answers, deadline) "
            "VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?)",
            (game, player, name, data, utc_text(self.clock()), text, address, answers, deadline),
        )

    def letters(self, *, unsent: bool = False) -> list[LetterRow]:
        """Letters in the order in which they were written."""
        where = "WHERE sent = ''" if unsent else ""
        rows = self._rows(f"SELECT * FROM letter {where} ORDER BY id")  # noqa: S608 - no outside text
        return [LetterRow(**row) for row in rows]

    def letter(self, number: int) -> LetterRow | None:
        """One letter."""
        rows = self._rows("SELECT * FROM letter WHERE id = ?", number)
        return LetterRow(**rows[0]) if rows else None

    def unsent(self) -> list[tuple[int, str, str, str]]:
        """Letters that have not left, without what they say: id, player, address, not to be tried before."""
        rows = self._rows("SELECT id, player, address, retry FROM letter WHERE sent = '' ORDER BY id")
        return [(row["id"], row["player"], row["address"], row["retry"]) for row in rows]

    def letters_in_trouble(self) -> list[LetterRow]:
        """Letters that a mail server did not take."""
        rows = self._rows("SELECT * FROM letter WHERE sent = '' AND trouble <> '' ORDER BY id")
        return [LetterRow(**row) for row in rows]

    def count_letters(self, stem: str) -> int:
        """How many letters to no player have a name that begins so."""
        rows = self._rows(
            "SELECT count(*) AS count FROM letter WHERE game = '' AND player = '' AND substr(name, 1, ?) = ?",
            len(stem),
            stem,
        )
        return int(rows[0]["count"])

    def letters_to(self, game: str, player: str) -> list[LetterRow]:
        """A player's letters of one game, in the order in which they were written."""
        rows = self._rows("SELECT * FROM letter WHERE game = ? AND player = ? ORDER BY id", game, player)
        return [LetterRow(**row) for row in rows]

    def letter_text(self, game: str, player: str, name: str) -> str:
        """What a letter says; "" if there is none."""
        rows = self._rows(
            "SELECT text FROM letter WHERE game = ? AND player = ? AND name = ?", game, player, name
        )
        return str(rows[0]["text"]) if rows else ""

    def mark_sent(self, letter: int, at: str) -> None:
        """Note that a letter has left."""
        self.db.conn.execute("UPDATE letter SET sent = ?, trouble = '' WHERE id = ?", (at, letter))

    def mark_trouble(self, letter: int, trouble: str, retry: str) -> None:
        """Note that a letter could not leave, and when it is to be tried again."""
        self.db.conn.execute(
            "UPDATE letter SET tries = tries + 1, trouble = ?, retry = ? WHERE id = ?",
            (trouble, retry, letter),
        )

    def send_again(self, letter: int) -> None:
        """Put a letter that has left into the outbox once more, as a new copy."""
        self.db.conn.execute(
            "UPDATE letter SET sent = '', copy = copy + 1, tries = 0, retry = '' WHERE id = ? AND sent <> ''",
            (letter,),
        )

    def forget_letters(self, player: str, address: str) -> None:
        """Drop what the letters to a person say, and the address of answers to him."""
        self.db.conn.execute(
            "UPDATE letter SET data = x'', text = '', address = '', answers = '', "
            "sent = iif(sent = '', '-', sent) "
            "WHERE (player <> '' AND player = ?) OR (address <> '' AND lower(address) = lower(?))",
            (player, address),
        )
        self.db.conn.execute("DELETE FROM answered WHERE address = lower(?)", (address,))

    # -- answers, absences, notes, what is derived

    def count_answer(self, address: str, day: str) -> int:
        """Count an answer to an address on a day; how many there are now."""
        self.db.conn.execute(
            "INSERT INTO answered (address, day, count) VALUES (?, ?, 1) "
            "ON CONFLICT (address, day) DO UPDATE SET count = count + 1",
            (address.lower(), day),
        )
        rows = self._rows("SELECT count FROM answered WHERE address = ? AND day = ?", address.lower(), day)
        return int(rows[0]["count"])

    def add_absence(self, row: AbsenceRow) -> bool:
        """Keep an absence; whether it was new."""
        cursor = self.db.conn.execute(
            "INSERT OR IGNORE INTO absence (player, begins, ends, made, statement) VALUES (?, ?, ?, ?, ?)",
            (row.player, row.begins, row.ends, row.made, row.statement),
        )
        return cursor.rowcount > 0

    def absences(self, player: str | None = None) -> list[AbsenceRow]:
        """Announced absences, all or one player's, by their beginning."""
        rows = self._rows(
            "SELECT * FROM absence WHERE ? IS NULL OR player = ? ORDER BY begins", player, player
        )
        return [AbsenceRow(**row) for row in rows]

    def put_profile(self, row: ProfileRow) -> None:
        """Keep what a player wishes."""
        self.db.conn.execute(
            "INSERT OR REPLACE INTO profile (player, zone, share, made) VALUES (?, ?, ?, ?)",
            (row.player, row.zone, row.share, row.made),
        )

    def profiles(self) -> dict[str, ProfileRow]:
        """What players wish, by their names."""
        return {row["player"]: ProfileRow(**row) for row in self._rows("SELECT * FROM profile")}

    def note(self, name: str) -> str:
        """What a pass has left under a name; "" if nothing."""
        rows = self._rows("SELECT value FROM note WHERE name = ?", name)
        return str(rows[0]["value"]) if rows else ""

    def put_note(self, name: str, value: str) -> None:
        """Leave something for the next pass."""
        self.db.conn.execute("INSERT OR REPLACE INTO note (name, value) VALUES (?, ?)", (name, value))

    def head(self, game: str) -> tuple[int, str]:
        """A game's ledger: its size and head."""
        rows = self._rows("SELECT number, head FROM entry WHERE game = ? ORDER BY number DESC LIMIT 1", game)
        return (rows[0]["number"], rows[0]["head"]) if rows else (0, "")

    def heads(self) -> dict[str, tuple[int, str]]:
        """Every game's ledger: its size and head."""
        rows = self._rows(
            "SELECT game, number, head FROM game JOIN entry ON entry.game = game.id AND entry.number = "
            "(SELECT max(number) FROM entry WHERE game = game.id) ORDER BY game.id"
        )
        return {row["game"]: (row["number"], row["head"]) for row in rows}

    def derived(self, name: str) -> dict[str, tuple[str, str]]:
        """Game -> the head that something derived holds for, and its data."""
        rows = self._rows("SELECT game, head, data FROM derived WHERE name = ?", name)
        return {row["game"]: (row["head"], row["data"]) for row in rows}

    def put_derived(self, game: str, name: str, head: str, data: str) -> None:
        """Keep something derived."""
        self.db.conn.execute(
            "INSERT OR REPLACE INTO derived (game, name, head, data) VALUES (?, ?, ?, ?)",
            (game, name, head, data),
        )

    def drop_derived(self, game: str) -> None:
        """Drop everything derived from a ledger."""
        self.db.conn.execute("DELETE FROM derived WHERE game = ?", (game,))

    def _rows(self, sql: str, *values: object) -> list[dict[str, Any]]:
        return list(self.db.query(sql, list(values)))
