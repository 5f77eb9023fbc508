"""Tables of values that one pass leaves to the next: alerts, notes, and values derived from ledgers."""

from __future__ import annotations

from pbem.judge.tables.database import AlertRow, StoreFile

RESTORED = "restored"
"""Name of the note that says when a club was restored from a backup."""
TAKEN_OVER = "taken over"
"""Name of the note that says when this folder was made the club's working folder."""
RESTING = "resting"
"""Name of the note that says when this folder was restored, kept until the folder begins to work."""
SPOKEN = "another folder"
"""Name of the note about another copy of the club's folder that the last pass found at work."""
LAST_PASS = "last pass"  # noqa: S105 - a pass of the judge
"""Name of the note that says when deadlines were last looked at."""
CHECKED = "checked"
"""Name of the note that names the game whose ledger was checked last."""
BACKUP = "last backup"
"""Name of the note that says when the last backup was made."""
FOR_GM = "press gm "
"""Prefix of the notes about messages to the director: each that is new, or that was listed for them."""
CONFIRMED = "confirmed "
"""Prefix of the note which says whether a restored ledger's highest head was entered since."""
CONTRADICTED = "contradicted "
"""Prefix of the note that holds the proof that a restored game had gone on."""
HELD = "held "
"""Prefix of the note that says why the last pass could not bring a game on, with the ledger's head then."""
DISAGREES = "disagrees "
"""Prefix of the note which says that a replay of a game differs from the game's saved position."""
PUT_AWAY = "put away "
"""Prefix of the note about a restored game that was ended because its signed entries are lost."""
FORGOTTEN = "forgotten "
"""Prefix of the note that says when the club forgot a player."""
REBUILT = "rebuilt "
"""Prefix of the note that says when a game was rebuilt from players' files; it is removed when the game's
highest head is shown."""
MAILBOX = "mailbox "
"""Prefix of the note that says how far a mailbox has been read."""
HANDLED = "handled until"
"""Name of the note that says, after a restore, up to which time mail was handled before the backup."""
FORECAST = "forecast"
"""First word of the name of the note of an order file whose forecast has not been made yet."""


class NoteTables(StoreFile):
    """The tables of alerts, notes and derived values, by which no ledger is judged."""

    def alerts(self) -> list[AlertRow]:
        """Return the alerts about troubles that were known in the last pass."""
        return [AlertRow(**row) for row in self._rows("SELECT * FROM alert ORDER BY since, name")]

    def put_alert(self, row: AlertRow) -> None:
        """Store an alert about a trouble, in place of the previous one."""
        self._change(
            "INSERT OR REPLACE INTO alert (name, since, told, text) VALUES (?, ?, ?, ?)",
            row.name,
            row.since,
            row.told,
            row.text,
        )

    def drop_alert(self, name: str) -> None:
        """Delete an alert, because its trouble is over."""
        self._change("DELETE FROM alert WHERE name = ?", name)

    def here_since(self) -> str:
        """Return the time at which this folder was restored or taken into use; "" if neither was done."""
        return max(self.note(RESTORED), self.note(TAKEN_OVER))

    def note(self, name: str) -> str:
        """Return the note stored under a name; "" if there is none."""
        rows = self._rows("SELECT value FROM note WHERE name = ?", name)
        return str(rows[0]["value"]) if rows else ""

    def put_note(self, name: str, value: str) -> None:
        """Store a note for the next pass, in place of an earlier note of that name."""
        self._change("INSERT OR REPLACE INTO note (name, value) VALUES (?, ?)", name, value)

    def notes(self, start: str) -> dict[str, str]:
        """Return, by name, the notes whose names begin with `start`."""
        rows = self._rows(
            "SELECT name, value FROM note WHERE substr(name, 1, ?) = ? ORDER BY name", len(start), start
        )
        return {row["name"]: row["value"] for row in rows}

    def drop_note(self, name: str) -> None:
        """Delete a note that is of no more use."""
        self._change("DELETE FROM note WHERE name = ?", name)

    def derived(self, name: str) -> dict[str, tuple[str, str]]:
        """Return, by game, the value that was derived from the ledger, and the head for which it holds."""
        rows = self._rows("SELECT game, head, data FROM derived WHERE name = ?", name)
        return {row["game"]: (row["head"], row["data"]) for row in rows}

    def derived_of(self, game: str, name: str) -> tuple[str, str]:
        """Return the head for which one game's derived value holds, and the value; "" if there is none."""
        rows = self._rows("SELECT head, data FROM derived WHERE game = ? AND name = ?", game, name)
        return (rows[0]["head"], rows[0]["data"]) if rows else ("", "")

    def put_derived(self, game: str, name: str, head: str, data: str) -> None:
        """Store a value derived from one game's ledger, which holds for one head."""
        self._change(
            "INSERT OR REPLACE INTO derived (game, name, head, data) VALUES (?, ?, ?, ?)",
            game,
            name,
            head,
            data,
        )

    def drop_derived(self, game: str) -> None:
        """Delete all values that are derived from a game's ledger."""
        self._change("DELETE FROM derived WHERE game = ?", game)

    def drop_all_derived(self) -> None:
        """Delete the values that are derived from all ledgers."""
        self._change("DELETE FROM derived")
