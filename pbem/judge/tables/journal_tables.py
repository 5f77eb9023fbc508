"""Tables of the journal: changes since its last record, noted by triggers, and records on their way.

changed     a row of some table that was added, changed or dropped; `due`: a record is to be made for it
journal     records; of one that was accepted everywhere only its number and digest are kept
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from pbem.judge.tables.database import StoreFile

QUIET = ("note", "alert", "answered")
"""Tables whose changes are added to a record of the journal but are no reason to make one."""
LEFT_OUT = ("changed", "journal", "derived", "_sqlite_migrations")
"""Tables that the journal leaves out: its own, and those whose content follows from other tables."""
_TRIGGER = "journal_{event}_{table}"


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
