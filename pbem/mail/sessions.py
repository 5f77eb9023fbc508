"""The sessions in which mail leaves: with a server, by the machine's own `sendmail`, or into a Maildir.

Command and Maildir take mails as a session of smtplib does, and refuse them with its codes, so that a letter
that does not leave is tried again, or given up, by the same rules. Of a command it is the exit status that
says which, as sysexits.h has it. Another program empties the Maildir.
"""

from __future__ import annotations

import base64
import contextlib
import mailbox
import os
import shutil
import smtplib
import ssl
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from pbem.errors import MailError
from pbem.mail.settings import (
    STARTTLS,
    TLS,
    MailSettings,
    Server,
    command_words,
    is_folder,
    plain_login,
    with_advice,
    xoauth2,
)

Answer = tuple[int, bytes]
SECONDS = 120
"""Maximum number of seconds that a command may take for one mail."""
OPTIONS = ("-i", "-f")
"""Options that every `sendmail` understands: a line with a dot does not end the mail; the sender follows."""
FOR_GOOD = (65, 67, 68)
"""Exit statuses after which trying again is of no use: bad data, no such user, no such host."""
NO_SENDER = "<>"
_LET_IN, _TAKEN, _GO_ON = 235, 250, 354


class Way(Protocol):
    """A session in which mails leave: the interface that server, command and Maildir share."""

    def sendmail(self, sender: str, goals: Sequence[str], mail: bytes) -> dict[str, Answer]:
        """Send a mail; return the recipients that were refused, with the answers.

        Raises:
            SMTPRecipientsRefused: all recipients were refused.
        """


@contextlib.contextmanager
def open_session(settings: MailSettings) -> Iterator[Way]:
    """Open what sends the club's mail: a server, a command or a Maildir.

    Raises:
        MailError: the server, command or Maildir cannot be used.
    """
    if settings.sendmail:
        yield Command(settings.sendmail)
    elif settings.out_maildir is not None:
        yield Folder(settings.out_maildir)
    elif settings.smtp is not None:
        with _open_server(settings.smtp) as server:
            yield server


def try_way_out(settings: MailSettings) -> str:
    """Test how the club sends mail: log in to the server, or find the command or Maildir; return its name.

    Raises:
        MailError: the server cannot be logged in to, or the command or Maildir is not there.
    """
    with open_session(settings) as way:
        if isinstance(way, smtplib.SMTP):
            way.noop()
        if isinstance(way, Command) and shutil.which(way.words[0]) is None:
            raise MailError(f"{way.words[0]} is not found here; in cron it needs its whole path")
    if settings.smtp is not None:
        return f"{settings.smtp.host}:{settings.smtp.port}"
    return settings.sendmail or str(settings.out_maildir)


class Smtp(smtplib.SMTP):
    """An SMTP connection that sends a mail as the library does, but doubles dots at lines' starts faster."""

    has_taken = False
    """Whether the server has taken a mail on this connection."""

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Send the bytes of a mail, and return the server's answer.

        Raises:
            SMTPDataError: the server does not let the mail begin.
        """
        code, said = self.docmd("data")
        if code != _GO_ON:
            raise smtplib.SMTPDataError(code, said)
        quoted = b"\n" + msg
        quoted = quoted.replace(b"\n.", b"\n..")[1:]  # a line with one dot ends the mail (RFC 5321, 4.5.2)
        self.send(quoted + (b".\r\n" if quoted.endswith(b"\r\n") else b"\r\n.\r\n"))
        code, said = self.getreply()
        self.has_taken = self.has_taken or code == _TAKEN
        return code, said


class _EncryptedSmtp(Smtp, smtplib.SMTP_SSL):
    """An SMTP connection encrypted from its first byte, which also doubles dots faster."""


@contextlib.contextmanager
def _open_server(server: Server) -> Iterator[smtplib.SMTP]:
    """Open a connection to a mail server and log in.

    Raises:
        MailError: the server cannot be reached, does not let us in, or breaks off.
    """
    try:
        connection = _connect(server)
        try:
            yield connection
        finally:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                connection.quit()
    except (smtplib.SMTPException, OSError) as problem:
        raise MailError(
            f"the mail server {server.host}:{server.port} does not send: {with_advice(error_text(problem))}"
        ) from None


def _connect(server: Server) -> smtplib.SMTP:
    context = ssl.create_default_context() if server.tls in (TLS, STARTTLS) else None
    if server.tls == TLS:
        connection: smtplib.SMTP = _EncryptedSmtp(
            server.host, server.port, timeout=server.timeout, context=context
        )
    else:
        connection = Smtp(server.host, server.port, timeout=server.timeout)
    try:
        _begin(connection, server, context)
    except BaseException:
        connection.close()
        raise
    return connection


def _begin(connection: smtplib.SMTP, server: Server, context: ssl.SSLContext | None) -> None:
    if server.tls == STARTTLS:
        connection.starttls(context=context)
    connection.ehlo_or_helo_if_needed()  # what breaks now is no letter's fault
    if server.user:
        secret = server.secret()
        if server.oauth:
            connection.auth("XOAUTH2", lambda _=None: xoauth2(server.user, secret), initial_response_ok=True)
        elif f"{server.user}{secret}".isascii():
            connection.login(server.user, secret)
        else:  # the library sends ASCII alone; the mechanism has UTF-8 (RFC 4616)
            told = base64.b64encode(plain_login(server.user, secret)).decode()
            code, said = connection.docmd("AUTH", f"PLAIN {told}")
            if code != _LET_IN:
                raise smtplib.SMTPAuthenticationError(code, said)


def error_text(problem: Exception) -> str:
    """Return a server's error as one line."""
    if isinstance(problem, smtplib.SMTPResponseException):
        return answer_text(problem.smtp_code, problem.smtp_error)
    return str(problem).partition("\n")[0].lower()[:200] or type(problem).__name__.lower()


