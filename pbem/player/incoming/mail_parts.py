"""Parts of a mailed file: letters, sealed or open, words of receipts, and copies of orders.

Sealed parts are found wherever they stand in a text, however a mail program has mangled it. An open part
is a signed text from its line `pbem1 report` (or `notice`, `copy`, `forecast`, `receipt`, `said`, `box`) to
the end of its signature; its line ends are restored, and nothing else. What a seal held and is none of these
may be the entries that a league's letter names, or the plain words of a receipt. What is sealed to the judge
is a copy of somebody's orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pbem.characters import strip_blanks
from pbem.trust.letters import (
    BOX,
    COPY,
    ENTRIES,
    FORECAST,
    NOTICE,
    PRESS,
    PRESS_TERMS,
    REPORT,
    UNSIGNED,
)
from pbem.trust.signature import END, unify_line_ends

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
