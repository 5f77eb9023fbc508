"""The fetching of mail from a Maildir or from IMAP into the database, raw, before anything is parsed.

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

import time
from datetime import timedelta
from functools import cache

from pbem.errors import MailError
from pbem.judge.club import Club
from pbem.judge.deadlines.mailbox_checks import TRIES, Look, note_look
from pbem.judge.intake.quarantine import MAIL, all_apart, is_paused, put_back, set_apart
from pbem.judge.tables.note_tables import HANDLED, MAILBOX
from pbem.mail.club_moved import take_moved
from pbem.mail.headers import is_for_itself
from pbem.mail.maildir import Fetched, Listed, Mailbox, Maildir, NotGiven, open_folder
from pbem.mail.settings import MailSettings
from pbem.trust.times import parse_utc, utc_text

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
