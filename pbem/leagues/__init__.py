"""Leagues: seasons of many games, drawn, counted and rated so that anybody can check it.

The release that draws and counts is named by one hash over the programs in this folder (protocol, L11).
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def release_hash() -> str:
    """Return the hash of the program that draws and counts: the modules of pbem/leagues without its pages."""
    folder = Path(__file__).parent
    files = sorted(path for path in folder.rglob("*.py") if path.parent.name != "pages")
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.relative_to(folder).as_posix()}\n"
        for path in files
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
