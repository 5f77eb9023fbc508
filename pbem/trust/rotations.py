"""A player's new key: the text that is signed for it, and the ledger entry.

    pbem1 rotate
    game stirling
    player alice
    exchange 4                      the one that is open; the new key counts from the next one on
    old SHA256:...                  the key that has counted until then
    new ssh-ed25519 AAAA...

signed by the old key (namespace pbem1-rotate), or by the recovery key that genesis names (pbem1-recover),
and by the new key (pbem1-rotate). A rotation file is the text and the two armored signatures, in this order.

    rotate <exchange> <player> <fingerprint of the new key>
    at <UTC>
    key ssh-ed25519 AAAA...
    old <fingerprint>
    text <sha256 of the text>

Which key counts is decided by the exchange alone, never by a date: what a thief signs with the old key for a
later exchange is refused, and for an earlier one it comes too late.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from pbem.trust import signature
from pbem.trust.entries import Entry, utc_text
from pbem.trust.faults import LedgerFault, SignatureFault
from pbem.trust.keys import PrivateKey, PublicKey, parse_public
from pbem.trust.namespaces import Namespace


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChange:
    """What is signed."""

    game: str
    player: str
    exchange: int
    old: str
    new: str

    @property
    def text(self) -> bytes:
        """The bytes that are signed."""
        return (
            f"pbem1 rotate\ngame {self.game}\nplayer {self.player}\nexchange {self.exchange}\n"
            f"old {self.old}\nnew {self.new}\n"
        ).encode()

    @property
    def sha256(self) -> str:
        """By which the ledger names it."""
        return hashlib.sha256(self.text).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation(Entry):
    """A player's key is replaced from the next exchange on."""

    kind: ClassVar[str] = "rotate"

    exchange: int
    player: str
    at: datetime
    old: str
    key: str
    text_sha256: str

    @property
    def lines(self) -> list[str]:
        """The lines before `extra`."""
        return [
            f"rotate {self.exchange} {self.player} {parse_public(self.key).fingerprint}",
            f"at {utc_text(self.at)}",
            f"key {self.key}",
            f"old {self.old}",
            f"text {self.text_sha256}",
        ]

    def change(self, game: str) -> KeyChange:
        """What must have been signed."""
        return KeyChange(game=game, player=self.player, exchange=self.exchange, old=self.old, new=self.key)


@dataclass(frozen=True, slots=True)
class RotationFile:
    """A rotation as it was handed in; its signatures are not yet looked at."""

    change: KeyChange
    by: bytes
    """The armor of the old or the recovery key."""
    new: bytes
    """The armor of the new key."""

    @property
    def data(self) -> bytes:
        """The file."""
        return self.change.text + self.by + self.new


def sign_rotation(change: KeyChange, by: PrivateKey, new: PrivateKey) -> bytes:
    """The rotation file; `by` is the old key, or else the recovery key."""
    namespace = Namespace.ROTATE if by.public.fingerprint == change.old else Namespace.RECOVER
    signed = signature.sign_text(by, namespace, change.text)
    return signed + signature.sign(new, Namespace.ROTATE, change.text)


def read_rotation(data: bytes) -> RotationFile:
    """The parts of a rotation file.

    Raises:
        LedgerFault: it is none.
    """
    body, begin, rest = data.partition(signature.BEGIN)
    first, again, second = rest.partition(signature.BEGIN)
    lines = body.decode("ascii", errors="replace").split("\n")
    words = dict(line.partition(" ")[::2] for line in lines[1:-1])
    number = words.get("exchange", "")
    change = KeyChange(
        game=words.get("game", ""),
        player=words.get("player", ""),
        exchange=int(number) if number.isdigit() else 0,
        old=words.get("old", ""),
        new=words.get("new", ""),
    )
    if change.text != body or not again:
        raise LedgerFault("this is no rotation: its text and two signatures, as pbem rotate writes them")
    return RotationFile(change, begin + first, again + second)


def verify_rotation(file: RotationFile, old: PublicKey, recovery: str | None) -> None:
    """Raise SignatureFault unless the old key, or the recovery key, and the new key have signed it."""
    change = file.change
    if change.old != old.fingerprint:
        raise SignatureFault(f"it replaces the key {change.old}; the key that counts is {old.fingerprint}")
    signer = signature.parse(file.by).key
    if signer == old:
        signature.verify(file.by, change.text, Namespace.ROTATE, old)
    elif recovery is not None and signer.fingerprint == recovery:
        signature.verify(file.by, change.text, Namespace.RECOVER, signer)
    else:
        raise SignatureFault(
            f"it is signed by {signer.fingerprint}, which is neither the old key nor the recovery key",
            reason="wrong-key",
        )
    signature.verify(file.new, change.text, Namespace.ROTATE, parse_public(change.new))
