"""What players kept, receipts and checkpoints, against what a bundle says.

A folder of `NAME.txt` with `NAME.txt.sig`, and below it, in `sealed`, order files that players sent to
everybody, and in `relayed` those that the judge passed on, each in a text that the judge has signed. A bundle
may be whole in itself and still not be the history that the players were shown; only what they kept can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pbem.audit.evidence import Evidence
from pbem.audit.findings import Refuted, Unprovable
from pbem.audit.orders import whose_orders
from pbem.errors import PbemError
from pbem.trust import signature
from pbem.trust.armor import find_sealed
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
from pbem.trust.letters import Relayed, read_relayed
from pbem.trust.sealing import sealed_name

LARGEST_STATEMENT = 10_000
LARGEST_SEALED = 1_000_000
LARGEST_COPY = 100_000
MOST_FILES = 100_000
MOST_NAMED = 5
"""So many of the copies that the ledger lacks are opened and named."""


@dataclass(slots=True)
class Kept:
    """The judge's signed words about this game in a folder, and what is there besides."""

    checkpoints: list[Checkpoint] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    worthless: list[str] = field(default_factory=list)
    """Statements that nobody's signature stands under, or that of a player."""
    foreign: list[str] = field(default_factory=list)
    """Statements well signed by somebody who is neither this bundle's judge nor one of its players."""
    relayed: list[Relayed] = field(default_factory=list)
    """Files of players' that the judge has signed that they had."""
    sealed: list[tuple[bytes, str]] = field(default_factory=list)
    """Sealed order files, and what the files are called."""


def check_held(found: Evidence, folder: Path | None) -> None:
    """Claims: the bundle agrees with every checkpoint and receipt that was kept.

    Only what the judge has signed can refute a bundle. A receipt of an exchange that the bundle leaves open
    does not; a head that goes further refutes that the bundle is all that there is.
    """
    kept = Kept() if folder is None else read_held(folder, found)
    with found.findings.claim("the bundle agrees with what players kept"):
        if folder is None:
            raise Unprovable("nothing kept was given to compare it with")
        _check_heads(found, kept.checkpoints)
        _check_numbers(kept.receipts)
        newer = [
            f"receipt {receipt.number} of {receipt.player}"
            for receipt in kept.receipts
            if not _is_received(found, receipt)
        ]
        newer += [f"a copy of a file of {one.player}" for one in kept.relayed if not _is_there(found, one)]
        left = [f"{what} is newer than this bundle: ask the judge for a later one" for what in newer][:1]
        if doubts := [*kept.foreign, *kept.worthless]:
            left.append(f"all but {len(doubts)} of the papers; {doubts[0]}")
        if left:
            raise Unprovable("; ".join(left))
        if not kept.checkpoints and not kept.receipts and not kept.relayed:
            raise Unprovable(f"{folder} holds no receipt or checkpoint of {found.genesis.game}")
    if kept.checkpoints:
        with found.findings.claim("the bundle goes as far as what players kept"):
            _check_reach(found, kept.checkpoints)
    if kept.sealed:
        _check_copies(found, kept.sealed)


def read_held(folder: Path, found: Evidence) -> Kept:
    """What in a folder, and the folders below it, is about this game."""
    kept = Kept()
    for path in _files(folder):
        if path.suffix == ".age":
            _read_copies(path, kept)
        elif path.suffix == ".txt":
            _read_statement(path, found, kept)
    return kept


def _read_copies(path: Path, kept: Kept) -> None:
    """A sealed file, binary or as it stands in a mail; the ledger names it by the hash of the binary form."""
    try:
        kept.sealed += [(one, path.name) for one in find_sealed(_read(path, LARGEST_SEALED))]
    except PbemError as fault:
        kept.worthless.append(f"{path.name} proves nothing: {fault}")


def _read_statement(path: Path, found: Evidence, kept: Kept) -> None:
    text = _read(path, LARGEST_COPY)
    if text.startswith(b"pbem1 copy\n"):
        _read_relayed(path, text, found, kept)
        return
    text = text[:LARGEST_STATEMENT]
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
    seats, fingerprint = found.history.seats, signer.fingerprint if signer else ""
    if isinstance(statement, Checkpoint):
        is_judge = fingerprint == seats.judge_at(statement.size)
    else:
        is_judge = fingerprint in seats.judges_in(statement.exchange)
    if is_judge:
        if isinstance(statement, Checkpoint):
            kept.checkpoints.append(statement)
        else:
            kept.receipts.append(statement)
    elif signer is None or fingerprint in _fingerprints(found):
        kept.worthless.append(f"{path.name} proves nothing: the judge has not signed it")
    else:
        kept.foreign.append(
            f"{path.name} proves nothing: it was signed by another key than this bundle's judge has, "
            f"{signer.fingerprint}: the head of the genesis, as you were told it, shows whether this bundle "
            "is the game (--genesis)"
        )


