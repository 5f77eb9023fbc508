"""What a game is pinned to: one hash over its rules, its order language, the stop rule and its reports.

    rules <hex> = SHA-256 over the sorted lines `<sha256> <path>\\n` of the pinned files

A path is written from the package's folder, with "/" ("rules/hammer/winter_7.py", "templates/...").
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from pbem.rendering import find_templates

SUFFIXES = (".py", ".toml", ".j2")


@lru_cache(maxsize=8)
def rules_hash(name: str) -> str:
    """The hash of everything that adjudicates and reports the game called `name`."""
    package = files("pbem")
    parts = [
        *_walk(package / "rules", "rules", name),
        *_walk(package / "orders", "orders", name),
        *_walk(package / "play", "play", name),
        *_walk(package / "reports", "reports", name),
        *_walk(find_templates(), "templates", name),
    ]
    lines = sorted(f"{hashlib.sha256(data).hexdigest()} {path}\n" for path, data in parts)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _walk(folder: Traversable, path: str, name: str) -> Iterator[tuple[str, bytes]]:
    """The files of a part: its own, and those of the one game in question."""
    for child in folder.iterdir():
        if child.is_file():
            if child.name.endswith(SUFFIXES):
                yield f"{path}/{child.name}", child.read_bytes()
        elif child.name == name or "/" in path:
            yield from _walk(child, f"{path}/{child.name}", name)
