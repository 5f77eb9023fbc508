"""The extract of a mail: the sealed files, signed statements and commands that the judge takes from it.

A mail is hostile until the signature inside a seal says otherwise. So:

- nothing is parsed before size, head and the number of parts have been counted on the raw bytes;
- the standard parser runs with the policy compat32, which decodes no header, and may fail as it likes;
- sealed files are looked for in every part, in forwarded and returned mails too: who sent them is decided
  by the signature alone, so where they stood does not matter;
- commands are read only from the first own lines of the text (or the subject), never from quoted lines,
  attachments or forwarded mails, and only from mails that a person wrote.

Left to others: whose orders these are, and whether an answer is sent.
"""

from __future__ import annotations

import base64
import binascii
import email
import email.message
import email.policy
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from pbem.characters import BLANKS
from pbem.judge.press import SEALED_ONLY
from pbem.mail.headers import BOUNCE, OWN, PERSON, Head, read_head
from pbem.mail.mail_text import Command, decode, html_text, is_footer, only_file, read_commands
from pbem.mail.statements import MAX_STATEMENTS, find_fault, find_statements
from pbem.trust import sealing
from pbem.trust.armor import Block, find_blocks, is_for_player
from pbem.trust.faults import ArmorFault
from pbem.trust.keys import PublicKey

MAX_MAIL_SIZE = 2_000_000
MAX_HEAD_SIZE = 131_072
MAX_PARTS = 50
DEEPEST = 10
MAX_SEALED_FILES = 16
MAX_PAGE_SIZE = 300_000
"""Maximum number of bytes that are read of an HTML part, several times what orders need."""
_MAX_BOUNDARIES = 2 * MAX_PARTS
_MAX_MARKS = 20 * MAX_PARTS
_MAX_UU_LINES = 40 * MAX_PARTS
"""Maximum number of lines that are read of one uuencoded file."""
_BOUNDARY = re.compile(rb"boundary\s{0,8}[=*]|message/rfc822", re.IGNORECASE)


_BASE64 = re.compile(r"[A-Za-z0-9+/]+")
_NOTHING = b"\0\t\r\n "
_BINARY = "application/octet-stream"
_MARKS = tuple(
    mark.encode(name)
    for mark in ("pbem1", "SSH SIGNATURE", "PRIVATE KEY")
    for name in ("utf-8", "utf-16-le", "utf-16-be")
)


class Unreadable(ValueError):
    """Raised for a mail that is not parsed; the text of the exception says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """The parts of one mail that the judge takes."""

    head: Head
    sealed_files: tuple[bytes, ...] = ()
    """The sealed files in the mail: binary age files, without repetitions."""
    statements: tuple[bytes, ...] = ()
    """The signed texts in the mail that are not secret, such as a join or an absence."""
    commands: tuple[Command, ...] = ()
    reason: str = ""
    """The reason why nothing was taken from the mail; "" if something was."""
    has_orders: bool = False
    """Whether the mail has an order file, remains of one, or something that may hide one."""
    is_press: bool = False
    """Whether the mail asks to pass on a message that is plain text, neither signed nor sealed."""
    has_signed: bool = False
    """Whether the mail has a signed text, or remains of one."""
    text: str = ""
    """The text that the sender wrote, with all that was taken from it."""
    attached: tuple[str, ...] = ()
    """The names of the files that are attached."""

    @property
    def is_taken(self) -> bool:
        """Whether the mail brought the judge a sealed file, a signed statement or a command."""
        return bool(self.sealed_files or self.statements or self.commands)


@dataclass(frozen=True)
class _Part:
    """One leaf of a mail's tree of parts, with the leaf's data."""

    kind: str
    data: bytes
    charset: str
    attached: bool
    forwarded: bool
    name: str

    @cached_property
    def text(self) -> str:
        return decode(self.data, self.charset)

    @cached_property
    def plain(self) -> str:
        """The text of this part as a person sees it."""
        return html_text(self.text[:MAX_PAGE_SIZE]) if self.kind == "text/html" else self.text


def extract(raw: bytes, own: str = "", judge: PublicKey | None = None) -> Extract:
    """Return what the judge takes from a mail; `own` is the judge's address, `judge` their key."""
    head = read_head(raw[:MAX_HEAD_SIZE], own)
    try:
        check_limits(raw)
        parts = _parts(raw)
    except Unreadable as problem:
        return Extract(head=head, reason=str(problem), has_orders=bool(raw.strip(_NOTHING)))
    if head.origin == OWN:
        return Extract(head=head, reason=f"it is {head.origin_words}")
    sealed, faults, letters = _find_sealed_files(raw, parts, judge)
    texts = _texts_to_search(parts)
    statements = tuple(dict.fromkeys(found for text in texts for found in find_statements(text)))[
        :MAX_STATEMENTS
    ]
    commands: tuple[Command, ...] = ()
    if head.origin == PERSON and not sealed and not statements:
        commands = read_commands(_first_text(parts), head.subject)
    why = "" if sealed or statements or commands else _lost_orders(parts, faults)
    is_press = not (sealed or statements or commands or why) and _is_press(parts, head.subject)
    if is_press:
        return Extract(head=head, reason=SEALED_ONLY, is_press=True)
    has_orders = bool(sealed or why)
    lost = ""
    if not (sealed or statements or commands or why):
        wrong = (_WITH_OWN_KEY if _PRIVATE_KEY.search(text) else find_fault(text) for text in texts)
        lost = next(filter(None, wrong), "")
        why = lost or _nothing(parts, letters)
    if why and head.origin == BOUNCE:
        why = f"it is {head.origin_words}, {why}" if has_orders else f"it is {head.origin_words}"
    return Extract(
        head=head,
        sealed_files=sealed,
        statements=statements,
        commands=commands,
        reason=why,
        has_orders=has_orders,
        has_signed=bool(statements or lost),
        text=_first_text(parts),
        attached=tuple(part.name for part in parts if part.attached and part.name),
    )


