"""The alarm for what stops a whole pass: no club, no database, no disk. It needs none of them.

The game master is told by the command of [watch], once for each reason. What was told is kept in a file of
the club's folder or, if that cannot be written, in the home of whoever runs the judge.
"""

from __future__ import annotations

import contextlib
import hashlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

from pbem.errors import PbemError
from pbem.service.watch import read_watch, run_command

ALARM = "alarm"


@contextlib.contextmanager
def alarmed(folder: Path) -> Iterator[None]:
    """Sound the alarm for what stops a pass that is made within."""
    try:
        yield
    except Exception as fault:
        sound(folder, str(fault))
        raise
    all_well(folder)


def sound(folder: Path, text: str) -> None:
    """Tell of a reason, unless it was the last that was told."""
    if any(place.is_file() and place.read_text(encoding="utf-8") == text for place in _places(folder)):
        return
    with contextlib.suppress(PbemError, OSError, ValueError):
        watch = read_watch(tomllib.loads((folder / "club.toml").read_text(encoding="utf-8")))
        if watch.command:
            list(run_command(watch.command, f"pbem, {folder}: {text}"))
    for place in _places(folder):
        with contextlib.suppress(OSError):
            place.write_text(text, encoding="utf-8")
            return


def all_well(folder: Path) -> None:
    """A pass has ended: the next alarm is a new one."""
    for place in _places(folder):
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)


def _places(folder: Path) -> tuple[Path, Path]:
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return folder / ALARM, Path.home() / f".pbem-{ALARM}-{name}"
