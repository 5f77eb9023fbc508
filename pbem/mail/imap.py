"""The club's mailbox on an IMAP server: how its mails are listed, fetched and marked as seen, by number.

Each further folder is a mailbox of its own. A mail that the server does not send stops no other mail.
"""

from __future__ import annotations

import contextlib
import imaplib
import re
import ssl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pbem.errors import MailError
from pbem.mail.extract import MAX_HEAD_SIZE, MAX_MAIL_SIZE
from pbem.mail.maildir import Fetched, Listed, NotGiven, encode_folder
from pbem.mail.settings import STARTTLS, TLS, Server, plain_login, with_advice, xoauth2
from pbem.trust.identifiers import quote

MAX_SEARCH_NUMBERS = 50_000
"""Maximum count of mails' numbers that one search covers: imaplib reads at most a million bytes in a line."""
_SIZE = re.compile(rb"RFC822\.SIZE (\d{1,12})", re.IGNORECASE)
_UID = re.compile(rb"UID (\d{1,10})", re.IGNORECASE)
_EMPTY = re.compile(rb'BODY\[\] (?:NIL|"")', re.IGNORECASE)
_WORDS = re.compile(rb"^(?:\* (?:\d+ )?|[A-Z]{4}\d+ )[A-Za-z]+(?: \[[A-Za-z-]+)?")
"""Pattern of those words in an answer that imaplib knows in capitals alone; servers may write them small."""


class Imap:
    """A folder on an IMAP server."""

    def __init__(self, server: Server, further: str = "") -> None:
        self.server = replace(server, folder=further) if further else server
        self._named = f"imap/{further}" if further else "imap"
        try:
            self._open()
        except MailError as fault:
            raise MailError(f"the folder {quote(further)}: {fault}" if further else str(fault)) from None

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
        is_large = int(count[0] or 0) > MAX_SEARCH_NUMBERS
        self._following = self._next_number(following) if is_large else 0
        """The number that the next mail will get; 0 if one answer of the server can list all mails."""

    def _next_number(self, told: Sequence[Any]) -> int:
        """Return the number of the next mail: as the server tells it, or one more than the last mail's."""
        if told and told[0]:
            return int(told[0])
        with imap_trouble(self.server):
            last = b" ".join(_flat(self.ok(self.connection.uid("FETCH", "*", "(UID)"))))
        return max((int(uid) + 1 for uid in _UID.findall(last)), default=0)

    def list_mails(self, known: Callable[[], set[str]], reached: str) -> list[Listed]:
        """Return the mails with higher numbers than the last that was stored; each new mail gets the next."""
        last = int(reached.rpartition(":")[2] or 0)
        uids = self._search_all(last + 1)  # a server names the last mail where none is newer
        sources = ((f"{self.name}:{uid}", uid) for uid in uids if int(uid) > last)
        return [Listed(source, uid) for source, uid in sources if source not in known()]

    def lying_at(self, source: str) -> Listed | None:
        """Return a mail's location by its number, as long as the server keeps its numbering."""
        name, _, uid = source.rpartition(":")
        return Listed(source, uid) if name == self.name else None

    def owns(self, source: str) -> bool:
        """Tell whether a mail came from this folder, however the folder's mails were numbered then."""
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
        # an answer may come in several lines, and end with a count of changes: (MODSEQ 9)
        words_of = b" ".join(line.partition(b"(")[0] for line in found if isinstance(line, bytes)).split()
        return [uid.decode() for uid in sorted({*words_of}, key=int)]

    def _search_all(self, first: int, *words: str) -> list[str]:
        """Return the numbers, from `first` on, of the mails that fit the search, asked for range by range."""
        found = []
        for start in range(first, self._following, MAX_SEARCH_NUMBERS):
            end = min(start + MAX_SEARCH_NUMBERS, self._following) - 1
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
        large = int(size[1]) > MAX_MAIL_SIZE
        what = f"(BODY.PEEK[HEADER]<0.{MAX_HEAD_SIZE}>)" if large else "(BODY.PEEK[])"
        parts = self.ok(self.connection.uid("FETCH", uid, what))
        raw = next((part[1] for part in parts if isinstance(part, tuple)), None)
        if raw is None and any(isinstance(part, bytes) and _EMPTY.search(part) for part in parts):
            raw = b""  # which a server may write without a literal
        if not isinstance(raw, bytes):
            raise imaplib.IMAP4.error("it sends nothing of it")
        return Fetched(f"{self.name}:{uid}", raw, int(size[1]), uid)

    def seen_mails(self, before: datetime | None = None) -> list[str]:
        """Return the mails with the flag Seen, all or those before a day in the server's own time zone."""
        when = ("BEFORE", imaplib.Time2Internaldate(before)[1:12].strip()) if before else ()
        return [f"{self.name}:{uid}" for uid in self._search_all(1, "SEEN", *when)]

    def mark_seen(self, mail: Fetched) -> None:
        """Set a mail's flag Seen; a server that forbids it leaves it unset."""
        with imap_trouble(self.server):
            try:
                self.connection.uid("STORE", mail.handle, "+FLAGS", "(\\Seen)")
            except imaplib.IMAP4.abort:
                raise
            except imaplib.IMAP4.error:
                return  # it says BAD where others say NO

    def close(self) -> None:
        """Log out; close the connection even if the server does not answer."""
        with contextlib.suppress(OSError, imaplib.IMAP4.error):
            self.connection.logout()
        with contextlib.suppress(OSError):
            self.connection.shutdown()

    @staticmethod
    def ok(answer: tuple[str, Sequence[Any]]) -> Sequence[Any]:
        """Return the data of a server's answer; raise an error if the answer is not OK."""
        status, data = answer
        if status != "OK":
            raise imaplib.IMAP4.error(str(data[:1])[:200])
        return data


class _Plain(imaplib.IMAP4):
    """An IMAP connection that accepts the words of answers in capitals and in small letters."""

    def readline(self) -> bytes:
        """Return a line with its first words in capitals; the content of a mail is not read by lines."""
        return _WORDS.sub(lambda words: words[0].upper(), super().readline())


class _Encrypted(_Plain, imaplib.IMAP4_SSL):
    """An IMAP connection encrypted from its first byte, which accepts capitals and small letters as well."""


def _connect(server: Server) -> imaplib.IMAP4:
    if server.tls == TLS:
        context = ssl.create_default_context()
        return _Encrypted(server.host, server.port, ssl_context=context, timeout=server.timeout)
    return _Plain(server.host, server.port, timeout=server.timeout)


def _begin(connection: imaplib.IMAP4, server: Server) -> None:
    if server.tls == STARTTLS:
        connection.starttls(ssl.create_default_context())
    if connection.state == "AUTH":
        return  # it let us in by itself, as through a tunnel
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


@contextlib.contextmanager
def imap_trouble(server: Server) -> Iterator[None]:
    """Turn errors of a mail server within this context into a MailError."""
    try:
        yield
    except (OSError, imaplib.IMAP4.error, EOFError) as problem:
        text = str(problem).strip("b'\"").lower()[:200] or type(problem).__name__.lower()
        raise MailError(
            f"the mailbox on {server.host}:{server.port} cannot be read: {with_advice(text)}"
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
