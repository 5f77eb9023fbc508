"""The tables of the club's leagues: their files and ledgers, and the games that belong to them."""

from __future__ import annotations

from pbem.judge.tables.database import StoreFile
from pbem.judge.tables.rows import LEAGUE, CheckpointRow, EntryRow, LeagueRow


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
        """Add a league with its file, and so begin its ledger."""
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

    def league_of(self, game: str) -> str:
        """Return the name of the league to which a game belongs, or of a league itself; "" without one."""
        if game.startswith(LEAGUE):
            return game
        rows = self._rows("SELECT league FROM league_game WHERE game = ?", game)
        return str(rows[0]["league"]) if rows else ""
