"""A home as one file, which goes both ways between the page and the command line.

It is a zip of the home's folder: unpacked, it is a home for `pbem` (PBEM_HOME); a zip of any home is read. It
holds the keys, which rest under their passphrases, and the secrets of chains, which do not: it is as private
as the home itself.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.errors import PbemError
from pbem.player import Home, files
from pbem.player.faults import Refused
from pbem.trust.keys import is_locked

LARGEST = 200_000_000
"""Maximum size in bytes of an unpacked home, far more than a hundred games need."""
MAX_FILES = 100_000
PLACES = frozenset(("keys", "games", "leagues", "forgotten", "boxes", "page"))
"""Folders of a home that go into its file; cached views are left out, since they can be made anew."""
SHEET = "keys/copy-key"
"""Name of the key that opens sealed copies of the home (`pbem.web.home_copy`) and signs nothing; a new one
is made when it is missing."""
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100600 << 16


def pack(home: Path) -> bytes:
    """Return the whole home as a zip; the same home gives the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in held(home):
            entry = zipfile.ZipInfo(path.relative_to(home).as_posix(), _TIME)
            entry.external_attr = _MODE
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return out.getvalue()


def unpack(data: bytes, home: Path) -> int:
    """Write a home from a zip to a place without one, as a whole or not at all; return the number of files.

    Raises:
        Refused: the zip is damaged, holds no home that can be read, or a home is here already.
    """
    if any(held(home)):
        raise Refused(
            "there is a home here already; first save it and remove it, so that the two are not mixed"
        )
    found = contents(data)
    home.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=home.parent) as scratch:
        new = Path(scratch) / "home"
        try:
            for name, content in found.items():
                files.write(new / name, content)
            _check(new)
        except Refused:
            raise
        except PbemError as fault:
            raise Refused(
                f"this zip is not taken as a home: {str(fault).replace(str(new), 'home')}"
            ) from None
        except Exception:  # noqa: BLE001 - a hostile file may break any reader, and then nothing is taken
            raise Refused("this file is not a zip of a home, or it is damaged") from None
        if home.exists():
            shutil.rmtree(home)
        new.rename(home)
    return len(found)


def contents(data: bytes) -> dict[str, bytes]:
    """Return the files in a zip of a home, by their places.

    Raises:
        Refused: the zip is damaged, or too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(entry) for name, entry in _members(archive)}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError, ValueError):
        raise Refused("this file is not a zip of a home, or it is damaged") from None


def held(home: Path) -> Iterator[Path]:
    """Yield the files of a home that go into its zip, in order."""
    for place in sorted(PLACES):
        yield from (path for path in sorted((home / place).rglob("*")) if path.is_file())


def secrets_digest(home: Path) -> str:
    """Return a digest of keys and chain secrets; when it changes, the home must be saved as a file again."""
    found = hashlib.sha256()
    for path in held(home):
        name = path.relative_to(home).as_posix()
        if (name.startswith("keys/") and name != SHEET) or path.name.startswith("chain-secret"):
            found.update(f"{name}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()


def sent_digest(home: Path) -> str:
    """Return a digest of sealed files and receipts; when it changes, older copies of the home lack some."""
    found = hashlib.sha256()
    for path in held(home):
        if path.parent.name == "sent" or path.name.startswith("receipt-"):
            found.update(f"{path.relative_to(home).as_posix()} {path.stat().st_size}\n".encode())
    return found.hexdigest()


def _check(home: Path) -> None:
    """Read the keys and games of an unpacked home, so that an error shows one that cannot be used."""
    new = Home(home)
    for name in new.keys.names():
        new.keys.public(name)
        is_locked((home / "keys" / name).read_bytes())
    if not new.keys.names():
        raise Refused("this zip holds no keys, so it is not a home: a home has the folders keys and games")
    new.games()


def _members(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Yield the files of a zip by their place in the home, even if the zip has the home inside a folder."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MAX_FILES or sum(entry.file_size for entry in entries) > LARGEST:
        raise Refused("this zip is too large for a home")
    for entry in entries:
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise zipfile.BadZipFile("packed by a method that the page's Python does not have")
        parts = entry.filename.replace("\\", "/").split("/")
        while parts and parts[0] not in PLACES:
            parts.pop(0)
        if ".." in parts or "" in parts:
            raise Refused("this zip names files outside of a home")
        if len(parts) == 2 or (len(parts) > 2 and parts[0] != "page"):  # no folders lie in `page`
            yield "/".join(parts), entry