def check_limits(raw: bytes) -> None:
    """Raise Unreadable, without parsing, for a mail larger or deeper than mail programs of people send.

    Raises:
        Unreadable: the mail is empty, too large, or has too many parts or too long a head.
    """
    if not raw.strip(_NOTHING):
        raise Unreadable("the mail is empty")
    if len(raw) > MAX_MAIL_SIZE:
        raise Unreadable(f"the mail has more than {MAX_MAIL_SIZE:,} bytes")
    end = re.search(rb"\r?\n\r?\n", raw)
    if (end.start() if end else len(raw)) > MAX_HEAD_SIZE:
        raise Unreadable(f"the head of the mail has more than {MAX_HEAD_SIZE:,} bytes")
    marks = raw.count(b"\n--") + raw.count(b"\r--")
    if marks > _MAX_MARKS or sum(1 for _ in _BOUNDARY.finditer(raw)) > _MAX_BOUNDARIES:
        raise Unreadable(f"the mail has more than {MAX_PARTS} parts")


def _parts(raw: bytes) -> list[_Part]:
    try:
        message = email.message_from_bytes(raw, policy=email.policy.compat32)
        return list(_walk(message))
    except RecursionError:
        raise Unreadable("the mail has parts within parts, too many times") from None
    except Unreadable:
        raise
    except Exception:  # noqa: BLE001 - whatever the parser dies of, the mail is at fault
        raise Unreadable("the mail is broken; attach the file to a new one") from None


def _walk(message: email.message.Message) -> Iterator[_Part]:
    """Yield the leaves of a mail, in order, without the delivery reports in it."""
    stack = [(message, 0, False)]
    count = 0
    while stack:
        part, depth, forwarded = stack.pop()
        count += 1
        if count > MAX_PARTS:
            raise Unreadable(f"the mail has more than {MAX_PARTS} parts")
        if depth > DEEPEST:
            raise Unreadable("the mail has parts within parts, too many times")
        payload = _encoded_mail(part) or part.get_payload()
        if isinstance(payload, list):
            inner = forwarded or part.get_content_type().startswith("message/")
            children = [child for child in payload if isinstance(child, email.message.Message)]
            stack += [(child, depth + 1, inner) for child in reversed(children)]
            continue
        leaf = _leaf(part, forwarded)
        yield leaf
        yield from (replace(leaf, kind=_BINARY, data=data) for data in _uudecode(leaf.data))


def _encoding(part: email.message.Message) -> str:
    return str(part.get("Content-Transfer-Encoding", "")).strip(BLANKS).lower()


def _encoded_mail(part: email.message.Message) -> list[email.message.Message]:
    """Return the forwarded mail in a part that a gateway has encoded against RFC 2046, or else nothing."""
    payload = part.get_payload()
    if not part.get_content_type().startswith("message/") or _encoding(part) != "base64":
        return []
    text = "".join(map(str, payload)) if isinstance(payload, list) else str(payload)
    inner = email.message_from_bytes(_without_footer(text.lstrip(BLANKS)), policy=email.policy.compat32)
    return [inner] if inner.keys() else []


