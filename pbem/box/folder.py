"""The folder of a post box: its table, its heartbeat, and the functions that read and write its files.

    box/
      table.json      written by the judge: format, url, pages that may talk to it, readers and fetch keys
      alive           written by the box every ten seconds: time, when it was last back, last refusal
      posts/          what was posted (stores.py)
      letters/        what waits for readers, and acknowledged/ (stores.py)
      copies/         sealed copies of homes (stores.py)

Files are written beside their place, forced to the disk and renamed; then the folder is forced to the disk.
What is read may have been put there by anybody: no link is followed, and nothing is read that is no file or
too long.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pbem.errors import ConfigError, PbemError
from pbem.trust.keys import PublicKey, parse_public
from pbem.trust.post_box import check_box_url
from pbem.trust.times import parse_utc, utc_text

FORMAT = 1
TABLE, ALIVE = "table.json", "alive"
MAX_TABLE_SIZE = 4_000_000
MAX_HEARTBEAT_SIZE = 1_024
MAX_GAP = timedelta(minutes=10)
"""Time without a heartbeat after which a box counts as having been away."""
_TEMPORARY = ".new-"
_MODE = 0o660


class UnreadableBox(ConfigError):
    """Raised for a file of a box that cannot be read."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of the post box: a key whose letters wait there, and the keys that may fetch these letters."""

    key: PublicKey
    fetch_keys: tuple[PublicKey, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxTable:
    """The judge's table for a post box: its address, its readers, and the web pages that may talk to it."""

    url: str
    pages: tuple[str, ...] = ()
    """Origins of the web pages that may talk to the post box."""
    readers: tuple[Reader, ...] = ()
    mailboxes: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """A mapping from fingerprints of readers' keys and fetch keys to the folder names of their letters."""

    def __post_init__(self) -> None:
        found: dict[str, str] = {}
        for reader in self.readers:
            name = folder_name(reader.key)
            found |= {key.fingerprint: name for key in (reader.key, *reader.fetch_keys)}
        own = {reader.key.fingerprint: folder_name(reader.key) for reader in self.readers}
        object.__setattr__(self, "mailboxes", found | own)

    @property
    def text(self) -> bytes:
        """The bytes of the file in which the table is stored."""
        readers = [
            {"key": reader.key.line, "fetch_keys": [key.line for key in reader.fetch_keys]}
            for reader in self.readers
        ]
        table = {"format": FORMAT, "url": self.url, "pages": list(self.pages), "readers": readers}
        return f"{json.dumps(table, indent=1)}\n".encode()


def read_table(path: Path) -> BoxTable:
    """Return the table that the judge wrote in a post box's folder.

    Raises:
        UnreadableBox: there is no table, or it cannot be read.
    """
    data = read_file(path / TABLE, MAX_TABLE_SIZE)
    if data is None:
        raise UnreadableBox(f"{path / TABLE} is missing: the judge's next pass writes it")
    try:
        found = json.loads(data)
        readers = tuple(
            Reader(parse_public(row["key"]), tuple(map(parse_public, row["fetch_keys"])))
            for row in found["readers"]
        )
        pages = tuple(page for page in found["pages"] if isinstance(page, str))
        table = BoxTable(url=check_box_url(found["url"]), pages=pages, readers=readers)
        is_known = found["format"] == FORMAT
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, PbemError):
        raise UnreadableBox(f"{path / TABLE} is not what a judge writes") from None
    if not is_known:
        raise UnreadableBox(f"{path / TABLE} has a format that this release does not read")
    return table


def folder_name(key: PublicKey) -> str:
    """Return the name of a reader's folder: the SHA-256 of the key, which its fingerprint shows, as hex."""
    import hashlib

    return hashlib.sha256(key.blob).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alive:
    """The heartbeat of a post box: the time when it last showed that it runs, and its last troubles."""

    time: datetime
    since: datetime | None = None
    """The time at which the box was last back after it had been away; None if it never was away."""
    refused: datetime | None = None
    """The time at which the box last refused a post for lack of room; None if it never did."""

    @property
    def text(self) -> bytes:
        """The bytes of the file in which the heartbeat is stored."""
        words = {"time": self.time, "since": self.since, "refused": self.refused}
        return "".join(
            f"{word} {utc_text(value) if value else '-'}\n" for word, value in words.items()
        ).encode()


def read_alive(path: Path) -> Alive | None:
    """Return the heartbeat in a post box's folder; None if the file is missing or cannot be read."""
    try:
        data = read_file(path / ALIVE, MAX_HEARTBEAT_SIZE) or b""
        words = dict(line.partition(" ")[::2] for line in data.decode("ascii").split("\n") if line)
        times = {word: None if value == "-" else parse_utc(value) for word, value in words.items()}
        if times.keys() != {"time", "since", "refused"} or (time := times["time"]) is None:
            return None
        return Alive(time=time, since=times["since"], refused=times["refused"])
    except (UnicodeDecodeError, PbemError):
        return None


def next_alive(before: Alive | None, now: datetime) -> Alive:
    """Return the first heartbeat of a post box that starts; `before` is its last one, maybe from long ago."""
    if before is None:
        return Alive(time=now)
    is_back = not timedelta(0) <= now - before.time <= MAX_GAP
    return Alive(time=now, since=now if is_back else before.since, refused=before.refused)


def make_folder(path: Path) -> Path:
    """Return the path of a folder in the post box, after making the folder if it is missing."""
    path.mkdir(mode=0o770, parents=True, exist_ok=True)
    return path


def write_file(path: Path, data: bytes) -> None:
    """Write a file durably and as a whole, in place of the file with that name if there is one.

    Raises:
        OSError: the file could not be written; nothing has changed.
    """
    temporary = path.parent / f"{_TEMPORARY}{secrets.token_hex(8)}"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    settle(path.parent)


def settle(folder: Path) -> None:
    """Force the names of the files in a folder to be written to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_file(path: Path, most: int) -> bytes | None:
    """Return the bytes of a file in a post box; None if there is no such file.

    Raises:
        UnreadableBox: the file is not a plain file, is longer than `most` bytes, or cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise UnreadableBox(f"{path} cannot be read: {str(problem.strerror).lower()}") from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > most:
            raise UnreadableBox(f"{path} does not belong in a box: it is too long, or not a plain file")
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read(most)
    except OSError as problem:
        raise UnreadableBox(f"{path} cannot be read: {str(problem.strerror).lower()}") from None
    finally:
        os.close(handle)


def names_in(folder: Path, most: int) -> list[str]:
    """Return at most `most` file names in a folder, sorted, without files that are still being written.

    Raises:
        UnreadableBox: the folder cannot be read.
    """
    try:
        with os.scandir(folder) as found:
            return sorted(_some(found, most))
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise UnreadableBox(f"{folder} cannot be read: {str(problem.strerror).lower()}") from None


def _some(found: Iterator[os.DirEntry[str]], most: int) -> Iterator[str]:
    for entry in found:
        if most <= 0:
            return
        if not entry.name.startswith("."):
            most -= 1
            yield entry.name


def clear_unfinished(folder: Path) -> None:
    """Remove files that were not written to the end; only the process that writes to the folder may do so."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{_TEMPORARY}*"):
            path.unlink(missing_ok=True)


def as_json(value: Mapping[str, Any]) -> bytes:
    """Return the post box's answer to a request as the bytes of JSON without blanks."""
    return json.dumps(value, separators=(",", ":")).encode()
