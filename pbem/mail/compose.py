"""A letter as a mail. The same letter always gives the same bytes.

    mixed
        alternative
            text/plain          complete by itself
            text/html           the same text, for programs that show nothing else
        text/plain, attached    the signed or sealed letter, in ASCII
        text/plain, attached    the order form, if the club sends open reports

All letters of one game to one player are one thread: their subject is always the same, and each refers
to the same first mail. Whoever sees a mailbox from outside learns from subjects and sizes nothing of what
a side knows.
"""

from __future__ import annotations

import re
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from pbem.judge.rows import LetterRow
from pbem.mail.headers import OWN_IDS
from pbem.mail.settings import OPEN, MailSettings
from pbem.rendering import render
from pbem.trust.entry_parser import parse_utc
from pbem.trust.letters import COPY
from pbem.trust.zones import local_text

_FORM = re.compile(r"^pbem1 orders\n.*?(?=^HOW TO CHECK$|\Z)", re.MULTILINE | re.DOTALL)
_POLICY = SMTP.clone(max_line_length=200)


def message_id(letter: LetterRow, settings: MailSettings) -> str:
    """The letter's own Message-ID; another one for each time that it was asked for again."""
    stem = letter.name.removesuffix(".txt")
    copy = f".copy{letter.copy}" if letter.copy else ""
    return f"<{OWN_IDS}{letter.game or 'club'}.{letter.player or 'answer'}.{stem}{copy}@{settings.domain}>"


def compose(letter: LetterRow, address: str, settings: MailSettings, zone: str = "") -> EmailMessage:
    """The mail that brings a letter to an address; `zone`: in which its reader wants to read deadlines."""
    message = EmailMessage(policy=_POLICY)
    message["From"] = settings.address
    message["To"] = address
    message["Subject"] = f"{letter.game} for {letter.player}" if letter.player else "pbem: about your mail"
    message["Date"] = format_datetime(parse_utc(letter.at))
    message["Message-ID"] = message_id(letter, settings)
    if letter.player and letter.game:
        thread = f"<{OWN_IDS}{letter.game}.{letter.player}.thread@{settings.domain}>"
        message["In-Reply-To"] = letter.answers or thread
        message["References"] = f"{thread} {letter.answers}".strip()
    elif letter.answers:
        message["In-Reply-To"] = message["References"] = letter.answers
    message["Auto-Submitted"] = "auto-replied" if is_answer(letter) else "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    text = _text(letter, settings, zone)
    message.set_content(text, cte="7bit" if text.isascii() else "quoted-printable")
    page = render("mail/letter.html.j2", subject=message["Subject"], text=text)
    message.add_alternative(page, subtype="html", cte="quoted-printable")
    message.set_boundary("=_pbem1_alternative")
    if letter.data:
        if letter.deadline:
            message.add_attachment(
                calendar(letter, settings),
                subtype="calendar",
                charset="us-ascii",
                cte="7bit",
                filename=f"{letter.game}.ics",
            )
        form = order_form(letter, settings)
        _attach(message, letter.data.decode("ascii"), letter.name)
        if form:
            _attach(message, form, form_name(letter))
        message.set_boundary("=_pbem1_mixed")
    return message


def calendar(letter: LetterRow, settings: MailSettings) -> str:
    """The deadline as a calendar file (RFC 5545); the same event for all deadlines of a game."""
    stamp, until = (moment.replace("-", "").replace(":", "") for moment in (letter.at, letter.deadline))
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//pbem//EN",
        "METHOD:PUBLISH",
        "BEGIN:VEVENT",
        f"UID:{letter.game}.{letter.player}@{settings.domain}",
        f"SEQUENCE:{letter.id}",
        f"DTSTAMP:{stamp}",
        f"DTSTART:{until}",
        f"DTEND:{until}",
        f"SUMMARY:{letter.game}: orders are due",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        "TRIGGER:-P1D",
        f"DESCRIPTION:{letter.game}: orders are due tomorrow",
        "END:VALARM",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    )
    return "\r\n".join(lines)


def is_answer(letter: LetterRow) -> bool:
    """Does it answer something that arrived? Such a mail is sent with an empty envelope sender."""
    return not letter.player or "-receipt-" in letter.name


def order_form(letter: LetterRow, settings: MailSettings) -> str:
    """The form in an open report, for an attachment of its own; "" if there is none."""
    found = _FORM.search(letter.text) if settings.reports == OPEN and not is_answer(letter) else None
    return f"{found[0].rstrip()}\n" if found else ""


def form_name(letter: LetterRow) -> str:
    """The file name of the form in a report."""
    return f"{letter.name.removesuffix('.txt')}-orders.txt"


def _text(letter: LetterRow, settings: MailSettings, zone: str) -> str:
    if not letter.player:
        return letter.text
    kinds = (kind for kind in ("receipt", COPY) if f"-{kind}-" in letter.name)
    kind = next(kinds, "letter")
    shown = letter.text.rstrip("\n") if settings.reports == OPEN or not letter.data else ""
    return render(
        "mail/letter.txt.j2",
        headline=f"Game {letter.game}, for {letter.player}.",
        text=shown,
        kind=kind,
        due=local_text(parse_utc(letter.deadline), zone) if letter.deadline else "",
        name=letter.name,
        attached=bool(letter.data),
        form=form_name(letter) if order_form(letter, settings) else "",
        game=letter.game,
        address=settings.address,
    )


def _attach(message: EmailMessage, text: str, name: str) -> None:
    """Attach ASCII text as it is, so that a mail saved whole still holds it."""
    message.add_attachment(text, subtype="plain", charset="us-ascii", cte="7bit", filename=name)
