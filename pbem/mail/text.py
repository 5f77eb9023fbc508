"""The decoding of text in mails, whatever character set is claimed for it; also of HTML and archives.

Strict UTF-8 first, then what is declared, with us-ascii and latin-1 read as cp1252; a byte order mark wins
over both, and so do the zeros of UTF-16 without one. Nothing here fails, and all is linear in the text.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator

from pbem.trust.armor import unescape_html

_ZIP = b"PK\x03\x04"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LATIN = {"", "ascii", "iso8859-1", "utf-8", "latin-1"}
_TOKEN = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,20})\b[^<>]*>|<[^<>]*>|[^<]+|<")
_HIDDEN = {"head", "script", "style", "title"}
_BREAKING = set(
    """
    address article aside blockquote body br center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5
    h6 header hr html li main nav ol p pre section table tbody td tfoot th thead tr ul
    """.split()
)


def only_file(data: bytes, most: int) -> bytes:
    """Return the one file in a zip archive if it has at most `most` bytes; else the data itself."""
    if not data.startswith(_ZIP):
        return data
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            (one,) = (entry for entry in opened.infolist() if not entry.is_dir())
            with opened.open(one) as stream:
                found = stream.read(most + 1)
    except Exception:  # noqa: BLE001 - whatever the archive's reader dies of, it stays an archive
        return data
    return found if len(found) <= most else data


def decode(data: bytes, charset: str = "") -> str:
    """Return the text of `data`, which is said to be in the character set `charset`."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, errors="replace")
    if name := _wide(data[:512]):
        return data.decode(name, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        codec = codecs.lookup(charset.strip()[:40] if charset.isascii() else "")
        text = getattr(codec, "_is_text_encoding", False) and codec.name not in _LATIN
        return data.decode(codec.name if text else "cp1252", errors="replace")
    except (LookupError, ValueError):
        return data.decode("cp1252", errors="replace")


def _wide(data: bytes) -> str:
    """Return which UTF-16 data without a byte order mark has, by the zero beside each letter; "" if none."""
    even, odd = data[::2], data[1::2]
    for name, zeros, letters in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if zeros and 10 * zeros.count(0) > 9 * len(zeros) and not letters.count(0):
            return name
    return ""


def html_text(page: str) -> str:
    """Return the text that an HTML page shows: a line for each block, quotes marked as in plain text."""
    return unescape_html("".join(_pieces(_without_comments(page))))


def _without_comments(page: str) -> str:
    kept = []
    at = 0
    while (begin := page.find("<!--", at)) >= 0:
        kept.append(page[at:begin])
        end = page.find("-->", begin)
        if end < 0:
            return "".join(kept)
        at = end + 3
    return "".join([*kept, page[at:]])


def _pieces(page: str) -> Iterator[str]:
    hidden, quoted = "", 0
    for token in _TOKEN.finditer(page):
        name = (token[2] or "").lower()
        if hidden:
            if name == hidden and token[1]:
                hidden = ""
        elif name in _HIDDEN and not token[1]:
            hidden = name
        elif name in _BREAKING:
            if name == "blockquote":
                quoted = max(0, quoted - 1) if token[1] else min(quoted + 1, 20)
            yield f"\n{'> ' * quoted}"
        elif not token[0].startswith("<") or token[0] == "<":
            yield token[0].replace("\r", " ").replace("\n", " ")
