"""The club's database: one transaction per step; a crash between two steps loses and repeats nothing.

Order files, entries and the judge's keys are inputs. Everything else can be made again from them. The tables
are in schema, their rows in database; files, and mails as they came, are in file_tables, what leaves in
mail_tables (packing says in which form), what passes note in note_tables. Here are the ledgers of games and
leagues, the people, and the tables of the journal:

    changed     a row of some table that was added, changed or dropped; `due`: a record is to be made for it
    journal     records; of one that was accepted everywhere only its number and digest are kept
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from pbem.judge.tables.database import (
    LEAGUE,
    AbsenceRow,
    CheckpointRow,
    EntryRow,
    LeagueRow,
    PlayerRow,
    ProfileRow,
    StoreFile,
)
from pbem.judge.tables.mail_tables import MailTables
from pbem.judge.tables.note_tables import NoteTables

QUIET = ("note", "alert", "answered")
"""Tables whose changes are added to a record of the journal but are no reason to make one."""
LEFT_OUT = ("changed", "journal", "derived", "_sqlite_migrations")
"""Tables that the journal leaves out: its own, and those whose content follows from other tables."""
_TRIGGER = "journal_{event}_{table}"


class LeagueTables(StoreFile):
    """The tables of a club's leagues, and the queries on them."""

    def leagues(self) -> list[LeagueRow]:
        """Return every league, by the name of its ledger."""
        return [LeagueRow(**row) for row in self._rows("SELECT * FROM league ORDER BY name")]

    def league(self, name: str) -> LeagueRow | None:
        """Return the league whose ledger has this name; None if there is none."""
        rows = self._rows("SELECT * FROM league WHERE name = ?", name)
        return LeagueRow(**rows[0]) if rows else None

    def add_league(self, name: str, file: bytes) -> None:
        """Add a league, with its file of settings, to the database before its ledger has any entry."""
        self._change("INSERT INTO league (name, file) VALUES (?, ?)", name, file)

    def put_league(self, row: LeagueRow) -> None:
        """Store the values of a league that were computed from its ledger."""
        self._change(
            "UPDATE league SET head = ?, due = ?, over = ?, trouble = ? WHERE name = ?",
            row.head,
            row.due,
            row.over,
            row.trouble,
            row.name,
        )

    def league_head(self, name: str) -> str:
        """Return the head of a league's ledger; "" if the ledger has no entries."""
        rows = self._rows("SELECT head FROM league_entry WHERE league = ? ORDER BY number DESC LIMIT 1", name)
        return str(rows[0]["head"]) if rows else ""

    def league_end(self, name: str) -> tuple[int, str]:
        """Return the size and the head of a league's ledger."""
        rows = self._rows(
            "SELECT number, head FROM league_entry WHERE league = ? ORDER BY number DESC LIMIT 1", name
        )
        return (rows[0]["number"], rows[0]["head"]) if rows else (0, "")

    def league_entries(self, name: str) -> list[EntryRow]:
        """Return a league's ledger, row by row."""
        rows = self._rows(
            "SELECT number, text, salt, leaf, head FROM league_entry WHERE league = ? ORDER BY number", name
        )
        return [EntryRow(**row) for row in rows]

    def add_league_entry(self, name: str, row: EntryRow) -> None:
        """Append a row to a league's ledger; the database refuses a number that is taken."""
        self._change(
            "INSERT INTO league_entry (league, number, text, salt, leaf, head) VALUES (?, ?, ?, ?, ?, ?)",
            name,
            row.number,
            row.text,
            row.salt,
            row.leaf,
            row.head,
        )

    def league_checkpoints(self, name: str) -> list[CheckpointRow]:
        """Return the signed heads of a league, by size."""
        rows = self._rows("SELECT * FROM league_checkpoint WHERE league = ? ORDER BY size", name)
        return [CheckpointRow(row["size"], row["head"], row["signature"]) for row in rows]

    def add_league_checkpoint(self, name: str, row: CheckpointRow) -> None:
        """Add a signed head of a league's ledger; one that is stored already stays."""
        self._change(
            "INSERT OR IGNORE INTO league_checkpoint (league, size, head, signature) VALUES (?, ?, ?, ?)",
            name,
            row.size,
            row.head,
            row.signature,
        )

    def add_league_game(self, game: str, league: str) -> None:
        """Add a game for whose end a league waits."""
        self._change("INSERT INTO league_game (game, league, waiting) VALUES (?, ?, 1)", game, league)

    def end_league_game(self, game: str) -> None:
        """Note that a game's league does not wait for its end any more."""
        self._change("UPDATE league_game SET waiting = 0 WHERE game = ?", game)

    def league_games(self) -> dict[str, str]:
        """Return, by game, the league that waits for the game's end."""
        return {
            row["game"]: row["league"] for row in self._rows("SELECT * FROM league_game WHERE waiting = 1")
        }

    def decided_games(self) -> list[str]:
        """Return the games for which their leagues do not wait any more."""
        return [row["game"] for row in self._rows("SELECT game FROM league_game WHERE waiting = 0")]

    def league_of(self, game: str) -> str:
        """Return the name of the league to which a game belongs, or of a league itself; "" without one."""
        if game.startswith(LEAGUE):
            return game
        rows = self._rows("SELECT league FROM league_game WHERE game = ?", game)
        return str(rows[0]["league"]) if rows else ""


