"""The club's settings for mail.

From club.toml:

[mail]
address = "judge@club.example"
reports = "sealed"              # or "open": the text part shows the report itself
answers_per_day = 5             # to one player's commands, and to what they sign; see pbem.mail.answers
answers_per_hour = 30           # to strangers who name a game, and to those who wish to join
sent_to = "sent@club.example"   # a copy of everything that leaves goes there, for pbem club confirm --sent
keep_days = 90                  # so long raw mails are kept; 0 is for ever
copies = "direct"               # see judge/letters/addresses, also for [mail.game.<game>]

[mail.inbox]
folders = ["Archive", "Junk"]   # further folders, into which a person may have moved a mail
maildir = "/home/judge/Maildir" # the judge's own; or, in place of this line and the next:
delete_handled = true           # mails older than keep_days are deleted in the maildir as well
host = "imap.club.example"      # port, tls ("tls", "starttls", "none"), folder
user = "judge"
password_command = "pass show judge"    # prints the password, or with oauth = true a token

[mail.outbox]
host = "smtp.club.example"      # port, tls, user, password_command, oauth as above; or, in place of a server:
sendmail = "/usr/sbin/sendmail" # a command that takes a mail as its input; or
maildir = "/srv/outgoing"       # a Maildir, from which another program takes the mails
per_hour = 100                  # so many mails leave in an hour; 0 is as many as there are
empty_sender = false            # answers leave under our own address, where a provider wants one
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pbem.errors import ConfigError, MailError
from pbem.judge.letters.addresses import WebPage, post_of, webpage_of
from pbem.trust.faults import IdentifierFault
from pbem.trust.identifiers import quote, shown_value, typed_address

SEALED, OPEN = "sealed", "open"
TLS, STARTTLS, PLAIN = "tls", "starttls", "none"
WAYS_OUT = ("host", "sendmail", "maildir")
PORTS = range(65_536)
NUMBERS = range(1_000_001)
"""Valid numbers in a setting that counts days, or mails in a day or an hour."""
DAY_SECONDS = 86_400
_COMMAND_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A mail server, with how the judge logs in to it."""

    host: str
    port: int
    tls: str = TLS
    user: str = ""
    password: str = field(default="", repr=False)
    password_command: str = ""
    oauth: bool = False
    folder: str = "INBOX"
    timeout: float = 30

    def secret(self) -> str:
        """Return the password or token with which the server is logged in to.

        Raises:
            MailError: the command that should print it failed.
        """
        if not self.password_command:
            return self.password
        import subprocess

        try:
            words = command_words(self.password_command, "password_command")
        except ConfigError as fault:
            raise MailError(str(fault)) from None
        what = f"the password command {words[0]}"
        try:
            done = subprocess.run(  # noqa: S603 - the organiser's own command, from their own file
                words,
                capture_output=True,
                text=True,
                check=True,
                timeout=_COMMAND_SECONDS,
            )
        except subprocess.CalledProcessError as problem:
            said = str(problem.stderr).strip().rpartition("\n")[2][:200]
            told = f" and said: {said}" if said else ""
            by_hand = "run it by hand, as the user that the judge runs as"
            raise MailError(f"{what} ended with {problem.returncode}{told}; {by_hand}") from None
        except FileNotFoundError:
            raise MailError(f"{what} is not found here; in cron it needs its whole path") from None
        except (OSError, ValueError, subprocess.SubprocessError) as problem:
            raise MailError(f"{what} failed: {str(problem).partition(chr(10))[0][:200]}") from None
        if not (secret := done.stdout.partition("\n")[0].strip()):
            raise MailError(f"{what} printed no password")
        return secret


_OF_SHELLS = {"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1"}


def command_words(command: str, setting: str) -> list[str]:
    """Return the words of a command in club.toml, which no shell reads.

    Raises:
        ConfigError: the command can only be meant for a shell, or there is none.
    """
    import shlex

    try:
        words = shlex.split(command)
    except ValueError:
        raise ConfigError(f"club.toml: a quote in {setting} is not closed") from None
    if not words or not _OF_SHELLS.isdisjoint(words):
        raise ConfigError(
            f"club.toml: {setting} must be a program with its arguments; for pipes and > write sh -c '...'"
        )
    return words


_ADVICE = {
    "wrong_version_number": "it does not use TLS there: look at port and tls",
    "certificate_verify_failed": "its certificate is not trusted: look at host",
    "authentication": "look at user and password_command",
    "name or service not known": "look at host",
    "connection refused": "look at host and port",
}


