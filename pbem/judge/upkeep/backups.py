"""Makes backups of a club.

A backup is one archive: club.toml, the keys, the database as it stood at one moment, and the wishes to join
and consents that wait for the game master. It holds the judge's secrets, so only its owner may read it.
Before it gets its name, it is restored into a folder of its own, and every ledger in it is checked.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from pbem.errors import ConfigError
from pbem.judge.agenda import is_whole
from pbem.judge.club import Club, open_club
from pbem.judge.tables.database import Unwritable
from pbem.judge.tables.note_tables import BACKUP
from pbem.trust.times import utc_text

FILES = ("club.toml", "keys/gm", "keys/gm.pub", "keys/master")
MAYBE = ("keys/gm.recovery.pub",)
WAITING = ("joins", "consents")
_WAITING = re.compile(rf"(?:{'|'.join(WAITING)})/[a-z0-9][A-Za-z0-9._-]{{0,200}}")
MAX_BACKUP_SIZE = 50_000_000_000
SCRATCH, LOCK = "backup.part", "backup.lock"
"""Names in the club's folder: the temporary folder of a backup being made, and the lock on it."""


def backup(club: Club, archive: Path) -> int:
    """Write all files of a club into a new archive; return its size in bytes.

    Raises:
        ConfigError: the archive cannot be written, or a club could not be restored from it.
    """
    if archive.exists():
        raise ConfigError(f"{archive} exists already; name a new file")
    with _scratch(club) as scratch:
        mark = hashlib.sha256(str(club.path.resolve()).encode()).hexdigest()[:8]
        try:
            for left in archive.parent.glob(f".*.{mark}.part"):
                left.unlink()  # one that was killed; it holds secrets
            part = archive.with_name(f".{archive.name}.{mark}.part")
            try:
                _write(club, scratch, part)
                check(club, part, scratch / "restored")
                part.replace(archive)
            finally:
                part.unlink(missing_ok=True)
        except (OSError, sqlite3.OperationalError) as problem:
            said = str(getattr(problem, "strerror", None) or problem).lower()
            raise ConfigError(
                f"no backup was made, {archive} cannot be written: {said}; make room there and in {club.path}"
            ) from None
    with suppress(Unwritable), club.store.step():  # the archive is whole, and is needed then
        club.store.put_note(BACKUP, utc_text(club.clock()))
    return archive.stat().st_size


def rotate(club: Club, folder: Path, keep: int) -> Path:
    """Write a backup, named by the time, to a folder; delete the oldest beyond `keep`; return the new one."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as problem:
        raise ConfigError(f"{folder} cannot be made: {str(problem.strerror).lower()}") from None
    stamp = utc_text(club.clock()).replace("-", "").replace(":", "")
    archive = folder / f"{club.path.resolve().name}-{stamp}.tar.gz"
    backup(club, archive)
    named = re.compile(rf"{re.escape(club.path.resolve().name)}-[0-9]{{8}}T[0-9]{{6}}Z\.tar\.gz")
    old = sorted(path for path in folder.iterdir() if named.fullmatch(path.name))[:-keep]
    for path in old:
        path.unlink(missing_ok=True)
    return archive


@contextmanager
def _scratch(club: Club) -> Iterator[Path]:
    """Lock the club's temporary folder within this context, so that only one backup at a time is made."""
    path = club.path / SCRATCH
    with (club.path / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError("another command makes a backup of this club now") from None
        shutil.rmtree(path, ignore_errors=True)
        try:
            path.mkdir(mode=0o700)
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


def _write(club: Club, scratch: Path, part: Path) -> None:
    copy = scratch / "club.db"
    with closing(sqlite3.connect(copy)) as target:
        club.store.connection.backup(target)
    part.touch(mode=0o600)
    with tarfile.open(part, "w:gz") as tar:
        waiting = (f"{folder}/{path.name}" for folder in WAITING for path in club.path.glob(f"{folder}/*"))
        maybe = (*MAYBE, *filter(_WAITING.fullmatch, sorted(waiting)))
        for name in (*FILES, *(name for name in maybe if (club.path / name).is_file())):
            tar.add(club.path / name, name)
        tar.add(copy, "club.db")


def check(club: Club, archive: Path, folder: Path) -> None:
    """Restore a backup into a folder, and check every ledger in it that is not damaged in the club itself.

    Raises:
        ConfigError: the archive is not a backup, its database is damaged, or a ledger was changed.
    """
    folder.mkdir(mode=0o700)
    unpack(archive, folder)
    restored = open_club(folder)
    try:
        if (answer := restored.store.integrity()) != "ok":
            raise ConfigError(f"the database in {archive} is damaged: {answer}")
        for game in restored.store.games():
            if not is_whole(restored, game) and is_whole(club, game):
                raise ConfigError(f"the ledger of {game} in {archive} is not as it was written")
    finally:
        restored.store.close()


def unpack(archive: Path, folder: Path) -> datetime:
    """Unpack a backup's archive into a folder; return the time at which it was made."""
    try:
        with tarfile.open(archive, "r:gz") as tar:
            there = sorted(set(tar.getnames()))
            maybe = (name for name in there if name in MAYBE or _WAITING.fullmatch(name))
            for name in (*FILES, "club.db", *maybe):
                member = tar.getmember(name)
                source = tar.extractfile(member)
                if source is None or member.size > MAX_BACKUP_SIZE:
                    raise ConfigError(f"{archive} is not a backup of a club: {name} is not a file")
                path = folder / name
                path.parent.mkdir(exist_ok=True, mode=0o700)
                path.touch(mode=0o600)
                with source, path.open("wb") as target:
                    shutil.copyfileobj(source, target)
            return datetime.fromtimestamp(tar.getmember("club.db").mtime, UTC)
    except (tarfile.TarError, KeyError, EOFError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno:
            raise ConfigError(f"{archive} cannot be unpacked into {folder}: {problem.strerror}") from None
        raise ConfigError(f"{archive} is not a backup of a club: {problem}") from None
