"""Real mail servers on loopback: SMTP that writes Maildirs, SMTP that misbehaves, and Dovecot.

With a `Certificate` they speak TLS; with accounts the SMTP server takes mail from those alone who log in.
"""

from __future__ import annotations

import base64
import email
import imaplib
import mailbox
import os
import pwd
import re
import shutil
import signal
import smtplib
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import MISSING, SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class AnyPort(Controller):
    """A controller on a free port; aiosmtpd itself would connect to port 0 to see whether it is up."""

    def _trigger_server(self) -> None:
        assert self.server is not None
        self.port = self.server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        super()._trigger_server()  # type: ignore[no-untyped-call]


class Post:
    """Delivers each mail into the Maildir of each recipient, named by what stands before the @."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.refusal = ""
        """What the server answers instead of taking a mail."""
        self.lost: list[bytes] = []
        """Mails that hold one of these are taken and lost, once each."""
        self.senders: list[str] = []

    def box(self, name: str) -> Path:
        path = self.folder / name
        self.folder.mkdir(exist_ok=True)
        mailbox.Maildir(path, create=True)
        return path

    def inbox(self) -> dict[str, Any]:
        """How the judge's mailbox is set up in club.toml."""
        return {"maildir": str(self.box("judge"))}

    def mails(self, name: str, read: set[str]) -> list[Message]:
        """What has come for somebody but those that they have read."""
        found = sorted((self.box(name) / "new").iterdir(), key=arrival)
        new = [path for path in found if path.name not in read]
        read.update(path.name for path in new)
        return [email.message_from_bytes(path.read_bytes()) for path in new]

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if self.refusal:
            return self.refusal
        self.senders.append(envelope.mail_from or "")
        content = envelope.original_content or b""
        for mark in self.lost:
            if mark in content:
                self.lost.remove(mark)
                return "250 taken"
        sender = (envelope.mail_from or "").strip("<>")
        for recipient in envelope.rcpt_tos:
            self.put(recipient.partition("@")[0], sender, content)
        return "250 taken"

    def put(self, name: str, sender: str, content: bytes) -> None:
        """Put a mail into somebody's mailbox, as a mail server does."""
        mailbox.Maildir(self.box(name)).add(b"Return-Path: <%s>\r\n" % sender.encode() + content)


def arrival(path: Path) -> tuple[int, int]:
    """The place of a mail among those that came: several come within one tick of a file system's clock."""
    numbered = re.search(r"Q(\d+)[.]", path.name)
    return path.stat().st_mtime_ns, int(numbered[1]) if numbered else 0


