"""A letter as a mail. The same letter always gives the same bytes.

    mixed
        alternative
            text/plain          complete by itself
            related
                text/html       the same as a page
                image/png       the picture on it
        text/calendar           the deadline
        text/plain, attached    the signed or sealed letter, in ASCII
    and if the club sends open reports
        text/plain, attached    the order form
        text/plain, attached    the report's part for programs
    or else
        attached                the page with its picture, sealed to the same key; age opens it

All letters of one game to one player are one thread: each refers to the same first mail. Whoever sees a
mailbox from outside learns from subjects and sizes nothing of what a side knows. Sealing draws new keys each
time, so only a sealed page has other bytes when its letter is sent again.
"""

from __future__ import annotations

import hashlib
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from pbem.judge.rows import LetterRow
from pbem.mail.headers import OWN_IDS
from pbem.mail.settings import OPEN, MailSettings
from pbem.mail.subjects import about, subject
from pbem.pages import gist, report_page, without_view
from pbem.rendering import render
from pbem.steps import UNKNOWN, Step
from pbem.trust.draft import form_in, parse_draft
from pbem.trust.keys import parse_public
from pbem.trust.letters import COPY, FORECAST, UNSIGNED
from pbem.trust.sealing import pad, seal
from pbem.trust.times import parse_utc
from pbem.trust.zones import local_text

PICTURE_ID = "picture@pbem"
PAGE_PADDING = 65_536
"""A sealed page is padded to multiples of this, as a page with its picture is larger than a report."""
_POLICY = SMTP.clone(max_line_length=200)


def message_id(letter: LetterRow, settings: MailSettings) -> str:
    """The letter's own Message-ID; another one for each time that it was asked for again.

    The name alone would not do: after a restore it may be that of another letter, which has left already, and
    a mail program drops what it takes for a second copy. A receipt's names the file that it is
    for, so that the judge's own sent mail still tells it (pbem.mail.heads).
    """
    who = f"{letter.game or 'club'}.{letter.player or 'answer'}"
    copy = f".copy{letter.copy}" if letter.copy else ""
    told = f"{letter.at} {letter.address} {letter.answers}\n{letter.text}\n".encode() + letter.data
    mark = f".id{(letter.sealed or hashlib.sha256(told).hexdigest())[:16]}"
    return f"<{OWN_IDS}{who}.{_stem(letter)}{copy}{mark}@{settings.domain}>"


def compose(
    letter: LetterRow, address: str, settings: MailSettings, zone: str = "", *, pages: bool = True
) -> EmailMessage:
    """The mail that brings a letter to an address; `zone`: in which its reader wants to read deadlines.

    `pages`: with the page and picture of a report; the letter is complete without them.
    """
    message = EmailMessage(policy=_POLICY)
    message["From"] = settings.address
    message["To"] = address
    message["Subject"] = subject(letter, zone)
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
    _write(message, letter, settings, zone, pages=pages)
    if letter.data:
        if letter.deadline:
            message.add_attachment(
                calendar(letter, settings),
                subtype="calendar",
                charset="us-ascii",
                cte="7bit",
                filename=f"{letter.game}.ics",
            )
        _attach(message, letter.data.decode("ascii"), letter.name)
        if is_open(letter, settings):
            if form := order_form(letter):
                _attach(message, form, form_name(letter))
            if view := program_part(letter.text):
                _attach(message, view, f"{_stem(letter)}-view.txt")
        elif pages and letter.key and gist(letter.text):
            page = report_page(letter.text, what=about(letter, zone).said).html.encode()
            sealed = seal(pad(page, PAGE_PADDING), [parse_public(letter.key)])
            name = f"{_stem(letter)}-page.html.age"
            message.add_attachment(sealed, maintype="application", subtype="octet-stream", filename=name)
        message.set_boundary("=_pbem1_mixed")
    return message


def _write(
    message: EmailMessage, letter: LetterRow, settings: MailSettings, zone: str, *, pages: bool
) -> None:
    """The mail's text, and the same as a page."""
    text = _text(letter, settings, zone)
    message.set_content(text, cte="7bit" if text.isascii() else "quoted-printable")
    if pages and letter.player and is_open(letter, settings):
        found = about(letter, zone)
        page = report_page(letter.text, source=f"cid:{PICTURE_ID}", what=found.what, due=found.due)
        html, png = page.html, page.png
    else:
        html, png = render("mail/letter.html.j2", subject=message["Subject"], text=text), b""
    message.add_alternative(html, subtype="html", cte="quoted-printable")
    if png:
        part = list(message.iter_parts())[-1]
        assert isinstance(part, EmailMessage)
        part.add_related(png, "image", "png", cid=f"<{PICTURE_ID}>", filename="picture.png")
        part.set_boundary("=_pbem1_related")
    message.set_boundary("=_pbem1_alternative")


def is_open(letter: LetterRow, settings: MailSettings) -> bool:
    """Does the mail itself show what the letter says? So does whatever is not sealed at all."""
    return settings.reports == OPEN or not letter.data


def program_part(report: str) -> str:
    """The part of a report that a program reads; "" if there is none."""
    rest = report.removeprefix(without_view(report)).lstrip("\n")
    return f"{rest.rstrip()}\n" if rest else ""


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
    return letter.name.startswith("answer-") or "-receipt-" in letter.name


def order_form(letter: LetterRow) -> str:
    """The form in a report, for an attachment of its own; "" if there is none."""
    return "" if is_answer(letter) else form_in(letter.text)


def form_name(letter: LetterRow) -> str:
    """The file name of the form in a report."""
    return f"{_stem(letter)}-orders.txt"


def _opened(letter: LetterRow) -> int | str:
    """The exchange that the form of a letter is for."""
    form = order_form(letter)
    return (parse_draft(form).exchange if form else None) or UNKNOWN["exchange"]


def _stem(letter: LetterRow) -> str:
    return letter.name.removesuffix(".txt")


def _text(letter: LetterRow, settings: MailSettings, zone: str) -> str:
    if not letter.player:
        return letter.text
    kind = next((kind for kind in ("receipt", FORECAST, COPY) if f"-{kind}-" in letter.name), "letter")
    shown = is_open(letter, settings)
    return render(
        "mail/letter.txt.j2",
        headline=f"Game {letter.game}, for {letter.player}: {about(letter, zone).what}.",
        text=without_view(letter.text) if shown else "",
        kind=kind,
        due=local_text(parse_utc(letter.deadline), zone) if letter.deadline else "",
        name=letter.name,
        page=f"{_stem(letter)}-page.html.age" if not shown and letter.key and gist(letter.text) else "",
        attached=bool(letter.data),
        unsigned="" if letter.data else UNSIGNED,
        form=form_name(letter) if shown and order_form(letter) else "",
        receive=Step.LETTER.command(file=letter.name),
        turn=Step.MAIL.command(file=letter.name),
        seal=Step.FORM.command(file=form_name(letter), game=letter.game, exchange=_opened(letter)),
        game=letter.game,
        address=settings.address,
    )


def _attach(message: EmailMessage, text: str, name: str) -> None:
    """Attach ASCII text as it is, so that a mail saved whole still holds it."""
    message.add_attachment(text, subtype="plain", charset="us-ascii", cte="7bit", filename=name)
