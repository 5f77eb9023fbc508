"""How the judge's program logs in where mail comes and goes: TLS, passwords and tokens, on real servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbem.errors import MailError
from pbem.mail.imap import Imap
from pbem.mail.outbox import send_mail
from pbem.mail.sessions import try_way_out
from pbem.mail.settings import MailSettings, Server
from tests.mail.postal import JUDGE, Postal, mail
from tests.mail.servers import (
    Certificate,
    Dovecot,
    GuardedPost,
    Post,
    dovecot,
    make_certificate,
    needs_dovecot,
    smtp_server,
    trusting,
)

ACCOUNTS = {"judge": "secret"}
pytestmark = [pytest.mark.ci, pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def post(tmp_path: Path) -> GuardedPost:
    return GuardedPost(tmp_path / "guarded", ACCOUNTS)


def account(port: int, **changed: object) -> Server:
    given: dict[str, object] = {"host": "localhost", "port": port, "tls": "none", "user": "judge"}
    return Server(**{**given, "password": "secret", **changed})  # type: ignore[arg-type]


# -- mail out


@pytest.mark.parametrize("tls", ["tls", "starttls"])
@pytest.mark.parametrize(
    ("changed", "mechanism"),
    [
        ({}, "PLAIN"),
        ({"password": "", "password_command": "sh -c 'echo secret; echo more'"}, "PLAIN"),
        ({"oauth": True}, "XOAUTH2"),
    ],
)
def test_letters_leave_after_login_by_tls(
    tls: str,
    changed: dict[str, object],
    mechanism: str,
    certificate: Certificate,
    post: GuardedPost,
    postal: Postal,
) -> None:
    club = postal.table.club
    waiting = len(club.store.unsent_letters())
    assert waiting
    with smtp_server(post, certificate, tls) as port, trusting(certificate):
        settings = MailSettings(address=JUDGE, smtp=account(port, tls=tls, **changed))
        sent = list(send_mail(club, settings))
    assert [one.trouble for one in sent] == [""] * waiting
    assert set(post.logins) == {(mechanism, "judge")}
    assert len(list((post.box("alice") / "new").iterdir())) == sum(one.player == "alice" for one in sent)


def test_a_password_never_goes_without_tls_where_tls_is_set(
    certificate: Certificate, post: GuardedPost
) -> None:
    """A server that does not offer it, and one whose certificate nobody vouches for, learn nothing."""
    with smtp_server(post) as port:
        for tls in ("starttls", "tls"):
            with pytest.raises(MailError, match=f"localhost:{port} does not send"):
                try_way_out(MailSettings(address=JUDGE, smtp=account(port, tls=tls)))
    for tls in ("starttls", "tls"):
        with smtp_server(post, certificate, tls) as port:
            with pytest.raises(MailError, match="certificate"):
                try_way_out(MailSettings(address=JUDGE, smtp=account(port, tls=tls)))
            with trusting(certificate), pytest.raises(MailError, match="certificate"):
                try_way_out(
                    MailSettings(address=JUDGE, smtp=account(port, tls=tls, host="127.0.0.1"))
                )  # the certificate is for localhost
            with trusting(certificate):
                try_way_out(MailSettings(address=JUDGE, smtp=account(port, tls=tls)))
    assert [user for _, user in post.logins] == ["judge"] * 2


@pytest.mark.parametrize("oauth", [False, True])
def test_a_wrong_password_or_token_is_told_and_no_letter_counts_as_tried(
    oauth: bool, certificate: Certificate, post: GuardedPost, postal: Postal
) -> None:
    club = postal.table.club
    before = club.store.unsent_letters()
    with smtp_server(post, certificate) as port, trusting(certificate):
        wrong = account(port, tls="starttls", password="wrong", oauth=oauth)
        with pytest.raises(MailError, match="535") as told:
            list(send_mail(club, MailSettings(address=JUDGE, smtp=wrong)))
    assert "wrong" not in str(told.value)
    assert club.store.unsent_letters() == before
    assert len(post.logins) >= 1


def test_without_a_user_nobody_logs_in(post: GuardedPost, postal: Postal) -> None:
    """And a server that wants it says so of each letter."""
    club = postal.table.club
    with smtp_server(post) as port:
        settings = MailSettings(address=JUDGE, smtp=account(port, user=""))
        sent = list(send_mail(club, settings))
    assert all("530" in one.trouble for one in sent)
    assert post.logins == []


def test_a_password_command_that_fails_is_told() -> None:
    for command in ("false", "no-such-program-here", "'"):
        with pytest.raises(MailError, match=r"password.command"):
            Server(host="localhost", port=1, password_command=command).secret()
    assert Server(host="localhost", port=1, password_command="printf 'one\\ntwo'").secret() == "one"


# -- mail in


@pytest.fixture(scope="module")
def server(certificate: Certificate) -> Iterator[Dovecot]:
    with dovecot(certificate) as running:
        yield running


@pytest.mark.imap
@needs_dovecot
@pytest.mark.parametrize("tls", ["tls", "starttls"])
@pytest.mark.parametrize("oauth", [False, True])
def test_mail_is_read_after_login_by_tls(
    tls: str, oauth: bool, certificate: Certificate, server: Dovecot
) -> None:
    user = f"{tls}-{oauth}".lower()
    server.deliver(user, mail("help\n"))
    port = server.imaps if tls == "tls" else server.imap
    with pytest.raises(MailError, match="certificate"):
        Imap(account(port, tls=tls, user=user, oauth=oauth))
    with trusting(certificate):
        with pytest.raises(MailError, match="certificate"):
            Imap(account(port, tls=tls, user=user, oauth=oauth, host="127.0.0.1"))
        with pytest.raises(MailError, match="authentication"):
            Imap(account(port, tls=tls, user=user, oauth=oauth, password="wrong"))
        mailbox = Imap(account(port, tls=tls, user=user, oauth=oauth))
        (found,) = map(mailbox.fetch, mailbox.list_mails(set, ""))
        assert found is not None
        mailbox.close()
    assert b"help" in found.raw


@pytest.mark.imap
@needs_dovecot
def test_a_server_without_tls_gets_no_password() -> None:
    with dovecot() as plain, pytest.raises(MailError, match="tls"):
        Imap(account(plain.imap, tls="starttls"))


def test_a_name_and_a_password_with_umlauts_are_sent_as_they_are(tmp_path: Path) -> None:
    post = GuardedPost(tmp_path / "umlauts", {"jürgen": "pässwört"})
    with smtp_server(post) as port:
        try_way_out(MailSettings(address=JUDGE, smtp=account(port, user="jürgen", password="pässwört")))
        with pytest.raises(MailError, match="535"):
            try_way_out(MailSettings(address=JUDGE, smtp=account(port, user="jürgen", password="päss")))
    assert post.logins == [("PLAIN", "jürgen")] * 2


# -- a server that hangs up


class ShortPost(Post):
    """Takes so many letters on a connection, then says 421."""

    most = 1

    async def handle_MAIL(  # noqa: N802 - as aiosmtpd calls it
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        taken = getattr(session, "taken", 0)
        if taken >= self.most:
            return "421 4.7.0 enough on this connection"
        session.taken = taken + 1  # type: ignore[attr-defined]
        envelope.mail_from = address
        return "250 OK"


def test_a_server_that_says_421_after_each_letter_is_called_again(tmp_path: Path, postal: Postal) -> None:
    club = postal.table.club
    waiting = len(club.store.unsent_letters())
    assert waiting > 1
    with smtp_server(ShortPost(tmp_path / "short")) as port:
        settings = MailSettings(address=JUDGE, smtp=account(port, user="", password=""))
        sent = list(send_mail(club, settings))
    assert [one.trouble for one in sent] == [""] * waiting
    assert club.store.unsent_letters() == []


def test_the_words_of_a_server_that_takes_nothing_are_told_and_no_try_counts(
    tmp_path: Path, postal: Postal
) -> None:
    club = postal.table.club
    before = club.store.unsent_letters()
    post = ShortPost(tmp_path / "closed")
    post.most = 0
    with smtp_server(post) as port:
        settings = MailSettings(address=JUDGE, smtp=account(port, user="", password=""))
        with pytest.raises(MailError, match=r"again and again: 421 4\.7\.0 enough on this connection"):
            list(send_mail(club, settings))
    left = club.store.unsent_letters()
    assert [one.tries for one in left] == [one.tries for one in before]
