"""The part of a report that a program reads: a view, and what led to it, as a few lines of letters.

    begin view
    <base64, 76 letters a line>
    end view

The bytes are the first 8 of the SHA-256 of the packed view, then the packed view itself: compact JSON
in ASCII. `words` holds every name, text and number once, in the order of first use; everywhere else
they are meant by their place in it. An object is `[n, value, ...]`, its keys being the n-th list of
`keys`, sorted, and a list is `[-1, value, ...]`. So {"Fife": {"steps": 4}, "Mar": {"steps": 4}} is

    {"asks": [-1], "keys": [[0, 1], [2]], "told": [-1], "view": [0, [1, 3], [1, 3]],
     "words": ["Fife", "Mar", "steps", 4]}

`told` are the events since the report before, as this reader was told them. `asks` are the questions that are
put to this reader, and to nobody else, now: `kind`, `rule`, `legal` answers and the `default`; no answers are
listed where there are more than `MAX_LEGAL`.

Quoting, rewrapping, decoration and what transfer encodings leave behind are taken away before reading;
whatever else was changed is found by the hash. Nothing is compressed, because the same view must give
the same bytes on every machine, and compressors do not promise that.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from pbem.orders.base import Asked
from pbem.rules.base import Ask, Event, Shared, View

FOR_PROGRAMS = "FOR PROGRAMS"
"""The beginning of the heading below which a report's part for programs stands."""
LINE = 76
CHECK_BYTES = 8
MAX_LEGAL = 400
MAX_LETTERS = 200_000
"""Maximum number of letters of a packed view; no game's view comes near it."""

_PARTS = ("view", "told", "asks")
_MARK = re.compile(r"(?:(begin)|\bend)\W{1,40}view\b", re.IGNORECASE | re.ASCII)
"""The pattern of a block's first or last line; quoting may stand between its words."""
_MAX_TEXT = 4 * MAX_LETTERS
"""Maximum number of characters between a block's two lines, with all that mail programs have added."""
_TAG = re.compile(r"<[^<>\n]*>")
_QUOTE = re.compile(r"^[^\n<>|]{0,12}[>|][>|\s]*", re.MULTILINE | re.ASCII)
_PAD = "=3D"  # "=" as quoted-printable writes it
_NO_LETTER = re.compile(r"[^A-Za-z0-9+/]+")


class _Packer:
    """The packer of one view, which collects its words and lists of keys."""

    def __init__(self) -> None:
        self.words: defaultdict[Any, int] = defaultdict()
        """The place of each word: a text by itself, anything else with its type, since True differs from 1.
        New words come last."""
        self.words.default_factory = self.words.__len__
        self.keys: dict[tuple[str, ...], int] = {}
        self._sorted: dict[tuple[str, ...], tuple[str, ...]] = {}

    def pack(self, value: Any) -> Any:
        """Return a value in packed form: the place of a word, or a list that stands for an object or list."""
        kind = type(value)
        if kind is dict or kind is Shared:
            keys = self._sorted_keys(tuple(value))
            return [self.keys[keys], *self._pack_values([value[key] for key in keys])]
        if kind is list or kind is tuple:
            return [-1, *self._pack_values(value)]
        return self.word(value)

    def _pack_values(self, values: Sequence[Any]) -> list[Any]:
        """Return each value packed; most are words, which are looked up here to save a call for each."""
        words, pack = self.words, self.pack
        return [
            words[value]
            if (kind := type(value)) is str
            else words[int, value]
            if kind is int
            else pack(value)
            for value in values
        ]

    def _sorted_keys(self, given: tuple[str, ...]) -> tuple[str, ...]:
        keys = self._sorted.get(given)
        if keys is None:
            keys = self._sorted[given] = tuple(sorted(given))
            if keys not in self.keys:
                self.keys[keys] = len(self.keys)
                for key in keys:
                    self.words[key]
        return keys

    def word(self, value: Any) -> int:
        """Return the place of a name, text or number among the words, after adding the value if it is new."""
        kind = type(value)
        return self.words[value if kind is str else (kind, value)]


