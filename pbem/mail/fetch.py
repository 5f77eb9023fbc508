"""Mail in: from a Maildir or from IMAP into the database, raw, before anybody looks at it.

A mail is marked as seen only after the transaction that stored it. If the program dies in between, it is
fetched again and found to be stored already, by where it lay in its mailbox. What is larger than any mail
with orders is not fetched: its head alone is stored, so that the sender can be told.
"""

from __future__ import annotations

import contextlib
import imaplib
import re
import ssl
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from pbem.errors import MailError
from pbem.judge.club import Club
from pbem.mail.extract import LARGEST_HEAD, LARGEST_MAIL
from pbem.mail.settings import STARTTLS, TLS, MailSettings, Server
from pbem.trust.entries import utc_text

BATCH = 50
BATCH_BYTES = 4_000_000
"""So many mails or bytes are stored in one transaction."""
MOST_AT_ONCE = 2_000
"""So many mails are fetched in one pass; the next pass goes on."""
_SIZE = re.compile(rb"RFC822\.SIZE (\d{1,12})")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A mail as it lay in a mailbox."""

    source: str
    """Where it lay: the same for the same mail, however often it is fetched."""
    raw: bytes
    size: int
    handle: str


class Mailbox(Protocol):
    """Where mail comes from."""

    def unseen(self) -> Iterator[Fetched]:
        """Mails that are not marked as seen, in order of arrival."""

    def mark_seen(self, mail: Fetched) -> None:
        """Mark a mail, so that it is not fetched again."""

    def close(self) -> None:
        """Let go of the mailbox."""


class Maildir:
    """A Maildir, as getmail and isync fill it."""

    def __init__(self, path: Path) -> None:
        if not (path / "new").is_dir() or not (path / "cur").is_dir():
            raise MailError(f"{path} is no maildir: it has no folders new and cur")
        self.path = path

    def unseen(self) -> Iterator[Fetched]:
        """What lies in `new`, and what lies in `cur` without the flag S."""
        unread = [path for path in (self.path / "cur").iterdir() if "S" not in path.name.partition(":2,")[2]]
        found = []
        for path in (*(self.path / "new").iterdir(), *unread):
            with contextlib.suppress(FileNotFoundError):  # another reader has moved it
                found.append((path.stat().st_mtime_ns, path.name, path))
        for _, name, path in sorted(found):
            with contextlib.suppress(FileNotFoundError):
                size = path.stat().st_size
                with path.open("rb") as file:
                    raw = file.read(LARGEST_HEAD if size > LARGEST_MAIL else LARGEST_MAIL)
                yield Fetched(f"maildir:{name.partition(':2,')[0]}", raw, size, str(path))

    def mark_seen(self, mail: Fetched) -> None:
        """Move it to `cur` with the flag S, beside the flags it has."""
        path = Path(mail.handle)
        base, _, flags = path.name.partition(":2,")
        with contextlib.suppress(FileNotFoundError):
            path.rename(self.path / "cur" / f"{base}:2,{''.join(sorted({*flags, 'S'}))}")

    def close(self) -> None:
        """Nothing is held."""


class Imap:
    """A folder on an IMAP server."""

    def __init__(self, server: Server) -> None:
        with _trouble(server):
            self.connection = _connect(server)
            try:
                _begin(self.connection, server)
                self._ok(self.connection.select(f'"{server.folder}"'))
            except BaseException:
                self.connection.shutdown()
                raise
        self.server = server
        _, validity = self.connection.response("UIDVALIDITY")
        self.validity = (validity[0] or b"0").decode() if validity else "0"

    def unseen(self) -> Iterator[Fetched]:
        """Mails without the flag Seen, by their numbers, which grow as mails arrive."""
        with _trouble(self.server):
            found = self._ok(self.connection.uid("SEARCH", "UNSEEN"))
        for uid in sorted((found[0] or b"").split(), key=int):
            with _trouble(self.server):
                mail = self._fetch(uid.decode())
            if mail is not None:
                yield mail

    def _fetch(self, uid: str) -> Fetched | None:
        size = _SIZE.search(b" ".join(_flat(self._ok(self.connection.uid("FETCH", uid, "(RFC822.SIZE)")))))
        if size is None:
            return None  # another reader has deleted it
        large = int(size[1]) > LARGEST_MAIL
        what = f"(BODY.PEEK[HEADER]<0.{LARGEST_HEAD}>)" if large else "(BODY.PEEK[])"
        answer = self._ok(self.connection.uid("FETCH", uid, what))
        raw = next((part[1] for part in answer if isinstance(part, tuple)), None)
        if not isinstance(raw, bytes):
            return None
        return Fetched(f"imap:{self.validity}:{uid}", raw, int(size[1]), uid)

    def mark_seen(self, mail: Fetched) -> None:
        """Set the flag Seen."""
        with _trouble(self.server):
            self._ok(self.connection.uid("STORE", mail.handle, "+FLAGS", "(\\Seen)"))

    def close(self) -> None:
        """Log out."""
        with contextlib.suppress(OSError, imaplib.IMAP4.error):
            self.connection.logout()

    @staticmethod
    def _ok(answer: tuple[str, Sequence[Any]]) -> Sequence[Any]:
        status, data = answer
        if status != "OK":
            raise imaplib.IMAP4.error(str(data[:1])[:200])
        return data


def open_mailbox(settings: MailSettings) -> Mailbox | None:
    """The club's mailbox; None if mail comes in no way."""
    if settings.maildir is not None:
        return Maildir(settings.maildir)
    return Imap(settings.imap) if settings.imap is not None else None


