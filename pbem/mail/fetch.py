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

Another program may move, flag and delete mails meanwhile. A mail that is not found where it was listed is not
gone: it is looked for under every name that it can have, and counts as deleted only if it is nowhere, twice,
with a pause between.
"""

from __future__ import annotations

import base64
import contextlib
import imaplib
import re
import ssl
import stat
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from pbem.errors import MailError
from pbem.judge.club import Club
from pbem.judge.deadlines.looks import TRIES, Look, note_look
from pbem.judge.intake.apart import MAIL, all_apart, is_paused, put_back, set_apart
from pbem.judge.tables.note_tables import HANDLED, MAILBOX
from pbem.mail.extract import LARGEST_HEAD, LARGEST_MAIL
from pbem.mail.headers import is_for_itself
from pbem.mail.moved import take_moved
from pbem.mail.settings import STARTTLS, TLS, MailSettings, Server, advised, is_folder
from pbem.trust.times import parse_utc, utc_text

BATCH = 50
BATCH_BYTES = 4_000_000
"""So many mails or bytes are stored in one transaction."""
MARGIN = timedelta(days=1)
"""So much earlier than a mail was stored it, and what had come before it, may have arrived."""
MOST_FAILED = 20
"""After so many mails that cannot be had a pass goes on with other things, and the next one with the rest."""
SECOND_LOOK_SECONDS = 3.0
"""So long after it was not found a mail is looked for once more."""
_MOST_LISTINGS = 5
"""So often a folder is listed that another program changes meanwhile."""
MOST_SEARCHED = 50_000
"""So many numbers are asked for at a time: a line of the answer has a million bytes at most (imaplib)."""
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


@dataclass(frozen=True, slots=True)
class Listed:
    """A mail of which it is known where it lies."""

    source: str
    handle: str


class NotGiven(MailError):
    """One mail cannot be had."""


class Mailbox(Protocol):
    """Where mail comes from."""

    name: str
    """The same for the same mailbox; its numbers of mails hold under this name."""

    def listed(self, known: Callable[[], set[str]], reached: str) -> list[Listed]:
        """Mails that were not stored before, in order of arrival.

        `known`: where the mails lay that were stored; `reached`: the number of the last of them.

        Raises:
            MailError: the mailbox cannot be read.
        """

    def lying_at(self, source: str) -> Listed | None:
        """A mail that was listed before and may be listed no more; None if it cannot be there."""

    def fetch(self, mail: Listed) -> Fetched | None:
        """One mail; None if it is not found now.

        Raises:
            NotGiven: the mailbox does not give it; others it may.
            MailError: the mailbox cannot be read.
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
        if not is_folder(path / "new") or not is_folder(path / "cur"):
            raise MailError(f"{path} is not a maildir: it has no folders new and cur. Is its disk mounted?")
        self.path = path
        self.name = "maildir"

    def listed(self, known: Callable[[], set[str]], reached: str) -> list[Listed]:
        """What lies in `new` and `cur`, whatever its flags are."""
        found = []
        for path in self._files():
            if (source := _source(path)) not in known():
                try:
                    came = path.lstat().st_mtime_ns
                except FileNotFoundError:  # another reader has moved it: it is looked for when it is fetched
                    came = 0
                except OSError as problem:
                    raise MailError(f"{path} cannot be read: {problem.strerror}") from None
                found.append((came, path.name, Listed(source, str(path))))
        by_source = {mail.source: mail for _, _, mail in sorted(found, key=lambda one: one[:2])}
        return list(by_source.values())

    def lying_at(self, source: str) -> Listed | None:
        """What is there is listed each time."""
        return None

    def fetch(self, mail: Listed) -> Fetched | None:
        """The bytes of a file, if it is one, wherever another reader has moved it."""
        found = self._read(mail.source, Path(mail.handle))
        for _ in range(_MOST_LISTINGS):
            if found is not None:
                return found
            names = [path for path in self._files() if _source(path) == mail.source]
            if not names:
                return None
            found = self._read(mail.source, names[-1])
        raise NotGiven("another program goes on moving it")

    def _read(self, source: str, path: Path) -> Fetched | None:
        try:
            if not stat.S_ISREG(path.stat().st_mode):  # to open a pipe would wait for ever
                raise NotGiven("it is not a file")
            size = path.stat().st_size
            with path.open("rb") as file:
                raw = file.read(LARGEST_HEAD if size > LARGEST_MAIL else LARGEST_MAIL)
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
                for _ in range(_MOST_LISTINGS):
                    changed = folder.stat().st_mtime_ns
                    there.update(dict.fromkeys(folder.iterdir()))
                    if folder.stat().st_mtime_ns == changed:
                        break
            except OSError as problem:
                raise MailError(f"{folder} cannot be read: {problem.strerror}") from None
            yield from (path for path in there if not path.name.startswith("."))

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
        with contextlib.suppress(OSError):  # our own record says that it was taken
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
    name = path.name.partition(":2,")[0].encode("utf-8", "backslashreplace").decode()
    return f"maildir:{name}"


