"""Evidence: statements that the judge signed and that cannot be true, kept so that anyone can check them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pbem.player.faults import Contradiction, Fork
from pbem.player.store.chronicle import Proven
from pbem.player.store.game_papers import SignedCheckpoint, SignedReceipt
from pbem.player.store.game_store import Folder, leaf_lines
from pbem.trust import signature


@dataclass(frozen=True, slots=True)
class Statement:
    """A signed letter that is being checked."""

    folder: Folder
    text: bytes
    namespace: str = "pbem1-report"


def keep_fault(statement: Statement, why: str) -> Contradiction:
    """Keep a letter that contradicts itself or the ledger; return the error to raise."""
    folder = statement.folder
    if folder.judge() is None:  # somebody signed it; who is the judge is not known yet
        return Contradiction(f"this cannot begin a game: {why}")
    found = f"The judge of {folder.game} signed letter.txt, and it cannot be true:\n    {why}\n"
    readme = f"{found}\n{_verify(folder, statement.namespace, 'letter.txt')}"
    place = folder.judge_statements.keep_evidence("fault", {**_letter(statement), "README": readme.encode()})
    return Contradiction(f"{why}; the judge has signed this, and the letter is kept as evidence in {place}")


def fork_evidence(
    statement: Statement, received: SignedCheckpoint, shown: tuple[str, ...], why: str
) -> Contradiction:
    """Keep two signed heads that cannot both be true, with the leaves of each; return the error to raise."""
    folder = statement.folder
    kept = _head_to_compare(folder, received.checkpoint.size)
    if kept is None:
        return keep_fault(statement, why)
    size = received.checkpoint.size
    files = {
        "kept.txt": kept.checkpoint.text,
        "kept.txt.sig": kept.armor,
        "kept.leaves": leaf_lines(folder.leaves()[: kept.checkpoint.size]),
        "received.txt": received.checkpoint.text,
        "received.txt.sig": received.armor,
        "received.leaves": leaf_lines(shown),
        **_letter(statement),
        "README": _fork_readme(folder, kept, received).encode(),
    }
    place = folder.judge_statements.keep_evidence("fork", files)
    return Fork(
        f"the judge of {folder.game} has signed two histories: {why}\n"
        f"    kept:     {kept.checkpoint.size} entries, head {kept.checkpoint.head}\n"
        f"    received: {size} entries, head {received.checkpoint.head}\n"
        f"    both are kept, with their signatures, in {place}; show them to the club, and send no more "
        f"orders"
    )


def receipt_evidence(folder: Folder, kept: SignedReceipt, received: SignedReceipt) -> Contradiction:
    """Keep two receipts that cannot both be true; return the error to raise."""
    one, other = kept.receipt, received.receipt
    if one.number == other.number:
        why = f"receipt {one.number} was given twice, for different things"
    else:
        both = f"receipts {one.number} and {other.number}"
        why = f"{both} are both for exchange {one.exchange}, revision {one.rev}"
    readme = f"The judge of {folder.game} signed two receipts that cannot both be true: {why}.\n\n" + _verify(
        folder, "pbem1-receipt", "kept.txt", "received.txt"
    )
    place = folder.judge_statements.keep_evidence(
        "fault",
        {
            "kept.txt": one.text,
            "kept.txt.sig": kept.armor,
            "received.txt": other.text,
            "received.txt.sig": received.armor,
            "allowed_signers": folder.signers(),
            "README": readme.encode(),
        },
    )
    return Contradiction(f"{why}; the judge has signed both, and they are kept as evidence in {place}")


def _head_to_compare(folder: Folder, size: int) -> SignedCheckpoint | None:
    """Return the kept head to compare with a received one: of its size, else the next larger, or the last."""
    heads = folder.judge_statements.checkpoints()
    larger = [known for known in heads if known >= size]
    return heads[min(larger) if larger else max(heads)] if heads else None


def _letter(statement: Statement) -> dict[str, bytes]:
    signed = signature.split(statement.text)
    return {
        "letter.txt": signed.body,
        "letter.txt.sig": signed.armor,
        "allowed_signers": statement.folder.signers(),
    }


def _fork_readme(folder: Folder, kept: SignedCheckpoint, received: SignedCheckpoint) -> str:
    if kept.checkpoint.size == received.checkpoint.size:
        proof = "Both heads are of the same size, but they differ: the judge has shown two histories."
    else:
        proof = (
            "Each must follow from the leaves beside it, by\n\n"
            f"    printf 'pbem1 head {folder.game} %d %s %s\\n' N HEAD-BEFORE LEAF | sha256sum\n\n"
            "line by line from 64 zeros. Either the leaves disagree where both have them, or a head does\n"
            "not follow from the leaves that the judge sent with it; letter.txt shows what was sent."
        )
    return (
        f"The judge of {folder.game} signed kept.txt and received.txt.\n{proof}\n\n"
        f"{_verify(folder, 'pbem1-checkpoint', 'kept.txt', 'received.txt')}"
        f"{_verify(folder, 'pbem1-report', 'letter.txt')}"
        "letter.txt holds a report that only you should read.\n"
    )


def _verify(folder: Folder, namespace: str, *names: str) -> str:
    command = f"ssh-keygen -Y verify -f allowed_signers -I gm@{folder.game} -n {namespace}"
    return "".join(f"    {command} -s {name}.sig < {name}\n" for name in names)


def check_receipts(folder: Folder, chronicle: Proven, receipts: Mapping[int, SignedReceipt]) -> None:
    """Check that each file with a receipt stands in the ledger, once its exchange is closed."""
    for number, signed in receipts.items():
        receipt = signed.receipt
        if not 1 <= receipt.exchange <= len(chronicle.exchanges):
            continue
        exchange = chronicle.exchanges[receipt.exchange - 1]
        entered = {(entry.player, entry.rev, entry.sealed) for entry in exchange.received}
        if exchange.closed is not None and (folder.player, receipt.rev, receipt.sealed) not in entered:
            raise Contradiction(
                f"the judge gave you receipt {number} for orders of exchange {exchange.number}, "
                "and the ledger does not name them; "
                f"held/receipt-{number:04}.txt and the checkpoints prove it"
            )
