"""Drafts and other texts that a person wrote, as they lie in files."""

from __future__ import annotations

from pbem.trust.draft import Draft, parse_bare, parse_draft
from pbem.trust.faults import OrderFileFault

LARGEST_DRAFT = 1_048_576


def read_draft(data: str | bytes, *, headless: bool = False) -> Draft:
    """A draft from a file; `headless`: one without a head is all orders.

    Raises:
        OrderFileFault: it is no text, or holds no orders.
    """
    text = read_text(data) if isinstance(data, bytes) else data
    return parse_bare(text) if headless else parse_draft(text)


def read_text(data: bytes) -> str:
    """The text of a file that a person wrote.

    Raises:
        OrderFileFault: it is no text, or too long.
    """
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
        raise OrderFileFault(f"the file is not utf-8 text: line {line} holds other bytes") from None