class Imap:
    """A folder on an IMAP server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._open()

    @property
    def folder(self) -> str:
        """The folder's name as IMAP writes it."""
        name = encode_folder(self.server.folder).replace("\\", "\\\\").replace('"', '\\"')
        return f'"{name}"'

    def _open(self) -> None:
        server = self.server
        with imap_trouble(server):
            self.connection = _connect(server)
            try:
                _begin(self.connection, server)
                count = self.ok(self.connection.select(self.folder))
            except BaseException:
                with contextlib.suppress(OSError):  # STARTTLS that failed has closed the socket already
                    self.connection.shutdown()
                raise
        _, validity = self.connection.response("UIDVALIDITY")
        self.name = f"imap:{(validity[0] or b'0').decode() if validity else '0'}"
        _, following = self.connection.response("UIDNEXT")
        is_large = int(count[0] or 0) > MOST_SEARCHED
        self._following = int(following[0]) if is_large and following and following[0] else 0
        """The number that the next mail will have; 0 where all mails fit into one answer."""

    def listed(self, known: Callable[[], set[str]], reached: str) -> list[Listed]:
        """Mails with higher numbers than the last that was stored; numbers grow as mails arrive."""
        last = int(reached.rpartition(":")[2] or 0)
        uids = self._search_all(last + 1)  # a server names the last mail where none is newer
        sources = ((f"{self.name}:{uid}", uid) for uid in uids if int(uid) > last)
        return [Listed(source, uid) for source, uid in sources if source not in known()]

    def lying_at(self, source: str) -> Listed | None:
        """By its number, as long as the mailbox is numbered so."""
        name, _, uid = source.rpartition(":")
        return Listed(source, uid) if name == self.name else None

    def fetch(self, mail: Listed) -> Fetched | None:
        """One mail; where the server closes the connection at it, another connection is made for the next."""
        try:
            return self._fetch(mail.handle)
        except (OSError, EOFError, imaplib.IMAP4.abort) as problem:
            before = self.name
            self.close()
            self._open()
            if self.name != before:
                raise MailError(f"the mailbox on {self.server.host} is not the same as before") from None
            raise NotGiven(f"the server closes the connection at it ({_said(problem)})") from None
        except imaplib.IMAP4.error as problem:
            raise NotGiven(f"the server does not send it: {_said(problem)}") from None

    def search(self, *words: str) -> list[str]:
        """The numbers of the mails that the server finds."""
        with imap_trouble(self.server):
            found = self.ok(self.connection.uid("SEARCH", *words))
        return [uid.decode() for uid in sorted((found[0] or b"").split(), key=int)]

    def _search_all(self, first: int, *words: str) -> list[str]:
        """Search from a number on, in ranges that fit into an answer each."""
        found = []
        for start in range(first, self._following, MOST_SEARCHED):
            end = min(start + MOST_SEARCHED, self._following) - 1
            found += self.search("UID", f"{start}:{end}", *words)
        return [*found, *self.search("UID", f"{max(first, self._following)}:*", *words)]

    def _fetch(self, uid: str) -> Fetched | None:
        answer = list(_flat(self.ok(self.connection.uid("FETCH", uid, "(RFC822.SIZE)"))))
        if not answer:
            if self.search("UID", uid):
                raise imaplib.IMAP4.error("it lists the mail, and says nothing of it")
            return None  # another reader has deleted it
        size = _SIZE.search(b" ".join(answer))
        if size is None:
            raise imaplib.IMAP4.error(f"it does not say how large mail {uid} is")
        large = int(size[1]) > LARGEST_MAIL
        what = f"(BODY.PEEK[HEADER]<0.{LARGEST_HEAD}>)" if large else "(BODY.PEEK[])"
        parts = self.ok(self.connection.uid("FETCH", uid, what))
        raw = next((part[1] for part in parts if isinstance(part, tuple)), None)
        if not isinstance(raw, bytes):
            raise imaplib.IMAP4.error("it sends nothing of it")
        return Fetched(f"{self.name}:{uid}", raw, int(size[1]), uid)

    def seen(self, before: datetime | None = None) -> list[str]:
        """What has the flag Seen. A server compares days, by its own clock's zone."""
        when = ("BEFORE", imaplib.Time2Internaldate(before)[1:12].strip()) if before else ()
        return [f"{self.name}:{uid}" for uid in self._search_all(1, "SEEN", *when)]

    def mark_seen(self, mail: Fetched) -> None:
        """Set the flag Seen; a server that does not wish it keeps it unset."""
        with imap_trouble(self.server):
            self.connection.uid("STORE", mail.handle, "+FLAGS", "(\\Seen)")

    def close(self) -> None:
        """Log out, and close the connection also where the server does not answer that."""
        with contextlib.suppress(OSError, imaplib.IMAP4.error):
            self.connection.logout()
        with contextlib.suppress(OSError):
            self.connection.shutdown()

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
    began, note = utc_text(club.clock()), f"{MAILBOX}{mailbox.name}"
    try:
        reached = club.store.note(note)
        if not reached:
            reached = _leave_alone(club, mailbox, note)
        listed = mailbox.listed(cache(club.store.sources), reached)
        there = {mail.source: mail for mail in listed}
        set_apart_before = {one.name for one in all_apart(club) if one.kind == MAIL}
        fetching = _Fetching(club, mailbox, note)
        for source in sorted(set_apart_before):
            mail = there.get(source) or mailbox.lying_at(source)
            if mail is None:  # another reader has deleted it
                put_back(club, MAIL, source)
            elif not is_paused(club, MAIL, source):
                fetching.take(mail, again=True)
        fetching.reached = reached
        new = [mail for mail in listed if mail.source not in set_apart_before]
        for mail in new[:MOST_AT_ONCE]:
            fetching.take(mail)
            fetching.reached = mail.source
        fetching.look_again()
        fetching.store()
        missing = [one.name for one in all_apart(club) if one.kind == MAIL and one.tries < TRIES]
        look = Look(began, max(0, len(new) - MOST_AT_ONCE), tuple(missing))
        note_look(club, look, min(len(new), MOST_AT_ONCE), fetching.failed)
        return fetching.count
    finally:
        mailbox.close()


