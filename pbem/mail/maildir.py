"""The sources of mail: what every mailbox does, and the Maildir, as getmail and isync fill it.

Another program may move, flag and delete mails meanwhile: a mail that is not found where it was listed is
looked for under every name that it can have. Further folders lie in the Maildir, as mail servers lay them out
(Maildir++: `.Archive`, in the letters of IMAP), or under their names.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import stat
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pbem.errors import MailError
from pbem.mail.settings import is_folder
from pbem.trust.identifiers import quote

_GZIP = b"\x1f\x8b"
_AS_GZIP = 31
"""The zlib parameter `wbits` for the format of a gzip file."""
_PACKED = (_GZIP, b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"Dovecot-LZ4")
"""The first bytes of files that Dovecot packs (gz, bz2, xz, zstd, lz4); no mail begins so."""
_MAX_LISTINGS = 5
"""Maximum number of listings of a folder that another program changes meanwhile."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A mail that was fetched, as it lay in a mailbox."""

    source: str
    """The place where the mail lay: the same for the same mail, however often the mail is fetched."""
    raw: bytes
    size: int
    handle: str


@dataclass(frozen=True, slots=True)
class Listed:
    """The location of a mail that has not been fetched yet."""

    source: str
    handle: str


class NotGiven(MailError):
    """Raised for a single mail that the mailbox does not hand out."""


class Mailbox(Protocol):
    """A mailbox: the interface that Maildir and IMAP share."""

    name: str
    """The name of the mailbox, always the same; the numbers of its mails are noted under this name."""

    def list_mails(self, known: Callable[[], set[str]], reached: str) -> list[Listed]:
        """Return the mails that were not stored before, in order of arrival.

        `known` yields the places of the mails that were stored; `reached` is the number of the last of these.

        Raises:
            MailError: the mailbox cannot be read.
        """

    def lying_at(self, source: str) -> Listed | None:
        """Return the location of a mail that was listed before; None if the mailbox cannot have it now."""

    def fetch(self, mail: Listed) -> Fetched | None:
        """Return one mail; None if the mail is not found now.

        Raises:
            NotGiven: the mailbox does not hand out this mail; it may hand out others.
            MailError: the mailbox cannot be read.
        """

    def owns(self, source: str) -> bool:
        """Tell whether a mail that was listed before lay in this mailbox, whatever its number is by now."""

    def seen_mails(self, before: datetime | None = None) -> list[str]:
        """Return where the mails marked as seen lie; with `before`, only those that came before that time."""

    def mark_seen(self, mail: Fetched) -> None:
        """Mark a mail as taken, for people who look into the mailbox."""

    def close(self) -> None:
        """Close the mailbox and whatever connection the mailbox holds."""