def with_advice(said: str) -> str:
    """Return a mail server's answer, with advice on what to look at in club.toml."""
    advice = next((text for part, text in _ADVICE.items() if part in said.lower()), "")
    return f"{said} ({advice} in club.toml)" if advice else said


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSettings:
    """The club's settings for incoming and outgoing mail."""

    address: str
    reports: str = SEALED
    answers_per_day: int = 5
    answers_per_hour: int = 30
    keep_days: int = 90
    sent_to: str = ""
    """The address that gets a copy of every mail; "" for none."""
    maildir: Path | None = None
    folders: tuple[str, ...] = ()
    """Further folders of the mailbox, into which a person may have moved a mail."""
    delete_handled: bool = False
    """Whether handled mails older than `keep_days` are deleted in the Maildir as well."""
    imap: Server | None = None
    smtp: Server | None = None
    sendmail: str = ""
    """The command that sends mails, if no server does."""
    out_maildir: Path | None = None
    """The Maildir that mails are put into, if no server takes them."""
    per_hour: int = 0
    """Maximum number of mails that may leave in an hour; 0 means no limit."""
    page: WebPage | None = None
    """The player's page, which each letter names."""
    judge: str = ""
    """The fingerprint of the judge's key, which the page's links to join name."""
    director: str = ""
    """The address of the director, a person, whom each letter names."""
    empty_sender: bool = True
    """Whether answers leave with an empty envelope sender, so that no bounce answers them."""

    @property
    def has_way_out(self) -> bool:
        """Tell whether a way to send mail is configured: a server, a command or a Maildir."""
        return bool(self.smtp or self.sendmail or self.out_maildir)

    @property
    def domain(self) -> str:
        """The domain of the judge's Message-IDs."""
        return self.address.partition("@")[2]


def director_of(settings: Mapping[str, Any]) -> str:
    """Return the director's address from [watch]; "" if club.toml names none."""
    found = settings.get("watch", {})
    return str(found.get("address", "")).lower() if isinstance(found, Mapping) else ""


def read_settings(settings: Mapping[str, Any], folder: Path = Path(), judge: str = "") -> MailSettings | None:
    """Return the settings for mail among a club's settings; None if the club has no mail.

    `judge` is the fingerprint of the judge's key.

    Raises:
        ConfigError: a setting is not valid; the message says which.
    """
    found = settings.get("mail")
    if found is None:
        return None
    known = _table(found, "mail", f"address {_WORDS} game inbox outbox")
    _table(known.get("game", {}), "mail.game", "")  # a wrong table of one game holds that game alone
    post_of(settings, "")
    address = setting_address("[mail]: address must be the judge's mail address", known.get("address", ""))
    reports = known.get("reports", SEALED)
    if reports not in (SEALED, OPEN):
        raise ConfigError(
            f"club.toml, [mail]: reports must be {SEALED} or {OPEN}, not {shown_value(reports)}"
        )
    inbox = _table(known.get("inbox", {}), "mail.inbox", f"maildir folders delete_handled {_SERVER}")
    outbox = _table(
        known.get("outbox", {}), "mail.outbox", f"per_hour empty_sender sendmail maildir {_SERVER}"
    )
    if len(ways := sorted({*WAYS_OUT} & outbox.keys())) > 1:
        raise ConfigError(f"club.toml, [mail.outbox]: choose one way to send mail, not {' and '.join(ways)}")
    if sendmail := str(outbox.get("sendmail", "")):
        command_words(sendmail, "[mail.outbox], sendmail,")
    maildir = inbox.get("maildir")
    if (delete := inbox.get("delete_handled", False)) not in (True, False):
        raise ConfigError(f"club.toml, [mail.inbox]: delete_handled must be true or false, not {delete!r}")
    if delete and not maildir:
        raise ConfigError(
            "club.toml, [mail.inbox]: delete_handled is for a maildir; for mail on a server, set the "
            "server itself to delete"
        )
    for table, name, box in ((inbox, "inbox", ("maildir", "host")), (outbox, "outbox", WAYS_OUT)):
        if table and not any(str(table.get(way, "")).strip() for way in box):
            raise ConfigError(f"club.toml, [mail.{name}]: it needs {' or '.join(box)}")
    return MailSettings(
        address=address,
        reports=reports,
        answers_per_day=_number(known, "answers_per_day", 5),
        answers_per_hour=_number(known, "answers_per_hour", 30),
        keep_days=_number(known, "keep_days", 90),
        sent_to=_sent_to(known),
        maildir=folder / _path("[mail.inbox], maildir", maildir) if maildir else None,
        folders=_folders(inbox),
        delete_handled=delete,
        imap=_server(inbox, "mail.inbox", {TLS: 993, STARTTLS: 143, PLAIN: 143}) if "host" in inbox else None,
        smtp=_server(outbox, "mail.outbox", {TLS: 465, STARTTLS: 587, PLAIN: 25})
        if "host" in outbox
        else None,
        sendmail=sendmail,
        out_maildir=folder / _path("[mail.outbox], maildir", outbox["maildir"])
        if "maildir" in outbox
        else None,
        per_hour=_number(outbox, "per_hour", 0),
        page=_page(settings),
        judge=judge,
        director=director_of(settings),
        empty_sender=bool(outbox.get("empty_sender", True)),
    )


