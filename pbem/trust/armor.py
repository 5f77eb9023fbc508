"""Search for age armor in the text of a mail, however mail programs have mangled it.

A block begins where the words BEGIN AGE ENCRYPTED FILE stand after a dash and ends where END AGE ENCRYPTED
FILE does. Blanks of any kind, quoting signs and unseen signs between the words are passed over, and so
are dashes that a program has made "smart". Of what lies between, only layout is restored:

    html tags and entities, a quoted-printable source that nobody decoded, `> ` and `AB> ` quoting,
    line ends and blanks anywhere (rewrapped, doubled, lost), unseen signs, every line written twice,
    lost or surplus "=" at the end

and the base64 characters that remain must decode to bytes that begin as an age file does. No character of
it is ever changed or guessed: whether it is intact is for the seal to say, for age authenticates every
byte. Several blocks in a text are found in their order, equal ones once.

All steps take time linear in the text, and a text of more than `MAX_TEXT_SIZE` bytes is refused unread.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pbem.characters import split_lines
from pbem.trust.faults import ArmorFault
from pbem.trust.sealing import AGE_MAGIC

MAX_TEXT_SIZE = 16_777_216
MAX_BLOCKS = 64
NOTHING_SEALED = "nothing-sealed"
"""The reason of the fault that a file holds no armor, not even remains of one."""
_MAX_MARKUP_SIZE = 600_000
"""Maximum length in characters of a text that is also read without html and quoted-printable: ten times what
orders need."""

_UNSEEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_DASH = "-\x93-\x97\u00af\u2010-\u2015\u2043\u2212\u2500\u2501\ufe58\ufe63\uff0d\u201c\u201d\ufffd"
"""The characters that count as dashes: dashes, their smart forms, and what wrong decoding makes of those."""
_GAP = r"[\s>|*_=]{0,16}"
"""The pattern of what a mail program may put anywhere into a mark when it quotes or wraps the mark."""
_MARK = re.compile(_GAP.join(["(?P<word>B", *"EGI", "N|E", "N", "D)", *"AGEENCRYPTEDFILE"]))
_BEFORE_MARK = re.compile(rf"[{_DASH}]{_GAP}\Z")

_TAG = re.compile(r"<[^<>]*>")
_LONG_NUMBER = re.compile(r"&#[xX]?[0-9A-Fa-f]{8,}")
"""Pattern of numeric references too long for any character; html.unescape fails on very long ones."""
_QUOTED_PRINTABLE = re.compile(r"=([0-9A-F]{2})")
_QUOTED_BLANKS = {"3D": "=", "0A": "\n", "0D": "\n", "20": " ", "09": " "}
_QUOTING = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z]{0,4}[>|]")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]+")
_BASE64_LINES = re.compile(r"[A-Za-z0-9+/\n]*")


@dataclass(frozen=True, slots=True)
class Block:
    """One block of armor in a text: its bytes, or why it cannot be read."""

    sealed: bytes | None
    fault: str = ""
    to_player: bool = False
    """Whether the remains of a damaged block begin as a file that is sealed to a player's key alone."""


def find_blocks(text: str) -> tuple[Block, ...]:
    """Return every block of armor in a text, in order, and each of several equal blocks only once."""
    if len(text) > MAX_TEXT_SIZE:
        raise ArmorFault(
            f"the text has {len(text):,} characters; {MAX_TEXT_SIZE:,} are read at most", reason="too-large"
        )
    text = _UNSEEN.sub("", text)
    blocks: tuple[Block, ...] = ()
    for reading in _readings(text):
        found = _scan(reading)
        if any(block.sealed for block in found):
            return found
        blocks = blocks or found
    return blocks


def find_sealed(data: bytes) -> tuple[bytes, ...]:
    """Return the binary age files in a file: the file itself if it is one, or all blocks in its text.

    Raises ArmorFault if there is none, or none that can be read; a block beyond repair beside one that
    is whole is passed over, as a quoted stump of an older mail would be.
    """
    if not data.strip(b"\0\t\r\n "):
        raise ArmorFault("the file is empty", reason="empty")
    if data.startswith(AGE_MAGIC):
        return (data,)
    blocks = find_blocks(decode_text(data))
    found = tuple(block.sealed for block in blocks if block.sealed is not None)
    if not blocks:
        raise ArmorFault(
            "the file holds nothing sealed; orders are sealed with pbem seal", reason=NOTHING_SEALED
        )
    if not found:
        raise ArmorFault(blocks[0].fault, reason="not-sealed")
    return found


def damaged_letters(data: bytes) -> tuple[str, ...]:
    """Return the faults of the blocks in a file that are sealed to a player and cannot be read."""
    if data.startswith(AGE_MAGIC):
        return ()
    return tuple(
        block.fault for block in find_blocks(decode_text(data)) if block.to_player and not block.sealed
    )


