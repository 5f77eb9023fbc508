"""What players kept, receipts and checkpoints, against what a bundle says.

A folder of `NAME.txt` with `NAME.txt.sig`, and below it, in `sealed`, order files that players sent to
everybody. A bundle may be whole in itself and still not be the history that the players were shown; only
what they kept can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pbem.audit.evidence import GM, Evidence
from pbem.audit.findings import Refuted, Unprovable
from pbem.errors import PbemError
from pbem.trust import signature
from pbem.trust.faults import TrustFault
from pbem.trust.keys import PublicKey
from pbem.trust.ledger import (
    Checkpoint,
    Receipt,
    parse_checkpoint,
    parse_receipt,
    verify_checkpoint,
    verify_receipt,
)
from pbem.trust.sealing import sealed_name

LARGEST_STATEMENT = 10_000
LARGEST_SEALED = 1_000_000
MOST_FILES = 100_000


@dataclass(slots=True)
class Kept:
    """The judge's signed words about this game in a folder, and what is there besides."""

    checkpoints: list[Checkpoint] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    worthless: list[str] = field(default_factory=list)
    """Statements that nobody's signature stands under, or that of a player."""
    foreign: list[str] = field(default_factory=list)
    """Statements well signed by somebody who is neither this bundle's judge nor one of its players."""
    sealed: list[str] = field(default_factory=list)
    """The hashes of sealed order files."""


def check_held(found: Evidence, folder: Path | None, pinned: bool) -> None:
    """Claims: the bundle agrees with every checkpoint and receipt that was kept.

    `pinned`: the genesis was compared with a head from elsewhere, so that this bundle's judge is the judge.
    """
    kept = Kept() if folder is None else read_held(folder, found)
    with found.findings.claim("the bundle agrees with what players kept"):
        if folder is None:
            raise Unprovable("nothing kept was given to compare it with")
        for checkpoint in kept.checkpoints:
            _check_checkpoint(found, checkpoint)
        _check_numbers(kept.receipts)
        for receipt in kept.receipts:
            _check_receipt(found, receipt)
        if kept.foreign and not pinned:
            raise Refuted(f"{kept.foreign[0]}; the head of the genesis tells which of the two is the judge")
        if doubts := [*kept.foreign, *kept.worthless]:
            raise Unprovable(f"all but {len(doubts)} of the papers; {doubts[0]}")
        if not kept.checkpoints and not kept.receipts:
            raise Unprovable(f"{folder} holds no receipt or checkpoint of {found.genesis.game}")
    if kept.sealed:
        _check_copies(found, kept.sealed)


def read_held(folder: Path, found: Evidence) -> Kept:
    """What in a folder, and the folders below it, is about this game."""
    kept = Kept()
    for path in _files(folder):
        if path.suffix == ".age":
            kept.sealed.append(sealed_name(_read(path, LARGEST_SEALED)))
        elif path.suffix == ".txt":
            _read_statement(path, found, kept)
    return kept


def _read_statement(path: Path, found: Evidence, kept: Kept) -> None:
    text = _read(path, LARGEST_STATEMENT)
    is_checkpoint = text.startswith(b"pbem1 checkpoint\n")
    if not is_checkpoint and not text.startswith(b"pbem1 receipt\n"):
        return
    statement: Checkpoint | Receipt
    try:
        statement = parse_checkpoint(text) if is_checkpoint else parse_receipt(text)
    except PbemError as fault:
        kept.worthless.append(f"{path.name} proves nothing: {fault}")
        return
    if statement.game != found.genesis.game:
        return
    armor = _read(path.with_name(f"{path.name}.sig"), LARGEST_STATEMENT)
    signer = _signer(text, armor, is_checkpoint)
    if signer == found.signers[GM]:
        if isinstance(statement, Checkpoint):
            kept.checkpoints.append(statement)
        else:
            kept.receipts.append(statement)
    elif signer is None or signer in found.signers.values():
        kept.worthless.append(f"{path.name} proves nothing: the judge has not signed it")
    else:
        kept.foreign.append(
            f"{path.name} was signed by another key than this bundle's judge has, {signer.fingerprint}"
        )


def _signer(text: bytes, armor: bytes, is_checkpoint: bool) -> PublicKey | None:
    """Whose signature stands under a statement; None if none does."""
    try:
        signer = signature.parse(armor).key
        if is_checkpoint:
            verify_checkpoint(text, armor, signer)
        else:
            verify_receipt(text, armor, signer)
    except TrustFault:
        return None
    return signer


def _files(folder: Path) -> Iterator[Path]:
    for count, path in enumerate(sorted(folder.rglob("*"))):
        if count < MOST_FILES and path.is_file() and not path.is_symlink():
            yield path


def _read(path: Path, limit: int) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(limit)


def _check_checkpoint(found: Evidence, checkpoint: Checkpoint) -> None:
    head = found.head_at(checkpoint.size)
    if head is None:
        raise Refuted(
            f"stale: the judge signed a head at {checkpoint.size} entries; "
            f"this bundle ends at {len(found.leaves)}"
        )
    if head != checkpoint.head:
        raise Refuted(
            f"two histories: the judge signed another head at entry {checkpoint.size}", checkpoint.head, head
        )


def _check_receipt(found: Evidence, receipt: Receipt) -> None:
    """The ledger has received the file, as the so-many-th of this player."""
    number = 0
    for exchange in found.history.exchanges:
        for entry in exchange.received:
            number += entry.player == receipt.player
            if (exchange.number, entry.player, entry.rev, entry.sealed) != (
                receipt.exchange,
                receipt.player,
                receipt.rev,
                receipt.sealed,
            ):
                continue
            if number != receipt.number:
                raise Refuted(
                    f"receipt {receipt.number} of {receipt.player} is for the file "
                    f"that the ledger received as number {number}"
                )
            return
    raise Refuted(
        f"the judge gave {receipt.player} receipt {receipt.number} for orders of exchange {receipt.exchange} "
        f"({receipt.sealed}), and the ledger has not received them"
    )


def _check_numbers(receipts: list[Receipt]) -> None:
    by_number: dict[tuple[str, int], Receipt] = {}
    for receipt in receipts:
        other = by_number.setdefault((receipt.player, receipt.number), receipt)
        if other != receipt:
            raise Refuted(
                f"the judge gave {receipt.player} two different receipts with the number {receipt.number}"
            )


def _check_copies(found: Evidence, copies: list[str]) -> None:
    """Protocol 7: a copy that went to everybody proves that it was sent, not that it arrived."""
    with found.findings.claim("the ledger has every order file that players sent to everybody"):
        known: set[str] = set()
        for exchange in found.history.exchanges:
            known.update(entry.sealed for entry in exchange.received)
            known.update(entry.sealed for entry in exchange.refused)
            known.update(entry.sealed for entry in exchange.revealed)
        if missing := [name for name in copies if name not in known]:
            raise Unprovable(
                f"{len(missing)} of {len(copies)} are not in it, the first {missing[0]}; "
                "that the judge got them, only his receipts show"
            )
