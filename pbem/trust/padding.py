"""Padding, which fills texts up to a few sizes before they are sealed, so that a size tells nothing.

A signed text is filled up with LF after the signature's END line: an order file to a multiple of 8,192 bytes.
A letter of the judge's is filled up to 65,536 bytes, the size of every normal letter: a report, a notice, a
forecast, the words of a receipt (protocol 6); letters that are written together are as large as the largest.
A receipt has 4,096 bytes, a copy, which brings nothing but ciphertext, the next multiple of 16,384.
"""

from __future__ import annotations

from collections.abc import Iterable

ORDERS_UNIT = 8_192
MAX_SEALED_REVEAL_SIZE = ORDERS_UNIT + 1_024
LETTER_SIZE = 65_536
"""Size in bytes of every normal letter before it is sealed: four times a long report in recorded games."""
RECEIPT_SIZE = 4_096
COPY_UNIT = 16_384
CUT = "Here the rest is left out, as it has no room: pbem check says it all."
"""The last line of words that were cut because they had no room in their letter."""


def pad(text: bytes, unit: int) -> bytes:
    """Return `text` filled up with line ends to the next multiple of `unit` bytes."""
    return text + b"\n" * (-len(text) % unit)


def common_size(texts: Iterable[bytes]) -> int:
    """Return the size in bytes to which letters that are written together are filled up, by the largest."""
    return LETTER_SIZE * max(1, -(-max(map(len, texts), default=0) // LETTER_SIZE))


def size_for(sealed: bytes) -> int:
    """Return the size in bytes of the words about a sealed file, which depends on that file's size alone."""
    return LETTER_SIZE * max(1, -(-len(sealed) // MAX_SEALED_REVEAL_SIZE))


def cut_text(text: str, size: int) -> str:
    """Return a text in at most `size` bytes: a longer one as its first whole lines and the line `CUT`."""
    if len(text.encode()) <= size:
        return text
    kept, room = [], size - len(CUT) - 1
    for line in text.split("\n"):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(f"{line}\n")
    return f"{''.join(kept)}{CUT}\n"
