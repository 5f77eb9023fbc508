"""Whole texts, kept beside the tests that compare them.

After a change that is meant, `PBEM_GOLDEN=update pytest FILE` writes them anew; read the difference before it
is committed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

UPDATE = os.environ.get("PBEM_GOLDEN") == "update"
SHOWN = 8
"""Letters of a digest."""


def as_kept(path: Path, text: str) -> None:
    """The text is that of the file, letter by letter."""
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


class Telling:
    """Many texts that are much alike, in one: a line stands where it comes first, a digest tells the rest."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._seen: set[str] = set()

    def add(self, heading: str, lines: Iterable[object]) -> None:
        """One text, by its lines."""
        told = "\n".join(map(str, lines)).split("\n")
        digest = sha256("\n".join(told).encode()).hexdigest()[:SHOWN]
        self.lines.append(f"-- {heading}: {digest}")
        self.lines += [line for line in dict.fromkeys(told) if line and line not in self._seen]
        self._seen.update(told)

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"
