"""Signed texts that are no secret, out of a mail: a wish to join, an absence, a profile, a consent, a head.

Their lines are known words with fields that hold no blanks, so whatever a mail program did to the layout
(wrapped, quoted, indented, doubled) can be undone: the words and fields are taken in order, the text is
written anew as its format demands, and the signature decides whether that is what was signed.

    pbem1 join                          pbem1 absence
    game ..., player ..., key ...       player ..., judge ..., from <date>, until <date>,
    anchor ..., recovery ..., judge ... made <UTC>
    zone ..., share ...

    pbem1 profile                       pbem1 consent
    player ..., judge ..., zone ...,    game ..., genesis ..., exchange ..., by ...,
    share ..., made <UTC>               to <what, up to the end>

    pbem1 checkpoint                    pbem1 league
    game ..., size ..., head ...        see pbem.leagues.statements
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pbem.characters import split_words
from pbem.trust.formats import LARGEST_STATEMENT
from pbem.trust.signature import BEGIN, END

_WORDS = {
    "join": {"game": 1, "player": 1, "key": 2, "anchor": 3, "recovery": 1, "judge": 1, "zone": 1, "share": 1},
    "absence": {"player": 1, "judge": 1, "from": 1, "until": 1, "made": 1},
    "profile": {"player": 1, "judge": 1, "zone": 1, "share": 1, "made": 1},
    "consent": {"game": 1, "genesis": 1, "seen": 2, "exchange": 1, "by": 1, "to": -1},
    "checkpoint": {"game": 1, "size": 1, "head": 1},
    "league": {
        "league": 1,
        "player": 1,
        "say": 1,
        "key": 2,
        "old": 1,
        "anchor": 3,
        "judge": 1,
        "genesis": 1,
        "rating": 1,
        "games": 1,
        "eliminator": 1,
        "of": 1,
        "rounds": 2,
        "about": 2,
        "places": 1,
        "entry": 1,
        "by": 1,
        "made": 1,
        "reason": -1,
    },
}
"""Of each text its words, and how many fields follow; -1 is all that come."""
_FIRST = re.compile(r"\bpbem1[\s>|]+(join|absence|profile|consent|checkpoint|league)[\s>|]")
_ARMOR = re.compile(
    r"-{3,}[\s>|]*BEGIN[\s>|]+SSH[\s>|]+SIGNATURE[\s>|]*-{3,}|[-\u2010-\u2015]+[\s>|]*BEGIN SSH SIGNATURE"
)
_ARMOR_END = re.compile(r"END[\s>|]+SSH[\s>|]+SIGNATURE")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/=]+")
_LINE = 70
MOST_STATEMENTS = 4
"""So many are looked for in one text, and in one mail."""


def find_statements(text: str) -> Iterator[bytes]:
    """The signed statements in a text, as they were before mail programs laid hands on them."""
    at, count = 0, 0
    while count < MOST_STATEMENTS and (first := _FIRST.search(text, at)):
        at = first.end()
        count += 1
        window = text[first.end() : first.end() + 2 * LARGEST_STATEMENT]
        armor = _ARMOR.search(window)
        end = _ARMOR_END.search(window, armor.end()) if armor else None
        if armor is None or end is None:
            continue
        body = _body(first[1], split_words(re.sub(r"[\s>|]+", " ", window[: armor.start()])))
        if body is not None:
            yield body + _rewrap(window[armor.end() : end.start()])


def _body(kind: str, fields: list[str]) -> bytes | None:
    """The canonical text of a statement from its words and fields; None if they are others."""
    lines = [f"pbem1 {kind}"]
    counts = _WORDS[kind]
    place = 0
    while place < len(fields):
        word = fields[place]
        size = counts.get(word)
        if size is None or place + size >= len(fields):
            return None
        if size < 0:
            size = len(fields) - place - 1
        lines.append(" ".join(fields[place : place + size + 1]))
        place += size + 1
    return "".join(f"{line}\n" for line in lines).encode()


def _rewrap(content: str) -> bytes:
    text = _NOT_BASE64.sub("", content)
    lines = [text[start : start + _LINE] for start in range(0, len(text), _LINE)]
    return b"\n".join([BEGIN, *(line.encode() for line in lines), END, b""])
