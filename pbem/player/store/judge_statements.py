r"""Statements that the judge signed, kept as evidence against the judge if they disagree.

`<name>.txt` and `<name>.txt.sig` are exactly what was signed and the signature, so that stock tools check
them:

    ssh-keygen -Y verify -f allowed_signers -I gm@hearth -n pbem1-checkpoint \
        -s held/checkpoint-0006.txt.sig < held/checkpoint-0006.txt

Evidence gets a folder of its own, with a README that says what it shows and how to check it, and is never
overwritten: the same contradiction met twice finds its folder there already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from pbem.player import files
from pbem.player.faults import Damaged
from pbem.trust import ledger, signature
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.keys import PublicKey
from pbem.trust.ledger import Checkpoint, Receipt
from pbem.trust.rotations import RotationFile
from pbem.trust.sealing import sealed_name

Statement = TypeVar("Statement", Checkpoint, Receipt)
Verify = Callable[[bytes, bytes, PublicKey], Statement]


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A head of a ledger with the judge's signature."""

    checkpoint: Checkpoint
    armor: bytes


@dataclass(frozen=True, slots=True)
class SignedReceipt:
    """A receipt with the judge's signature."""

    receipt: Receipt
    armor: bytes


class Held:
    """The folder `held` of a game, with what the judge has signed."""

    def __init__(self, path: Path, judges: tuple[PublicKey, ...]) -> None:
        self.path = path
        self._judges = judges

    def checkpoints(self) -> dict[int, SignedCheckpoint]:
        """Return the kept heads by size, with their signatures verified."""
        return {one.checkpoint.size: one for one in self._heads("checkpoint-*.txt")}

    def checkpoint(self, size: int) -> SignedCheckpoint | None:
        """Return the kept head of `size` entries with its signature verified; None if there is none."""
        return next(self._heads(f"{_head_of(size)}.txt"), None)

    def receipts(self) -> dict[int, SignedReceipt]:
        """Return the kept receipts by number, with their signatures verified."""
        kept = self._read_kept("receipt-*.txt", ledger.verify_receipt)
        return {one.number: SignedReceipt(one, armor) for one, armor in kept}

    def keep_checkpoint(self, signed: SignedCheckpoint) -> None:
        """Keep a signed head of the ledger."""
        self._keep(_head_of(signed.checkpoint.size), signed.checkpoint.text, signed.armor)

    def keep_receipt(self, signed: SignedReceipt) -> None:
        """Keep a signed receipt."""
        self._keep(f"receipt-{signed.receipt.number:04}", signed.receipt.text, signed.armor)

    def keep_copy(self, sealed: bytes) -> tuple[Path, bool]:
        """Keep sealed orders that another player sent to everybody (7); return where, and if they are new."""
        path = self.path / f"sealed/{sealed_name(sealed)}.age"
        return path, files.write_new(path, sealed)

    def keep_relayed(self, name: str, signed: bytes) -> bool:
        """Keep the judge's signed word that they had an opponent's sealed file; return whether it is new."""
        return files.write_new(self.path / f"relayed/{name}.txt", signed)

    def keep_evidence(self, name: str, content: Mapping[str, bytes]) -> Path:
        """Keep evidence in a folder of its own, whose name depends on the content; return the folder."""
        digest = hashlib.sha256()
        for file, data in sorted(content.items()):
            digest.update(f"{file} {len(data)}\n".encode() + data)
        folder = self.path / f"{name}-{digest.hexdigest()[:12]}"
        for file, data in content.items():
            files.write_once(folder / file, data)
        return folder

    def forks(self) -> tuple[Path, ...]:
        """Return the folders with proof that the judge has signed two histories."""
        return tuple(sorted(self.path.glob("fork-*")))

    def evidence(self) -> tuple[Path, ...]:
        """Return the folders that prove something against the judge: two histories, or untrue statements."""
        return (*self.forks(), *sorted(self.path.glob("fault-*")))

    def keep_rotation(self, file: RotationFile) -> None:
        """Keep the proof that a new key of the judge has replaced the old one."""
        path = self.path / f"judge-{file.change.sha256[:12]}.txt"
        for name, data in ((".by.sig", file.by), (".new.sig", file.new), (".txt", file.change.text)):
            files.write_new(path.with_suffix(name), data)

    def _heads(self, names: str) -> Iterator[SignedCheckpoint]:
        kept = self._read_kept(names, ledger.verify_checkpoint)
        return (SignedCheckpoint(one, armor) for one, armor in kept)

    def _read_kept(self, names: str, verify: Verify[Statement]) -> Iterator[tuple[Statement, bytes]]:
        for path in sorted(self.path.glob(names)):
            text, armor = files.read_file(path) or b"", files.read_file(_signature(path)) or b""
            if not self._judges:
                raise Damaged(
                    f"the judge's key is missing beside {self.path}, but files there are signed with it"
                )
            try:
                yield _verify(verify, text, armor, self._judges), armor
            except (TrustFault, LedgerFault) as fault:
                raise Damaged(f"{path} is damaged: {fault}") from None

    def _keep(self, name: str, text: bytes, armor: bytes) -> None:
        """Keep a statement and its signature; the signature is written first, for alone it says nothing."""
        path = self.path / f"{name}.txt"
        if not path.exists():
            files.write(_signature(path), armor)
        files.write_once(path, text)


@lru_cache(maxsize=4_096)
def _verify(verify: Verify[Statement], text: bytes, armor: bytes, judges: tuple[PublicKey, ...]) -> Statement:
    """Return a statement whose signature is by one of the given keys; the result is cached by its bytes."""
    signer = signature.parse(armor).key
    return verify(text, armor, signer if signer in judges else judges[-1])


def _head_of(size: int) -> str:
    return f"checkpoint-{size:04}"


def _signature(path: Path) -> Path:
    return path.with_name(f"{path.name}.sig")
