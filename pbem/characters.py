r"""Functions that read text by its code points alone, alike in every Python and the script of stock tools.

What Python knows of a character (`isprintable`, `strip`, `lower`, `\s`) comes from the Unicode tables of the
interpreter that happens to run. What is decided on or hashed is read by these functions instead: blanks,
digits and case are those of ASCII, and what a line of free text may hold is a list of ranges.

A *plain line* is UTF-8 text without these (protocol, "The entries"; `pbem/docs/verify.sh` has them as bytes):

    U+0000-001F, 007F-009F                          controls
    U+00A0, 1680, 2000-200A, 202F, 205F, 3000       blanks other than the space
    U+00AD, 200B, 2060-2064, FEFF                   what nobody sees
    U+2028, 2029                                    ends of lines and paragraphs
    U+061C, 200E, 200F, 202A-202E, 2065-206F        what turns the direction of the text after it
    U+D800-DFFF, FDD0-FDEF, nFFFE, nFFFF            no characters at all

It begins and ends with no space. Everything else may stand in it, also what a later Unicode assigns.
"""

import re
from collections.abc import Iterable
from typing import Final

REFUSED: Final = (
    *((0x0000, 0x001F), (0x007F, 0x00A0), (0x00AD, 0x00AD), (0x061C, 0x061C), (0x1680, 0x1680)),
    *((0x2000, 0x200B), (0x200E, 0x200F), (0x2028, 0x202F), (0x205F, 0x206F), (0x3000, 0x3000)),
    *((0xD800, 0xDFFF), (0xFDD0, 0xFDEF), (0xFEFF, 0xFEFF)),
    *((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000)),
)
"""The first and the last code point of each range that no plain line holds."""
BLANKS: Final = " \t\n\r\x0b\x0c"
"""The blanks of ASCII, which end the words of a text."""

_REFUSED: Final = re.compile("[" + "".join(rf"\U{one:08x}-\U{last:08x}" for one, last in REFUSED) + "]")
_WORDS: Final = re.compile(f"[^{BLANKS}]+")
_LINE_END: Final = re.compile("\r\n|\n|\r")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_TO_LOWER: Final = str.maketrans(_LETTERS.translate({ord(one): ord(one) - 32 for one in _LETTERS}), _LETTERS)
_TO_UPPER: Final = {small: large for large, small in _TO_LOWER.items()}


def is_plain(text: str) -> bool:
    """Tell whether every character of `text` may stand in a plain line."""
    return _REFUSED.search(text) is None


def is_plain_line(text: str) -> bool:
    """Tell whether `text` is a plain line, as an empty text is."""
    return text.strip(" ") == text and is_plain(text)


def plain(text: str) -> str:
    """Return `text` with a space for each character that no plain line holds."""
    return _REFUSED.sub(" ", text)


def plain_line(text: str) -> str:
    """Return the plain line that a typed text means, with one space for each run of blanks."""
    return " ".join(split_words(plain(text)))


def strip_blanks(text: str) -> str:
    """Return `text` without blanks at its ends."""
    return text.strip(BLANKS)


def split_words(text: str) -> list[str]:
    """Return the words of `text`: the runs of characters between blanks."""
    return _WORDS.findall(text)


def split_lines(text: str) -> list[str]:
    """Return the lines of `text`, ended by LF, CR LF or CR, without an empty rest after the last end."""
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]


def wrap(text: str, width: int) -> list[str]:
    """Return the words of `text` in lines of at most `width` characters; a word that is longer is cut."""
    lines = [""]
    for word in split_words(text):
        for start in range(0, len(word), width):
            piece = word[start : start + width]
            if lines[-1] and len(lines[-1]) + 1 + len(piece) > width:
                lines.append("")
            lines[-1] += f" {piece}" if lines[-1] else piece
    return [line for line in lines if line]


def is_decimal(text: str) -> bool:
    """Tell whether `text` is digits from 0 to 9 and nothing else."""
    return text.isascii() and text.isdigit()


def lower(text: str) -> str:
    """Return `text` with each letter from A to Z in lower case."""
    return text.translate(_TO_LOWER)


def upper(text: str) -> str:
    """Return `text` with each letter from a to z in upper case."""
    return text.translate(_TO_UPPER)


def capitalize(text: str) -> str:
    """Return `text` with its first letter in upper case and the rest in lower case, from a to z alone."""
    return upper(text[:1]) + lower(text[1:])


def nearest(word: str, known: Iterable[str], most: int, share: float) -> list[str]:
    """Return at most `most` known words that have at least `share` of their letters in common with `word`.

    The nearest stand first. The letters in common are those of the longest run that both words have, and
    then, in the same way, those left and right of that run.
    """
    found = []
    for one in known:
        total = len(word) + len(one)
        if total and 2 * min(len(word), len(one)) >= share * total:
            agreeing = 2 * _agreeing(one, word) / total
            if agreeing >= share:
                found.append((agreeing, one))
    return [one for _, one in sorted(found, reverse=True)[:most]]


def _agreeing(one: str, other: str) -> int:
    longest = at = at_other = 0
    for begin in range(len(one)):
        while begin + longest < len(one) and (place := other.find(one[begin : begin + longest + 1])) >= 0:
            longest, at, at_other = longest + 1, begin, place
    if not longest:
        return 0
    left = _agreeing(one[:at], other[:at_other])
    return left + longest + _agreeing(one[at + longest :], other[at_other + longest :])
