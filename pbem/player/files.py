"""The home's place in the file system, and its files: for their owner alone, each written whole or not."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbem.player.faults import Damaged
from pbem.trust.faults import KeyFault
from pbem.trust.keys import write_private_file

PRIVATE_FOLDER = 0o700
_PIECE = 65_536


def make_folder(path: Path) -> Path:
    """Make a folder, for its owner alone, if it is missing; return its path."""
    path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    return path


def write(path: Path, data: bytes) -> None:
    """Write a file, over an older one if there is one; all of it reaches the disk, or nothing does."""
    make_folder(path.parent)
    write_private_file(path, data, replace=True)
    _settle(path.parent)


def write_new(path: Path, data: bytes) -> bool:
    """Write a file unless one has its name already; return whether it was written."""
    make_folder(path.parent)
    try:
        write_private_file(path, data)
    except KeyFault:
        if path.exists():
            return False
        raise
    _settle(path.parent)
    return True


def write_once(path: Path, data: bytes) -> bool:
    """Write a file that never changes; return False if it exists, and then it must hold the same bytes."""
    if write_new(path, data):
        return True
    if path.read_bytes() != data:
        raise Damaged(f"{path} is there already and differs; it is kept as it is")
    return False


def read_file(path: Path) -> bytes | None:
    """Return the bytes of a file of the home; None if there is no such file."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return None
    try:
        return b"".join(iter(lambda: os.read(handle, _PIECE), b""))
    finally:
        os.close(handle)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder against other programs that use this lock, where the system can do that."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(make_folder(folder), os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _settle(folder: Path) -> None:
    """Make the name of a new file in a folder reach the disk as well."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
