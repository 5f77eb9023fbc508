"""Files that nobody but their owner may read: keys and secrets. The module never looks at their content."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from pbem.characters import lower
from pbem.trust.faults import KeyFault


def check_private_mode(path: Path) -> None:
    """Raise KeyFault for a private key file that group or world may read or write, as ssh refuses it."""
    try:
        mode = path.stat().st_mode
    except OSError as problem:
        raise KeyFault(f"{path}: {lower(str(problem.strerror))}") from None
    if not stat.S_ISREG(mode):
        raise KeyFault(f"{path} is not a file")
    if os.name == "posix" and mode & 0o077:
        raise KeyFault(
            f"{path} can be read by others (mode {stat.S_IMODE(mode):04o}); run chmod 600 on it",
            reason="open-mode",
        )


def write_private_file(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write `data` to a file that only the owner can ever read, and write all of it or nothing.

    A file that is there already is kept, and KeyFault raised, unless `replace` is set.
    """
    import tempfile

    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp gives mode 0600
    except OSError as problem:
        raise KeyFault(f"{path} cannot be written: {lower(str(problem.strerror))}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            Path(name).replace(path)
        else:
            _move_new(Path(name), path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


def _move_new(source: Path, path: Path) -> None:
    """Give a finished file its final name; raise KeyFault if the name is taken."""
    try:
        path.hardlink_to(source)
    except FileExistsError:
        raise KeyFault(f"{path} exists already; move it away before a new one is written there") from None
    except (OSError, NotImplementedError):  # a file system without hard links; a browser has none
        if path.exists():
            raise KeyFault(f"{path} exists already; move it away before a new one is written there") from None
        source.replace(path)
