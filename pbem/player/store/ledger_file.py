"""The file that stores the kept ledger, so that the ledger is stored whole or not at all.

    leaf 1 <64 hex>
    entry 1 <salt> <base64>          its text, if the reader may open it
    leaf 2 <64 hex>

These are the lines of a report letter, gathered. Numbers start at 1 and go on without a gap.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from pbem.characters import split_lines
from pbem.player.faults import Damaged
from pbem.trust.identifiers import is_hash
from pbem.trust.letters import OpenEntry


def write_ledger(leaves: tuple[str, ...], opened: Mapping[int, OpenEntry]) -> bytes:
    """Return the content of the ledger's file for these leaves and entries."""
    lines: list[str] = []
    for number, leaf in enumerate(leaves, 1):
        lines.append(f"leaf {number} {leaf}\n")
        if entry := opened.get(number):
            lines.append(f"entry {number} {entry.salt} {base64.b64encode(entry.text).decode()}\n")
    return "".join(lines).encode()


def read_ledger(data: bytes) -> tuple[tuple[str, ...], dict[int, OpenEntry]]:
    """Return the leaves that the ledger's file holds, and the entries that can be opened.

    Raises:
        Damaged: a line is not as it was written; the message names it.
    """
    leaves: list[str] = []
    opened: dict[int, OpenEntry] = {}
    for place, line in enumerate(split_lines(data.decode("ascii", errors="replace")), 1):
        match line.split(" "):
            case ["leaf", number, leaf] if number == str(len(leaves) + 1) and is_hash(leaf):
                leaves.append(leaf)
            case ["entry", number, salt, text] if number == str(len(leaves)) and is_hash(salt):
                opened[len(leaves)] = OpenEntry(salt, _decode(text, place))
            case _:
                raise Damaged(f"its line {place} is not as it was written")
    return tuple(leaves), opened


def _decode(text: str, place: int) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise Damaged(f"its line {place} is not as it was written") from None