def fetch_mail(club: Club, settings: MailSettings) -> int:
    """Store every new mail; how many there were.

    Raises:
        MailError: the mailbox cannot be read. What was stored before stays.
    """
    mailbox = open_mailbox(settings)
    if mailbox is None:
        return 0
    count = 0
    try:
        for batch in _batches(islice(mailbox.unseen(), MOST_AT_ONCE)):
            with club.store.step():
                now = utc_text(club.clock())
                for mail in batch:
                    count += bool(club.store.add_incoming(now, mail.raw, "", mail.source, mail.size))
            for mail in batch:
                mailbox.mark_seen(mail)
    finally:
        mailbox.close()
    return count


def _batches(mails: Iterable[Fetched]) -> Iterator[list[Fetched]]:
    batch: list[Fetched] = []
    for mail in mails:
        batch.append(mail)
        if len(batch) == BATCH or sum(len(one.raw) for one in batch) >= BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def _connect(server: Server) -> imaplib.IMAP4:
    if server.tls == TLS:
        context = ssl.create_default_context()
        return imaplib.IMAP4_SSL(server.host, server.port, ssl_context=context, timeout=server.timeout)
    return imaplib.IMAP4(server.host, server.port, timeout=server.timeout)


def _begin(connection: imaplib.IMAP4, server: Server) -> None:
    if server.tls == STARTTLS:
        connection.starttls(ssl.create_default_context())
    secret = server.secret()
    if server.oauth:
        connection.authenticate("XOAUTH2", lambda _: xoauth2(server.user, secret).encode())
    else:
        connection.login(server.user, secret)


def xoauth2(user: str, token: str) -> str:
    """What SASL XOAUTH2 sends."""
    return f"user={user}\x01auth=Bearer {token}\x01\x01"


@contextlib.contextmanager
def _trouble(server: Server) -> Iterator[None]:
    try:
        yield
    except (OSError, imaplib.IMAP4.error, EOFError) as problem:
        told = str(problem).strip("b'\"").lower()[:200] or type(problem).__name__.lower()
        raise MailError(f"the mailbox on {server.host}:{server.port} cannot be read: {told}") from None


def _flat(parts: Sequence[Any]) -> Iterator[bytes]:
    for part in parts:
        if isinstance(part, tuple):
            yield from part
        elif part is not None:
            yield part
