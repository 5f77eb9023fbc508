"""Reads a tar stream from anybody, with a limit on every size and number.

The form (POSIX pax, with GNU's long names): blocks of 512 bytes; a member is a header block, then its data,
filled up to whole blocks; a block of zeros ends the archive. Before a header may stand pax records and a long
name, once each, which say more of the same member; before the first, pax records for all.

Sizes stand in the header alone, in octal digits. An archive that says them otherwise, or is sparse, is
refused: tar writes such things for files that no bundle can have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

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
    """Raised for an archive that no bundle can be in."""


def members(read: Callable[[int], bytes], largest: Callable[[str], int]) -> Iterator[Member]:
    """Yield every member of an archive; `read` gives the number of bytes asked for, or fewer at the end.

    Files that are larger than `largest` gives for their names are passed over.

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
    """Return the pax records that count for the next member, such as its name."""
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
