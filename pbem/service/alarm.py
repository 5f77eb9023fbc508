"""An alarm about what stops a whole pass: no club, no database, no disk. The alarm needs none of them.

The game master is told by the command of [watch], once for each reason; one that is over and comes back in
less than a day is the same. When each was told is kept in a file of the folder or, if that cannot be written,
in the home of whoever runs the judge.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from pbem.errors import PbemError
from pbem.judge.club import Clock
from pbem.judge.tables.database import wall_clock
from pbem.judge.upkeep.folder_identity import Elsewhere
from pbem.service.watch import is_told, read_watch, run_command
from pbem.trust.times import parse_utc, utc_text

ALARM = "alarm"


@contextlib.contextmanager
def sound_alarm(folder: Path, clock: Clock = wall_clock) -> Iterator[None]:
    """Sound the alarm if the pass within this context is stopped."""
    try:
        yield
    except Elsewhere:
        raise  # the pass has told it, by mail too
    except Exception as fault:
        _sound(folder, str(fault), clock())
        raise
    _keep(folder, _recent(folder, clock()))


def _sound(folder: Path, text: str, now: datetime) -> None:
    """Report the reason that stops a pass, unless it has lasted since its last report, or that is recent."""
    told = _read_alarms(folder)
    if text in told:
        return
    with contextlib.suppress(PbemError, OSError, ValueError):
        watch = read_watch(tomllib.loads((folder / "club.toml").read_text(encoding="utf-8")))
        if watch.command:
            list(run_command(watch.command, f"pbem, {folder}: {text}"))
    _keep(folder, _recent(folder, now) | {text: utc_text(now)})


def _recent(folder: Path, now: datetime) -> dict[str, str]:
    """Return the reasons reported less than a day ago, which are not reported again if they come back."""
    return {text: when for text, when in _read_alarms(folder).items() if is_told(when, now)}


def _read_alarms(folder: Path) -> dict[str, str]:
    """Return the reasons that were reported, with the time of each report."""
    for place in _places(folder):
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError, PbemError):
            found = json.loads(place.read_text(encoding="utf-8"))
            return {text: utc_text(parse_utc(when)) for text, when in found.items()}
    return {}


def _keep(folder: Path, told: Mapping[str, str]) -> None:
    """Write the reported reasons to the first place that can be written, and nowhere else."""
    left = dict(told)
    for place in _places(folder):
        with contextlib.suppress(OSError):
            if not left:
                place.unlink(missing_ok=True)
                continue
            text = json.dumps(left, sort_keys=True)
            if not place.is_file() or place.read_text(encoding="utf-8") != text:
                _write(place, text)
            left = {}


def _write(place: Path, text: str) -> None:
    """Write a file for its owner alone; a file that cannot be written whole leaves nothing behind."""
    part = place.with_name(f"{place.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
        part.write_text(text, encoding="utf-8")
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _places(folder: Path) -> tuple[Path, Path]:
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return folder / ALARM, Path.home() / f".pbem-{ALARM}-{name}"
