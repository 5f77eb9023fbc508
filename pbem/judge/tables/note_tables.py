"""What a pass leaves to the next, in the database: alerts, notes, and what was worked out from ledgers."""

from __future__ import annotations

from pbem.judge.tables.database import StoreFile
from pbem.judge.tables.rows import AlertRow

RESTORED = "restored"
"""The note that says since when a club has been restored from a backup."""
TAKEN_OVER = "taken over"
"""The note of when this folder was made the one that goes on."""
RESTING = "resting"
"""The note of a restored folder that has not begun: when it was restored."""
SPOKEN = "another folder"
"""The note of what the last pass has met of another folder of this club that goes on."""
LAST_PASS = "last pass"  # noqa: S105 - a pass of the judge
"""The note of when deadlines were last looked at."""
CHECKED = "checked"
"""The note of the game whose ledger was checked last."""
BACKUP = "last backup"
"""The note of when the last backup was made."""
CONFIRMED = "confirmed "
"""Begins the note of a ledger whose highest head was entered after the restore that it names."""
CONTRADICTED = "contradicted "
"""Begins the note of what shows that a restored game had gone on."""
HELD = "held "
"""Begins the note of why the last pass could not bring a game on, with the head that it was at."""
DISAGREES = "disagrees "
"""Begins the note of a game that stood elsewhere than its saved place said."""
PUT_AWAY = "put away "
"""Begins the note of a restored game that was ended because what was signed of it is lost."""
MAILBOX = "mailbox "
"""Begins the note of how far a mailbox has been read."""
HANDLED = "handled until"
"""The note that says, after a restore, until when whatever had come by mail was handled before the backup."""
FORECAST = "forecast"
"""The note of a file whose forecast has not been made."""


class NoteTables(StoreFile):
    """Nothing of it is an input, and no ledger is judged by it."""

    def alerts(self) -> list[AlertRow]:
        """What is wrong as far as the last pass knew."""
        return [AlertRow(**row) for row in self._rows("SELECT * FROM alert ORDER BY since, name")]

    def put_alert(self, row: AlertRow) -> None:
        """Keep that something is wrong."""
        self._change(
            "INSERT OR REPLACE INTO alert (name, since, told, text) VALUES (?, ?, ?, ?)",
            row.name,
            row.since,
            row.told,
            row.text,
        )

    def drop_alert(self, name: str) -> None:
        """Something is no longer wrong."""
        self._change("DELETE FROM alert WHERE name = ?", name)

    def here_since(self) -> str:
        """When this folder was restored or taken over; "" if never."""
        return max(self.note(RESTORED), self.note(TAKEN_OVER))

    def note(self, name: str) -> str:
        """What a pass has left under a name; "" if nothing."""
        rows = self._rows("SELECT value FROM note WHERE name = ?", name)
        return str(rows[0]["value"]) if rows else ""

    def put_note(self, name: str, value: str) -> None:
        """Leave something for the next pass."""
        self._change("INSERT OR REPLACE INTO note (name, value) VALUES (?, ?)", name, value)

    def notes(self, start: str) -> dict[str, str]:
        """The notes whose names begin so."""
        rows = self._rows(
            "SELECT name, value FROM note WHERE substr(name, 1, ?) = ? ORDER BY name", len(start), start
        )
        return {row["name"]: row["value"] for row in rows}

    def drop_note(self, name: str) -> None:
        """A note is of no more use."""
        self._change("DELETE FROM note WHERE name = ?", name)

    def derived(self, name: str) -> dict[str, tuple[str, str]]:
        """Game -> the head that something derived holds for, and its data."""
        rows = self._rows("SELECT game, head, data FROM derived WHERE name = ?", name)
        return {row["game"]: (row["head"], row["data"]) for row in rows}

    def derived_of(self, game: str, name: str) -> tuple[str, str]:
        """What something derived of one game holds for, and its data; "" if there is none."""
        rows = self._rows("SELECT head, data FROM derived WHERE game = ? AND name = ?", game, name)
        return (rows[0]["head"], rows[0]["data"]) if rows else ("", "")

    def put_derived(self, game: str, name: str, head: str, data: str) -> None:
        """Keep something derived."""
        self._change(
            "INSERT OR REPLACE INTO derived (game, name, head, data) VALUES (?, ?, ?, ?)",
            game,
            name,
            head,
            data,
        )

    def drop_derived(self, game: str) -> None:
        """Drop everything derived from a ledger."""
        self._change("DELETE FROM derived WHERE game = ?", game)

    def drop_all_derived(self) -> None:
        """The same of all ledgers."""
        self._change("DELETE FROM derived")