class Maildir:
    """A Maildir as a mailbox, filled by programs such as getmail and isync."""

    def __init__(self, path: Path, name: str = "maildir") -> None:
        if not is_folder(path / "new") or not is_folder(path / "cur"):
            raise MailError(f"{path} is not a maildir: it has no folders new and cur. Is its disk mounted?")
        self.path = path
        self.name = name

    def list_mails(self, known: Callable[[], set[str]], reached: str) -> list[Listed]:
        """Return the mails in `new` and `cur`, whatever their flags are."""
        found = []
        for path in self._files():
            source = self._source(path)
            if source in known() and path.parent.name == "new":
                source = self._second(path, source)
            if source not in known():
                try:
                    came = path.lstat().st_mtime_ns
                except FileNotFoundError:  # another reader has moved it: it is looked for when it is fetched
                    came = 0
                except OSError as problem:
                    raise MailError(f"{path} cannot be read: {problem.strerror}") from None
                found.append((came, path.name, Listed(source, str(path))))
        by_source = {mail.source: mail for _, _, mail in sorted(found, key=lambda one: one[:2])}
        return list(by_source.values())

    def _second(self, path: Path, source: str) -> str:
        """Return the place of a mail in `new` whose file has the name of a mail that was taken before.

        A mail that is taken is moved away from `new`; if it cannot be moved, it is read once more, and no
        more.
        """
        with contextlib.suppress(OSError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode) and os.access(path, os.R_OK):
                return f"{source} {status.st_mtime_ns}"
        return source

    def lying_at(self, source: str) -> Listed | None:
        """Return None: a Maildir lists whatever is there each time."""
        return None

    def fetch(self, mail: Listed) -> Fetched | None:
        """Return a mail read from its file, wherever another reader has moved it; None if it is gone."""
        found, lay = self._read(mail.source, Path(mail.handle)), self._source(Path(mail.handle))
        for _ in range(_MAX_LISTINGS):
            if found is not None:
                return found
            names = [path for path in self._files() if self._source(path) == lay]
            if not names:
                return None
            found = self._read(mail.source, names[-1])
        raise NotGiven("another program goes on moving it")

    def _read(self, source: str, path: Path) -> Fetched | None:
        from pbem.mail.extract import MAX_HEAD_SIZE, MAX_MAIL_SIZE  # a pass without mail does without it

        try:
            if not stat.S_ISREG(path.stat().st_mode):  # to open a pipe would wait for ever
                raise NotGiven("it is not a file")
            size = path.stat().st_size
            with path.open("rb") as file:
                raw = file.read(MAX_HEAD_SIZE if size > MAX_MAIL_SIZE else MAX_MAIL_SIZE)
            if raw.startswith(_PACKED):
                raw, size = _unpacked(raw, size, MAX_MAIL_SIZE)
                raw = raw[:MAX_HEAD_SIZE] if size > MAX_MAIL_SIZE else raw
            return Fetched(source, raw, size, str(path))
        except FileNotFoundError:
            if path.is_symlink():
                raise NotGiven("it is a link to nothing") from None
            return None
        except OSError as problem:
            raise NotGiven((problem.strerror or str(problem)).lower()) from None

    def _files(self) -> Iterator[Path]:
        for name in ("new", "cur"):
            folder, there = self.path / name, dict[Path, None]()
            try:
                for _ in range(_MAX_LISTINGS):
                    changed = folder.stat().st_mtime_ns
                    there.update(dict.fromkeys(folder.iterdir()))
                    if folder.stat().st_mtime_ns == changed:
                        break
            except OSError as problem:
                raise MailError(f"{folder} cannot be read: {problem.strerror}") from None
            yield from (path for path in there if not path.name.startswith("."))

    def seen_mails(self, before: datetime | None = None) -> list[str]:
        """Return the mails of the Maildir that have the flag S, which marks them as seen."""
        found = []
        for path in self._files():
            with contextlib.suppress(FileNotFoundError):
                is_seen = "S" in path.name.partition(":2,")[2]
                if is_seen and (before is None or path.stat().st_mtime < before.timestamp()):
                    found.append(self._source(path))
        return found

    def mark_seen(self, mail: Fetched) -> None:
        """Move a mail to `cur` with the flag S in addition to the flags it has."""
        path = Path(mail.handle)
        base, _, flags = path.name.partition(":2,")
        goal = self.path / "cur" / f"{base}:2,{''.join(sorted({*flags, 'S'}))}"
        if goal != path and goal.exists():
            return  # another mail of that name
        with contextlib.suppress(OSError):  # our own record says that it was taken
            path.rename(goal)

    def delete(self, sources: Collection[str]) -> int:
        """Delete the mails that lay at some places, except those with the flag F; return their number.

        Raises:
            MailError: a mail cannot be deleted.
        """
        count = 0
        for path in self._files():
            if self._source(path) in sources and "F" not in path.name.partition(":2,")[2]:
                try:
                    path.unlink(missing_ok=True)
                except OSError as problem:
                    raise MailError(f"{path} cannot be deleted: {problem.strerror}") from None
                count += 1
        return count

    def _source(self, path: Path) -> str:
        name = path.name.partition(":2,")[0].encode("utf-8", "backslashreplace").decode()
        return f"{self.name}:{name}"

    def owns(self, source: str) -> bool:
        """Tell whether a mail lay in this folder: its place begins with the folder's name."""
        return source.startswith(f"{self.name}:")

    def close(self) -> None:
        """Do nothing, since a Maildir holds no connection that could be closed."""


def _unpacked(raw: bytes, size: int, most: int) -> tuple[bytes, int]:
    """Unpack a mail that its server has packed; return the first `most` + 1 bytes of the mail, and its size.

    The size is that of the unpacked bytes or, if only a part of the file was read, at least the file's.

    Raises:
        NotGiven: the mail cannot be unpacked.
    """
    if not raw.startswith(_GZIP):
        raise NotGiven("its server has packed it: have it pack by gz (mail_compress_write_method)")
    unpacker = zlib.decompressobj(_AS_GZIP)
    try:
        found = unpacker.decompress(raw, most + 1)
    except zlib.error:
        raise NotGiven("its server has packed it, and it is damaged") from None
    if len(raw) == size and len(found) <= most and not unpacker.eof:
        raise NotGiven("its server has packed it, and it is damaged: its end is missing")
    return found, max(len(found), size if len(raw) < size else 0)


def open_folder(path: Path, folder: str) -> Maildir:
    """Open a further folder of a Maildir.

    Raises:
        MailError: the folder is not there.
    """
    for name in (f".{encode_folder(folder).replace('/', '.')}", encode_folder(folder), folder):
        if is_folder(path / name / "new") and is_folder(path / name / "cur"):
            return Maildir(path / name, f"maildir/{folder}")
    raise MailError(f"the maildir {path} has no folder {quote(folder)}: see folders in club.toml")


def encode_folder(name: str) -> str:
    """Return the name of a folder in the modified UTF-7 of IMAP (RFC 3501, 5.1.3)."""
    parts = re.split(r"([^\x20-\x7e]+)", name.replace("&", "&-"))
    coded = (base64.b64encode(part.encode("utf-16-be")).decode().rstrip("=") for part in parts[1::2])
    shifted = [f"&{part.replace('/', ',')}-" for part in coded]
    return "".join(part for pair in zip(parts[::2], [*shifted, ""], strict=True) for part in pair)
