"""Where a player's games stand, at a glance: what was found before, while no file of it has changed.

To find it out a whole ledger is read and every receipt verified. What was found is kept under `glances/` with
the size and times of every file that it was found in; of other files it says nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from pbem import __version__
from pbem.player.status import GameStatus

GLANCES = "glances"


def glance(home: Path) -> tuple[GameStatus, ...]:
    """Every joined game, as `Home.games` tells it."""
    return tuple(_status(home, file.parent) for file in sorted((home / "games").glob("*/player")))


def _status(home: Path, folder: Path) -> GameStatus:
    kept = home / GLANCES / f"{folder.name}.json"
    stamp = [[__version__], *sorted(_stamp(folder, ""))]
    with suppress(OSError, ValueError, KeyError, TypeError):  # nothing is kept, or it is damaged
        known = json.loads(kept.read_bytes())
        if known["stamp"] == stamp:
            return _load(known["status"])
    from pbem.player import files
    from pbem.player.kept.keeping import GameFolder
    from pbem.player.standing import status_of

    status = status_of(GameFolder(folder))
    facts = {"stamp": stamp, "status": asdict(status)}
    with suppress(OSError):  # a home that can only be read
        files.write(kept, json.dumps(facts, default=_text).encode())
    return status


def _stamp(folder: Path, below: str) -> Iterator[list[str | int]]:
    """By what the files of a folder are known to be the same."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _stamp(Path(entry.path), f"{below}{entry.name}/")
            else:
                found = entry.stat()
                yield [f"{below}{entry.name}", found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _text(value: datetime | Path) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _load(facts: dict[str, Any]) -> GameStatus:
    facts = {name: tuple(value) if isinstance(value, list) else value for name, value in facts.items()}
    facts["forks"] = tuple(map(Path, facts["forks"]))
    if facts["deadline"] is not None:
        facts["deadline"] = datetime.fromisoformat(facts["deadline"])
    return GameStatus(**facts)
