"""Mail in: from a Maildir or from IMAP into the database, raw, before anybody looks at it.

What was handled is known by our own record of where each mail lay, not by the flag that says that somebody
has read it: the game master may read the mailbox with a mail program. After a restore the record is as old as
the backup, so what came since is fetched again. A mail is marked as seen only after the transaction that
stored it.

Of a mailbox that is looked at for the first time, mails that somebody has read are left alone: it may be that
of a person, who had it before there was a club. Where the club has read mail before, as after a move or a
restore, only those are that had come before it did so last.

What is larger than any mail with orders is not fetched: its head alone is stored, so that the sender can be
told.
"""

from __future__ import annotations

import contextlib
import imaplib
import re
import ssl
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from pbem.errors import MailError
from pbem.judge.agenda import HANDLED, MAILBOX
from pbem.judge.club import Club
from pbem.mail.extract import LARGEST_HEAD, LARGEST_MAIL
from pbem.mail.headers import is_for_itself
from pbem.mail.moved import take_moved
from pbem.mail.settings import STARTTLS, TLS, MailSettings, Server, advised
from pbem.trust.times import parse_utc, utc_text

BATCH = 50
BATCH_BYTES = 4_000_000
"""So many mails or bytes are stored in one transaction."""
MARGIN = timedelta(days=1)
"""So much earlier than a mail was stored it, and what had come before it, may have arrived."""
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

    name: str
    """The same for the same mailbox; its numbers of mails hold under this name."""

    def new(self, known: Callable[[], set[str]], reached: str) -> Iterator[Fetched]:
        """Mails that were not stored before, in order of arrival.

        `known`: where the mails lay that were stored; `reached`: the number of the last of them.
        """

    def seen(self, before: datetime | None = None) -> list[str]:
        """Where the mails lie that are marked as seen, or those of them that had come before a time."""

    def mark_seen(self, mail: Fetched) -> None:
        """Mark a mail, so that people see that it was taken."""

    def close(self) -> None:
        """Let go of the mailbox."""


class Maildir:
    """A Maildir, as getmail and isync fill it."""

    def __init__(self, path: Path) -> None:
        if not (path / "new").is_dir() or not (path / "cur").is_dir():
            raise MailError(f"{path} is no maildir: it has no folders new and cur. Is its disk mounted?")
        self.path = path
        self.name = "maildir"

    def new(self, known: Callable[[], set[str]], reached: str) -> Iterator[Fetched]:
        """What lies in `new` and `cur`, whatever its flags are."""
        there = [path for path in self._files() if _source(path) not in known()]
        found = []
        for path in there:
            with contextlib.suppress(FileNotFoundError):  # another reader has moved it
                found.append((path.stat().st_mtime_ns, path.name, path))
        for _, _, path in sorted(found):
            with contextlib.suppress(FileNotFoundError):
                size = path.stat().st_size
                with path.open("rb") as file:
                    raw = file.read(LARGEST_HEAD if size > LARGEST_MAIL else LARGEST_MAIL)
                yield Fetched(_source(path), raw, size, str(path))

    def _files(self) -> Iterator[Path]:
        for folder in ("new", "cur"):
            yield from (path for path in (self.path / folder).iterdir() if not path.name.startswith("."))

    def seen(self, before: datetime | None = None) -> list[str]:
        """What has the flag S."""
        found = []
        for path in self._files():
            with contextlib.suppress(FileNotFoundError):
                is_seen = "S" in path.name.partition(":2,")[2]
                if is_seen and (before is None or path.stat().st_mtime < before.timestamp()):
                    found.append(_source(path))
        return found

    def mark_seen(self, mail: Fetched) -> None:
        """Move it to `cur` with the flag S, beside the flags it has."""
        path = Path(mail.handle)
        base, _, flags = path.name.partition(":2,")
        with contextlib.suppress(FileNotFoundError):
            path.rename(self.path / "cur" / f"{base}:2,{''.join(sorted({*flags, 'S'}))}")

    def delete(self, sources: Collection[str]) -> int:
        """Delete the mails that lay there, but for those with the flag F; how many.

        Raises:
            MailError: it cannot be done.
        """
        count = 0
        for path in self._files():
            if _source(path) in sources and "F" not in path.name.partition(":2,")[2]:
                try:
                    path.unlink(missing_ok=True)
                except OSError as problem:
                    raise MailError(f"{path} cannot be deleted: {problem.strerror}") from None
                count += 1
        return count

    def close(self) -> None:
        """Nothing is held."""


def _source(path: Path) -> str:
    return f"maildir:{path.name.partition(':2,')[0]}"


