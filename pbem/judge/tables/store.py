"""The club's database: one transaction per step; a crash between two steps loses and repeats nothing.

Order files, entries and the judge's keys are inputs. Everything else can be made again from them. The tables
are in schema, their rows in rows; files are in file_tables, what comes in incoming_tables, what leaves in
mail_tables (kept says in which form), what passes note in note_tables.
"""

from __future__ import annotations

from pbem.judge.tables.database import Unwritable, wall_clock
from pbem.judge.tables.journal_tables import JournalTables
from pbem.judge.tables.league_tables import LeagueTables
from pbem.judge.tables.mail_tables import MailTables
from pbem.judge.tables.note_tables import NoteTables
from pbem.judge.tables.rows import AbsenceRow, CheckpointRow, EntryRow, PlayerRow, ProfileRow

__all__ = ["Store", "Unwritable", "wall_clock"]


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
        """Add a game by its id, and so begin its ledger."""
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