def _leaf(part: email.message.Message, forwarded: bool) -> _Part:
    data = part.get_payload(decode=True)
    if _encoding(part) == "base64":
        data = _without_footer(part.get_payload()) or data
    data = data if isinstance(data, bytes) else b""
    return _Part(
        kind=part.get_content_type(),
        data=only_file(data, MAX_MAIL_SIZE),
        charset=_charset(part),
        attached=str(part.get("Content-Disposition", "")).strip().lower().startswith("attachment"),
        forwarded=forwarded,
        name=_file_name(part),
    )


def _without_footer(payload: object) -> bytes:
    """Return a base64 part's data without the clear footer of a mailing list; b"" if none is left.

    The data ends before a line of words, and with a line that has other characters after those of base64. A
    mailing list may have cut off the "=" at the end.
    """
    taken: list[str] = []
    for line in map(str.strip, str(payload).splitlines()):
        found = _BASE64.match(line)
        if not line:
            continue
        if found is None or line[found.end() :].startswith((" ", "\t", ":", ".", ",", "@")):
            break
        taken.append(found[0])
        if found.end() < len(line):
            break
    text = "".join(taken)
    text = text[: len(text) - (len(text) % 4 == 1)]
    return base64.b64decode(text + "=" * (-len(text) % 4))


def _charset(part: email.message.Message) -> str:
    try:
        return str(part.get_content_charset() or "")
    except Exception:  # noqa: BLE001 - a broken header says nothing
        return ""


def _file_name(part: email.message.Message) -> str:
    try:
        return str(part.get_filename() or "")[:200]
    except Exception:  # noqa: BLE001 - a broken header says nothing
        return ""


def _texts_to_search(parts: list[_Part]) -> list[str]:
    """Return the texts of a mail in which signed statements are looked for.

    All plain parts are one text, whatever type they were given: a text and its signature may be two parts.
    HTML stands by itself, since it shows the plain text once more.
    """
    plain = [part for part in parts if part.kind != "text/html"]
    texts = [part.plain for part in plain if part.kind.startswith("text/") or _holds_mark(part.data)]
    return ["\n".join(texts), *(part.plain for part in parts if part.kind == "text/html")]


def _holds_mark(data: bytes) -> bool:
    """Tell whether data of any type holds the begin or end of a signed text, in UTF-8 or UTF-16."""
    return any(mark in data for mark in _MARKS)


def _find_sealed_files(
    raw: bytes, parts: list[_Part], judge: PublicKey | None
) -> tuple[tuple[bytes, ...], list[str], list[str]]:
    """Return every sealed file for the judge, and the faults of others: of order files, and of other files.

    HTML is read only where nothing else holds such a file, and the mail as it came only if its parts hold
    none: both may show, damaged, a file that stood in the text already.
    """
    found: dict[bytes, None] = {}
    faults: list[str] = []
    letters: list[str] = []
    plain = [part for part in parts if part.kind != "text/html"]
    for readings in (plain, [part for part in parts if part.kind == "text/html"]):
        for part in readings:
            text = "" if part.data.startswith(sealing.AGE_MAGIC) else part.text
            text = text[:MAX_PAGE_SIZE] if part.kind == "text/html" else text
            _look(part.data, text, judge, found, faults, letters)
        if found:
            break
    if not found and not faults and not letters:
        _look(raw, raw.decode("latin-1"), judge, found, faults, letters)
    if len(found) > MAX_SEALED_FILES:
        return (), [f"the mail holds more than {MAX_SEALED_FILES} sealed files"], []
    return tuple(found), faults, letters


_UU_BEGINS = re.compile(rb"^begin [0-7]{3,4} [^\r\n]{1,200}\r?\n", re.MULTILINE)


def _uudecode(data: bytes) -> Iterator[bytes]:
    """Yield the first files that an old program has written into a text by uuencode."""
    for begins in islice(_UU_BEGINS.finditer(data), MAX_SEALED_FILES):
        lines: list[bytes] = []
        for line in data[begins.end() :].split(b"\n", _MAX_UU_LINES)[:_MAX_UU_LINES]:
            if line.strip() in (b"end", b"`", b""):
                break
            try:
                lines.append(binascii.a2b_uu(line.rstrip(b"\r")))
            except binascii.Error:
                break
        yield b"".join(lines)


