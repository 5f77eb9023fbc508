"""Exports a game from a player's home as files of a bundle, for an audit without the judge."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.errors import ConfigError
from pbem.player.store.game_store import GameFolder, leaf_lines
from pbem.trust.armor import find_sealed
from pbem.trust.sealing import sealed_name


def papers(folder: GameFolder) -> dict[str, bytes]:
    """Return the kept ledger, signed heads, sealed files and reports as files of a bundle."""
    chronicle = folder.chronicle()
    if chronicle is None:
        raise ConfigError(f"{folder.path} holds no ledger: no letter of the judge has been received there")
    enrolled = chronicle.enrolled(folder.membership().player)
    assert enrolled is not None, "checked when the invitation was received"
    found = {"log/leaves": leaf_lines(chronicle.leaves)}
    for number, entry in chronicle.opened.items():
        found[f"log/{number:04d}.entry"] = entry.text
        found[f"log/{number:04d}.salt"] = f"{entry.salt}\n".encode()
    for size, signed in folder.held.checkpoints().items():
        found[f"checkpoints/{size:04d}.txt"] = signed.checkpoint.text
        found[f"checkpoints/{size:04d}.sig"] = signed.armor
    found.update(_sealed(folder))
    for exchange in folder.reports():
        text = folder.report(exchange)
        if exchange and text is not None:
            found[f"reports/{enrolled.side}/{exchange:04d}.txt"] = text.encode()
    return found


def _sealed(folder: GameFolder) -> Iterator[tuple[str, bytes]]:
    """Yield the files that were sent from here, and the copies of others' files."""
    for pattern in ("sent/*.age", "held/sealed/*.age"):
        for path in sorted(folder.path.glob(pattern)):
            data = path.read_bytes()
            yield f"sealed/{sealed_name(data)}.age", data
    for path in sorted(folder.path.glob("held/relayed/*.txt")):  # in a letter that the judge has signed
        for data in find_sealed(path.read_bytes()):
            yield f"sealed/{sealed_name(data)}.age", data