class _Fetching:
    """Mails that are fetched, and stored some at a time."""

    def __init__(self, club: Club, mailbox: Mailbox, note: str) -> None:
        self.club, self.mailbox, self.note = club, mailbox, note
        self.reached = ""
        self.failed: list[str] = []
        self.count = 0
        self._batch: list[Fetched] = []
        self._not_found: list[Listed] = []

    def take(self, listed: Listed, *, again: bool = False) -> None:
        """Fetch one mail; one that cannot be had is set apart.

        Raises:
            MailError: the mailbox cannot be read, or its server hangs up at one mail after another.
        """
        try:
            mail = self.mailbox.fetch(listed)
        except NotGiven as problem:
            self.failed.append(listed.source)
            set_apart(self.club, MAIL, listed.source, str(problem))
            if len(self.failed) == MOST_FAILED:
                self.reached = self.reached if again else listed.source
                self.store()
                raise MailError(f"{MOST_FAILED} mails in it cannot be read: {problem}") from None
            return
        except MailError:
            self.store()
            raise
        if mail is None:
            self._not_found.append(listed)
            return
        if again:
            put_back(self.club, MAIL, listed.source)
        self._batch.append(mail)
        if len(self._batch) == BATCH or sum(len(one.raw) for one in self._batch) >= BATCH_BYTES:
            self.store()

    def look_again(self) -> None:
        """Look once more for what was not found; what is found nowhere then was deleted."""
        listed, self._not_found = self._not_found, []
        if listed:
            time.sleep(SECOND_LOOK_SECONDS)
        for mail in listed:
            self.take(mail, again=True)
        for mail in self._not_found:
            put_back(self.club, MAIL, mail.source)

    def store(self) -> None:
        """Store what was fetched, in one transaction; then mark it as seen."""
        batch, self._batch = self._batch, []
        with self.club.store.step():
            now = utc_text(self.club.clock())
            for mail in batch:
                if is_for_itself(mail.raw):
                    self.club.store.leave_alone(now, mail.source)
                    continue
                take_moved(self.club, mail.raw)
                added = self.club.store.add_incoming(now, mail.raw, "", mail.source, mail.size)
                self.count += bool(added)
            if self.reached:
                self.club.store.put_note(self.note, self.reached)
        for mail in batch:
            self.mailbox.mark_seen(mail)


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
    elif f"{server.user}{secret}".isascii():
        connection.login(server.user, secret)
    else:  # LOGIN has ASCII alone, PLAIN has UTF-8 (RFC 4616)
        connection.authenticate("PLAIN", lambda _: plain_login(server.user, secret))
    _, told = connection.capability()  # some announce more once they know who it is
    connection.capabilities = tuple((told[-1] or b"").decode("ascii", "replace").upper().split())


def encode_folder(name: str) -> str:
    """Write the name of a folder in the modified UTF-7 of IMAP (RFC 3501, 5.1.3)."""
    parts = re.split(r"([^\x20-\x7e]+)", name.replace("&", "&-"))
    coded = (base64.b64encode(part.encode("utf-16-be")).decode().rstrip("=") for part in parts[1::2])
    shifted = [f"&{part.replace('/', ',')}-" for part in coded]
    return "".join(part for pair in zip(parts[::2], [*shifted, ""], strict=True) for part in pair)


def plain_login(user: str, secret: str) -> bytes:
    """Return what SASL PLAIN sends."""
    return f"\0{user}\0{secret}".encode()


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


def _said(problem: BaseException) -> str:
    """What a server said, in a line."""
    return " ".join(str(problem).strip("b'\"").lower().split())[:200] or type(problem).__name__.lower()


def _flat(parts: Sequence[Any]) -> Iterator[bytes]:
    for part in parts:
        if isinstance(part, tuple):
            yield from part
        elif part is not None:
            yield part
