"""Tables of files: those that a ledger names by their SHA-256, and mails and files as they arrived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pbem.errors import LedgerError
from pbem.judge.tables.database import RESTORE, Damaged, IncomingRow, StoreFile


class FileTables(StoreFile):
    """The table of order files, reports, consents and new keys, none of which is ever changed or dropped."""

    def add_sealed(self, sha256: str, data: bytes) -> None:
        """Add a file to the database once; a file that is not ciphertext is compressed."""
        from pbem.judge.tables.packing import pack_file  # a glance at the club does without it

        self._change("INSERT OR IGNORE INTO sealed (sha256, data) VALUES (?, ?)", sha256, pack_file(data))

    def has_sealed(self, sha256: str) -> bool:
        """Tell whether the database has a file with this SHA-256."""
        return bool(self._rows("SELECT 1 AS here FROM sealed WHERE sha256 = ?", sha256))

    def named_file(self, sha256: str) -> bytes:
        """Return the file that a ledger names by this SHA-256.

        Raises:
            LedgerError: the database does not have the file.
            Damaged: the file cannot be unpacked.
        """
        from pbem.judge.tables.packing import NotKept, unpack_file

        rows = self._rows("SELECT data FROM sealed WHERE sha256 = ?", sha256)
        if not rows:
            raise LedgerError(f"the order file {sha256} is missing from the database")
        try:
            return unpack_file(rows[0]["data"])
        except NotKept as problem:
            raise Damaged(f"the file {sha256} is damaged in the database ({problem}); {RESTORE}") from None

    def report(self, sha256: str) -> str:
        """Return the text of a report, found by its hash in the ledger.

        Raises:
            LedgerError: the report is not in the database, or was changed.
        """
        import hashlib

        data = self.named_file(sha256)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise LedgerError(f"the report {sha256} was changed in the database after it was written")
        return data.decode()

    def base_words(self, sha256: str) -> bytes:
        """Return the text of a file that letters and mails repeat; b"" if the database has no such file."""
        from pbem.judge.tables.packing import base_words

        is_here = bool(sha256) and self._rows("SELECT 1 FROM sealed WHERE sha256 = ?", sha256)
        return base_words(self.named_file(sha256)) if is_here else b""


class IncomingTables(FileTables):
    """The tables of incoming mail and of files that were handed in."""

    def add_incoming(self, at: str, raw: bytes, sender: str, source: str = "", size: int = 0) -> int:
        """Store a mail or file that arrived, before it is handled; return its number, 0 if it is not new.

        A mail with the very bytes of one that was stored before, as when a mailbox is numbered anew, is
        noted as handled, and nobody looks at it again.
        """
        import hashlib  # a glance at the club does without it, which loads OpenSSL

        digest = hashlib.sha256(raw).hexdigest() if source else ""
        # by `digest <> ''` the database knows that it may use its index, and does not read every mail
        same = "SELECT id FROM incoming WHERE digest = ? AND digest <> '' LIMIT 1"
        again = bool(source and self._rows(same, digest))
        cursor = self._change(
            "INSERT OR IGNORE INTO incoming (at, raw, sender, done, result, source, size, digest) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            at,
            b"" if again else _bytes_to_store(raw),
            sender,
            int(again),
            "the same as one before" if again else "",
            source,
            size or len(raw),
            digest,
        )
        return int(cursor.lastrowid or 0) if cursor.rowcount and not again else 0

    def leave_alone(self, at: str, source: str) -> None:
        """Note a mail that needs no handling as handled."""
        self._change(
            "INSERT OR IGNORE INTO incoming (at, raw, sender, done, result, source) "
            "VALUES (?, x'', '', 1, ?, ?)",
            at,
            "read before the club's first pass",
            source,
        )

    def sources(self) -> set[str]:
        """Return the locations of all mails ever stored, so that none is fetched twice."""
        return {row["source"] for row in self._rows("SELECT source FROM incoming WHERE source <> ''")}

    def last_mail(self) -> str:
        """Return the time at which mail was last stored; "" if none ever was."""
        return str(self._rows("SELECT max(at) AS at FROM incoming WHERE source <> ''")[0]["at"] or "")

    def handled(self, before: str) -> set[str]:
        """Return the locations of the mails that were stored before a given time and have been handled."""
        rows = self._rows("SELECT source FROM incoming WHERE done = 1 AND digest <> '' AND at < ?", before)
        return {row["source"] for row in rows}

    def waiting(self, *, mail: bool = False) -> Iterator[IncomingRow]:
        """Yield mails, or files, that have arrived and were not handled, in order of arrival."""
        of_source = "source <> ''" if mail else "source = ''"
        for found in self._rows(f"SELECT id FROM incoming WHERE done = 0 AND {of_source} ORDER BY id"):  # noqa: S608
            for row in self._rows(
                "SELECT id, at, raw, sender, source, size FROM incoming WHERE id = ?", found["id"]
            ):
                yield IncomingRow(**row | {"raw": self._as_it_came(row)})

    def stored_arrivals(self) -> Iterator[tuple[int, bytes]]:
        """Yield every mail or file that was handled and is still stored, with its number."""
        for found in self._rows("SELECT id FROM incoming WHERE done = 1 AND length(raw) > 0 ORDER BY id"):
            for row in self._rows("SELECT id, raw FROM incoming WHERE id = ?", found["id"]):
                yield row["id"], self._as_it_came(row)

    def _as_it_came(self, row: dict[str, Any]) -> bytes:
        from pbem.judge.tables.packing import NotKept, read_mail

        try:
            return read_mail(row["raw"], self.base_words)
        except NotKept as problem:
            what = f"what arrived as {row['id']} is damaged in the database ({problem})"
            raise Damaged(f"{what}; {RESTORE}") from None

    def is_waiting(self, number: int) -> bool:
        """Tell whether a stored mail or file has not been handled yet."""
        return bool(self._rows("SELECT id FROM incoming WHERE id = ? AND done = 0", number))

    def finish_incoming(
        self, number: int, result: str, sender: str = "", files: Iterable[bytes] = ()
    ) -> None:
        """Note the result and the sender of a handled mail or file, and compress its bytes.

        `files`: the order files that were found in the mail. One that is kept takes no room a second time.
        """
        self._change(
            "UPDATE incoming SET done = 1, result = ?, sender = iif(? = '', sender, ?) WHERE id = ?",
            result,
            sender,
            sender,
            number,
        )
        for row in self._rows("SELECT raw FROM incoming WHERE id = ? AND length(raw) > 0", number):
            self._pack(number, row["raw"], files)

    def _pack(self, number: int, raw: bytes, files: Iterable[bytes]) -> None:
        import hashlib

        from pbem.judge.tables.packing import MARK, pack_mail

        if raw.startswith(MARK):
            return  # it was looked at before
        names = (hashlib.sha256(file).hexdigest() for file in files)
        base, words = next(((name, words) for name in names if (words := self.base_words(name))), ("", b""))
        packed = pack_mail(raw, base, words)
        if len(packed) < len(raw):
            self._change("UPDATE incoming SET raw = ? WHERE id = ?", packed, number)

    def look_at(self, number: int) -> None:
        """Mark a handled mail or file as to be handled once more."""
        self._change("UPDATE incoming SET done = 0 WHERE id = ? AND length(raw) > 0", number)

    def look_again(self, words: str) -> None:
        """Mark all mails and files that were answered with these words as to be handled once more."""
        self._change(
            "UPDATE incoming SET done = 0 WHERE done = 1 AND length(raw) > 0 AND instr(result, ?) > 0", words
        )

    def forget_incoming(self, *, before: str = "", sender: str = "", player: str = "") -> int:
        """Delete raw bytes and senders of what was handled before a time, or is of an address or a player.

        Return how many mails were among it; files that were handed in, or posted, are none.
        `player`: the person whose signed statements go too, if they came as files or by the post box.
        """
        from pbem.trust.signature import BEGIN  # every pass reads this table, and none forgets anybody

        address = sender.lower().encode()
        rows = self._rows(
            "SELECT id FROM incoming WHERE done = 1 AND ((? <> '' AND at < ? AND length(raw) > 0) "
            "OR (? <> '' AND lower(sender) = lower(?)))",
            before,
            before,
            sender,
            sender,
        )
        gone = {row["id"] for row in rows}
        for number, raw in self.stored_arrivals():
            signed = raw.partition(BEGIN)[0].split(b"\n") if player and raw.startswith(b"pbem1 ") else []
            own = any(f"{word} {player}".encode() in signed for word in ("player", "by"))
            if own or (sender and address in raw.lower()):
                gone.add(number)
        for number in sorted(gone):
            self._change("UPDATE incoming SET raw = x'', sender = '', result = '' WHERE id = ?", number)
        mails = {row["id"] for row in self._rows("SELECT id FROM incoming WHERE source <> ''")}
        return len(gone & mails)


def _bytes_to_store(raw: bytes) -> bytes:
    """Return the bytes to store of an arrived mail or file; bytes that look compressed are compressed."""
    from pbem.judge.tables.packing import MARK, pack_mail

    return pack_mail(raw, "", b"") if raw.startswith(MARK) else raw
