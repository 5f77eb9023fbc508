"""Signed texts in a mail that are not secret: joins, absences, profiles, consents, new keys, heads.

Their lines are known words with fields that hold no blanks, so whatever a mail program did to the layout
(wrapped, quoted, indented, doubled, escaped by PGP) can be undone: the words and fields are taken in order,
a key or hash that was broken in two is joined, the text is written anew as its format demands, and the
signature decides whether that is what was signed. What is left of a text that cannot be used is named.

The words of a text, and how many fields follow each, are those of its table in `pbem.trust`; the words of a
statement about a league are those of `pbem.leagues.statements`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pbem.characters import split_words
from pbem.trust.act_entries import Consent
from pbem.trust.fields import line_table
from pbem.trust.formats import MAX_STATEMENT_SIZE
from pbem.trust.ledger import Checkpoint
from pbem.trust.player_statements import Absence, FetchKey, Join, Profile
from pbem.trust.rotations import KeyChange
from pbem.trust.signature import BEGIN, END

_TEXTS = (Join, Absence, FetchKey, Profile, Consent, Checkpoint, KeyChange)
_ROWS = {text.form.removeprefix("pbem1 "): line_table(text) for text in _TEXTS}
_WORDS = {kind: {word: row.value.words for word, row in rows.items()} for kind, rows in _ROWS.items()} | {
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
"""The words of each signed text, each with the number of fields that follow it; -1 means all that come."""
_LENGTHS = {word: row.value.length for rows in _ROWS.values() for word, row in rows.items()}
"""The length of the last field after a word, for words where that length is always the same."""
KINDS = tuple(_WORDS)
"""The kinds of signed texts that are looked for."""
_FIRST = re.compile(rf"\bpbem1[\s>|]+({'|'.join(_WORDS)})[\s>|]")
_ARMOR = re.compile(
    r"(?:(?<![^\s>|])-[\s>|]+)?"  # as PGP escapes a line that begins with a dash
    r"(?:-{3,}[\s>|]*BEGIN[\s>|]+SSH[\s>|]+SIGNATURE[\s>|]*-{3,}|[-\u2010-\u2015]+[\s>|]*BEGIN SSH SIGNATURE)"
)
_BLANK = r"[ \u00a0\t\r\n>|]"
_LONE_ARMOR = re.compile(rf"-{_BLANK}{{0,8}}BEGIN{_BLANK}{{1,8}}SSH{_BLANK}{{1,8}}SIGNATURE")
"""Pattern of a signature's start for texts of any size; `_ARMOR` is slow on a long row of dashes."""
_ARMOR_END = re.compile(r"END[\s>|]+SSH[\s>|]+SIGNATURE[\s>|]*-*")
_BETWEEN = re.compile(r"[\s>|]*")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/=]+")
_LINE = 70
MAX_STATEMENTS = 4
"""Maximum number of statements that are looked for in one text, and in one mail."""


def find_statements(text: str) -> Iterator[bytes]:
    """Yield the signed statements in a text as they were before mail programs changed their layout."""
    return (one.whole for one in _read_statements(text) if one.whole)


def find_fault(text: str) -> str:
    """Return what is wrong with the first signed statement that cannot be used; "" if there is none."""
    found = list(_read_statements(text))
    if not found and _LONE_ARMOR.search(text):
        return "it has a signature, but the text above it, or its first line, is missing"
    return next((one.fault for one in found if one.fault), "")


class _Statement(NamedTuple):
    """A statement found in a text: whole, or with its fault, or neither if the text only mentions one."""

    whole: bytes = b""
    fault: str = ""


def _read_statements(text: str) -> Iterator[_Statement]:
    at = 0
    for _ in range(MAX_STATEMENTS):
        first = _FIRST.search(text, at)
        if first is None:
            return
        at = first.end()
        window = text[at : at + 2 * MAX_STATEMENT_SIZE]
        following = _FIRST.search(window)
        armor = _ARMOR.search(window)
        if armor is None or (following and following.start() < armor.start()):
            body = _body(first[1], _fields(window[: following.start() if following else len(window)]))
            yield _Statement(fault=f"the pbem1 {first[1]} in it is not signed" if body else "")
            continue
        body = _body(first[1], _fields(window[: armor.start()]))
        signatures = list(_signatures(window, armor, 2 if first[1] == "rotate" else 1))
        if not signatures:
            yield _Statement(fault="the signature in it is cut short: its line END SSH SIGNATURE is missing")
        elif body is None:
            yield _Statement(
                fault=f"the pbem1 {first[1]} in it is damaged: its lines are not what was signed"
            )
        else:
            yield _Statement(body + b"".join(signatures))


def _signatures(window: str, armor: re.Match[str] | None, most: int) -> Iterator[bytes]:
    """Yield the signatures that follow each other in a text, `most` of them at most."""
    while armor is not None and most and (end := _ARMOR_END.search(window, armor.end())):
        yield _rewrap(window[armor.end() : end.start()])
        most -= 1
        armor = _ARMOR.match(window, _BETWEEN.match(window, end.end()).end())  # type: ignore[union-attr]


def _fields(text: str) -> list[str]:
    return split_words(re.sub(r"[\s>|]+", " ", text))


def _body(kind: str, fields: list[str]) -> bytes | None:
    """Return the canonical text of a signed statement from its words and fields; None if these do not fit."""
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
        _join_broken(fields, place + size, _LENGTHS.get(word, 0))
        lines.append(" ".join(fields[place : place + size + 1]))
        place += size + 1
    return "".join(f"{line}\n" for line in lines).encode() if len(lines) > 1 else None


def _join_broken(fields: list[str], place: int, length: int) -> None:
    """Join the field at a place with those after it, if together they have the length that is required."""
    end, total = place + 1, len(fields[place])
    while end < len(fields) and total < length:
        total += len(fields[end])
        end += 1
    if total == length:
        fields[place:end] = ["".join(fields[place:end])]


def _rewrap(content: str) -> bytes:
    text = _NOT_BASE64.sub("", content)
    lines = [text[start : start + _LINE] for start in range(0, len(text), _LINE)]
    return b"\n".join([BEGIN, *(line.encode() for line in lines), END, b""])
