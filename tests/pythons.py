"""The oldest and the newest Python that pbem supports, where they are installed."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

OLDEST = 11
NEWEST = 30
"""Minor versions that are looked for."""


@cache
def oldest_and_newest() -> tuple[Path, ...]:
    """Return the oldest and the newest Python of this machine; one, if they are the same; or none."""
    found = [python for minor in range(OLDEST, NEWEST + 1) if (python := _installed(minor)) is not None]
    return tuple(dict.fromkeys((found[0], found[-1]))) if found else ()


def _installed(minor: int) -> Path | None:
    """Return the Python of a minor version, as the search path or pyenv has it."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for place in (Path(f"python3.{minor}"), *sorted(versions.glob(f"3.{minor}.*/bin/python"))):
        code = f"import sys; sys.exit(sys.version_info[:2] != (3, {minor}))"
        try:
            tried = subprocess.run([place, "-c", code], capture_output=True, check=False)
        except FileNotFoundError:
            continue
        if tried.returncode == 0:
            return place
    return None