def pack_view(view: View, told: Sequence[Event] = (), asks: Sequence[Ask] = ()) -> list[str]:
    """Return the lines that carry a view, what led to it, and what its reader is asked."""
    packer = _Packer()
    packed, events = packer.pack(view), packer.pack(list(told))
    content = {
        "asks": packer.pack([_ask_row(ask) for ask in asks]),
        "keys": [[packer.words[key] for key in keys] for keys in packer.keys],
        "told": events,
        "view": packed,
        "words": [word if type(word) is str else word[1] for word in packer.words],
    }
    data = json.dumps(content, separators=(",", ":")).encode()
    letters = b64encode(sha256(data).digest()[:CHECK_BYTES] + data).decode()
    body = [letters[start : start + LINE] for start in range(0, len(letters), LINE)]
    return ["begin view", *body, "end view"]


def _ask_row(ask: Ask) -> dict[str, Any]:
    legal = ask.legal
    listed = list(legal) if len(legal) <= MAX_LEGAL else []
    return {"kind": ask.kind, "rule": ask.rule, "legal": listed, "default": ask.default}


def without_view(report: str) -> str:
    """Return the report without the part that a program reads."""
    return report.partition(f"\n{FOR_PROGRAMS}")[0].rstrip("\n")


def unpack_view(text: str) -> View | None:
    """Return the view in a text that mail programs may have handled.

    Return None if the text has no view, or a damaged one.
    """
    found = unpack(text)
    return found[0] if found else None


def shows_view(text: str) -> bool:
    """Tell whether anything in a text may be meant for a view, whole or damaged."""
    return "begin view" in text or unpack_view(text) is not None


def unpack(text: str) -> tuple[View, list[Event]] | None:
    """Return the view and the events in a text; None if there are none or they are damaged."""
    content = _content(text)
    return None if content is None else (content["view"], content["told"])


def unpack_asks(text: str) -> tuple[Asked, ...]:
    """Return the questions that a text puts to its reader; none if the text is damaged."""
    content = _content(text)
    if content is None:
        return ()
    try:
        return tuple(
            Asked(one["kind"], one["rule"], tuple(one["legal"]), one["default"]) for one in content["asks"]
        )
    except (KeyError, TypeError):
        return ()


def _content(text: str) -> dict[str, Any] | None:
    """Return the content of the first whole block of a view in a text; None if there is none."""
    for block in _blocks(text):
        letters = _NO_LETTER.sub("", _QUOTE.sub("", _TAG.sub("", block.replace(_PAD, ""))))
        if len(letters) > MAX_LETTERS:
            continue
        try:
            data = b64decode(letters + "=" * (-len(letters) % 4), validate=True)
            if sha256(data[CHECK_BYTES:]).digest()[:CHECK_BYTES] != data[:CHECK_BYTES]:
                continue
            packed = json.loads(data[CHECK_BYTES:])
            content = {part: _unpack_value(packed[part], packed["keys"], packed["words"]) for part in _PARTS}
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            continue
        view, *lists = (content[part] for part in _PARTS)
        if isinstance(view, dict) and all(map(_is_list_of_objects, lists)):
            return content
    return None


def _blocks(text: str) -> Iterator[str]:
    """Yield the text between each last line of a block and the nearest first line above it."""
    start: int | None = None
    for mark in _MARK.finditer(text):
        if mark[1]:
            start = mark.end()
        elif start is not None:
            if mark.start() - start <= _MAX_TEXT:
                yield text[start : mark.start()]
            start = None


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _unpack_value(value: Any, keys: list[list[int]], words: list[Any]) -> Any:
    if not isinstance(value, list):
        return words[value]
    items = [_unpack_value(part, keys, words) for part in value[1:]]
    if value[0] == -1:
        return items
    return {words[place]: item for place, item in zip(keys[value[0]], items, strict=True)}
