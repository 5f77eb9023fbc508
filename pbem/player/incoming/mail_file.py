"""Reader of files that a player saved from their mail: a text, a whole mail, several in one, forwarded ones.

Mail programs encode what they save: the body in base64, a forwarded mail as an attachment, a sealed file
as bytes. `readable` undoes that and nothing else, so that whoever looks for sealed parts and signed texts
finds them as they stood in the mail. A text that is no mail, or in which nothing is encoded, stays as it is.
"""

from __future__ import annotations

import binascii
import re
from typing import TYPE_CHECKING

from pbem.trust.armor import MAX_TEXT_SIZE
from pbem.trust.sealing import AGE_MAGIC, to_armor

if TYPE_CHECKING:
    from email.message import Message

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
