"""The club's journal by mail: each record is a mail of its own to `sent_to`, ahead of all other mail."""

from __future__ import annotations

import email
import smtplib
from collections.abc import Iterable, Iterator
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import format_datetime
from pathlib import Path

from pbem.judge.club import Club
from pbem.judge.tables.journal_tables import Record
from pbem.judge.upkeep import self_seal
from pbem.judge.upkeep.journal import Journal, JournalFault, accept, record_name
from pbem.mail.headers import OWN_IDS, is_for_itself
from pbem.mail.outbox import open_session, said_by
from pbem.mail.restore_evidence import read_mails
from pbem.mail.settings import MailSettings

SUBJECT = "journal"
LARGEST = 2 * self_seal.LARGEST


def mail_records(club: Club, settings: Journal, mail: MailSettings) -> None:
    """Mail the journal's records that are due, the oldest first.

    Raises:
        JournalFault: the server does not take a record.
        MailError: the server cannot be reached.
    """
    due = [record for record in club.store.pending_records() if not record.mailed]
    if not settings.mail or not mail.has_way_out or not due:
        return
    with open_session(mail) as server:
        for record in due:
            try:
                server.sendmail(mail.address, [mail.sent_to], _compose(club, record, mail).as_bytes())
            except smtplib.SMTPRecipientsRefused as problem:
                raise _fault(*problem.recipients[mail.sent_to]) from None
            except smtplib.SMTPResponseException as problem:
                raise _fault(problem.smtp_code, problem.smtp_error) from None
            accept(club.store, settings, record, mailed=True)


def _fault(code: int, said: bytes | str) -> JournalFault:
    return JournalFault(f"the mail server does not accept the journal for sent_to: {said_by(code, said)}")


def _compose(club: Club, record: Record, mail: MailSettings) -> EmailMessage:
    name = record_name(record.era, record.number)
    message = EmailMessage(policy=SMTP)
    message["From"] = mail.address
    message["To"] = mail.sent_to
    message["Subject"] = f"{SUBJECT} {record.era} {record.number}"
    message["Date"] = format_datetime(club.clock())
    message["Message-ID"] = f"<{OWN_IDS}{name.removesuffix('.age')}@{mail.domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(
        "A record of the judge's journal. Keep it until there is a newer backup: with that and the records\n"
        "since, pbem club restore brings the club back as it was.\n"
    )
    message.add_attachment(record.data, maintype="application", subtype="octet-stream", filename=name)
    return message


def read_records(paths: Iterable[Path]) -> Iterator[bytes]:
    """Yield the records in journal folders, Maildirs, mbox files and files of one mail."""
    mails = []
    for path in paths:
        if path.is_dir() and not (path / "cur").is_dir():
            yield from (file.read_bytes() for file in sorted(path.glob("journal-*.age")))
        elif path.suffix == ".age":
            yield path.read_bytes()
        else:
            mails.append(path)
    for raw in read_mails(mails, LARGEST):
        if is_for_itself(raw):
            yield from _attached_files(raw)


def _attached_files(raw: bytes) -> Iterator[bytes]:
    for part in email.message_from_bytes(raw, policy=default).walk():
        if (part.get_filename() or "").startswith("journal-"):
            data = part.get_payload(decode=True)
            if isinstance(data, bytes):
                yield data
