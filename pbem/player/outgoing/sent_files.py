"""The files that a player has signed: the folder `sent` of a game.

    0003-2.txt .txt.sig .age    exchange 3, revision 2: the signed bytes, the signature, the sealed file
    0003-reveal.txt ...         exchange 3: the reveal after the close

The signed bytes are written first, and only if the name is free: from that moment the revision belongs to
this content, however the program ends. A revision without its `.age` is sealed when it is asked for again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pbem.player import files
from pbem.trust import signature
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.namespaces import Namespace
from pbem.trust.padding import ORDERS_UNIT
from pbem.trust.sealing import seal_signed, sealed_name

REVEAL = "reveal"
_NAME = re.compile(r"(?P<exchange>[0-9]{4,})-(?P<rev>[1-9][0-9]{0,8})\.txt")


@dataclass(frozen=True, slots=True)
class SentFile:
    """One order file that was signed in this home."""

    exchange: int
    rev: int
    text: bytes
    sealed: bytes | None
    """The sealed bytes; None if the program was stopped before sealing."""

    @property
    def name(self) -> str | None:
        """The hash by which ledger and receipts name the sealed file."""
        return None if self.sealed is None else sealed_name(self.sealed)


class Sent:
    """The folder `sent` of a game, which keeps the order files and reveals that were signed in this home."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def orders(self) -> tuple[SentFile, ...]:
        """Return every order file that was signed in this home, by exchange and revision."""
        return self._find_files("*.txt")

    def orders_of(self, exchange: int | None) -> tuple[SentFile, ...]:
        """Return the order files of an exchange, by revision; no other file is read."""
        return self._find_files(f"{exchange:04}-*.txt") if exchange is not None else ()

    def _find_files(self, names: str) -> tuple[SentFile, ...]:
        found = [match for path in self.path.glob(names) if (match := _NAME.fullmatch(path.name))]
        numbers = sorted((int(match["exchange"]), int(match["rev"])) for match in found)
        return tuple(self._read(exchange, rev) for exchange, rev in numbers)

    def holds(self, sealed: bytes) -> bool:
        """Tell whether a sealed file was made in this home."""
        return any(path.read_bytes() == sealed for path in self.path.glob("*.age"))

    def reserve(self, exchange: int, rev: int, text: bytes) -> bool:
        """Reserve a revision for the bytes that are to be signed; return False if the revision is taken."""
        return files.write_new(self._orders(exchange, rev), text)

    def finish(self, exchange: int, rev: int, key: PrivateKey, recipient: str) -> bytes:
        """Sign and seal the reserved bytes; return the sealed file, always the same one."""
        return _finish(self._orders(exchange, rev), key, recipient)

    def signer(self, exchange: int, rev: int) -> PublicKey | None:
        """Return the key that signed a revision; None if the program was stopped before it signed."""
        path = self._orders(exchange, rev)
        armor = files.read_file(path.with_name(f"{path.name}.sig"))
        return None if armor is None else signature.parse(armor).key

    def finish_reveal(self, exchange: int, text: bytes, key: PrivateKey, recipient: str) -> bytes:
        """Sign and seal a reveal after the close; a reveal that was made before stays as it is."""
        path = self.path / f"{exchange:04}-{REVEAL}.txt"
        files.write_new(path, text)
        return _finish(path, key, recipient)

    def reveal(self, exchange: int) -> bytes | None:
        """Return the sealed reveal that was sent after the close of an exchange."""
        return files.read_file(self.path / f"{exchange:04}-{REVEAL}.age")

    def _orders(self, exchange: int, rev: int) -> Path:
        return self.path / f"{exchange:04}-{rev}.txt"

    def _read(self, exchange: int, rev: int) -> SentFile:
        path = self._orders(exchange, rev)
        return SentFile(exchange, rev, path.read_bytes(), files.read_file(path.with_suffix(".age")))


def _finish(path: Path, key: PrivateKey, recipient: str) -> bytes:
    target = path.with_suffix(".age")
    if (sealed := files.read_file(target)) is not None:
        return sealed
    text = path.read_bytes()
    files.write(path.with_name(f"{path.name}.sig"), signature.sign(key, Namespace.ORDERS, text))
    files.write_new(target, seal_signed(text, key, Namespace.ORDERS, [recipient], ORDERS_UNIT))
    return target.read_bytes()
