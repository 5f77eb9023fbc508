"""Reads the bundle of a game or league from anybody: a folder, or a .tar.gz of one.

Only names that a bundle can have are read; links, devices, odd paths and oversized files are refused
before they are opened. An archive is read as a stream, never unpacked, and never further than a bundle
can reach.

Every size and number in a tar stream has a limit.
The form (POSIX pax, with GNU's long names): blocks of 512 bytes; a member is a header block, then its data,
filled up to whole blocks; a block of zeros ends the archive. Before a header may stand pax records and a long
name, once each, which say more of the same member; before the first, pax records for all.

Sizes stand in the header alone, in octal digits. An archive that says them otherwise, or is sparse, is
refused: tar writes such things for files that no bundle can have.
"""

from __future__ import annotations

import gzip
import os
import re
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path

from pbem.errors import ConfigError, PbemError
from pbem.leagues.config import read_file
from pbem.trust.entries import Genesis
from pbem.trust.formats import BEFORE_GENESIS, MAX_FILE_SIZE, MAX_LEAGUE_SIZE, Limits, largest, limits
from pbem.trust.identifiers import quote
from pbem.trust.ledger import parse_entry

BLOCK = 512
MAX_NOTE_SIZE = 16_384
"""Maximum size in bytes of the pax records, or of the long name, before one member of an archive."""
MAX_GLOBAL_BLOCKS = 4
"""Maximum number of blocks of pax records before all members of an archive."""
_FILES, _FOLDER, _SPARSE = (b"0", b"7", bytes(1)), b"5", b"S"
_WITHOUT_DATA = (b"1", b"2", b"3", b"4", b"6", _FOLDER)
_OWN, _ALL, _LONG_NAME, _LONG_LINK = b"x", b"g", b"L", b"K"
_NOTES = (_OWN, _ALL, _LONG_NAME, _LONG_LINK)


class Kind(Enum):
    """The kind of a member of an archive."""

    FILE = "file"
    FOLDER = "folder"
    OTHER = "other"
    """A member that is a link, a device, or a file too large to be read."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an archive; only a small file has data."""

    name: str
    kind: Kind
    data: bytes = b""


class BadArchive(Exception):
    """Raised for an archive that is damaged, or is of a form that no archive of a bundle has."""


def members(read: Callable[[int], bytes], largest: Callable[[str], int]) -> Iterator[Member]:
    """Yield every member of an archive; `read` gives the number of bytes asked for, or fewer at the end.

    A file larger than `largest` gives for its name is yielded as OTHER, without its data.

    Raises:
        BadArchive: the archive is damaged, or says what no archive of a bundle says.
    """
    notes: dict[bytes, str] = {}
    everywhere = 0
    while True:
        header = read(BLOCK)
        if len(header) < BLOCK:
            raise BadArchive("it is cut off")
        if not any(header):
            break
        _check_sum(header)
        kind, size = header[156:157], _octal(header[124:136], "a size")
        if kind in _NOTES:
            everywhere += kind == _ALL
            if kind in notes or everywhere > MAX_GLOBAL_BLOCKS or size > MAX_NOTE_SIZE:
                raise BadArchive("it has more headers than members need")
            notes |= _read_note(kind, _data(read, size))
            continue
        name = notes.get(_LONG_NAME) or notes.get(_OWN) or _name(header)
        notes = {}
        yield _member(read, name, kind, size, largest(name))
    if notes:
        raise BadArchive("it ends with a header of nothing")
    while read(1 << 16):  # nothing that follows counts, but what it was compressed from must be whole
        pass


def _member(read: Callable[[int], bytes], name: str, kind: bytes, size: int, largest: int) -> Member:
    if kind == _SPARSE:
        raise BadArchive("it is sparse")
    if kind in _WITHOUT_DATA:
        return Member(name.rstrip("/"), Kind.FOLDER if kind == _FOLDER else Kind.OTHER)
    if kind in _FILES and size <= largest and not name.endswith("/"):
        return Member(name, Kind.FILE, _data(read, size))
    left = size + -size % BLOCK
    while left:
        left -= len(_exactly(read, min(left, 1 << 16)))
    return Member(name, Kind.OTHER)


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    data = read(size)
    if len(data) < size:
        raise BadArchive("it is cut off")
    return data