def _look(
    data: bytes,
    text: str,
    judge: PublicKey | None,
    found: dict[bytes, None],
    faults: list[str],
    letters: list[str],
) -> None:
    try:
        whole = data.startswith(sealing.AGE_MAGIC)
        blocks = (Block(data),) if whole else find_blocks(text)
    except ArmorFault as fault:
        faults.append(str(fault))
        return
    for block in blocks:
        if block.sealed is None:
            (letters if block.to_player else faults).append(block.fault)
        elif is_for_player(block.sealed) and not (judge and sealing.is_sealed_to(block.sealed, judge)):
            letters.append("the sealed part in it is a letter of the judge's to a player, not orders")
        else:
            found[block.sealed] = None


def _is_press(parts: list[_Part], subject: str) -> bool:
    """Tell whether a mail brings a message that is not sealed: its subject says so, or its text is one."""
    texts = (part.plain for part in parts if part.kind.startswith("text/"))
    return bool(_PRESS_SUBJECT.fullmatch(subject.strip(BLANKS))) or any(map(_PLAIN_PRESS.search, texts))


def _first_text(parts: list[_Part]) -> str:
    """Return the text that the sender wrote: the first plain part, else the first HTML part."""
    for kind in ("text/plain", "text/html"):
        for part in parts:
            if part.kind == kind and not part.attached and not part.forwarded and part.data.strip():
                return part.plain
    return ""


_PRIVATE_KEY = re.compile(r"BEGIN OPENSSH PRIVATE KEY|AGE-SECRET-KEY-1")
_WITH_OWN_KEY = (
    "your private key is in it, and whoever has that can sign as you: delete the mail wherever it is, make a "
    "new key and sign it with pbem sign rotation, in a league with pbem league new-key"
)
_BY_SMIME = "it is encrypted, or signed in one block, by S/MIME, which the judge cannot open; send it without"
_REASONS = (
    (re.compile(r"application/(ms-tnef|vnd\.ms-tnef)"), "it is a winmail.dat; send plain text instead"),
    (re.compile(r"application/(x-)?pkcs7-mime"), _BY_SMIME),
    (re.compile(r"application/pgp-encrypted"), "it is encrypted by PGP, which the judge cannot open"),
    (
        re.compile(r"application/(x-)?(zip|rar|7z|gzip|x-7z-compressed|x-tar)[a-z-]*"),
        "its attachment is an archive; attach the sealed file itself",
    ),
    (
        re.compile(r"application/(pdf|msword|vnd\.[a-z.-]*(word|document)[a-z.-]*)"),
        "its attachment is a document; attach the sealed file itself",
    ),
)
_PLAIN_PRESS = re.compile(r"^[ \t>|]{0,20}pbem1 press[ \t\r]{0,20}$", re.MULTILINE)
_PRESS_SUBJECT = re.compile(r"(?:[a-z]{2,4}: {0,3}){0,5}(?:press|talk)\b.{0,200}", re.IGNORECASE)
_ARCHIVES = (b"\x1f\x8b", b"Rar!", b"7z\xbc\xaf", b"BZh", b"\xfd7zXZ")
"""The first bytes of archives that the judge does not open, whatever the files are called."""
_PLAIN_ORDERS = re.compile(r"^[ \t>|]{0,20}pbem1 orders[ \t\r]{0,20}$", re.MULTILINE)


def _lost_orders(parts: list[_Part], faults: list[str]) -> str:
    """Return why orders in a mail were not taken, for its sender to correct; "" if it seems to have none."""
    if faults:
        return faults[0]
    for part in parts:
        for pattern, reason in _REASONS:
            if pattern.fullmatch(part.kind) or (_is_tnef(part) and "tnef" in pattern.pattern):
                return reason
    if any(part.data.startswith(_ARCHIVES) for part in parts):
        return "its attachment is an archive; attach the sealed file itself"
    if any(_PLAIN_ORDERS.search(part.plain) for part in parts if part.kind.startswith("text/")):
        return "its orders are not sealed; sign and seal them: pbem seal"
    return ""


def _is_tnef(part: _Part) -> bool:
    """Tell whether a part is a winmail.dat of Outlook, by its name or its first bytes (MS-OXTNEF)."""
    return part.name.lower() == "winmail.dat" or part.data.startswith(b"\x78\x9f\x3e\x22")


def _is_blank(part: _Part) -> bool:
    """Tell whether a part has no text, or none but what a telephone writes below it."""
    is_text = part.kind.startswith("text/") and not part.attached
    return not (part.plain if is_text else part.data).strip() or (
        is_text and all(is_footer(line) for line in part.plain.splitlines() if line.strip())
    )


def _nothing(parts: list[_Part], letters: list[str]) -> str:
    """Return why nothing was taken from a mail without orders."""
    if letters:
        return letters[0]
    if all(_is_blank(part) for part in parts):
        return "it has no text"
    return "there is nothing sealed in it, and no command"
