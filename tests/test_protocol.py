"""What the protocol names is there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
PROTOCOL = (TESTS.parent / "pbem" / "docs" / "protocol.md").read_text(encoding="utf-8")


def test_each_row_of_who_can_read_what_names_tests_that_exist() -> None:
    section = PROTOCOL.partition("## Who can read what\n")[2].partition("\n## ")[0]
    table = section.partition("| what | who can read it | the test |\n")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[1:]]
    assert len(rows) > 7
    for what, _, named in rows:
        files = re.findall(r"`([\w/]+\.py)`", named)
        assert files, what
        for file in files:
            assert "def test_" in (TESTS / file).read_text(encoding="utf-8"), (what, file)
