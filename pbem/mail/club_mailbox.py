"""The club's mailbox: new mail is fetched from it, and two folders of one club notice each other by it.

Mail is fetched from a Maildir or from IMAP into the database, raw, before anything is parsed. What was
handled is known by our own record of where each mail lay, not by the flag that says that somebody has read
it: the game master may read the mailbox with a mail program. After a restore the record is as old as the
backup, so what came since is fetched again. A mail is marked as seen only after the transaction that stored
it.

Of a mailbox that is looked at for the first time, mails that somebody has read are left alone: it may be that
of a person, who had it before there was a club. Where the club has read mail before, as after a move or a
restore, only mails that had come before it last did so are left alone.

What is larger than any mail with orders is not fetched: its head alone is stored, so that the sender can be
told.

Another program may move, flag and delete mails meanwhile. A mail that is not found where it was listed is not
gone: it is looked for under every name that it can have, and counts as deleted only if it is nowhere, twice,
with a pause between. Further folders, into which a person moves mails, are each looked at by itself, after
the mailbox: a look is complete only if that at each of them is.

A restored club mails to its own address

    pbem1 moved <when it was restored> <HMAC-SHA256 of that under the judge's master secret>

which nobody else can write. A folder that was not restored, or before that time, does nothing from then on.

The counter lies in the mailbox, too. In a Maildir it is the file pbem-counter-<mark> beside new and cur; on
an IMAP server a mail that is marked as a draft, which no mail that somebody has sent is, with the mark in its
subject. The mark follows from the club's keys/master, so clubs with one mailbox have one each. It is sealed
to the judge itself (pbem.judge.upkeep.self_seal).
"""

from __future__ import annotations

import email
import hashlib
import hmac
import json
import re
import time
import zlib
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.errors import MailError, SealError
from pbem.judge.club import Club
from pbem.judge.deadlines.waits_for_mail import TRIES, Look, note_look
from pbem.judge.intake.quarantine import MAIL, all_apart, is_paused, put_back, set_apart
from pbem.judge.tables.note_tables import BACKUP, HANDLED, MAILBOX
from pbem.judge.upkeep.folder_identity import MOVED, check_folder
from pbem.judge.upkeep.mailbox_counter import (
    Counter,
    begin_counting,
    check_counter,
    counter_of,
    is_counted,
    remember_counted,
)
from pbem.judge.upkeep.self_seal import open_own, seal_own
from pbem.mail.headers import COUNTER, is_for_itself
from pbem.mail.maildir import Fetched, Listed, Mailbox, Maildir, NotGiven, open_folder
from pbem.mail.settings import MailSettings
from pbem.trust.times import parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.judge.club import Club
    from pbem.mail.settings import MailSettings

BATCH = 50
BATCH_BYTES = 4_000_000
"""Numbers of mails, and of bytes, that are stored in one transaction at most."""
MARGIN = timedelta(days=1)
"""Maximum time between the arrival of a mail and the moment at which it is stored."""
MAX_FAILED_MAILS = 20
"""Number of mails that cannot be fetched after which a pass ends its look; the next pass tries the rest."""
SECOND_LOOK_SECONDS = 3.0
"""Number of seconds after which a mail that was not found in the mailbox is looked for once more."""
MAX_MAILS_AT_ONCE = 2_000
"""Maximum number of mails that are fetched in one pass; the next pass goes on."""


BACKUP_TAKES = timedelta(days=1)
"""Maximum time that a backup is taken to need. A backup is noted when it is finished, so only mail from
before this span is sure to be in it."""


ANNOUNCED = "moved announced"
_LINE = re.compile(rb"^pbem1 moved ([0-9TZ:-]{20}) ([0-9a-f]{64})\r?$", re.MULTILINE)
COUNTER_KIND, COUNTER_NAME = "counter", "counter.age"
MAX_COUNTER_SIZE = 30_000_000


def open_mailbox(settings: MailSettings, folder: str = "") -> Mailbox | None:
    """Return the club's mailbox, or one further folder in it; None if the club receives no mail.

    Raises:
        MailError: the mailbox cannot be read.
    """
    if settings.maildir is not None:
        return open_folder(settings.maildir, folder) if folder else Maildir(settings.maildir)
    if settings.imap is None:
        return None
    from pbem.mail.imap import Imap  # a club with a Maildir does without the library, which loads OpenSSL

    return Imap(settings.imap, folder)


