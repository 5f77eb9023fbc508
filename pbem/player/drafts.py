"""Drafts and other texts that a person wrote, as they lie in files."""

from __future__ import annotations

import re

from pbem.trust.draft import Draft, parse_bare
from pbem.trust.faults import OrderFileFault

LARGEST_DRAFT = 1_048_576


SEALED = re.compile(rb"BEGIN AGE ENCRYPTED FILE|\Aage-encryption\.org/")
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def read_draft(data: str | bytes) -> Draft:
    """A draft from a file; without a head it is all orders, unless it is a report.

    Raises:
        OrderFileFault: it is no text, or holds no orders.
    """
    text = read_text(data if isinstance(data, bytes) else data.encode())
    if "begin view" in text and "pbem1 orders" not in text.lower():
        raise OrderFileFault("this report has no order form, so there is nothing in it to send")
    return parse_bare(text)


def read_text(data: bytes) -> str:
    """The text of a file that a person wrote.

    Raises:
        OrderFileFault: it is no text, too long, or sealed.
    """
    if SEALED.search(data):
        raise OrderFileFault(
            "this file is sealed, so nobody but the judge can read it; give the text that you wrote",
            reason="sealed",
        )
    if len(data) > LARGEST_DRAFT:
        raise OrderFileFault(
            f"the file has {len(data):,} bytes; orders have {LARGEST_DRAFT:,} at most", reason="too-large"
        )
    if not data.strip(b"\0\t\r\n "):
        raise OrderFileFault("the file is empty", reason="empty")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        what = "is utf-16" if data.startswith(UTF_16) else f"is not utf-8 text: line {line} holds other bytes"
        remedy = "save it again as utf-8 (in most editors under 'save as', 'encoding')"
        raise OrderFileFault(f"the file {what}; {remedy}", reason="not-utf-8") from None
