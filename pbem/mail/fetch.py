"""Fetches mail from a Maildir or from IMAP into the database, raw, before anything is parsed.

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
with a pause between. Further folders, into which a person moves mails, are each looked at by itself, after
the mailbox: a look is complete only if that at each of them is.
"""

from __future__ import annotations

import contextlib
import imaplib
import re
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from pbem.errors import MailError
from pbem.judge.club import Club
from pbem.judge.deadlines.mailbox_checks import TRIES, Look, note_look
from pbem.judge.intake.quarantine import MAIL, all_apart, is_paused, put_back, set_apart
from pbem.judge.tables.note_tables import HANDLED, MAILBOX
from pbem.mail.club_moved import take_moved
from pbem.mail.extract import LARGEST_HEAD, LARGEST_MAIL
from pbem.mail.headers import is_for_itself
from pbem.mail.maildir import Fetched, Listed, Mailbox, Maildir, NotGiven, encode_folder, open_folder
from pbem.mail.settings import STARTTLS, TLS, MailSettings, Server, advised
from pbem.trust.identifiers import shown
from pbem.trust.times import parse_utc, utc_text

BATCH = 50
BATCH_BYTES = 4_000_000
"""Mails, and bytes, that are stored in one transaction."""
MARGIN = timedelta(days=1)
"""Time by which a mail, and all before it, may have arrived earlier than it was stored."""
MOST_FAILED = 20
"""Mails that cannot be fetched after which a pass leaves the mailbox; the next pass tries the rest."""
SECOND_LOOK_SECONDS = 3.0
"""Seconds after which a mail that was not found is looked for once more."""
MOST_SEARCHED = 50_000
"""Numbers that one search asks for: imaplib takes answers of at most a million bytes a line."""
MOST_AT_ONCE = 2_000
"""Mails that are fetched in one pass; the next pass goes on."""
_SIZE = re.compile(rb"RFC822\.SIZE (\d{1,12})")


class Imap:
    """A folder on an IMAP server."""

    def __init__(self, server: Server, further: str = "") -> None:
        self.server = replace(server, folder=further) if further else server
        self._named = f"imap/{further}" if further else "imap"
        try:
            self._open()
        except MailError as fault:
            raise MailError(f"the folder {shown(further)}: {fault}" if further else str(fault)) from None

    @property
    def folder(self) -> str:
        """The folder's name as IMAP writes it."""
        return _quoted(encode_folder(self.server.folder))

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
        self.name = f"{self._named}:{(validity[0] or b'0').decode() if validity else '0'}"
        _, following = self.connection.response("UIDNEXT")
        is_large = int(count[0] or 0) > MOST_SEARCHED
        self._following = int(following[0]) if is_large and following and following[0] else 0
        """The number that the next mail will get; 0 where all mails fit into one answer."""

    def listed(self, known: Callable[[], set[str]], reached: str) -> list[Listed]:
        """Return mails with higher numbers than the last that was stored; numbers grow as mails arrive."""
        last = int(reached.rpartition(":")[2] or 0)
        uids = self._search_all(last + 1)  # a server names the last mail where none is newer
        sources = ((f"{self.name}:{uid}", uid) for uid in uids if int(uid) > last)
        return [Listed(source, uid) for source, uid in sources if source not in known()]

    def lying_at(self, source: str) -> Listed | None:
        """Return a mail's location by its number, as long as the server keeps its numbering."""
        name, _, uid = source.rpartition(":")
        return Listed(source, uid) if name == self.name else None

    def owns(self, source: str) -> bool:
        """Prefix of a place in a folder, however its mails were numbered: the folder's name."""
        return re.fullmatch(re.escape(self._named) + r":\d+:\d+", source) is not None

    def fetch(self, mail: Listed) -> Fetched | None:
        """Fetch one mail; if the server hangs up over it, the next mail gets a new connection."""
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
        """Return the numbers of the mails that a search finds."""
        with imap_trouble(self.server):
            found = self.ok(self.connection.uid("SEARCH", *words))
        return [uid.decode() for uid in sorted((found[0] or b"").split(), key=int)]

    def _search_all(self, first: int, *words: str) -> list[str]:
        """Search from a number on, in ranges whose answers fit into a line each."""
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
        """Return the mails that have the flag Seen; a server compares whole days in its own time zone."""
        when = ("BEFORE", imaplib.Time2Internaldate(before)[1:12].strip()) if before else ()
        return [f"{self.name}:{uid}" for uid in self._search_all(1, "SEEN", *when)]

    def mark_seen(self, mail: Fetched) -> None:
        """Set a mail's flag Seen; a server that forbids it leaves it unset."""
        with imap_trouble(self.server):
            self.connection.uid("STORE", mail.handle, "+FLAGS", "(\\Seen)")

    def close(self) -> None:
        """Log out; close the connection even if the server does not answer."""
        with contextlib.suppress(OSError, imaplib.IMAP4.error):
            self.connection.logout()
        with contextlib.suppress(OSError):
            self.connection.shutdown()

    @staticmethod
    def ok(answer: tuple[str, Sequence[Any]]) -> Sequence[Any]:
        """Return the data of a server's answer; raise if it is not OK."""
        status, data = answer
        if status != "OK":
            raise imaplib.IMAP4.error(str(data[:1])[:200])
        return data


