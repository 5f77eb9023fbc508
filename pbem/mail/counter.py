"""The counter mail in the judge's mailbox, by which two folders of one club notice each other.

In a Maildir it is the file pbem-counter-<mark> beside new and cur; on an IMAP server a mail that is marked as
a draft, which no mail that somebody has sent is, with the mark in its subject. The mark follows from the
club's keys/master, so clubs with one mailbox have one each. It is sealed to the judge itself
(pbem.judge.upkeep.self_seal).
"""

from __future__ import annotations

import email
import hashlib
import hmac
import json
import zlib
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path

from pbem.errors import MailError, SealError
from pbem.judge.club import Club
from pbem.judge.upkeep.folder_identity import check_folder
from pbem.judge.upkeep.mailbox_counter import (
    Counter,
    begin_counting,
    check_counter,
    counter_of,
    is_counted,
    remember_counted,
)
from pbem.judge.upkeep.self_seal import open_own, seal_own
from pbem.mail.fetch import open_mailbox
from pbem.mail.headers import COUNTER
from pbem.mail.maildir import Mailbox, Maildir
from pbem.mail.settings import MailSettings

KIND, NAME = "counter", "counter.age"
LARGEST = 30_000_000


def look(club: Club, settings: MailSettings) -> None:
    """Read the counter mail, and stop this club if another folder of it has counted further.

    Raises:
        Elsewhere: another folder of the club has counted further.
        MailError: the mailbox cannot be read.
    """
    check_folder(club.store, begin=True)
    if (mailbox := open_mailbox(settings)) is not None:
        try:
            _look(club, mailbox)
        finally:
            mailbox.close()


def count(club: Club, settings: MailSettings) -> None:
    """Write the counter mail into the mailbox before anything signed leaves, if it is not up to date.

    Raises:
        Elsewhere: another folder of the club has counted further.
        MailError: the mailbox cannot be read or written.
    """
    if is_counted(club.store, counter_of(club)):
        return
    mailbox = open_mailbox(settings)
    if mailbox is None:
        return
    try:
        _look(club, mailbox)
        counter = counter_of(club)
        counter = counter._replace(number=counter.number + 1)
        begin_counting(club.store, counter)
        sealed = seal_own(club, KIND, zlib.compress(json.dumps(counter._asdict(), sort_keys=True).encode()))
        if isinstance(mailbox, Maildir):
            _write_file(mailbox.path / f"pbem-{_mark(club)}", sealed)
        else:
            _write_mail(club, mailbox, settings, sealed, counter.number)
        remember_counted(club.store, counter)
    finally:
        mailbox.close()


def _look(club: Club, mailbox: Mailbox) -> None:
    if isinstance(mailbox, Maildir):
        path = mailbox.path / f"pbem-{_mark(club)}"
        try:
            found = [path.read_bytes()] if path.exists() else []
        except OSError as problem:
            raise MailError(f"{path} cannot be read: {str(problem.strerror).lower()}") from None
    else:
        found = [sealed for _, sealed in _mails(club, mailbox)]
    counters = [counter for sealed in found if (counter := _read(club, sealed)) is not None]
    newest = max(counters, key=lambda one: (one.turn, one.number), default=None)
    check_counter(club, newest, is_afar=not isinstance(mailbox, Maildir))


def _read(club: Club, sealed: bytes) -> Counter | None:
    try:
        data = open_own(club, KIND, sealed)
    except SealError:
        return None
    return Counter(**json.loads(zlib.decompressobj().decompress(data, LARGEST)))


def _mark(club: Club) -> str:
    return f"counter-{hmac.new(club.master, b'pbem1 counter mark', hashlib.sha256).hexdigest()[:16]}"


def _write_file(path: Path, sealed: bytes) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        part.touch(mode=0o600)
        part.write_bytes(sealed)
        part.replace(path)
    except OSError as problem:
        raise MailError(f"{path} cannot be written: {str(problem.strerror).lower()}") from None


def _mails(club: Club, mailbox: Mailbox) -> list[tuple[str, bytes]]:
    """Return the number and the sealed text of each mail in the mailbox that is or was the counter."""
    from pbem.mail.imap import Imap, imap_trouble

    assert isinstance(mailbox, Imap)
    found: list[tuple[str, bytes]] = []
    with imap_trouble(mailbox.server):
        for uid in mailbox.search("DRAFT", "UNDELETED", "SUBJECT", f'"{_mark(club)}"')[-10:]:
            parts = mailbox.ok(mailbox.connection.uid("FETCH", uid, "(BODY.PEEK[])"))
            raw = next((part[1] for part in parts if isinstance(part, tuple)), b"")
            parts_of = email.message_from_bytes(raw).walk()
            sealed = [part.get_payload(decode=True) for part in parts_of if part.get_filename() == NAME]
            found += [(uid, one) for one in sealed if isinstance(one, bytes)]
    return found


def _write_mail(club: Club, mailbox: Mailbox, settings: MailSettings, sealed: bytes, number: int) -> None:
    """Put the new counter mail into the mailbox, then delete the old one."""
    import imaplib

    from pbem.mail.imap import Imap, imap_trouble

    assert isinstance(mailbox, Imap)
    old = [uid for uid, _ in _mails(club, mailbox)]
    message = EmailMessage(policy=SMTP)
    message["From"] = message["To"] = settings.address
    message["Subject"] = f"pbem {_mark(club)} {number}: leave this here"
    message["Date"] = format_datetime(club.clock())
    message["Message-ID"] = f"{COUNTER}{_mark(club)}-{number}@{settings.domain}>"
    message.set_content(
        "By this the judge's program notices if it runs in two places. It writes it anew when it has signed\n"
        "something, and drops the one before.\n"
    )
    message.add_attachment(sealed, maintype="application", subtype="octet-stream", filename=NAME)
    connection = mailbox.connection
    now = imaplib.Time2Internaldate(club.clock())
    with imap_trouble(mailbox.server):
        mailbox.ok(connection.append(mailbox.folder, r"(\Draft \Seen)", now, message.as_bytes()))
        for uid in old:
            mailbox.ok(connection.uid("STORE", uid, "+FLAGS", r"(\Deleted)"))
            if "UIDPLUS" in connection.capabilities:
                mailbox.ok(connection.uid("EXPUNGE", uid))
            elif mailbox.search("DELETED") == [
                uid
            ]:  # without it a server drops what others have deleted, too
                mailbox.ok(connection.expunge())
