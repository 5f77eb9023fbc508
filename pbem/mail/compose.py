"""The composing of the mail that brings a letter. The same letter always gives the same bytes.

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
    and for each further letter of the game that leaves in the same mail
        text/plain, attached    the letter, and its page

All letters of one game to one player are one thread: each refers to the same first mail. What whoever sees a
mailbox from outside can read of a sealed letter is made of its `Envelope` alone (pbem.mail.envelope). Sealing
draws new keys each time, so only a sealed page has other bytes when its letter is sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from email.generator import BytesGenerator
from email.headerregistry import BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import lru_cache, partial
from html import escape
from io import BytesIO

from pbem.judge.tables.database import LetterRow
from pbem.mail.envelope import INVITED, PRESS, RECEIPT, Envelope, about, by, envelope_of, kind_of, subject
from pbem.mail.headers import LETTER
from pbem.mail.settings import OPEN, MailSettings
from pbem.pages import report_page, without_view
from pbem.rendering import render
from pbem.steps import UNKNOWN, Step
from pbem.trust.keys import parse_public
from pbem.trust.letters import COPY, FORECAST, UNSIGNED
from pbem.trust.orderfile import form_in, parse_draft
from pbem.trust.sealing import pad, seal
from pbem.trust.times import local_text, parse_utc, times_in

PICTURE_ID = "picture@pbem"
PAGE_SIZE = 131_072
"""Size in bytes of every page before it is sealed; no page of the recorded games has more than 117,192."""
TOO_LARGE = "<!DOCTYPE html><title>pbem</title><p>This is too large for a mail: pbem page shows it.</p>\n"
HEADERS = 1_024
"""Maximum number of parsed headers that are kept for the next mail."""


class _Headers(HeaderRegistry):
    """A registry of header classes that keeps a parsed header for the next mail.

    The library takes longer to parse the headers than for the rest of a receipt.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kind = lru_cache(super().__getitem__)
        self._read = lru_cache(HEADERS)(super().__call__)

    def __getitem__(self, name: str) -> type[BaseHeader]:
        """Return the class of mail headers with a given name."""
        return self._kind(name)

    def __call__(self, name: str, value: str) -> BaseHeader:
        """Return a parsed header, which callers must not change."""
        return self._read(name, value)


_POLICY = SMTP.clone(max_line_length=200, header_factory=_Headers())


def compose(
    letter: LetterRow,
    address: str,
    settings: MailSettings,
    zone: str = "",
    *,
    pages: bool = True,
    others: Sequence[LetterRow] = (),
) -> EmailMessage:
    """Compose the mail that brings a letter to an address; deadlines are shown in the time zone `zone`.

    `pages` adds the page and picture of a report; the letter is complete without them. `others` are letters
    of the same game to the same reader, which are attached; each has its own id in a header.
    """
    envelope = envelope_of(letter, address, zone)
    beside = [_beside(one, envelope_of(one, address, zone), settings, pages=pages) for one in others]
    if is_open(letter, settings):
        told = times_in(letter.text, zone) if is_for_person(letter) else letter.text
        return _open_mail(envelope, settings, told, pages=pages, beside=beside)
    return sealed_mail(envelope, settings, _page_of(letter, envelope, pages=pages), beside)


def primary(letters: Sequence[LetterRow]) -> LetterRow:
    """Return the letter whose mail the others join: the last report, else the one most waited for."""
    return max(letters, key=lambda one: (_WEIGHT.get(kind_of(one.name), len(_WEIGHT)), one.id))


_WEIGHT = {COPY: 0, FORECAST: 1, PRESS: 2, RECEIPT: 3}
"""Weights of the lightest kinds of letters, by which one letter is chosen whose mail others join; all other
kinds are heavier."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A letter that leaves in the mail of another."""

    envelope: Envelope
    page: bytes = b""
    """The sealed page of the letter; empty without one."""
    words: str = ""
    """The words of the letter, if the mail shows them."""

    @property
    def page_name(self) -> str:
        """The file name of the letter's page; "" without a page."""
        return f"{self.envelope.stem}-page.html.age" if self.page else ""


def _beside(letter: LetterRow, envelope: Envelope, settings: MailSettings, *, pages: bool) -> Beside:
    if is_open(letter, settings):
        return Beside(envelope, words=without_view(letter.text))
    return Beside(envelope, _page_of(letter, envelope, pages=pages))


def _page_of(letter: LetterRow, envelope: Envelope, *, pages: bool) -> bytes:
    if not pages or not has_page(envelope):
        return b""
    return _sealed_page(letter.text, letter.key, by(envelope), partial(times_in, zone=envelope.zone))