def open_mailbox(settings: MailSettings, folder: str = "") -> Mailbox | None:
    """The club's mailbox, or a further folder of it; None if mail comes in no way.

    Raises:
        MailError: it cannot be read.
    """
    if settings.maildir is not None:
        return open_folder(settings.maildir, folder) if folder else Maildir(settings.maildir)
    return Imap(settings.imap, folder) if settings.imap is not None else None


def fetch_mail(club: Club, settings: MailSettings) -> int:
    """Store every new mail of the mailbox and its further folders; how many there were.

    The further folders come last: what a person moves there meanwhile is found there.

    Raises:
        MailError: one of them cannot be read. What was stored before stays, and the others are read.
    """
    count, wrong, known = 0, list[str](), list[str]()
    set_apart_before = [one.name for one in all_apart(club) if one.kind == MAIL]
    for folder in ("", *settings.folders):
        try:
            mailbox = open_mailbox(settings, folder)
            if mailbox is None:
                return 0
            known += filter(mailbox.owns, set_apart_before)
            try:
                count += _fetch(club, mailbox, folder)
            finally:
                mailbox.close()
        except MailError as fault:
            if not folder:
                raise
            wrong.append(str(fault))
    if wrong:
        raise MailError("; ".join(wrong))
    for source in {*set_apart_before}.difference(known):  # it lay in a folder that is looked at no more
        put_back(club, MAIL, source)
    return count


def _fetch(club: Club, mailbox: Mailbox, folder: str) -> int:
    """Store every new mail of one folder."""
    began, note = utc_text(club.clock()), f"{MAILBOX}{mailbox.name}"
    reached = club.store.note(note)
    if not reached:
        reached = _leave_alone(club, mailbox, note)
    listed = mailbox.listed(cache(club.store.sources), reached)
    there = {mail.source: mail for mail in listed}
    own = {one.name for one in all_apart(club) if one.kind == MAIL and mailbox.owns(one.name)}
    fetching = _Fetching(club, mailbox, note)
    for source in sorted(own):
        mail = there.get(source) or mailbox.lying_at(source)
        if mail is None:  # another reader has deleted it
            put_back(club, MAIL, source)
        elif not is_paused(club, MAIL, source):
            fetching.take(mail, again=True)
    fetching.reached = reached
    new = [mail for mail in listed if mail.source not in own]
    for mail in new[:MOST_AT_ONCE]:
        fetching.take(mail)
        fetching.reached = mail.source
    fetching.look_again()
    fetching.store()
    apart = [one for one in all_apart(club) if one.kind == MAIL and mailbox.owns(one.name)]
    missing = [one.name for one in apart if one.tries < TRIES]
    look = Look(began, max(0, len(new) - MOST_AT_ONCE), tuple(missing))
    note_look(club, look, min(len(new), MOST_AT_ONCE), fetching.failed, folder)
    return fetching.count


class _Fetching:
    """One fetch of a mailbox: mails are fetched one by one and stored in batches."""

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
        """Look once more for the mails that were not found; those not found again were deleted."""
        listed, self._not_found = self._not_found, []
        if listed:
            time.sleep(SECOND_LOOK_SECONDS)
        for mail in listed:
            self.take(mail, again=True)
        for mail in self._not_found:
            put_back(self.club, MAIL, mail.source)

    def store(self) -> None:
        """Store the fetched mails in one transaction, then mark them as seen."""
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
    """Note those mails as handled, in a mailbox read for the first time, that somebody has read.

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
        connection.login(_quoted(server.user), secret)  # which quotes the password by itself
    else:  # LOGIN has ASCII alone, PLAIN has UTF-8 (RFC 4616)
        connection.authenticate("PLAIN", lambda _: plain_login(server.user, secret))
    _, told = connection.capability()  # some announce more once they know who it is
    connection.capabilities = tuple((told[-1] or b"").decode("ascii", "replace").upper().split())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def plain_login(user: str, secret: str) -> bytes:
    """Return what SASL PLAIN sends."""
    return f"\0{user}\0{secret}".encode()


def xoauth2(user: str, token: str) -> str:
    """Return the bytes of a SASL XOAUTH2 login."""
    return f"user={user}\x01auth=Bearer {token}\x01\x01"


@contextlib.contextmanager
def imap_trouble(server: Server) -> Iterator[None]:
    """Turn errors of a mail server within this context into a MailError."""
    try:
        yield
    except (OSError, imaplib.IMAP4.error, EOFError) as problem:
        text = str(problem).strip("b'\"").lower()[:200] or type(problem).__name__.lower()
        raise MailError(
            f"the mailbox on {server.host}:{server.port} cannot be read: {advised(text)}"
        ) from None


def _said(problem: BaseException) -> str:
    """Return a server's error as one line."""
    return " ".join(str(problem).strip("b'\"").lower().split())[:200] or type(problem).__name__.lower()


def _flat(parts: Sequence[Any]) -> Iterator[bytes]:
    for part in parts:
        if isinstance(part, tuple):
            yield from part
        elif part is not None:
            yield part