@dataclass(frozen=True)
class Certificate:
    """A server's own certificate for localhost, which nobody trusts who is not told to."""

    chain: Path
    key: Path

    @property
    def context(self) -> ssl.SSLContext:
        """For a server."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.chain, self.key)
        return context


def make_certificate(folder: Path, host: str = "localhost") -> Certificate:
    """A certificate that signs itself."""
    folder.mkdir(parents=True, exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate = Certificate(folder / "chain.pem", folder / "key.pem")
    certificate.chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    kinds = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    certificate.key.write_bytes(key.private_bytes(serialization.Encoding.PEM, *kinds))
    return certificate


class GuardedPost(Post):
    """Takes mail from those alone who log in; by XOAUTH2 the password is the token."""

    def __init__(self, folder: Path, accounts: dict[str, str]) -> None:
        super().__init__(folder)
        self.accounts = accounts
        self.logins: list[tuple[str, str]] = []
        """How somebody tried to log in, and who."""

    def authenticator(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object
    ) -> AuthResult:
        """For LOGIN and PLAIN."""
        assert isinstance(data, LoginPassword)
        return self._let_in(mechanism, data.login.decode(), data.password.decode())

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802
        """The answer to AUTH XOAUTH2, given at once or after a challenge."""
        at_once = len(args) > 1
        given = args[1] if at_once else await server.challenge_auth("")
        if given is MISSING:
            return AuthResult(success=False, handled=False)
        text = (base64.b64decode(given) if isinstance(given, str) else bytes(given)).decode()
        user, _, bearer = text.removesuffix("\x01\x01").partition("\x01auth=Bearer ")
        return self._let_in("XOAUTH2" if at_once else "XOAUTH2, asked", user.removeprefix("user="), bearer)

    def _let_in(self, mechanism: str, user: str, password: str) -> AuthResult:
        self.logins.append((mechanism, user))
        return AuthResult(success=self.accounts.get(user) == password, handled=False, auth_data=user)


@contextmanager
def smtp_server(handler: Any, certificate: Certificate | None = None, tls: str = "starttls") -> Iterator[int]:
    """A mail server on loopback; its port. With a certificate nothing goes without TLS."""
    given: dict[str, Any] = {"hostname": "127.0.0.1", "port": 0, "data_size_limit": 60_000_000}
    given |= {"ready_timeout": 60}
    if isinstance(handler, GuardedPost):
        given |= {"authenticator": handler.authenticator, "auth_required": True}
        given |= {"auth_require_tls": certificate is not None}
    if certificate is not None and tls == "tls":
        given |= {"ssl_context": certificate.context, "auth_require_tls": False}
    elif certificate is not None:
        given |= {"tls_context": certificate.context, "require_starttls": True}
    with trusting(certificate):  # the controller tries its own server
        controller = AnyPort(handler, **given)
        controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


@contextmanager
def rude_server(greeting: bytes) -> Iterator[int]:
    """A server that says one thing and drops the line, or if that is empty hangs."""
    import threading

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        stop = threading.Event()
        kept: list[socket.socket] = []

        def serve() -> None:
            while not stop.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                kept.append(connection)
                if greeting:
                    connection.sendall(greeting)
                    connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            stop.set()
            thread.join()
            for connection in kept:
                connection.close()


@dataclass
class Dovecot:
    """A running Dovecot: IMAP and LMTP ports; every user's password is `secret`."""

    imap: int
    lmtp: int
    imaps: int = 0
    boxes: Path = Path()
    """The folder with each user's Maildir."""

    def inbox(self, user: str) -> dict[str, Any]:
        """A user's mailbox, as club.toml has it."""
        where = {"host": "127.0.0.1", "port": self.imap, "tls": "none"}
        return {**where, "user": user, "password_command": "echo secret"}

    def deliver(self, user: str, content: bytes, sender: str = "sender@example.org") -> None:
        with smtplib.LMTP("127.0.0.1", self.lmtp) as server:
            server.sendmail(sender, [f"{user}@club.example"], content)


class DovecotPost(Post):
    """The same, into the mailboxes of a Dovecot."""

    def __init__(self, folder: Path, dovecot: Dovecot) -> None:
        super().__init__(folder)
        self.dovecot = dovecot

    def put(self, name: str, sender: str, content: bytes) -> None:
        self.dovecot.deliver(name, content, sender)

    def inbox(self) -> dict[str, Any]:
        return self.dovecot.inbox("judge")

    def mails(self, name: str, read: set[str]) -> list[Message]:
        with imaplib.IMAP4("127.0.0.1", self.dovecot.imap) as connection:
            connection.login(name, "secret")
            connection.select()
            numbers = connection.uid("SEARCH", "UNSEEN")[1][0].split()
            found = [connection.uid("FETCH", number.decode(), "(BODY[])")[1] for number in numbers]
        parts = [part for parts in found for part in parts if isinstance(part, tuple)]
        return [email.message_from_bytes(part[1]) for part in parts]


@contextmanager
def trusting(certificate: Certificate | None) -> Iterator[None]:
    """Within this the machine trusts a certificate."""
    with pytest.MonkeyPatch.context() as patch:
        if certificate is not None:
            patch.setenv("SSL_CERT_FILE", str(certificate.chain))
        yield


LMTP = ("/usr/lib/dovecot/lmtp", "/usr/libexec/dovecot/lmtp")


def has_dovecot() -> bool:
    """Both packages: one may be there without the other."""
    return _dovecot() is not None and any(Path(path).exists() for path in LMTP)


def _dovecot() -> str | None:
    return shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin")


needs_dovecot = pytest.mark.skipif(
    not has_dovecot(), reason="no Dovecot here: apt-get install dovecot-imapd dovecot-lmtpd"
)