def _data(read: Callable[[int], bytes], size: int) -> bytes:
    return _exactly(read, size + -size % BLOCK)[:size]


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def _name(header: bytes) -> str:
    name, prefix = (part.partition(b"\0")[0] for part in (header[:100], header[345:500]))
    is_posix = header[257:263] == b"ustar\0"
    return _text(prefix + b"/" + name if is_posix and prefix else name)


def _octal(field: bytes, what: str) -> int:
    digits = field.strip(b"\0 ")
    if not digits.isdigit() or set(digits) & set(b"89"):
        raise BadArchive(f"{what} in it is not a number")
    return int(digits, 8)


def _check_sum(header: bytes) -> None:
    if _octal(header[148:156], "a checksum") != sum(header[:148]) + 8 * 32 + sum(header[156:]):
        raise BadArchive("a header in it is damaged")


def _read_note(kind: bytes, data: bytes) -> dict[bytes, str]:
    """Return the name that pax records, or a long name, give the next member of an archive, by their kind."""
    if kind in (_LONG_NAME, _LONG_LINK):
        return {kind: _text(data.rstrip(b"\0"))}
    name = ""
    while data:
        digits, _, _ = data[:6].partition(b" ")
        size = int(digits) if digits.isdigit() else 0
        record, data = data[:size], data[size:]
        key, equals, value = record[len(digits) + 1 : -1].partition(b"=")
        if not equals or len(record) < size or not record.endswith(b"\n"):
            raise BadArchive("pax records in it are damaged")
        if key == b"size" or key.startswith(b"GNU.sparse"):
            raise BadArchive("a file in it is too large, or sparse")
        if key == b"path" and kind == _OWN:
            name = _text(value)
    return {kind: name} if kind == _OWN else {}


GENESIS, LEAGUE_FILE = "log/0001.entry", "league.toml"
LEAGUE_FIRST = b"league "
MAX_IN_FOLDER = 1_000_000
MAX_SIZE_IN_MEMORY = 16_000_000
"""Bytes up to which a bundle is kept in memory; a larger one is kept in a temporary file."""
_SIZE = 4
"""Number of bytes that hold a file's size, which stands before the file in the temporary file."""
_BLOCKS = 1_536
"""Bytes that an archive needs for each file besides its data: a header, and padding to whole blocks."""

_TOKEN = r"[a-z0-9][a-z0-9._-]{0,63}"  # noqa: S105 - a pattern
OF_LEAGUES = r"league\.toml|carried\.txt|papers/[0-9a-f]{64}\.(?:txt|sig)|standings\.csv|ratings\.csv"
"""A pattern of the names of files that a bundle of a league has and a bundle of a game has not."""
_IS_FILE = re.compile(
    rf"log/leaves|log/\d{{4,6}}\.(?:entry|salt)|checkpoints/\d{{4,6}}\.(?:txt|sig)"
    rf"|keys/allowed_signers|keys/exchange-\d{{1,5}}\.{_TOKEN}\.agekey|keys/roots"
    rf"|sealed/[0-9a-f]{{64}}\.age|mix/\d{{1,5}}(?:\.secret)?\.txt|dice/all\.txt|reports/{_TOKEN}/\d{{4,6}}\.txt"
    r"|consents/[0-9a-f]{64}\.(?:txt|sig)|rotations/[0-9a-f]{64}(?:\.by|\.new)?\.(?:txt|sig)"
    r"|keys/allowed_signers\.from-[0-9]{1,5}"
    rf"|{OF_LEAGUES}",
    re.ASCII,
).fullmatch
_IS_FOLDER = re.compile(
    rf"log|checkpoints|papers|consents|rotations|keys|sealed|mix|dice|reports|reports/{_TOKEN}", re.ASCII
).fullmatch

