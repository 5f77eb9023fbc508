"""Export of a player's game as files of a bundle: for an audit without the judge, or for the judge.

What is handed to a judge whose disk is lost is one archive, .tar.gz. Beside what a bundle holds, it has
each receipt as `papers/<SHA-256 of its text>.txt` and `.sig`. Of sealed files it has those alone that the
ledger or a receipt names, so nothing that was sealed and never sent; no key, no chain's secret and no draft
is in it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from pbem.errors import ConfigError
from pbem.player.store.game_store import GameFolder, leaf_lines
from pbem.trust.armor import find_sealed
from pbem.trust.entries import Received, Refused, Revealed
from pbem.trust.ledger import parse_entry
from pbem.trust.sealing import sealed_name


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
    """Yield the files that were sent from this home, and the copies of others' files."""
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