def _read_relayed(path: Path, text: bytes, found: Evidence, kept: Kept) -> None:
    """What the judge passed on: worth something if a key of the judge's for that exchange has signed it."""
    try:
        signer = signature.parse(signature.split(text).armor).key
        relayed = read_relayed(text, signer)
    except PbemError as fault:
        kept.worthless.append(f"{path.name} proves nothing: {fault}")
        return
    if relayed.game != found.genesis.game:
        return
    if signer.fingerprint in found.history.seats.judges_in(relayed.exchange):
        kept.relayed.append(relayed)
    else:
        kept.worthless.append(f"{path.name} proves nothing: the judge has not signed it")


def _fingerprints(found: Evidence) -> set[str]:
    """Of everybody who signs or has signed anything in this game."""
    rotated = {rotation.fingerprint for rotation in found.history.seats.rotations}
    return {signer.fingerprint for signer in found.signers.values()} | rotated


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


def _check_heads(found: Evidence, checkpoints: list[Checkpoint]) -> None:
    for checkpoint in checkpoints:
        head = found.head_at(checkpoint.size)
        if head is not None and head != checkpoint.head:
            raise Refuted(
                f"two histories: the judge signed another head at entry {checkpoint.size}",
                checkpoint.head,
                head,
            )
        if head is None and found.history.over:
            raise Refuted(
                f"the judge signed a head at entry {checkpoint.size}; "
                f"in this bundle the game is over at entry {len(found.leaves)}"
            )


def _check_reach(found: Evidence, checkpoints: list[Checkpoint]) -> None:
    """A bundle that ends before the last head that the judge has signed is not all that there is."""
    last = max(checkpoint.size for checkpoint in checkpoints)
    if last > len(found.leaves):
        raise Refuted(
            f"stale: this bundle is older than what was signed: it ends at entry {len(found.leaves)}, "
            f"and the judge signed a head at entry {last}; ask for a newer one; if the judge gives none "
            "that goes on from this one, something is hidden"
        )


def _is_received(found: Evidence, receipt: Receipt) -> bool:
    """Whether the ledger has received the file, as the so-many-th of this player; or it may do so later."""
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
            return True
    current = found.history.current
    is_open = current is not None and current.number == receipt.exchange and current.closed is None
    is_to_come = not found.history.over and receipt.exchange > len(found.history.exchanges)
    if (is_open or is_to_come) and receipt.number > number:
        return False
    raise Refuted(
        f"the judge gave {receipt.player} receipt {receipt.number} for orders of exchange {receipt.exchange} "
        f"({receipt.sealed}), and the ledger has not received them"
    )


def _is_there(found: Evidence, relayed: Relayed) -> bool:
    """Whether the ledger has a file that the judge passed on, as its player's; or it may have it later."""
    names = [sealed_name(one) for one in find_sealed(relayed.armor.encode())]
    for exchange in found.history.exchanges:
        for entry in exchange.received:
            if (entry.exchange, entry.player) == (relayed.exchange, relayed.player) and [
                entry.sealed
            ] == names:
                return True
    current = found.history.current
    is_open = current is not None and current.number == relayed.exchange and current.closed is None
    if is_open or (not found.history.over and relayed.exchange > len(found.history.exchanges)):
        return False
    raise Refuted(
        f"the judge passed on a file of {relayed.player} for exchange {relayed.exchange} "
        f"({', '.join(names) or 'none'}), so they had it, and the ledger has not received it"
    )


def _check_numbers(receipts: list[Receipt]) -> None:
    by_number: dict[tuple[str, int], Receipt] = {}
    for receipt in receipts:
        other = by_number.setdefault((receipt.player, receipt.number), receipt)
        if other != receipt:
            raise Refuted(
                f"the judge gave {receipt.player} two different receipts with the number {receipt.number}"
            )


def _check_copies(found: Evidence, copies: list[tuple[bytes, str]]) -> None:
    """Protocol 7: a copy that went to everybody proves that it was sent, not that it arrived."""
    with found.findings.claim("the ledger has every order file that players sent to everybody"):
        known: set[str] = set()
        for exchange in found.history.exchanges:
            known.update(entry.sealed for entry in exchange.received)
            known.update(entry.sealed for entry in exchange.refused)
            known.update(entry.sealed for entry in exchange.revealed)
        if missing := [(data, file) for data, file in copies if sealed_name(data) not in known]:
            lines = [f"{len(missing)} of {len(copies)} are not in it"]
            for data, file in missing[:MOST_NAMED]:
                whose = whose_orders(found, data)
                lines.append(f"{sealed_name(data)} ({file}){f', {whose}' if whose else ''}")
            lines.append("that the judge got them, only receipts show")
            raise Unprovable("; ".join(lines))
