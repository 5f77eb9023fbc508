"""Parts of a file that a player saved: letters, sealed or open, words of receipts, and copies of orders.

The file is a text, a whole mail, several in one, or forwarded ones. Mail programs encode what they save: the
body in base64, a forwarded mail as an attachment, a sealed file as bytes. `readable` undoes that and nothing
else. A text that is no mail, or in which nothing is encoded, stays as it is.

Sealed parts are found wherever they stand in a text, however a mail program has mangled it. An open part
is a signed text from its line `pbem1 report` (or `notice`, `copy`, `forecast`, `receipt`, `said`, `box`) to
the end of its signature; its line ends are restored, and nothing else. What a seal held and is none of these
may be the entries that a league's letter names, or the plain words of a receipt. What is sealed to the judge
is a copy of somebody's orders.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pbem.characters import strip_blanks
from pbem.trust.armor import MAX_TEXT_SIZE
from pbem.trust.letters import BOX, COPY, ENTRIES, FORECAST, NOTICE, PRESS, PRESS_TERMS, REPORT, UNSIGNED
from pbem.trust.sealing import AGE_MAGIC, to_armor
from pbem.trust.signature import END, unify_line_ends

if TYPE_CHECKING:
    from email.message import Message


RECEIPT = "receipt"
SAID = "said"
"""The kind of a receipt for a statement about a league."""
WORDS = "words"
PLAIN = "plain"
"""The kind of letters in plain words that are not signed, and say so."""
ANSWER = "answer"
"""The kind of mails that call themselves an answer of the judge's in plain words, and hold nothing else."""
ORDERS = "orders"
"""The kind of sealed orders that their player sent to everybody."""

_BEGIN = re.compile(rb"^pbem1 (?:report|notice|copy|forecast|receipt|said|box)\n", re.MULTILINE)
_FIRST = re.compile(
    rb"pbem1 (report|notice|copy|forecast|receipt|said|box|entries|press-letter|press-terms)\r?\n"
)
_GAME = re.compile(rb"^game ([a-z0-9._-]{1,64})\r?$", re.MULTILINE)
_PLACE = re.compile(rb"^(?:leaf|number|entry) ([0-9]{1,9})\b", re.MULTILINE)
_HEAD = 1_024
_RANKS = {
    ENTRIES: 0,
    REPORT: 0,
    NOTICE: 0,
    RECEIPT: 1,
    SAID: 1,
    WORDS: 2,
    BOX: 3,
    FORECAST: 3,
    COPY: 3,
    PRESS_TERMS: 3,
    PRESS: 4,
    ORDERS: 3,
    PLAIN: 4,
    ANSWER: 4,
}


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a mailed file, opened and not verified."""

    kind: str
    game: str
    """The game that the part names; "" if it names none."""
    place: int
    """The number of the part's first ledger entry, or of the receipt, by which letters are put in order."""
    text: bytes

    @property
    def rank(self) -> tuple[int, str, int]:
        """The sort key by which parts are taken in: reports, then receipts, then the words of receipts."""
        return _RANKS[self.kind], self.game, self.place


def read_part(text: bytes) -> Part:
    """Return an opened text as a part, whose kind its own first lines tell."""
    first = _FIRST.match(text)
    if first is None:
        return Part(WORDS, "", 0, text)
    game, place = _GAME.search(text, 0, _HEAD), _PLACE.search(text)
    return Part(first[1].decode(), game[1].decode() if game else "", int(place[1]) if place else 0, text)


def find_plain(data: bytes) -> Iterator[Part]:
    """Yield a part for a letter that calls itself unsigned, without text if other text follows the letter."""
    text, found, rest = data.decode("utf-8", errors="replace").partition(UNSIGNED)
    if found:
        yield Part(PLAIN, "", 0, b"" if strip_blanks(rest) else text.encode())


def find_open(data: bytes) -> Iterator[bytes]:
    """Yield the signed texts that stand unsealed in a file."""
    data = unify_line_ends(data)
    at = 0
    while begin := _BEGIN.search(data, at):
        end = data.find(b"\n" + END, begin.end())
        if end < 0:
            return
        at = end + 1 + len(END)
        yield data[begin.start() : at] + b"\n"


_ENCODED = re.compile(
    rb"^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)", re.IGNORECASE | re.MULTILINE
)
_HEADED = re.compile(rb"\A(?:>?From [^\n]*\n)?[!-9;-~]+:[ \t]*[^\n]*\n")
_MBOX = re.compile(rb"^From [^\n]*\n(?=[!-9;-~]+:)", re.MULTILINE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_ANSWER = re.compile(rb"^message-id:\s*<pbem1\.club\.answer\.", re.IGNORECASE | re.MULTILINE)
"""Pattern of the Message-ID that the judge gives to answers in plain words (`pbem.mail.envelope`)."""
_DEEPEST = 5
"""Maximum depth to which mails inside mails are opened; forwarding a forwarded mail makes three."""
_MAX_PARTS = 200


def is_plain_answer(data: bytes) -> bool:
    """Tell whether mails call themselves answers of the judge's in plain words, as anybody can write."""
    return all(_HEADED.match(mail) and _ANSWER.search(_BLANK_LINE.split(mail, 1)[0]) for mail in _mails(data))


def _mails(data: bytes) -> list[bytes]:
    """Return the mails in a file, without the lines that part them."""
    return [mail for mail in _MBOX.split(data) if mail.strip()]


def readable(data: bytes, depth: int = 0) -> bytes:
    """Return a file's text with all encoded parts of its mails decoded; a file without mails is unchanged."""
    encoded = _ENCODED.search(data)
    if depth >= _DEEPEST or len(data) > MAX_TEXT_SIZE or not encoded or not _HEADED.match(data):
        return data
    from email import policy  # for what is a mail alone: most files are none
    from email.parser import BytesParser

    texts: list[bytes] = []
    for mail in _mails(data):
        try:
            message = BytesParser(policy=policy.compat32).parsebytes(mail)
            texts += [_decode_part(part, depth) for part in message.walk() if not part.is_multipart()][
                :_MAX_PARTS
            ]
        except (RecursionError, ValueError, LookupError, binascii.Error):
            texts.append(mail)  # too odd to be read as a mail
    return b"\n".join(texts)


def _decode_part(part: Message, depth: int) -> bytes:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    if content.startswith(AGE_MAGIC):
        return to_armor(content).encode()
    return readable(content, depth + 1)
