"""Evidence that anyone can check: what the judge signed that cannot be true, and a game as a bundle.

The bundle is for an audit without the judge. For a judge whose disk is lost it is one archive, .tar.gz, which
has besides each receipt as `papers/<SHA-256 of its text>.txt`
and `.sig`. Of sealed files it has those alone that the ledger or a receipt names, so nothing that was sealed
and never sent; no key, no chain's secret and no draft is in it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pbem.errors import ConfigError
from pbem.player.faults import Contradiction, Fork
from pbem.player.store.game_papers import Proven, SignedCheckpoint, SignedReceipt
from pbem.player.store.game_store import Folder, GameFolder, leaf_lines
from pbem.trust import signature
from pbem.trust.armor import find_sealed
from pbem.trust.entries import Received, Refused, Revealed
from pbem.trust.ledger import parse_entry
from pbem.trust.sealing import sealed_name


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


def papers(folder: GameFolder) -> dict[str, bytes]:
    """Return the kept ledger, signed heads, sealed files and reports as files of a bundle."""
    chronicle = folder.chronicle()
    if chronicle is None:
        raise ConfigError(f"{folder.path} holds no ledger: no letter of the judge has been received there")
    enrolled = chronicle.enrolled_player(folder.membership().player)
    assert enrolled is not None, "checked when the invitation was received"
    found = {"log/leaves": leaf_lines(chronicle.leaves)}
    for number, entry in chronicle.opened.items():
        found[f"log/{number:04d}.entry"] = entry.text
        found[f"log/{number:04d}.salt"] = f"{entry.salt}\n".encode()
    for size, signed in folder.judge_statements.checkpoints().items():
        found[f"checkpoints/{size:04d}.txt"] = signed.checkpoint.text
        found[f"checkpoints/{size:04d}.sig"] = signed.armor
    found.update(_sealed_files(folder))
    for exchange in folder.reports():
        text = folder.report(exchange)
        if exchange and text is not None:
            found[f"reports/{enrolled.side}/{exchange:04d}.txt"] = text.encode()
    return found


def _sealed_files(folder: GameFolder) -> Iterator[tuple[str, bytes]]:
    """Yield, as a bundle's files, the sealed orders that this home sent, and its copies of others' orders."""
    for pattern in ("sent/*.age", "held/sealed/*.age"):
        for path in sorted(folder.path.glob(pattern)):
            data = path.read_bytes()
            yield f"sealed/{sealed_name(data)}.age", data
    for path in sorted(folder.path.glob("held/relayed/*.txt")):  # in a letter that the judge has signed
        for data in find_sealed(path.read_bytes()):
            yield f"sealed/{sealed_name(data)}.age", data


def handed_over(folder: GameFolder) -> dict[str, bytes]:
    """Return what a player may hand to a judge whose disk is lost, as files of a bundle, and receipts."""
    found = papers(folder)
    receipts = folder.judge_statements.receipts()
    named = {signed.receipt.sealed for signed in receipts.values()}
    for name, text in found.items():
        if name.endswith(".entry") and isinstance(entry := parse_entry(text), Received | Refused | Revealed):
            named.add(entry.sealed)
    found = {
        name: data for name, data in found.items() if not name.startswith("sealed/") or name[7:-4] in named
    }
    for signed in receipts.values():
        stem = f"papers/{hashlib.sha256(signed.receipt.text).hexdigest()}"
        found[f"{stem}.txt"], found[f"{stem}.sig"] = signed.receipt.text, signed.armor
    return found


def write_archive(files: Mapping[str, bytes], target: Path) -> int:
    """Write files into a new .tar.gz, the same bytes each time; return how many files it has."""
    with (
        target.open("xb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o600
            archive.addfile(member, io.BytesIO(data))
    return len(files)
