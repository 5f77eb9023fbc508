"""The place of a player's home in the file system."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME = "PBEM_HOME"


def default_home() -> Path:
    """Return the home that is used if none is named: PBEM_HOME, else `pbem` in the user's folder for data."""
    if given := os.environ.get(HOME):
        return Path(given).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "pbem"
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/pbem"
    data = Path(os.environ.get("XDG_DATA_HOME") or "")
    return (data if data.is_absolute() else Path.home() / ".local/share") / "pbem"