def decode_text(data: bytes) -> str:
    """Return the text of a file of unknown encoding.

    Armor is ASCII, so what cannot be decoded does no harm.
    """
    if len(data) > MAX_TEXT_SIZE:
        raise ArmorFault(
            f"the file has {len(data):,} bytes; {MAX_TEXT_SIZE:,} are read at most", reason="too-large"
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    return data.decode("utf-8", errors="replace")


def _readings(text: str) -> Iterator[str]:
    """Yield a text as it is, and then without html and without quoted-printable, if it may have these.

    A very long text is yielded only as it is.
    """
    yield text
    if len(text) > _MAX_MARKUP_SIZE:
        return
    if "<" in text or "&" in text:
        yield _without_html(text)
    if "=" in text:
        import quopri

        yield quopri.decodestring(text.encode(errors="replace")).decode("utf-8", errors="replace")


def _without_html(text: str) -> str:
    text = _TAG.sub("\n", text)
    for _ in range(2):  # source that was pasted into a page was escaped once more
        text = unescape_html(text)
    return text


def unescape_html(text: str) -> str:
    """Return a text with its HTML entities read; a number too long for any character becomes a blank."""
    import html

    return html.unescape(_LONG_NUMBER.sub(" ", text))


def _scan(text: str) -> tuple[Block, ...]:
    blocks: dict[Block, None] = {}
    begin: int | None = None
    for mark in _MARK.finditer(text):
        if not _BEFORE_MARK.search(text, max(0, mark.start() - 17), mark.start()):
            continue
        if mark["word"].startswith("E"):
            if begin is None:
                blocks[Block(None, _UNBEGUN)] = None
            else:
                blocks[_read(text[begin : mark.start()])] = None
            begin = None
        elif mark["word"].startswith("B"):
            if begin is not None:
                blocks[_stump(_UNENDED, text[begin : mark.start()])] = None
            begin = mark.end()
        if len(blocks) > MAX_BLOCKS:
            raise ArmorFault("the text holds too many sealed parts", reason="too-many")
    if begin is not None:
        blocks[_stump(_UNENDED, text[begin:])] = None
    if not blocks and (start := text.find(_MAGIC)) >= 0:
        blocks[_stump(_UNMARKED, text[start:])] = None
    return tuple(blocks)


_UNENDED = "the sealed part is cut short: its line END AGE ENCRYPTED FILE is missing"
_UNBEGUN = "the sealed part is cut short: its line BEGIN AGE ENCRYPTED FILE is missing"
_UNMARKED = "the sealed part is cut short: its lines BEGIN and END AGE ENCRYPTED FILE are missing"
_MAGIC = base64.b64encode(AGE_MAGIC[:21]).decode()
"""The base64 with which every sealed file begins."""
_DAMAGED = "the sealed part is damaged: characters of it are missing or were changed on the way"
_TO_PLAYER = b"\n-> ssh-ed25519 "
_TO_JUDGE = b"\n-> X25519 "


def is_for_player(sealed: bytes) -> bool:
    """Tell whether a file is sealed to a player's key alone, as the judge's own letters to players are."""
    head = sealed[:4_096]
    return _TO_PLAYER in head and _TO_JUDGE not in head


def _stump(fault: str, content: str) -> Block:
    """Return a block that cannot be read; its first lines, if they are left, tell whom it was sealed to."""
    text = "".join(_lines(content[:8_192]))[:5_460]
    start = base64.b64decode(text[: len(text) // 4 * 4])
    return Block(None, fault, start.startswith(AGE_MAGIC) and is_for_player(start))


def _read(content: str) -> Block:
    text = "".join(_lines(content))
    try:
        sealed = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return _stump(_DAMAGED, content)
    if not sealed.startswith(AGE_MAGIC) or base64.b64encode(sealed).decode().rstrip("=") != text:
        return _stump(_DAMAGED, content)
    return Block(sealed)


def _lines(content: str) -> list[str]:
    """Return the base64 in what lies between two marks, line by line."""
    if _BASE64_LINES.fullmatch(bare := content.lstrip("-\n").rstrip("-\n=")):  # as nobody has mangled it
        return _once([line for line in bare.split("\n") if line])
    if "<" in content or "&" in content:
        content = _without_html(content)
    if "=" in content:
        content = _QUOTED_PRINTABLE.sub(lambda match: _QUOTED_BLANKS.get(match[1], " "), content)
    if ">" in content or "|" in content:
        content = _QUOTING.sub("", content)
    return _once([line for line in (_NOT_BASE64.sub("", line) for line in split_lines(content)) if line])


def _once(lines: list[str]) -> list[str]:
    """Return each line once if a mail program has written every line twice, else the lines as they are."""
    if len(lines) > 2 and lines[::2] == lines[1::2]:
        lines = lines[::2]
    return lines
