"""What players kept, receipts and checkpoints, against what a bundle says.

A folder of `NAME.txt` with `NAME.txt.sig`. A bundle may be whole in itself and still not be the history
that the players were shown; only what they kept can tell.
"""

from __future__ import annotations

from pathlib import Path

from pbem.audit.evidence import GM, Evidence
from pbem.audit.findings import Refuted, Unprovable
from pbem.errors import PbemError
from pbem.trust.ledger import Checkpoint, Receipt, verify_checkpoint, verify_receipt

LARGEST = 10_000


def check_held(found: Evidence, folder: Path | None) -> None:
    """Claims: the bundle agrees with every checkpoint and receipt that was kept."""
    with found.findings.claim("the bundle agrees with what players kept"):
        if folder is None:
            raise Unprovable("nothing kept was given to compare it with")
        checkpoints, receipts = read_held(folder, found)
        for checkpoint in checkpoints:
            _check_checkpoint(found, checkpoint)
        for receipt in receipts:
            _check_receipt(found, receipt)
        _check_numbers(receipts)


def read_held(folder: Path, found: Evidence) -> tuple[list[Checkpoint], list[Receipt]]:
    """The judge's signed words about this game in a folder and the folders below it."""
    judge = found.signers[GM]
    checkpoints: list[Checkpoint] = []
    receipts: list[Receipt] = []
    texts = [path for path in sorted(folder.rglob("*.txt")) if path.is_file() and not path.is_symlink()]
    for path in texts:
        text = path.read_bytes()[:LARGEST]
        signature = path.with_name(f"{path.name}.sig")
        if not signature.is_file() or not text.startswith((b"pbem1 checkpoint\n", b"pbem1 receipt\n")):
            continue
        try:
            if text.startswith(b"pbem1 checkpoint\n"):
                checkpoints.append(verify_checkpoint(text, signature.read_bytes()[:LARGEST], judge))
            else:
                receipts.append(verify_receipt(text, signature.read_bytes()[:LARGEST], judge))
        except PbemError as fault:
            raise Unprovable(f"{path.name} proves nothing: {fault}") from None
    if not checkpoints and not receipts:
        raise Unprovable(f"{folder} holds no receipt or checkpoint")
    game = found.genesis.game
    return (
        [checkpoint for checkpoint in checkpoints if checkpoint.game == game],
        [receipt for receipt in receipts if receipt.game == game],
    )


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
    for exchange in found.history.exchanges:
        for entry in exchange.received:
            if (exchange.number, entry.player, entry.rev, entry.sealed) == (
                receipt.exchange,
                receipt.player,
                receipt.rev,
                receipt.sealed,
            ):
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