def answer_text(code: int, said: bytes | str) -> str:
    """Return a server's answer as one line."""
    text = said.decode("utf-8", errors="replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())}"[:200]


class _Local(ABC):
    def sendmail(self, sender: str, goals: Sequence[str], mail: bytes) -> dict[str, Answer]:
        """Send a mail once for each recipient, so that each can be refused alone.

        An error after a recipient has got the mail counts as a refusal of the next recipient, since otherwise
        the first would get the mail again.
        """
        refused: dict[str, Answer] = {}
        for number, goal in enumerate(goals):
            try:
                answer = self._deliver(sender, goal, mail)
            except MailError as fault:
                if number == len(refused):
                    raise
                answer = 451, str(fault).encode()
            if answer:
                refused[goal] = answer
        if len(refused) == len(goals):
            raise smtplib.SMTPRecipientsRefused(refused)
        return refused

    @abstractmethod
    def _deliver(self, sender: str, goal: str, mail: bytes) -> Answer | None:
        """Send a mail to one recipient; return the refusal, or None if the mail was taken."""


class Command(_Local):
    """Sends mail by a command that is called like `sendmail`: `-i -f SENDER -- ADDRESS`, mail as input."""

    def __init__(self, command: str) -> None:
        self.words = command_words(command, "[mail.outbox], sendmail,")

    def _deliver(self, sender: str, goal: str, mail: bytes) -> Answer | None:
        words = [*self.words, *OPTIONS, sender or NO_SENDER, "--", goal]
        try:
            done = subprocess.run(  # noqa: S603 - the organiser's own command, from the club's own file
                words, input=mail.replace(b"\r\n", b"\n"), capture_output=True, timeout=SECONDS, check=False
            )
        except OSError as problem:
            raise MailError(f"{self.words[0]} cannot be run: {problem.strerror}") from None
        except subprocess.TimeoutExpired:
            return 451, f"{self.words[0]} took longer than {SECONDS} seconds".encode()
        if done.returncode == 0:
            return None
        said = done.stderr.strip().rpartition(b"\n")[2][:150]
        code = 550 if done.returncode in FOR_GOOD else 451
        return code, f"{self.words[0]} ended with {done.returncode} ".encode() + said


class Folder(_Local):
    """Sends mail into a Maildir: one mail for each recipient, with its envelope in two fields at the top."""

    def __init__(self, path: Path) -> None:
        if not all(is_folder(path / name) and os.access(path / name, os.W_OK) for name in ("new", "tmp")):
            raise MailError(f"{path} is not a maildir that can be written")
        self.box = mailbox.Maildir(path, create=False)

    def _deliver(self, sender: str, goal: str, mail: bytes) -> Answer | None:
        outside = f"X-Envelope-From: {sender or NO_SENDER}\nX-Envelope-To: {goal}\n".encode()
        try:
            self.box.add(outside + mail.replace(b"\r\n", b"\n"))
        except OSError as problem:
            raise MailError(f"a mail cannot be written to the maildir: {problem.strerror}") from None
        return None
