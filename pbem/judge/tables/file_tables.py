"""Tables of files that a ledger names by their SHA-256: orders as they came, reports, consents."""

from __future__ import annotations

from pbem.errors import LedgerError
from pbem.judge.tables.database import RESTORE, Damaged, StoreFile


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

    def base_words(self, sha256: str) -> bytes:
        """Return the text of a file that letters and mails repeat; b"" if the database has no such file."""
        from pbem.judge.tables.packing import base_words

        is_here = bool(sha256) and self._rows("SELECT 1 FROM sealed WHERE sha256 = ?", sha256)
        return base_words(self.named_file(sha256)) if is_here else b""
