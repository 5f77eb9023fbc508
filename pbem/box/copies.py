"""Sealed copies of homes, one for each reader, whose devices share it: each seals only after the newest.

    copies/<hex of the key's SHA-256>      "generation <n>", a LF, and the copy, which its reader can open

A copy is stored only if its generation is the one after that which is there: of two devices that write at
once one is told, and fetches the other's first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from pbem.box.folder import make_folder, read_file, write_file

COPIES = "copies"
MAX_COPY_SIZE = 8_000_000
"""Maximum size in bytes of a sealed copy of a home, with its first line."""
_FIRST = re.compile(rb"generation ([1-9][0-9]{0,8})\n").match


@dataclass(frozen=True, slots=True)
class HomeCopy:
    """A sealed copy of a home, and its generation."""

    generation: int
    sealed: bytes


_ALONE = Lock()
"""The lock that lets the post box store only one copy at a time."""
NO_COPY = HomeCopy(0, b"")
"""The copy that is used for a missing one, with generation 0."""


def parse_copy(data: bytes) -> tuple[int, bytes]:
    """Split the bytes of a copy into generation and content; the generation is 0 if none is named."""
    first = _FIRST(data)
    return (int(first[1]), data[first.end() :]) if first else (0, b"")


def read_copy(box: Path, reader: str) -> HomeCopy:
    """Return the sealed copy of a reader's home; `NO_COPY` if there is none."""
    data = read_file(box / COPIES / reader, MAX_COPY_SIZE)
    return HomeCopy(*parse_copy(data)) if data else NO_COPY


def put_copy(box: Path, reader: str, generation: int, sealed: bytes) -> bool:
    """Store the copy of a reader's home durably, if its generation is the next; return whether it was stored.

    Raises:
        OSError: there is no room, or the disk fails.
    """
    with _ALONE:
        if read_copy(box, reader).generation + 1 != generation:
            return False
        write_file(make_folder(box / COPIES) / reader, f"generation {generation}\n".encode() + sealed)
        return True
