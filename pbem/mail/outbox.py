"""Mail out: letters leave the database by SMTP, each noted after the server has taken it.

A crash between taking and noting sends a letter twice, under the same Message-ID, and loses none. A letter
that is refused is tried again after a while, twice as long each time; a server that cannot be reached is
left alone until the next pass.
"""

from __future__ import annotations

import contextlib
import smtplib
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from pbem.errors import MailError
from pbem.judge.club import Club
from pbem.judge.rows import LetterRow
from pbem.mail.compose import compose, is_answer
from pbem.mail.fetch import xoauth2
from pbem.mail.settings import STARTTLS, TLS, MailSettings, Server
from pbem.trust.entries import utc_text

FIRST_RETRY = timedelta(minutes=10)
LAST_RETRY = timedelta(days=1)
NOTHING = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of one letter."""

    letter: str
    player: str
    trouble: str = ""


def send_mail(
    club: Club, settings: MailSettings, before_noting: Callable[[LetterRow], None] | None = None
) -> Iterator[Sent]:
    """Send every letter that is due and has an address.

    Raises:
        MailError: the server cannot be reached or does not let us in.
    """
    if settings.smtp is None:
        return
    due = list(_due(club))
    if not due:
        return
    with _session(settings.smtp) as server:
        wishes = club.store.profiles()
        for number, address in due:
            letter = club.store.letter(number)
            if letter is None or letter.sent:
                continue  # another process was here first
            zone = wishes[letter.player].zone if letter.player in wishes else ""
            trouble = _send(server, settings, letter, address, zone)
            if before_noting is not None:
                before_noting(letter)
            with club.store.step():
                if trouble:
                    wait = min(FIRST_RETRY * 2 ** min(letter.tries, 10), LAST_RETRY)
                    club.store.mark_trouble(number, trouble, utc_text(club.clock() + wait))
                else:
                    club.store.mark_sent(number, utc_text(club.clock()))
            yield Sent(letter.name, letter.player, trouble)


def _due(club: Club) -> Iterator[tuple[int, str]]:
    """Letters that may leave now, and where to."""
    now = utc_text(club.clock())
    addresses = {player.name: player.address for player in club.store.players()}
    for number, player, address, retry in club.store.unsent():
        goal = address or addresses.get(player, "")
        if goal and retry <= now:
            yield number, goal


def _send(server: smtplib.SMTP, settings: MailSettings, letter: LetterRow, address: str, zone: str) -> str:
    """Send one letter; why it did not leave, or ""."""
    message = compose(letter, address, settings, zone)
    sender = "" if is_answer(letter) else settings.address
    try:
        server.sendmail(sender, list(filter(None, (address, settings.sent_to))), message.as_bytes())
    except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused) as problem:
        with contextlib.suppress(smtplib.SMTPException, OSError):
            server.rset()
        return _told(problem)
    return NOTHING


def try_server(server: Server) -> None:
    """Log in and out.

    Raises:
        MailError: it cannot be done.
    """
    with _session(server) as connection:
        connection.noop()


@contextlib.contextmanager
def _session(server: Server) -> Iterator[smtplib.SMTP]:
    try:
        connection = _connect(server)
        try:
            yield connection
        finally:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                connection.quit()
    except (smtplib.SMTPException, OSError) as problem:
        raise MailError(
            f"the mail server {server.host}:{server.port} does not send: {_told(problem)}"
        ) from None


def _connect(server: Server) -> smtplib.SMTP:
    context = ssl.create_default_context() if server.tls in (TLS, STARTTLS) else None
    if server.tls == TLS:
        connection: smtplib.SMTP = smtplib.SMTP_SSL(
            server.host, server.port, timeout=server.timeout, context=context
        )
    else:
        connection = smtplib.SMTP(server.host, server.port, timeout=server.timeout)
    try:
        _begin(connection, server, context)
    except BaseException:
        connection.close()
        raise
    return connection


def _begin(connection: smtplib.SMTP, server: Server, context: ssl.SSLContext | None) -> None:
    if server.tls == STARTTLS:
        connection.starttls(context=context)
    if server.user:
        secret = server.secret()
        if server.oauth:
            connection.ehlo_or_helo_if_needed()
            connection.auth("XOAUTH2", lambda _=None: xoauth2(server.user, secret), initial_response_ok=True)
        else:
            connection.login(server.user, secret)


def _told(problem: Exception) -> str:
    """What a server said, as one line."""
    if isinstance(problem, smtplib.SMTPRecipientsRefused):
        return _line(*next(iter(problem.recipients.values())))
    if isinstance(problem, smtplib.SMTPResponseException):
        return _line(problem.smtp_code, problem.smtp_error)
    return str(problem).partition("\n")[0].lower()[:200] or type(problem).__name__.lower()


def _line(code: int, said: bytes | str) -> str:
    text = said.decode("utf-8", errors="replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())}"[:200]