class Record(NamedTuple):
    """A record of the journal, as the database keeps it until it was accepted everywhere."""

    number: int
    era: str
    data: bytes
    written: int
    mailed: int


class JournalTables(StoreFile):
    """The tables for the judge's journal, which `pbem.judge.upkeep.journal` explains."""

    def kept_tables(self) -> list[str]:
        """Return the names of the tables that a journal holds."""
        rows = self._rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        names = [row["name"] for row in rows]
        return [name for name in names if name not in LEFT_OUT and not name.startswith("sqlite_")]

    def watched_tables(self) -> list[str]:
        """Return the names of the tables whose changes are noted for the journal."""
        start = _TRIGGER.format(event="insert", table="")
        rows = self._rows("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
        return [row["name"].removeprefix(start) for row in rows if row["name"].startswith(start)]

    def watch_table(self, table: str) -> None:
        """Note all rows of a table as changed, and from now on each row that changes."""
        due = "new.done = 0" if table == "incoming" else str(int(table not in QUIET))
        for event, row, counts in (("insert", "new", due), ("update", "new", "0"), ("delete", "old", "0")):
            trigger = _TRIGGER.format(event=event, table=table)
            noted = f"INSERT INTO changed (name, place, due) VALUES ('{table}', {row}.rowid, {counts})"  # noqa: S608
            self._change(f"CREATE TRIGGER {trigger} AFTER {event} ON {table} BEGIN {noted}; END")
        self._change(f"INSERT INTO changed (name, place, due) SELECT '{table}', rowid, 1 FROM {table}")  # noqa: S608

    def watch_nothing(self) -> None:
        """Stop noting changes of tables for the journal, and delete the noted ones."""
        for table in self.watched_tables():
            for event in ("insert", "update", "delete"):
                self._change(f"DROP TRIGGER {_TRIGGER.format(event=event, table=table)}")
        self._change("DELETE FROM changed")
        self._change("DELETE FROM journal")

    def is_record_due(self) -> bool:
        """Tell whether something was added to the database for which the journal needs a record."""
        return bool(self._rows("SELECT 1 FROM changed WHERE due = 1 LIMIT 1"))

    def changes(self) -> Iterator[tuple[str, int, dict[str, Any] | None]]:
        """Yield table, number and present columns of each changed row; those of a deleted row are None."""
        for row in self._rows("SELECT DISTINCT name, place FROM changed ORDER BY name, place"):
            found = self._rows(f"SELECT * FROM {row['name']} WHERE rowid = ?", row["place"])  # noqa: S608
            yield row["name"], row["place"], found[0] if found else None

    def forget_changes(self) -> None:
        """Forget the noted changes of tables, which are in a record of the journal now."""
        self._change("DELETE FROM changed")

    def put_row(self, table: str, place: int, columns: dict[str, Any] | None) -> None:
        """Bring a table's row into the state that a record of the journal has; None deletes the row.

        Raises:
            KeyError: there is no such table, or it has no such columns.
        """
        known = {row["name"]: row for row in self._rows(f"PRAGMA table_info({table})")}
        if not known:
            raise KeyError(table)
        if columns is None:
            self._change(f"DELETE FROM {table} WHERE rowid = ?", place)  # noqa: S608
            return
        if unknown := sorted(set(columns) - set(known)):
            raise KeyError(f"{table}.{unknown[0]}")
        values = dict(columns)
        keys = [name for name, row in known.items() if row["pk"]]
        if not (len(keys) == 1 and known[keys[0]]["type"] == "INTEGER"):
            values["rowid"] = place
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self._change(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", *values.values())  # noqa: S608

    def empty_table(self, table: str) -> None:
        """Delete all rows of a table."""
        self._change(f"DELETE FROM {table}")  # noqa: S608

    def last_record(self) -> tuple[int, str]:
        """Return number and digest of the journal's last record; (0, "") if there is none."""
        rows = self._rows("SELECT number, digest FROM journal ORDER BY number DESC LIMIT 1")
        return (rows[0]["number"], rows[0]["digest"]) if rows else (0, "")

    def add_record(self, record: Record, digest: str, letters: list[int]) -> None:
        """Add a record of the journal, to be kept until it was accepted everywhere."""
        self._change("DELETE FROM journal WHERE data = x''")
        self._change(
            "INSERT INTO journal (number, era, digest, data, letters, written, mailed) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            record.number,
            record.era,
            digest,
            record.data,
            json.dumps(letters),
            record.written,
            record.mailed,
        )

    def pending_records(self) -> list[Record]:
        """Return the records of the journal that have not been accepted everywhere, the oldest first."""
        rows = self._rows(
            "SELECT number, era, data, written, mailed FROM journal WHERE data <> x'' ORDER BY number"
        )
        return [Record(**row) for row in rows]

    def is_record_pending(self) -> bool:
        """Tell whether some record of the journal has not been accepted everywhere."""
        return bool(self._rows("SELECT 1 FROM journal WHERE data <> x'' LIMIT 1"))

    def note_accepted(self, number: int, *, written: bool, mailed: bool, everywhere: bool) -> None:
        """Note where a record of the journal was accepted."""
        self._change(
            "UPDATE journal SET written = ?, mailed = ?, data = iif(?, x'', data) WHERE number = ?",
            int(written),
            int(mailed),
            int(everywhere),
            number,
        )

    def uncovered_letters(self) -> set[int]:
        """Return the numbers of letters that no accepted record of the journal has; they must not leave."""
        rows = self._rows(
            "SELECT place FROM changed JOIN letter ON letter.id = place "
            "WHERE changed.name = 'letter' AND due = 1 AND letter.player <> ''"
        )
        pending = self._rows("SELECT letters FROM journal WHERE data <> x''")
        return {row["place"] for row in rows}.union(*(json.loads(row["letters"]) for row in pending))


class Store(MailTables, NoteTables, LeagueTables, JournalTables):
    """The database of one club."""

    # -- players and games

    def players(self) -> list[PlayerRow]:
        """Return all players, by name."""
        return [PlayerRow(**row) for row in self._rows("SELECT * FROM player ORDER BY name")]

    def player(self, name: str) -> PlayerRow | None:
        """Return the player of this name; None if there is none."""
        rows = self._rows("SELECT * FROM player WHERE name = ?", name)
        return PlayerRow(**rows[0]) if rows else None

    def address(self, name: str) -> str:
        """Return a player's address; "" if none is known."""
        row = self.player(name)
        return row.address if row else ""

    def with_key(self, line: str) -> list[str]:
        """Return the players who are enrolled with a key."""
        return [row["name"] for row in self._rows("SELECT name FROM player WHERE key = ?", line)]

    def key_line(self, name: str, fingerprint: str) -> str:
        """Return a player's key by its fingerprint, present or replaced; "" if no player had such a key."""
        from pbem.trust.keys import parse_public

        row = self.player(name)
        if row is not None and parse_public(row.key).fingerprint == fingerprint:
            return row.key
        return self.note(f"key {name} {fingerprint}")

    def put_player(self, player: PlayerRow) -> None:
        """Add a player, or change the key or address of a known one."""
        self._change(
            "INSERT OR REPLACE INTO player (name, key, address) VALUES (?, ?, ?)",
            player.name,
            player.key,
            player.address,
        )

    def forget_player(self, name: str) -> None:
        """Delete a player's address, wishes and absences; name and key stay, since they check ledgers."""
        self._change("UPDATE player SET address = '' WHERE name = ?", name)
        self._change("DELETE FROM absence WHERE player = ?", name)
        self._change("DELETE FROM profile WHERE player = ?", name)

    def games(self) -> list[str]:
        """Return the ids of all games."""
        return [row["id"] for row in self._rows("SELECT id FROM game ORDER BY id")]

    def add_game(self, game: str) -> None:
        """Add a game, by its id, to the database before its ledger has any entry."""
        self._change("INSERT INTO game (id) VALUES (?)", game)

    def add_absence(self, row: AbsenceRow) -> bool:
        """Add a player's absence, or replace an older statement of the same; return whether it was new."""
        cursor = self._change(
            "INSERT INTO absence (player, begins, ends, made, statement) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET made = excluded.made, statement = excluded.statement "
            "WHERE excluded.made > absence.made",
            row.player,
            row.begins,
            row.ends,
            row.made,
            row.statement,
        )
        return cursor.rowcount > 0

    def absences(self, player: str | None = None) -> list[AbsenceRow]:
        """Return the absences that count, of all players or of one, in order of their first days.

        Of those that begin on one day, the one that its player made last counts.
        """
        rows = self._rows(
            "SELECT * FROM absence AS one WHERE (? IS NULL OR player = ?) AND NOT EXISTS "
            "(SELECT 1 FROM absence WHERE player = one.player AND begins = one.begins AND made > one.made) "
            "ORDER BY begins",
            player,
            player,
        )
        return [AbsenceRow(**row) for row in rows]

    def put_profile(self, row: ProfileRow) -> None:
        """Store a player's signed wishes, in place of the previous ones."""
        self._change(
            "INSERT OR REPLACE INTO profile (player, zone, share, made, publish) VALUES (?, ?, ?, ?, ?)",
            row.player,
            row.zone,
            row.share,
            row.made,
            row.publish,
        )

    def profile(self, name: str) -> ProfileRow | None:
        """Return the signed wishes of one player; None if the player has signed none."""
        rows = self._rows("SELECT * FROM profile WHERE player = ?", name)
        return ProfileRow(**rows[0]) if rows else None

    def profiles(self) -> dict[str, ProfileRow]:
        """Return the signed wishes of all players, by name."""
        return {row["player"]: ProfileRow(**row) for row in self._rows("SELECT * FROM profile")}

    # -- ledgers

    def entries(self, game: str, after: int = 0) -> list[EntryRow]:
        """Return the rows of a game's ledger after the entry number `after`."""
        rows = self._rows("SELECT * FROM entry WHERE game = ? AND number > ? ORDER BY number", game, after)
        return [EntryRow(row["number"], row["text"], row["salt"], row["leaf"], row["head"]) for row in rows]

    def add_entry(self, game: str, row: EntryRow) -> None:
        """Append a row to a game's ledger; the database refuses a number that is taken."""
        self._change(
            "INSERT INTO entry (game, number, text, salt, leaf, head) VALUES (?, ?, ?, ?, ?, ?)",
            game,
            row.number,
            row.text,
            row.salt,
            row.leaf,
            row.head,
        )

    def checkpoints(self, game: str) -> list[CheckpointRow]:
        """Return the signed heads of a game's ledger, by size."""
        rows = self._rows("SELECT * FROM checkpoint WHERE game = ? ORDER BY size", game)
        return [CheckpointRow(row["size"], row["head"], row["signature"]) for row in rows]

    def add_checkpoint(self, game: str, row: CheckpointRow) -> None:
        """Store a signed head of a game's ledger."""
        self._change(
            "INSERT INTO checkpoint (game, size, head, signature) VALUES (?, ?, ?, ?)",
            game,
            row.size,
            row.head,
            row.signature,
        )

    def drop_entries(self, game: str, after: int) -> None:
        """Delete a restored ledger's entries and heads after a gap, so that nothing is signed on them."""
        self._change("DELETE FROM entry WHERE game = ? AND number > ?", game, after)
        self._change("DELETE FROM checkpoint WHERE game = ? AND size > ?", game, after)

    def head(self, game: str) -> tuple[int, str]:
        """Return the size and the head of a game's ledger."""
        rows = self._rows("SELECT number, head FROM entry WHERE game = ? ORDER BY number DESC LIMIT 1", game)
        return (rows[0]["number"], rows[0]["head"]) if rows else (0, "")

    def signed_ends(self) -> dict[str, tuple[int, str]]:
        """Return, for every ledger of a game or league, the size and head that were signed last."""
        rows = self._rows(
            "SELECT game AS name, max(size) AS size, head FROM checkpoint GROUP BY game UNION ALL "
            "SELECT league, max(size), head FROM league_checkpoint GROUP BY league"
        )
        return {row["name"]: (row["size"], row["head"]) for row in rows}

    def heads(self) -> dict[str, tuple[int, str]]:
        """Return the size and the head of every game's ledger."""
        rows = self._rows(
            "SELECT game, number, head FROM game JOIN entry ON entry.game = game.id AND entry.number = "
            "(SELECT max(number) FROM entry WHERE game = game.id) ORDER BY game.id"
        )
        return {row["game"]: (row["number"], row["head"]) for row in rows}
