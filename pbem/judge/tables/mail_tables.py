"""Tables of outgoing mail: letters to players, answers, and how many answers were given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pbem.judge.tables.database import RESTORE, Damaged, LetterRow, UnsentRow
from pbem.judge.tables.file_tables import IncomingTables
from pbem.judge.tables.note_tables import NoteTables
from pbem.trust.times import parse_utc, utc_text

if TYPE_CHECKING:  # a glance at the club reads no letter
    from pbem.judge.tables.packing import Stored, Unsealed

_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_WITHOUT_WORDS = ", ".join(
    {"data": "x'' AS data", "text": "'' AS text"}.get(name, name) for name in LetterRow._fields
)


class MailTables(IncomingTables, NoteTables):
    """The tables of outgoing mail and their queries; those of incoming mail are in file_tables."""

    def add_letter(
        self,
        game: str,
        player: str,
        name: str,
        data: bytes | Unsealed,
        *,
        text: str = "",
        address: str = "",
        answers: str = "",
        deadline: str = "",
        key: str = "",
        sealed: str = "",
        moment: str = "",
    ) -> None:
        """Put a letter into the outbox, once; an unsealed letter is sealed each time it is read."""
        if isinstance(data, bytes):
            packed = _pack_letter(data)
        else:
            packed, text = self._packed_unsealed(data, text), ""
        self._change(
            "INSERT OR IGNORE INTO letter "
            "(game, player, name, data, sent, at, text, address, answers, deadline, key, sealed, moment, "
            "calendar) VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            game,
            player,
            name,
            packed,
            utc_text(self.clock()),
            text,
            address,
            answers,
            deadline,
            key,
            sealed,
            moment,
            self._next_calendar(game, player) if deadline else 0,
        )

    def _packed_unsealed(self, letter: Unsealed, words: str) -> bytes:
        from secrets import token_bytes

        from pbem.judge.tables.packing import Stored, pack_letter

        return pack_letter(Stored(letter, words, token_bytes(32)), self.base_words(letter.base))

    def _next_calendar(self, game: str, player: str) -> int:
        """Return the number of a reader's next deadline in a game.

        The number grows from one deadline to the next. After a restore it begins at the seconds that had
        gone by since 2026: fewer letters have left before, so none that is lost had a higher number.
        """
        rows = self._rows(
            "SELECT max(calendar) AS last FROM letter WHERE game = ? AND player = ?", game, player
        )
        since = self.here_since()
        begun = int((parse_utc(since) - _EPOCH).total_seconds()) if since else 0
        return max(rows[0]["last"] or 0, begun) + 1

    def letters(self) -> list[LetterRow]:
        """Return all letters in the order in which they were written."""
        rows = self._rows("SELECT * FROM letter ORDER BY id")
        return [self._letter(row) for row in rows]

    def letter(self, number: int) -> LetterRow | None:
        """Return the letter with this number; None if there is none."""
        rows = self._rows("SELECT * FROM letter WHERE id = ?", number)
        return self._letter(rows[0]) if rows else None

    def letter_named(self, game: str, player: str, name: str) -> LetterRow | None:
        """Return the letter of a game with this reader and name; None if there is none."""
        sql = "SELECT * FROM letter WHERE game = ? AND player = ? AND name = ?"
        rows = self._rows(sql, game, player, name)
        return self._letter(rows[0]) if rows else None

    def _letter(self, row: dict[str, Any]) -> LetterRow:
        """Return a letter in the form in which it is sent, with its text.

        Raises:
            Damaged: the letter cannot be read.
        """
        from pbem.judge.tables.packing import sealed, unpacked_letter

        with _damage(row["name"]):
            if (kept := self._find_stored(row["data"])) is not None:
                return LetterRow(**row | {"data": sealed(kept), "text": kept.words})
            return LetterRow(**row | {"data": unpacked_letter(row["data"])})

    def _find_stored(self, data: bytes) -> Stored | None:
        from pbem.judge.tables.packing import read_letter

        return read_letter(data, self.base_words)

    def unsent_letters(self, *, given_up: bool = False) -> list[UnsentRow]:
        """Return the letters that are still to be sent, or also those given up, without their texts."""
        rows = self._rows(
            "SELECT id, player, name, address, retry, tries, game, copy, at, deadline, "
            "length(data) AS sealed FROM letter WHERE sent = '' AND (failed = '' OR ?) ORDER BY id",
            given_up,
        )
        return [UnsentRow(**row) for row in rows]

    def last_letter(self, before: str) -> int:
        """Return the number of the last letter that was written before a time; 0 if there is none."""
        return int(self._rows("SELECT max(id) AS last FROM letter WHERE at < ?", before)[0]["last"] or 0)

    def letters_after(self, number: int) -> list[LetterRow]:
        """Return the letters to players that were written after the letter `number`, without their texts."""
        rows = self._rows(
            f"SELECT {_WITHOUT_WORDS} FROM letter WHERE id > ? AND player <> '' ORDER BY id",  # noqa: S608
            number,
        )
        return [LetterRow(**row) for row in rows]

    def letters_again(self, number: int) -> list[LetterRow]:
        """Return the letters to players, up to `number`, that are to be sent again, without their texts."""
        rows = self._rows(
            f"SELECT {_WITHOUT_WORDS} FROM letter WHERE id <= ? AND player <> '' AND copy > 0 "  # noqa: S608
            "AND sent = '' ORDER BY id",
            number,
        )
        return [LetterRow(**row) for row in rows]

    def letter_key(self, number: int) -> str:
        """Return the public key to which a letter is sealed, as one line; "" if the letter does not say."""
        for row in self._rows("SELECT name, data FROM letter WHERE id = ?", number):
            with _damage(row["name"]):
                if (kept := self._find_stored(row["data"])) is not None:
                    return kept.letter.key
        return ""

    def letters_in_trouble(self) -> list[LetterRow]:
        """Return the letters that a mail server refused, or that came back, without their texts."""
        rows = self._rows(f"SELECT {_WITHOUT_WORDS} FROM letter WHERE trouble <> '' ORDER BY id")  # noqa: S608
        return [LetterRow(**row) for row in rows]

    def count_sent(self, since: str) -> int:
        """Return the number of letters that were sent since a given time."""
        return int(self._rows("SELECT count(*) AS count FROM letter WHERE sent >= ?", since)[0]["count"])

    def letters_to(self, game: str, player: str) -> list[LetterRow]:
        """Return a player's letters of one game, in the order in which they were written."""
        rows = self._rows("SELECT * FROM letter WHERE game = ? AND player = ? ORDER BY id", game, player)
        return [self._letter(row) for row in rows]

    def letter_heads(self, game: str, player: str, *, sealed: bool = False) -> list[LetterRow]:
        """Return a player's letters of one game, all or the sealed ones, without their texts."""
        rows = self._rows(
            f"SELECT {_WITHOUT_WORDS} FROM letter WHERE game = ? AND player = ? "  # noqa: S608
            "AND (data <> x'' OR NOT ?) ORDER BY id",
            game,
            player,
            sealed,
        )
        return [LetterRow(**row) for row in rows]

    def first_copies(self, game: str, player: str) -> list[LetterRow]:
        """Return a player's letters of one game, without repeated copies and letters that were given up.

        The texts of the letters are left out, and so are letters that tell of mail itself.
        """
        rows = self._rows(
            f"SELECT {_WITHOUT_WORDS} FROM letter WHERE game = ? AND player = ? AND copy = 0 "  # noqa: S608
            "AND failed = '' AND sent <> '-' AND name NOT LIKE '%-waits.txt' ORDER BY id",
            game,
            player,
        )
        return [LetterRow(**row) for row in rows]

    def letter_names(self, game: str) -> list[tuple[str, str, bool]]:
        """Return the person and the name of each letter of a game, and whether the letter was sent."""
        rows = self._rows("SELECT player, name, sent FROM letter WHERE game = ?", game)
        return [(row["player"], row["name"], bool(row["sent"])) for row in rows]

    def receipt_hashes(self, game: str) -> dict[tuple[str, str], str]:
        """Return, by person and name of each receipt of a game, the SHA-256 of its file; "" if unknown."""
        rows = self._rows(
            "SELECT player, name, sealed FROM letter WHERE game = ? AND name LIKE '%-receipt-%'", game
        )
        return {(row["player"], row["name"]): row["sealed"] for row in rows}

    def letter_text(self, game: str, player: str, name: str) -> str:
        """Return the text of a player's letter of a game by the letter's name; "" if there is none."""
        rows = self._rows(
            "SELECT name, data, text FROM letter WHERE game = ? AND player = ? AND name = ?",
            game,
            player,
            name,
        )
        if not rows:
            return ""
        with _damage(name):
            kept = self._find_stored(rows[0]["data"])
        return str(rows[0]["text"]) if kept is None else kept.words

    def begin_sending(self, letter: int, retry: str) -> None:
        """Count a try to send a letter before the try is made, and set the time of the next one."""
        self._change("UPDATE letter SET tries = tries + 1, retry = ? WHERE id = ?", retry, letter)

    def not_tried(self, letter: int) -> None:
        """Take back a try to send a letter that was counted in advance but not made."""
        self._change("UPDATE letter SET tries = tries - 1, retry = '' WHERE id = ?", letter)

    def mark_sent(self, letter: int, at: str) -> None:
        """Note that a letter was sent."""
        self._change("UPDATE letter SET sent = ?, trouble = '' WHERE id = ?", at, letter)

    def mark_trouble(self, letter: int, trouble: str, failed: str = "") -> None:
        """Note why a letter was not sent, or that it came back; `failed`: the time when it was given up."""
        self._change("UPDATE letter SET trouble = ?, failed = ? WHERE id = ?", trouble, failed, letter)

    def send_again(self, letter: int) -> None:
        """Put a letter that was sent or given up into the outbox once more, as a new copy.

        A copy is numbered by the time, so that it is new after a restore as well.
        """
        self._change(
            "UPDATE letter SET sent = '', copy = max(copy + 1, ?), tries = 0, retry = '', trouble = '', "
            "failed = '' WHERE id = ? AND (sent <> '' OR failed <> '')",
            int(self.clock().timestamp()),
            letter,
        )

    def drop_sent(self, game: str, name: str) -> None:
        """Delete letters of a game that were sent and are of no more use, by a pattern of their names."""
        self._change("DELETE FROM letter WHERE game = ? AND name LIKE ? AND sent <> ''", game, name)

    def clear_trouble(self, player: str) -> None:
        """Clear the troubles with sending a player's letters, because the player answered a later letter."""
        self._change(
            "UPDATE letter SET trouble = '', failed = '' "
            "WHERE trouble <> '' AND player = ? AND sent <> '' AND failed <> ''",
            player,
        )

    def forget_letters(self, player: str, address: str) -> None:
        """Delete the texts of letters to a person, and the address in answers to them.

        Letters to others that name the address are kept as they leave, so that nobody but their readers can
        read it there.
        """
        if address:
            self._keep_sealed(address.lower().encode())
        self._change(
            "UPDATE letter SET data = x'', text = '', address = '', answers = '', "
            "sent = iif(sent = '', '-', sent), trouble = '' "
            "WHERE (player <> '' AND player = ?) OR (address <> '' AND lower(address) = lower(?))",
            player,
            address,
        )
        self._change("DELETE FROM answered WHERE address = lower(?)", address)

    def _keep_sealed(self, told: bytes) -> None:
        for found in self._rows("SELECT id FROM letter WHERE substr(data, 1, 1) = x'01'"):
            (row,) = self._rows("SELECT * FROM letter WHERE id = ?", found["id"])
            kept = self._find_stored(row["data"])
            if kept is not None and any(told in part.text.lower() for part in kept.letter.parts):
                letter = self._letter(row)
                self._change(
                    "UPDATE letter SET data = ?, text = ? WHERE id = ?",
                    _pack_letter(letter.data),
                    letter.text,
                    letter.id,
                )

    def count_answer(self, address: str, day: str) -> None:
        """Count an answer to an address on a day."""
        self._change(
            "INSERT INTO answered (address, day, count) VALUES (?, ?, 1) "
            "ON CONFLICT (address, day) DO UPDATE SET count = count + 1",
            address.lower(),
            day,
        )

    def count_answers(self, address: str, day: str) -> int:
        """Return how many answers to an address were counted on a day."""
        rows = self._rows("SELECT count FROM answered WHERE address = ? AND day = ?", address.lower(), day)
        return int(rows[0]["count"]) if rows else 0

    def forget_counts(self, before: str) -> None:
        """Delete the counts of answers on days before a day; no quota asks for more than two days."""
        self._change("DELETE FROM answered WHERE day < ?", before)

    def week(self, since: str) -> dict[str, int]:
        """Return the numbers of mails that came, and of letters and reports that were sent, since a time."""
        sql = (
            "SELECT (SELECT count(*) FROM incoming WHERE at >= ?) AS mails, "
            "(SELECT count(*) FROM letter WHERE sent >= ?) AS letters, "
            "(SELECT count(*) FROM letter WHERE sent >= ? AND name LIKE '%-report.txt') AS reports"
        )
        (row,) = self._rows(sql, since, since, since)
        return row


def _pack_letter(data: bytes) -> bytes:
    """Compress a letter: armor is base64, which zlib alone makes a quarter smaller.

    There is nothing to find in ciphertext, so nothing is searched for; that is several times as fast.
    """
    import zlib  # a glance at the club does without it

    if not data:
        return b""  # that is how the tables say that there is none
    packer = zlib.compressobj(1, strategy=zlib.Z_HUFFMAN_ONLY)
    return packer.compress(data) + packer.flush()


@contextmanager
def _damage(name: str) -> Iterator[None]:
    """Turn the error of a damaged letter within this context into one with its name and what to do."""
    from pbem.judge.tables.packing import NotKept

    try:
        yield
    except NotKept as problem:
        raise Damaged(f"the letter {name} is damaged in the database ({problem}); {RESTORE}") from None
