"""An extract as text for a person, and as facts for a program."""

from __future__ import annotations

from typing import Any

from pbem.mail.extract import Extract
from pbem.trust.sealing import sealed_name


def lines(found: Extract) -> list[str]:
    """What would be taken from a mail, line by line."""
    answer = "may be answered" if found.head.answerable else "gets no answer"
    shown = [f"{found.head.origin_words}, which {answer}"]
    shown += [f"sealed file {sealed_name(one)}, {len(one):,} bytes" for one in found.sealed]
    shown += [f"signed statement: {_first_line(one)}" for one in found.statements]
    shown += [f"command: {one.text}" for one in found.commands]
    return shown if found.taken else [*shown, f"nothing is taken: {found.why}"]


def facts(found: Extract) -> dict[str, Any]:
    """The same for a program."""
    return {
        "origin": found.head.origin,
        "answerable": found.head.answerable,
        "sender": found.head.sender,
        "sealed": [sealed_name(one) for one in found.sealed],
        "statements": [_first_line(one) for one in found.statements],
        "commands": [one.text for one in found.commands],
        "why": found.why,
    }


def _first_line(statement: bytes) -> str:
    return statement.partition(b"\n")[0].decode()
