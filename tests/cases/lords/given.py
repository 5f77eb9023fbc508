"""Followers in cases: `scott-4+` face-up, `-` face-down, `*` activated, `*clan` copied, `k` kept."""

from __future__ import annotations

import re
from typing import Any


def follower(text: str) -> dict[str, Any]:
    """A Follower as `view("gm")` shows it."""
    found = re.fullmatch(r"([a-z]+-\d+)(?:([-+k])|\*(\w*))", text)
    assert found, f"{text!r} is no Follower"
    name, mark, copied = found.groups()
    return {
        "card": name,
        "up": mark != "-",
        "active": not mark,
        "copied": copied or None,
        "kept": mark == "k",
    }


def written(row: dict[str, Any]) -> str:
    """A Follower of `view("gm")` as a case writes it."""
    if row["kept"]:
        return f"{row['card']}k"
    if row["active"]:
        return f"{row['card']}*{row['copied'] or ''}"
    return f"{row['card']}{'+' if row['up'] else '-'}"