def sealed_mail(
    envelope: Envelope, settings: MailSettings, page: bytes, beside: Sequence[Beside] = ()
) -> EmailMessage:
    """Compose the mail of a letter that nobody may read on its way; `page` is sealed as well."""
    page_name = f"{envelope.stem}-page.html.age" if page else ""
    text = _text(envelope, settings, page=page_name, beside=beside)
    message = _start_mail(envelope, settings, beside)
    _write(message, text, render("mail/letter.html.j2", subject=message["Subject"], text=text))
    _attach_letter(message, envelope, settings)
    if page:
        _attach_page(message, page, page_name)
    _attach_others(message, beside)
    message.set_boundary("=_pbem1_mixed")
    return message


def _attach_page(message: EmailMessage, page: bytes, name: str) -> None:
    message.add_attachment(page, maintype="application", subtype="octet-stream", filename=name)


def _attach_others(message: EmailMessage, beside: Iterable[Beside]) -> None:
    for one in beside:
        _attach(message, one.envelope.sealed, one.envelope.name)
        if one.page:
            _attach_page(message, one.page, one.page_name)


class _AtOnce(BytesGenerator):
    """A mail generator that writes a part's lines at once.

    The library writes the lines one by one, to the same bytes.
    """

    def _write_lines(self, lines: str) -> None:
        ended = lines.replace("\r\n", "\n").replace("\r", "\n")
        self.write(ended.replace("\n", self._NL))  # type: ignore[attr-defined]


def as_bytes(message: EmailMessage) -> bytes:
    """Return the bytes with which a mail leaves, the same as `message.as_bytes()` returns."""
    written = BytesIO()
    _AtOnce(written, mangle_from_=False, policy=message.policy).flatten(message)
    return written.getvalue()


def _open_mail(
    envelope: Envelope, settings: MailSettings, words: str, *, pages: bool, beside: Sequence[Beside] = ()
) -> EmailMessage:
    """Compose the mail of an unsealed letter.

    In a club that sends its reports unsealed, the mail of every letter is composed so.
    """
    form = form_in(words) if envelope.sealed and not is_answer(envelope.name) else ""
    text = words
    if envelope.player:
        text = _text(envelope, settings, words=without_view(words), form=form, beside=beside)
    message = _start_mail(envelope, settings, beside)
    if pages and envelope.player:
        found = about(envelope)
        times = partial(times_in, zone=envelope.zone)
        source = f"cid:{PICTURE_ID}"
        page = report_page(words, source=source, what=found.what, due=found.due, times=times)
        _write(message, text, _with_words(page.html, beside), page.png)
    else:
        _write(message, text, render("mail/letter.html.j2", subject=message["Subject"], text=text))
    if envelope.sealed:
        _attach_letter(message, envelope, settings)
        if form:
            _attach(message, form, form_name(envelope))
        if view := program_part(words):
            _attach(message, view, f"{envelope.stem}-view.txt")
        _attach_others(message, beside)
        message.set_boundary("=_pbem1_mixed")
    return message


def _with_words(html: str, beside: Iterable[Beside]) -> str:
    """Return a page with the letters that come with it at its end, each with its kind and its words."""
    told = ""
    for one in beside:
        told += f"<hr><p>{escape(about(one.envelope).what)}: {escape(one.envelope.name)}</p>\n"
        told += f"<pre>{escape(one.words)}</pre>\n" if one.words else ""
    before, end, after = html.rpartition("</body>")
    return f"{before}{told}{end}{after}"


def _start_mail(envelope: Envelope, settings: MailSettings, beside: Iterable[Beside] = ()) -> EmailMessage:
    """Return a mail that has its headers and no content yet."""
    message = EmailMessage(policy=_POLICY)
    message["From"] = settings.address
    message["To"] = envelope.address or settings.address
    message["Subject"] = subject(envelope)
    message["Date"] = format_datetime(parse_utc(envelope.at))
    message["Message-ID"] = envelope.message_id(settings.domain)
    for one in beside:
        message[LETTER] = one.envelope.message_id(settings.domain)
    if envelope.player and envelope.game:
        thread = envelope.thread(settings.domain)
        message["In-Reply-To"] = envelope.answers or thread
        message["References"] = f"{thread} {envelope.answers}".strip()
    elif envelope.answers:
        message["In-Reply-To"] = message["References"] = envelope.answers
    message["Auto-Submitted"] = "auto-replied" if is_answer(envelope.name) else "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    return message