def _page(settings: Mapping[str, Any]) -> WebPage | None:
    """Return the player's page, if there is one; the doctor reports a wrong [page], which stops no mail."""
    try:
        return webpage_of(settings)
    except ConfigError:
        return None


_WORDS = "reports answers_per_day answers_per_hour keep_days copies sent_to"
_SERVER = "host port tls user password password_command oauth folder timeout"


def _sent_to(table: Mapping[str, Any]) -> str:
    address = str(table.get("sent_to", ""))
    return setting_address("[mail], sent_to", address) if address else ""


def setting_address(setting: str, text: object) -> str:
    """Return the mail address in the value `text` of a setting of club.toml.

    Raises:
        ConfigError: the value is no valid address; the message names the setting.
    """
    try:
        return typed_address(str(text))
    except IdentifierFault as fault:
        raise ConfigError(f"club.toml, {setting}: {fault}") from None


def _path(setting: str, text: object) -> str:
    if not isinstance(text, str) or "\0" in text:
        raise ConfigError(f"club.toml, {setting}: {shown_value(text)} is not a path")
    return text


def is_folder(path: Path) -> bool:
    """Tell whether a path is a folder; a path with a name that is too long for the disk is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _folders(inbox: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the further folders of the mailbox, each once."""
    found = inbox.get("folders", [])
    if not isinstance(found, list) or not all(isinstance(one, str) and _is_line(one) for one in found):
        raise ConfigError('club.toml, [mail.inbox]: folders must be a list of names, such as ["Archive"]')
    own = "" if "maildir" in inbox else str(inbox.get("folder", "INBOX"))
    if own in found:
        raise ConfigError(f"club.toml, [mail.inbox]: folders names {quote(own)}, which is read as it is")
    return tuple(dict.fromkeys(found))


def _is_line(text: str) -> bool:
    return bool(text.strip()) and {*"\0\r\n"}.isdisjoint(text)


def _host(name: str, text: object) -> str:
    """Return the name or number of a mail server in the settings, if the text can be one."""
    host = str(text)
    try:
        found = host.encode("idna")
    except UnicodeError:
        found = b""
    if not found or not host.isprintable() or " " in host:
        raise ConfigError(f"club.toml, [{name}]: host {shown_value(host)} cannot be the name of a server")
    return host


def _line(name: str, table: Mapping[str, Any], key: str, default: str = "") -> str:
    text = str(table.get(key, default))
    if text and not _is_line(text):
        raise ConfigError(f"club.toml, [{name}]: {key} must be one line of text")
    return text


def _server(table: Mapping[str, Any], name: str, ports: Mapping[str, int]) -> Server:
    tls = str(table.get("tls", TLS))
    if tls not in ports:
        raise ConfigError(
            f"club.toml, [{name}]: tls must be one of {', '.join(ports)}, not {shown_value(tls)}"
        )
    return Server(
        host=_host(name, table["host"]),
        port=_number(table, "port", ports[tls], PORTS),
        tls=tls,
        user=_line(name, table, "user"),
        password=_line(name, table, "password"),
        password_command=str(table.get("password_command", "")),
        oauth=bool(table.get("oauth", False)),
        folder=_line(name, table, "folder", "INBOX"),
        timeout=_seconds(table.get("timeout", 30)),
    )


def _table(found: object, name: str, words: str) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        raise ConfigError(f"club.toml: {name} must be a table, [{name}]")
    if words and (unknown := sorted(set(found) - set(words.split()))):
        raise ConfigError(f"club.toml, [{name}]: no setting called {unknown[0]}; there are {words}")
    return found


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= DAY_SECONDS:
        raise ConfigError(f"club.toml: timeout must be a number of seconds, not {shown_value(value)}")
    return float(value)


def _number(table: Mapping[str, Any], name: str, default: int, among: range = NUMBERS) -> int:
    value = table.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value not in among:
        raise ConfigError(
            f"club.toml: {name} must be a whole number, not {shown_value(value)}; the largest is {among[-1]}"
        )
    return value


def plain_login(user: str, secret: str) -> bytes:
    """Return the bytes that a login by SASL PLAIN sends."""
    return f"\0{user}\0{secret}".encode()


def xoauth2(user: str, token: str) -> str:
    """Return the text that a login by SASL XOAUTH2 sends."""
    return f"user={user}\x01auth=Bearer {token}\x01\x01"