Found = Iterator[tuple[str, bytes | None]]
"""Pairs of the name and the bytes of each file found; None stands for what no bundle has as a file."""


class SpooledFiles(MutableMapping[str, bytes]):
    """The bytes of a bundle's files by name, kept in a temporary file once they are many.

    A bundle may have gigabytes; of those only the names and the file that is being read are in memory.
    """

    def __init__(self) -> None:
        self._spool = tempfile.SpooledTemporaryFile(max_size=MAX_SIZE_IN_MEMORY)  # noqa: SIM115 - as long as this
        weakref.finalize(self, self._spool.close)
        self._places: dict[str, int] = {}
        self._end = 0

    def __getitem__(self, name: str) -> bytes:
        self._spool.seek(self._places[name])
        size = int.from_bytes(self._spool.read(_SIZE))
        return self._spool.read(size)

    def __setitem__(self, name: str, data: bytes) -> None:
        self._spool.seek(self._end)
        self._spool.write(len(data).to_bytes(_SIZE) + data)
        self._places[name] = self._end
        self._end += _SIZE + len(data)

    def __delitem__(self, name: str) -> None:
        del self._places[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a bundle by name, and the names of other files in a form fit to be shown."""

    known_files: MutableMapping[str, bytes]
    foreign: tuple[str, ...]

    def get(self, name: str) -> bytes | None:
        """Return the bytes of the bundle's file called `name`; None if there is none."""
        return self.known_files.get(name)


def is_bundle_file(name: str) -> bool:
    """Tell whether a bundle can have a file of a given name."""
    return _IS_FILE(name) is not None


def read_bundle(path: Path, room: int | None = None) -> Files:
    """Return the files of a bundle. `room`: the bytes that its reader can hold, if a bundle may have more.

    Raises:
        ConfigError: there is no bundle, or it is larger than any bundle can be.
    """
    if path.is_dir():
        path = _unpacked_folder(path)
        found = _folder(path)
    elif path.is_file():
        found = _archive(path)
    else:
        raise ConfigError(f"{path} is neither a bundle's folder nor an archive of one")
    return collect(found, str(path), _limits_of(path) if path.is_dir() else BEFORE_GENESIS, room)


def collect(found: Found, whose: str, most: Limits = BEFORE_GENESIS, room: int | None = None) -> Files:
    """Return the files that were found as those of a bundle; `whose` is the bundle's name in messages."""
    known = SpooledFiles()
    foreign: list[str] = []
    size = 0
    for count, (name, data) in enumerate(found, 1):
        size += len(data or b"")
        most = _limits(name, data, most)
        if count > most.files or size > most.size or (room is not None and size > room):
            raise _too_large(whose)
        if data is None or name in known:
            foreign.append(quote(name, 100))
        else:
            known[name] = data
    return Files(known, tuple(sorted(foreign)))


def _unpacked_folder(path: Path) -> Path:
    """Return the folder of the bundle itself, where an archive of one was unpacked into `path`.

    `path` itself is returned unless it holds that one folder and else nothing but hidden files.
    """
    with os.scandir(path) as listing:
        beside = list(islice((entry for entry in listing if not entry.name.startswith(".")), 2))
    inner = beside[0] if len(beside) == 1 else None
    is_one = (
        inner is not None and inner.is_dir(follow_symlinks=False) and (path / inner.name / "log").is_dir()
    )
    return path / inner.name if inner is not None and is_one else path


def _limits_of(root: Path) -> Limits:
    """Return the limits of the bundle in a folder, by its genesis or league file, wherever that stands."""
    most = BEFORE_GENESIS
    for name in (GENESIS, LEAGUE_FILE):
        path = root / name
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_FILE_SIZE:
            most = _limits(name, path.read_bytes(), most)
    return most


def _limits(name: str, data: bytes | None, until_now: Limits) -> Limits:
    """Return the limits of a bundle after one more of its files; the genesis or league file raise them."""
    try:
        if name == LEAGUE_FILE and data is not None and until_now in (BEFORE_GENESIS, MAX_LEAGUE_SIZE):
            return read_file(data).limits
        if name != GENESIS or data is None:
            return until_now
        if data.startswith(LEAGUE_FIRST):
            return MAX_LEAGUE_SIZE if until_now == BEFORE_GENESIS else until_now
        entry = parse_entry(data)
    except PbemError:
        return until_now
    return limits(len(entry.players), entry.exchanges) if isinstance(entry, Genesis) else until_now


def _too_large(name: object) -> ConfigError:
    return ConfigError(f"{name} is larger than a bundle can be")


def _folder(root: Path, below: str = "") -> Found:
    """Yield name and bytes of each file in a folder; None as the bytes of a link or what no bundle has."""
    with os.scandir(root / below) as listing:
        entries = sorted(islice(listing, MAX_IN_FOLDER), key=lambda entry: entry.name)
    for entry in entries:
        name = below + entry.name
        if entry.is_dir(follow_symlinks=False) and _IS_FOLDER(name):
            yield from _folder(root, f"{name}/")
            continue
        is_plain = entry.is_file(follow_symlinks=False) and _IS_FILE(name)
        size = entry.stat(follow_symlinks=False).st_size if is_plain else 0
        yield name, _read(entry.path, size) if is_plain and size <= largest(name) else None


def _read(path: str, size: int) -> bytes:
    """Return at most `size` + 1 bytes of a file, read in one go; a link is not followed."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    try:
        return os.read(handle, size + 1)
    finally:
        os.close(handle)


def _archive(path: Path) -> Found:
    """Yield name and bytes of each file in a .tar.gz of a bundle, whose folders may lie within one folder.

    For what is no file of a bundle None is yielded in place of the bytes.
    Hidden files beside that folder do not belong to the bundle: some archivers write them.
    """
    top, hidden = None, None
    try:
        with gzip.open(path) as packed:
            stream, most = _Bounded(packed, path), BEFORE_GENESIS
            for member in members(stream.read, largest):
                name = member.name.removeprefix("./")
                folder, _, inside = name.partition("/")
                if (
                    folder.startswith(".")
                    and folder not in (".", "..")
                    and member.kind is Kind.FILE
                    and not inside
                ):
                    hidden = name
                    continue
                if _IS_FILE(name) or _IS_FOLDER(name):
                    folder, inside = "", name
                top = folder if top is None and name != "." else top
                belongs = folder == top and folder not in (".", "..")
                if member.kind is Kind.FOLDER:
                    if not belongs or (inside and not _IS_FOLDER(inside)):
                        yield name, None
                    continue
                fits = belongs and member.kind is Kind.FILE and _IS_FILE(inside)
                if fits:
                    most = _limits(inside, member.data, most)
                    stream.allow(most)
                yield (inside, member.data) if fits else (name, None)
            if hidden is not None and not top:
                yield hidden, None
    except (BadArchive, EOFError, OSError, zlib.error) as problem:
        raise ConfigError(f"{path} is not a readable .tar.gz: {problem}") from None


class _Bounded:
    """A stream of an archive's bytes, which fails when more come out than the largest bundle has."""

    def __init__(self, stream: gzip.GzipFile, path: Path) -> None:
        self._stream = stream
        self._path = path
        self._count = 0
        self.allow(BEFORE_GENESIS)

    def allow(self, most: Limits) -> None:
        """Raise the stream's limit to that of an archive of a bundle with the limits `most`."""
        self._most = most.size + most.files * _BLOCKS

    def read(self, size: int) -> bytes:
        """Return `size` bytes of the stream, or fewer at its end."""
        data = self._stream.read(size)
        self._count += len(data)
        if self._count > self._most:
            raise _too_large(self._path)
        return data