def fetch_mail(club: Club, settings: MailSettings) -> int:
    """Store every new mail of the mailbox and its further folders; return the number of new mails.

    The further folders come last: what a person moves there meanwhile is found there.

    Raises:
        MailError: a folder cannot be read. What was stored before stays, and the other folders are read.
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


def delete_handled(club: Club, settings: MailSettings, before: str) -> int:
    """Delete mails handled before a time from the Maildir, if a backup holds them; return their number.

    Raises:
        MailError: a mail cannot be deleted.
    """
    saved = club.store.note(BACKUP)
    if settings.maildir is None or not settings.delete_handled or not saved:
        return 0
    in_backup = utc_text(parse_utc(saved) - BACKUP_TAKES)
    return Maildir(settings.maildir).delete(club.store.handled(min(before, in_backup)))


def _fetch(club: Club, mailbox: Mailbox, folder: str) -> int:
    """Store every new mail of one folder; return the number of new mails."""
    began, note = utc_text(club.clock()), f"{MAILBOX}{mailbox.name}"
    reached = club.store.note(note)
    if not reached:
        reached = _leave_alone(club, mailbox, note)
    listed = mailbox.list_mails(cache(club.store.sources), reached)
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
    for mail in new[:MAX_MAILS_AT_ONCE]:
        fetching.take(mail)
        fetching.reached = mail.source
    fetching.look_again()
    fetching.store()
    apart = [one for one in all_apart(club) if one.kind == MAIL and mailbox.owns(one.name)]
    missing = [one.name for one in apart if one.tries < TRIES]
    look = Look(began, max(0, len(new) - MAX_MAILS_AT_ONCE), tuple(missing))
    note_look(club, look, min(len(new), MAX_MAILS_AT_ONCE), fetching.failed, folder)
    return fetching.count


class _Fetching:
    """One fetch of a mailbox, in which mails are fetched one by one and stored in batches."""

    def __init__(self, club: Club, mailbox: Mailbox, note: str) -> None:
        self.club, self.mailbox, self.note = club, mailbox, note
        self.reached = ""
        self.failed: list[str] = []
        self.count = 0
        self._batch: list[Fetched] = []
        self._not_found: list[Listed] = []

    def take(self, listed: Listed, *, again: bool = False) -> None:
        """Fetch one mail; a mail that cannot be fetched is set apart.

        Raises:
            MailError: the mailbox cannot be read, or its server hangs up at one mail after another.
        """
        try:
            mail = self.mailbox.fetch(listed)
        except NotGiven as problem:
            self.failed.append(listed.source)
            set_apart(self.club, MAIL, listed.source, str(problem))
            if len(self.failed) == MAX_FAILED_MAILS:
                self.reached = self.reached if again else listed.source
                self.store()
                raise MailError(f"{MAX_FAILED_MAILS} mails in it cannot be read: {problem}") from None
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
        """Try again to fetch the mails that were not found; those not found again were deleted."""
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
    """Note as handled, in a mailbox read for the first time, the mails that somebody has read.

    Return the place in the mailbox after which mails are new; "" if the club has read this mailbox before.

    Mails that came after the club had read mail before are not noted: it may be the judge who has read them.
    """
    known = club.store.sources()
    seen = mailbox.seen_mails()
    if not known.isdisjoint(seen):
        return ""  # it is read on: what we had is known by where it lies
    if until := club.store.note(HANDLED) or club.store.last_mail():
        seen = mailbox.seen_mails(parse_utc(until) - MARGIN)
    with club.store.step():
        for source in seen:
            club.store.leave_alone(utc_text(club.clock()), source)
        club.store.put_note(note, f"{mailbox.name}:0")
    return f"{mailbox.name}:0"


def announce_move(club: Club, settings: MailSettings) -> None:
    """Mail an order to stop to the folder from which this club was restored, wherever it is."""
    restored = club.store.here_since()
    if not restored or club.store.note(ANNOUNCED) == restored:
        return
    text = f"This club goes on in another folder.\n\npbem1 moved {restored} {_mac(club, restored)}\n"
    with club.store.step():
        club.store.put_note(ANNOUNCED, restored)
        name = f"moved-{restored.replace(':', '')}.txt"
        club.store.add_letter("", "", name, b"", text=text, address=settings.address)


def take_moved(club: Club, raw: bytes) -> None:
    """Note, within a transaction, that this club was restored elsewhere, if a mail proves it."""
    for match in _LINE.finditer(raw):
        moment = match[1].decode()
        if hmac.compare_digest(match[2].decode(), _mac(club, moment)):
            club.store.put_note(MOVED, max(moment, club.store.note(MOVED)))


def _mac(club: Club, moment: str) -> str:
    return hmac.new(club.master, f"pbem1 moved {moment}".encode(), hashlib.sha256).hexdigest()


def read_counter(club: Club, settings: MailSettings) -> None:
    """Read the counter mail, and stop this club if another folder of it has counted further.

    Raises:
        Elsewhere: another folder of the club has counted further.
        MailError: the mailbox cannot be read.
    """
    check_folder(club.store, begin=True)
    if (mailbox := open_mailbox(settings)) is not None:
        try:
            _check_counter(club, mailbox)
        finally:
            mailbox.close()


def write_counter(club: Club, settings: MailSettings) -> None:
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
        _check_counter(club, mailbox)
        counter = counter_of(club)
        counter = counter._replace(number=counter.number + 1)
        begin_counting(club.store, counter)
        sealed = seal_own(
            club, COUNTER_KIND, zlib.compress(json.dumps(counter._asdict(), sort_keys=True).encode())
        )
        if isinstance(mailbox, Maildir):
            _write_file(mailbox.path / f"pbem-{_mark(club)}", sealed)
        else:
            _write_mail(club, mailbox, settings, sealed, counter.number)
        remember_counted(club.store, counter)
    finally:
        mailbox.close()


def _check_counter(club: Club, mailbox: Mailbox) -> None:
    if isinstance(mailbox, Maildir):
        path = mailbox.path / f"pbem-{_mark(club)}"
        try:
            found = [path.read_bytes()] if path.exists() else []
        except OSError as problem:
            raise MailError(f"{path} cannot be read: {str(problem.strerror).lower()}") from None
    else:
        found = [sealed for _, sealed in _mails(club, mailbox)]
    counters = [counter for sealed in found if (counter := _open_counter(club, sealed)) is not None]
    newest = max(counters, key=lambda one: (one.turn, one.number), default=None)
    check_counter(club, newest, is_afar=not isinstance(mailbox, Maildir))


def _open_counter(club: Club, sealed: bytes) -> Counter | None:
    try:
        data = open_own(club, COUNTER_KIND, sealed)
    except SealError:
        return None
    return Counter(**json.loads(zlib.decompressobj().decompress(data, MAX_COUNTER_SIZE)))


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
            sealed = [
                part.get_payload(decode=True) for part in parts_of if part.get_filename() == COUNTER_NAME
            ]
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
    message.add_attachment(sealed, maintype="application", subtype="octet-stream", filename=COUNTER_NAME)
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
