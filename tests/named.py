"""Whether what a document names as its test is there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
_DEFINED = r"^(@attack\((?:.|\n(?!@|def ))*\)\n)?def {}\("


def is_test(file: str, name: str) -> bool:
    """A test; an attack, which `audit/test_attacks.py` tries under its name; or a table of refusals.

    `file`: below the folder of the tests.
    """
    text = (TESTS / file).read_text(encoding="utf-8")
    if file.startswith("refusals/") and name.isupper():
        is_table = re.search(rf"^{name} = \($", text, re.MULTILINE)
        return is_table is not None and re.search(rf"^ROWS = .*\*{name}\b", text, re.MULTILINE) is not None
    found = re.search(_DEFINED.format(name), text, re.MULTILINE)
    return found is not None and bool(found[1]) != name.startswith("test_")
