"""The club's database. One transaction per step; a crash between two steps loses and repeats nothing.

Order files, entries and the judge's keys are inputs. Everything else can be made again from them. The tables
are in schema, their rows in rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from pbem.errors import ConfigError, LedgerError
from pbem.judge.rows import AbsenceRow, CheckpointRow, EntryRow, IncomingRow, LetterRow, PlayerRow, ProfileRow
from pbem.judge.schema import migrations
from pbem.trust.entries import utc_text

BUSY_MILLISECONDS = 30_000
_OUTER = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
_INNER = ("SAVEPOINT inner_step", "RELEASE inner_step", "ROLLBACK TO inner_step")


def wall_clock() -> datetime:
    """Now, in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


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
