"""Reads a bundle, a folder or a .tar.gz of one, from anybody.

Only names that a bundle can have are read; links, devices, odd paths and oversized files are refused
before they are opened.
"""

from __future__ import annotations

import re
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pbem.errors import ConfigError

LARGEST_FILE = 2_000_000
LARGEST_BUNDLE = 60_000_000
MOST_FILES = 40_000

_TOKEN = r"[a-z0-9][a-z0-9._-]{0,63}"  # noqa: S105 - a pattern
_NAMES = re.compile(
    rf"log/leaves|log/\d{{4,6}}\.(?:entry|salt)|checkpoints/\d{{4,6}}\.(?:txt|sig)"
    rf"|keys/allowed_signers|keys/exchange-\d{{1,5}}\.{_TOKEN}\.agekey|keys/roots"
    rf"|sealed/[0-9a-f]{{64}}\.age|mix/\d{{1,5}}(?:\.secret)?\.txt|dice/all\.txt|reports/{_TOKEN}/\d{{4,6}}\.txt"
)


@dataclass(frozen=True, slots=True)
class Files:
    """A bundle's files by name, and the names of what does not belong in one."""

    known: dict[str, bytes]
    foreign: tuple[str, ...]

    def get(self, name: str) -> bytes | None:
        """A file's bytes."""
        return self.known.get(name)


def read_bundle(path: Path) -> Files:
    """The files of a bundle.

    Raises:
        ConfigError: there is none, or it is larger than any bundle can be.
    """
    if path.is_dir():
        found = _folder(path)
    elif path.is_file():
        found = _archive(path)
    else:
        raise ConfigError(f"{path} is neither a bundle's folder nor an archive of one")
    known: dict[str, bytes] = {}
    foreign: list[str] = []
    size = 0
    for count, (name, data) in enumerate(found, 1):
        size += len(data or b"")
        if count > MOST_FILES or size > LARGEST_BUNDLE:
            raise ConfigError(f"{path} is larger than a bundle can be")
        if data is None or not _NAMES.fullmatch(name) or name in known:
            foreign.append(name)
        else:
            known[name] = data
    return Files(known, tuple(sorted(foreign)))


def _folder(root: Path) -> Iterator[tuple[str, bytes | None]]:
    """Every file below a folder; None for what is not a plain file of a possible size."""
    for folder in (root, *sorted(root.glob("*")), *sorted((root / "reports").glob("*"))):
        if folder.is_symlink() or not folder.is_dir():
            continue
        for path in sorted(folder.iterdir()):
            name = path.relative_to(root).as_posix()
            mode = path.lstat()
            if stat.S_ISDIR(mode.st_mode):
                if not re.fullmatch(rf"log|checkpoints|keys|sealed|mix|dice|reports|reports/{_TOKEN}", name):
                    yield name, None
                continue
            plain = stat.S_ISREG(mode.st_mode) and mode.st_size <= LARGEST_FILE
            yield name, path.read_bytes() if plain and _NAMES.fullmatch(name) else None


def _archive(path: Path) -> Iterator[tuple[str, bytes | None]]:
    """Every member of a .tar.gz, read as a stream and never unpacked to disk."""
    try:
        with tarfile.open(path, "r|gz") as archive:
            for member in archive:
                name = member.name.removeprefix("./")
                if member.isdir():
                    continue
                inside = name if _NAMES.fullmatch(name) else name.partition("/")[2]
                plain = member.isreg() and member.size <= LARGEST_FILE and _NAMES.fullmatch(inside)
                stream = archive.extractfile(member) if plain else None
                yield inside or name, stream.read(LARGEST_FILE + 1) if stream else None
    except (tarfile.TarError, EOFError, OSError) as problem:
        raise ConfigError(f"{path} is no readable .tar.gz: {problem}") from None
