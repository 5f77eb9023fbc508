"""The head of a mail, as far as the judge needs it: where an answer may go, and whether one is allowed.

Read from the raw bytes, line by line, each field cut to a length: no parser of addresses is used, for
they fail on hostile ones or take long. Nothing here is believed: a head says who may be answered, never
who sent something.

A mail gets no answer if a machine sent it (RFC 3834): auto-replies, bounces and other reports, lists and
bulk, and our own mails coming back.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from dataclasses import dataclass

from pbem.mail.text import decode
from pbem.trust.identifiers import is_address

PERSON = "person"
AUTO = "auto-reply"
BOUNCE = "bounce"
LIST = "list"
OWN = "own"
ORIGINS = (PERSON, AUTO, BOUNCE, LIST, OWN)
OWN_IDS = "pbem1."
"""With this every Message-ID of ours begins."""

LONGEST_FIELD = 2_000
_MOST_FIELDS = 2_000
_ID = re.compile(r"<[!-;=?-~]{1,250}>")
_WORD = re.compile(r"=\?([A-Za-z0-9_-]{1,40})(?:\*[A-Za-z-]{1,20})?\?([BbQq])\?([^?\s]{0,1000})\?=\s{0,80}")
_AUTO_SUBJECTS = re.compile(
    r"(out of (the )?office|automatic reply|auto(matic)?[ -]?(reply|response)|autoreply|abwesenheit\w*|"
    r"automatische antwort|r[eé]ponse automatique|absence du bureau|respuesta autom[aá]tica|"
    r"risposta automatica|automatisch antwoord|odpowied[zź] automatyczna|automatiskt svar|autosvar|"
    r"vacation)\b",
    re.IGNORECASE,
)
_BOUNCE_SENDERS = re.compile(r"(mailer-daemon|postmaster|mdaemon|maildaemon)@|^<>$", re.IGNORECASE)
_WORDS = {
    AUTO: "an automatic reply",
    BOUNCE: "a report of a mail server",
    LIST: "mail of a list",
    OWN: "a mail of the judge's own",
    PERSON: "a mail of a person",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a mail says of itself."""

    origin: str
    """What kind of sender it has: one of `ORIGINS`."""
    sender: str = ""
    """The address in From, in lower case; "" if there is none that can be written to."""
    subject: str = ""
    message_id: str = ""
    references: tuple[str, ...] = ()

    @property
    def origin_words(self) -> str:
        """The kind of sender in words."""
        return _WORDS[self.origin]

    @property
    def answerable(self) -> bool:
        """Whether an answer may be sent to `sender`."""
        return self.origin == PERSON and bool(self.sender)


def read_head(raw: bytes, own: str = "") -> Head:
    """The head of a mail; `own` is the judge's address."""
    fields = _fields(raw)
    sender = address_in(_first(fields, "from")) or address_in(_first(fields, "sender"))
    message_id = _ID.search(_first(fields, "message-id"))
    return Head(
        origin=_origin(fields, sender, own.lower()),
        sender=sender,
        subject=_words(_first(fields, "subject"))[:200],
        message_id=message_id[0] if message_id else "",
        references=tuple(
            _ID.findall(f"{_first(fields, 'references')} {_first(fields, 'in-reply-to')}")[-20:]
        ),
    )


def address_in(field: str) -> str:
    """The last address in a field, in lower case; in angle brackets if there are any."""
    bracketed = re.findall(r"<([^<>\s]{3,320})>", field)
    for candidate in reversed(bracketed or re.findall(r"[^\s<>()\",;:]{3,320}", field)):
        if is_address(candidate):
            return str(candidate).lower()
    return ""


def _fields(raw: bytes) -> dict[str, list[str]]:
    """Field name in lower case -> its values, unfolded and cut."""
    fields: dict[str, list[str]] = {}
    name = ""
    for number, line in enumerate(raw.splitlines()):
        if not line.strip() or number >= _MOST_FIELDS:
            break
        if line[:1] in (b" ", b"\t"):
            if name and len(fields[name][-1]) < LONGEST_FIELD:
                fields[name][-1] = f"{fields[name][-1]} {decode(line[:LONGEST_FIELD].strip())}"
            continue
        key, colon, value = line.partition(b":")
        if not colon or len(key) > 100:
            continue
        name = key.strip().decode("latin-1").lower()
        fields.setdefault(name, []).append(decode(value[:LONGEST_FIELD].strip()))
    return fields


def _first(fields: dict[str, list[str]], name: str) -> str:
    return fields.get(name, [""])[0]


def _origin(fields: dict[str, list[str]], sender: str, own: str) -> str:
    kind = _first(fields, "content-type").lower()
    if own and (sender == own or _first(fields, "message-id").lower().startswith(f"<{OWN_IDS}")):
        return OWN
    if (
        kind.startswith("multipart/report")
        or _first(fields, "return-path") == "<>"
        or _BOUNCE_SENDERS.search(_first(fields, "from"))
        or "x-failed-recipients" in fields
    ):
        return BOUNCE
    automatic = _first(fields, "auto-submitted").split(";")[0].strip().lower()
    precedence = _first(fields, "precedence").lower()
    if (
        automatic not in ("", "no")
        or precedence in ("auto_reply", "auto-reply")
        or {"x-autoreply", "x-autorespond", "x-autoresponse", "x-auto-reply"} & fields.keys()
        or _AUTO_SUBJECTS.match(_words(_first(fields, "subject")))
    ):
        return AUTO
    if (
        precedence in ("list", "bulk", "junk")
        or {
            "list-id",
            "list-post",
            "list-unsubscribe",
            "mailing-list",
            "x-mailman-version",
        }
        & fields.keys()
    ):
        return LIST
    return PERSON


def _words(field: str) -> str:
    """A field with its encoded words decoded, without signs that cannot be printed."""
    text = _WORD.sub(_word, field)
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()


def _word(match: re.Match[str]) -> str:
    charset, encoding, content = match.groups()
    try:
        if encoding in "Bb":
            data = base64.b64decode(content + "=" * (-len(content) % 4))
        else:
            data = quopri.decodestring(content.replace("_", " ").encode(), header=True)
    except (binascii.Error, ValueError):
        return match[0]
    return decode(data, charset)
