"""Whole texts, kept beside the tests that compare them.

After a change that is meant, `PBEM_GOLDEN=update pytest FILE` writes them anew; read the difference before it
is committed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from difflib import unified_diff
from hashlib import sha256
from itertools import islice
from pathlib import Path

UPDATE = os.environ.get("PBEM_GOLDEN") == "update"
MAX_SHOWN = 40
"""Lines of a difference."""
SHOWN = 8
"""Letters of a digest."""
REAL = (
    (re.compile(r"SHA256:[\w+/]{43}"), "SHA256:(a key)"),
    (re.compile(r"(ssh-ed25519|age1)[ \w+/=]{40,}"), r"\1 (a key)"),
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{16,}"), "(a hash)"),
    (re.compile(r"(?<=-BEGIN)([^\n]*-\n).*?\n(?=-+END)", re.DOTALL), r"\1(sealed or signed)\n"),
    (re.compile(r"(?<=^begin view\n).*?(?=\nend view$)", re.DOTALL | re.MULTILINE), "(the view)"),
)
"""Keys are made anew in each run, so what follows from them is not compared."""


def as_kept(path: Path, text: str) -> None:
    """The text is that of the file, letter by letter."""
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8")
    differs = unified_diff(kept.split("\n"), text.split("\n"), path.name, "now", lineterm="", n=1)
    assert kept == text, "\n".join(
        [*islice(differs, MAX_SHOWN), "if that is meant: PBEM_GOLDEN=update pytest"]
    )


def plain(text: str) -> str:
    """A text without what is another in each run."""
    for pattern, instead in REAL:
        text = pattern.sub(instead, text)
    return text


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
