"""The referee's page: ten disputes, two commands each."""

from __future__ import annotations

import re
from pathlib import Path


def commands(text: str) -> list[str]:
    """The commands that a text shows; one may go on in the next line."""
    return re.findall(r"^ {4,}(pbem .+)$", re.sub(r"\\\n *", "", text), flags=re.MULTILINE)


def test_there_are_ten_disputes_with_two_commands_each(project: Path) -> None:
    parts = (project / "pbem/docs/disputes.md").read_text(encoding="utf-8").split("\n## ")[1:]
    disputes = [part for part in parts if re.match(r"\d+\. ", part)]
    assert [int(part.partition(".")[0]) for part in disputes] == list(range(1, 11))
    assert {len(commands(part)) for part in disputes} == {2}