class Imap:
    """A folder on an IMAP server."""

    def __init__(self, server: Server) -> None:
        with imap_trouble(server):
            self.connection = _connect(server)
            try:
                _begin(self.connection, server)
                self.ok(self.connection.select(f'"{server.folder}"'))
            except BaseException:
                with contextlib.suppress(OSError):  # STARTTLS that failed has closed the socket already
                    self.connection.shutdown()
                raise
        self.server = server
        _, validity = self.connection.response("UIDVALIDITY")
        self.name = f"imap:{(validity[0] or b'0').decode() if validity else '0'}"

    def new(self, known: Callable[[], set[str]], reached: str) -> Iterator[Fetched]:
        """Mails with higher numbers than the last that was stored; numbers grow as mails arrive."""
        last = int(reached.rpartition(":")[2] or 0)
        for uid in self.search("UID", f"{last + 1}:*"):
            if int(uid) <= last or f"{self.name}:{uid}" in known():
                continue  # a server names the last mail where none is newer
            with imap_trouble(self.server):
                mail = self._fetch(uid)
            if mail is not None:
                yield mail

    def search(self, *words: str) -> list[str]:
        """The numbers of the mails that the server finds."""
        with imap_trouble(self.server):
            found = self.ok(self.connection.uid("SEARCH", *words))
        return [uid.decode() for uid in sorted((found[0] or b"").split(), key=int)]

    def _fetch(self, uid: str) -> Fetched | None:
        answer = list(_flat(self.ok(self.connection.uid("FETCH", uid, "(RFC822.SIZE)"))))
        if not answer:
            return None  # another reader has deleted it
        size = _SIZE.search(b" ".join(answer))
        if size is None:
            raise imaplib.IMAP4.error(f"it does not say how large mail {uid} is")
        large = int(size[1]) > LARGEST_MAIL
        what = f"(BODY.PEEK[HEADER]<0.{LARGEST_HEAD}>)" if large else "(BODY.PEEK[])"
        parts = self.ok(self.connection.uid("FETCH", uid, what))
        raw = next((part[1] for part in parts if isinstance(part, tuple)), None)
        if not isinstance(raw, bytes):
            return None
        return Fetched(f"{self.name}:{uid}", raw, int(size[1]), uid)

    def seen(self, before: datetime | None = None) -> list[str]:
        """What has the flag Seen. A server compares days, by its own clock's zone."""
        when = ("BEFORE", imaplib.Time2Internaldate(before)[1:12].strip()) if before else ()
        return [f"{self.name}:{uid}" for uid in self.search("SEEN", *when)]

    def mark_seen(self, mail: Fetched) -> None:
        """Set the flag Seen."""
        with imap_trouble(self.server):
            self.ok(self.connection.uid("STORE", mail.handle, "+FLAGS", "(\\Seen)"))

    def close(self) -> None:
        """Log out."""
        with contextlib.suppress(OSError, imaplib.IMAP4.error):
            self.connection.logout()

    @staticmethod
    def ok(answer: tuple[str, Sequence[Any]]) -> Sequence[Any]:
        """What a server has answered, if it is well."""
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
        note = f"{MAILBOX}{mailbox.name}"
        reached = club.store.note(note)
        if not reached:
            reached = _leave_alone(club, mailbox, note)
        new = mailbox.new(cache(club.store.sources), reached)
        for batch in _batches(islice(new, MOST_AT_ONCE)):
            with club.store.step():
                now = utc_text(club.clock())
                for mail in batch:
                    if is_for_itself(mail.raw):
                        club.store.leave_alone(now, mail.source)
                        continue
                    take_moved(club, mail.raw)
                    count += bool(club.store.add_incoming(now, mail.raw, "", mail.source, mail.size))
                club.store.put_note(note, batch[-1].source)
            for mail in batch:
                mailbox.mark_seen(mail)
    finally:
        mailbox.close()
    return count


def _leave_alone(club: Club, mailbox: Mailbox, note: str) -> str:
    """Note mails of a mailbox that is looked at from its start as handled, if somebody has read them.

    Not those that came after the club had read mail before: who has read them may be the judge.
    """
    known = club.store.sources()
    seen = mailbox.seen()
    if not known.isdisjoint(seen):
        return ""  # it is read on: what we had is known by where it lies
    if until := club.store.note(HANDLED) or club.store.last_mail():
        seen = mailbox.seen(parse_utc(until) - MARGIN)
    with club.store.step():
        for source in seen:
            club.store.leave_alone(utc_text(club.clock()), source)
        club.store.put_note(note, f"{mailbox.name}:0")
    return f"{mailbox.name}:0"


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
def imap_trouble(server: Server) -> Iterator[None]:
    """Within it, what goes wrong with the server is a MailError."""
    try:
        yield
    except (OSError, imaplib.IMAP4.error, EOFError) as problem:
        text = str(problem).strip("b'\"").lower()[:200] or type(problem).__name__.lower()
        raise MailError(
            f"the mailbox on {server.host}:{server.port} cannot be read: {advised(text)}"
        ) from None


def _flat(parts: Sequence[Any]) -> Iterator[bytes]:
    for part in parts:
        if isinstance(part, tuple):
            yield from part
        elif part is not None:
            yield part
