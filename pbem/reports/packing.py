"""The part of a report that a program reads: a view as a few lines of letters.

    begin view
    <base64, 76 letters a line>
    end view

The bytes are the first 8 of the SHA-256 of the packed view, then the packed view itself: compact JSON
in ASCII with sorted keys, in which an object is `[n, value, ...]`, its keys being the n-th list of
`keys` and in that order, and a list is `[-1, value, ...]`:

    {"keys": [["area", "strength"]], "view": [0, "Fife", 4]}

Quoting, rewrapping, decoration and what transfer encodings leave behind are taken away before reading;
whatever else was changed is found by the hash. Nothing is compressed, because the same view must give
the same bytes on every machine, and compressors do not promise that.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any

from pbem.rules.base import View

LINE = 76
CHECK_BYTES = 8
LONGEST = 200_000
"""Letters; no game's view comes near it."""

_FOUND = re.compile(r"begin\W+view\b(.*?)\bend\W+view\b", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>\n]*>")
_QUOTE = re.compile(r"^[^\n<>|]{0,12}[>|][>|\s]*", re.MULTILINE)
_NO_LETTER = re.compile(r"=3D|[^A-Za-z0-9+/]+")


def pack_view(view: View) -> list[str]:
    """The lines that carry a view."""
    shapes: dict[tuple[str, ...], int] = {}
    packed = _packed(view, shapes)
    data = json.dumps(
        {"keys": [list(keys) for keys in shapes], "view": packed}, separators=(",", ":"), sort_keys=True
    ).encode()
    letters = b64encode(sha256(data).digest()[:CHECK_BYTES] + data).decode()
    body = [letters[start : start + LINE] for start in range(0, len(letters), LINE)]
    return ["begin view", *body, "end view"]


def unpack_view(text: str) -> View | None:
    """The view in a text that mail programs may have handled; None if there is none or it is damaged."""
    for found in _FOUND.finditer(text):
        letters = _NO_LETTER.sub("", _QUOTE.sub("", _TAG.sub("", found[1])))
        if len(letters) > LONGEST:
            continue
        try:
            data = b64decode(letters + "=" * (-len(letters) % 4), validate=True)
            if sha256(data[CHECK_BYTES:]).digest()[:CHECK_BYTES] != data[:CHECK_BYTES]:
                continue
            content = json.loads(data[CHECK_BYTES:])
            view = _unpacked(content["view"], content["keys"])
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            continue
        if isinstance(view, dict):
            return view
    return None


def _packed(value: Any, shapes: dict[tuple[str, ...], int]) -> Any:
    if isinstance(value, dict):
        keys = tuple(sorted(value))
        number = shapes.setdefault(keys, len(shapes))
        return [number, *(_packed(value[key], shapes) for key in keys)]
    if isinstance(value, list | tuple):
        return [-1, *(_packed(item, shapes) for item in value)]
    return value


def _unpacked(value: Any, shapes: list[list[str]]) -> Any:
    if not isinstance(value, list):
        return value
    number, *parts = value
    items = [_unpacked(part, shapes) for part in parts]
    if number == -1:
        return items
    return dict(zip(shapes[number], items, strict=True))
