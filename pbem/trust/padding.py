"""Padding: to which sizes texts are filled up before they are sealed, so that a size tells nothing.

A signed text is filled up with LF after the signature's END line: an order file to a multiple of 8,192 bytes.
A letter of the judge's is filled up to 65,536 bytes, the size of every normal letter: a report, a notice, a
forecast, the words of a receipt (protocol 6); letters that are written together are as large as the largest.
A receipt has 4,096 bytes, a copy, which brings nothing but ciphertext, the next multiple of 16,384.
"""

from __future__ import annotations

from collections.abc import Iterable

ORDERS_UNIT = 8_192
LARGEST_SEALED_REVEAL = ORDERS_UNIT + 1_024
LETTER_SIZE = 65_536
"""Bytes of every normal letter before it is sealed: four times a long report in recorded games."""
RECEIPT_SIZE = 4_096
COPY_UNIT = 16_384
CUT = "Here the rest is left out, as it has no room: pbem check says it all."
"""The last line of words that are longer than their letter may be."""


def pad(text: bytes, unit: int) -> bytes:
    """Return `text` filled up with line ends to the next multiple of `unit` bytes."""
    return text + b"\n" * (-len(text) % unit)


def common_size(texts: Iterable[bytes]) -> int:
    """Return the size of letters that are written together: that of the largest."""
    return LETTER_SIZE * max(1, -(-max(map(len, texts), default=0) // LETTER_SIZE))


def size_for(sealed: bytes) -> int:
    """Return how large what is said of a sealed file always is, by the size of that ciphertext."""
    return LETTER_SIZE * max(1, -(-len(sealed) // LARGEST_SEALED_REVEAL))


def cut(text: str, size: int) -> str:
    """Return as many whole lines of a text as have room in so many bytes."""
    if len(text.encode()) <= size:
        return text
    kept, room = [], size - len(CUT) - 1
    for line in text.split("\n"):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(f"{line}\n")
    return f"{''.join(kept)}{CUT}\n"