def _write(message: EmailMessage, text: str, html: str, png: bytes = b"") -> None:
    """Put the text into a mail, with its HTML alternative and the picture."""
    message.set_content(text, cte="7bit" if text.isascii() else "quoted-printable")
    message.add_alternative(html, subtype="html", cte="quoted-printable")
    if png:
        part = list(message.iter_parts())[-1]
        assert isinstance(part, EmailMessage)
        part.add_related(png, "image", "png", cid=f"<{PICTURE_ID}>", filename="picture.png")
        part.set_boundary("=_pbem1_related")
    message.set_boundary("=_pbem1_alternative")


def _attach_letter(message: EmailMessage, envelope: Envelope, settings: MailSettings) -> None:
    """Attach to a mail the deadline for calendar programs, and the letter itself."""
    if envelope.deadline:
        message.add_attachment(
            envelope.calendar(settings.domain),
            subtype="calendar",
            charset="us-ascii",
            cte="7bit",
            filename=f"{envelope.game}.ics",
        )
    _attach(message, envelope.sealed, envelope.name)


def has_page(envelope: Envelope) -> bool:
    """Tell whether a letter's mail brings a page: it does if the letter shows the position of a game."""
    return bool(envelope.sealed and envelope.moment)


def _sealed_page(report: str, key: str, due: str, times: Callable[[str], str] = str) -> bytes:
    """Return a report's page sealed to its reader, always of one size, if need be without the picture."""
    page = report_page(report, due=due, times=times).html.encode()
    if len(page) > PAGE_SIZE:
        page = report_page(without_view(report), due=due, times=times).html.encode()
    if len(page) > PAGE_SIZE:
        page = TOO_LARGE.encode()
    return seal(pad(page, PAGE_SIZE), [parse_public(key)])


def is_for_person(letter: LetterRow) -> bool:
    """Tell whether a letter is only for a person to read, so that nobody has signed or hashed it."""
    return not letter.data and bool(letter.player or letter.answers or letter.name.startswith("answer-"))


def is_open(letter: LetterRow, settings: MailSettings) -> bool:
    """Tell whether a mail shows the text of its letter in the clear, as that of each unsealed letter does."""
    return settings.reports == OPEN or not letter.data


def program_part(report: str) -> str:
    """Return the part of a report that only programs read; "" if there is none."""
    rest = report.removeprefix(without_view(report)).lstrip("\n")
    return f"{rest.rstrip()}\n" if rest else ""


def is_answer(name: str) -> bool:
    """Tell whether a letter, by its name, answers a mail and so is sent with an empty envelope sender."""
    return name.startswith("answer-") or "-receipt-" in name or "-said-" in name


def form_name(envelope: Envelope) -> str:
    """Return the file name for the order form in a report."""
    return f"{envelope.stem}-orders.txt"


def _text(
    envelope: Envelope,
    settings: MailSettings,
    *,
    words: str = "",
    form: str = "",
    page: str = "",
    beside: Sequence[Beside] = (),
) -> str:
    """Return the text of a mail: what came, and how to read it.

    `words` and `form` are those of a letter that is not sealed. With several letters in the mail, the whole
    mail is what its reader saves.
    """
    file = UNKNOWN["file"] if beside else envelope.name
    exchange = (parse_draft(form).exchange if form else None) or UNKNOWN["exchange"]
    return render(
        "mail/letter.txt.j2",
        headline=f"Game {envelope.game}, for {envelope.player}: {about(envelope).what}.",
        text=words,
        kind=kind_of(envelope.name),
        due=local_text(parse_utc(envelope.deadline), envelope.zone) if envelope.deadline else "",
        name=envelope.name,
        page=page,
        browser=_browser(envelope, settings),
        attached=bool(envelope.sealed),
        unsigned="" if envelope.sealed else UNSIGNED,
        form=form_name(envelope) if form else "",
        beside=[(one.envelope.name, about(one.envelope).what, one.words) for one in beside],
        receive=Step.LETTER.command(file=file),
        turn=Step.MAIL.command(file=file),
        seal=Step.FORM.command(file=form_name(envelope), game=envelope.game, exchange=exchange),
        game=envelope.game,
        address=settings.address,
        director=settings.director,
    )


def _browser(envelope: Envelope, settings: MailSettings) -> str:
    """Return the address of the player's page; in an invitation, the link that fills in game and judge."""
    if settings.page is None:
        return ""
    if not settings.judge or about(envelope).what != INVITED:
        return settings.page.address
    return settings.page.link_to_join(envelope.game, settings.judge)


def _attach(message: EmailMessage, text: str, name: str) -> None:
    """Attach ASCII text to a mail as it is, so that the mail saved whole still holds it."""
    message.add_attachment(text, subtype="plain", charset="us-ascii", cte="7bit", filename=name)