@contextmanager
def dovecot(certificate: Certificate | None = None) -> Iterator[Dovecot]:
    """Dovecot without root's rights: as the user of the tests, or as nobody if that is root.

    With a certificate it offers TLS, on a port of its own as well.
    """
    program = _dovecot()
    assert program is not None
    user = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
    who: dict[str, Any] = (
        {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if os.getuid() == 0 else {}
    )
    base = Path(tempfile.mkdtemp(prefix="dc", dir="/tmp"))
    for name in ("", "run", "state", "mail"):
        (base / name).mkdir(exist_ok=True)
        os.chown(base / name, user.pw_uid, user.pw_gid)
    try:
        for _ in range(5):  # another program may have taken a port before Dovecot did
            running = Dovecot(_free_port(), _free_port(), _free_port() if certificate else 0, base / "mail")
            _configure(base, user, running, certificate, _version(program))
            with subprocess.Popen(
                [program, "-F", "-c", str(base / "conf")], start_new_session=True, **who
            ) as process:
                try:
                    if _answers(running.imap, process) and _answers(running.lmtp, process):
                        yield running
                        return
                finally:
                    with suppress(ProcessLookupError):  # with its children, else it waits for them
                        os.killpg(process.pid, signal.SIGTERM)
        raise AssertionError("dovecot does not start")
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _version(program: str) -> str:
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout


def _configure(
    base: Path, user: pwd.struct_passwd, ports: Dovecot, certificate: Certificate | None, version: str
) -> None:
    import grp

    group = grp.getgrgid(user.pw_gid).gr_name
    is_24 = version.startswith("2.4")
    make = _config_24 if is_24 else _config_23
    text = make(base, user.pw_name, group, user.pw_uid, user.pw_gid, ports.imap, ports.lmtp)
    if certificate is not None:
        for name, path in (("chain", certificate.chain), ("key", certificate.key)):
            shutil.copy(path, base / name)
            os.chown(base / name, user.pw_uid, user.pw_gid)
        files = (
            ("ssl_server_cert_file = ", "ssl_server_key_file = ")
            if is_24
            else ("ssl_cert = <", "ssl_key = <")
        )
        own = f"{files[0]}{base}/chain\n{files[1]}{base}/key\n"
        text = text.replace("ssl = no\n", f"ssl = yes\n{own}").replace(
            "    port = 0\n", f"    port = {ports.imaps}\n"
        )
    own = "auth_mechanisms = plain login xoauth2\nauth_failure_delay = 0\n"  # nobody guesses passwords here
    (base / "conf").write_text(text + own)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Waits until the port answers; false if the process ends."""
    until = time.monotonic() + 60
    while process.poll() is None:
        assert time.monotonic() < until, "dovecot does not answer"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return True
    return False


def _config_23(base: Path, user: str, group: str, uid: int, gid: int, imap: int, lmtp: int) -> str:
    return (
        _base(base, user, group)
        + f"""\
disable_plaintext_auth = no
protocols = imap lmtp
listen = 127.0.0.1
mail_location = maildir:{base}/mail/%n
first_valid_uid = 1
first_valid_gid = 1
passdb {{
  driver = static
  args = password=secret
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={base}/mail/%n allow_all_users=yes
}}
"""
        + _services("address", imap, lmtp)
    )


def _config_24(base: Path, user: str, group: str, uid: int, gid: int, imap: int, lmtp: int) -> str:
    return f"""\
dovecot_config_version = 2.4.0
dovecot_storage_version = 2.4.0
{_base(base, user, group)}auth_allow_cleartext = yes
protocols {{
  imap = yes
  lmtp = yes
}}
mail_driver = maildir
mail_path = {base}/mail/%{{user | username}}
first_valid_uid = 1
first_valid_gid = 1
passdb static {{
  password = secret
}}
userdb static {{
  allow_all_users = yes
  fields {{
    uid = {uid}
    gid = {gid}
    home = {base}/mail/%{{user | username}}
  }}
}}
""" + _services("listen", imap, lmtp)


def _base(base: Path, user: str, group: str) -> str:
    """Where it works, and as whom; in both versions alike."""
    return f"""\
base_dir = {base}/run
state_dir = {base}/state
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
log_path = {base}/log
ssl = no
"""


def _services(listen: str, imap: int, lmtp: int) -> str:
    """What both versions say alike, but for the word by which an address is given."""
    return f"""\
service imap-login {{
  chroot =
  inet_listener imap {{
    {listen} = 127.0.0.1
    port = {imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    {listen} = 127.0.0.1
    port = {lmtp}
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
namespace inbox {{
  inbox = yes
}}
"""
