"""What the pages of orders say in sentences is so: each sentence with lines that show it."""

from __future__ import annotations

from pathlib import Path

import pytest

import pbem
from pbem.titles import load
from tests.orders.rows import rows

DOCS = Path(pbem.__file__).parent / "docs"
PAGES = {"hammer": "orders.md", "lords": "orders-lords.md", "first-war": "orders-first-war.md"}
SAID = [
    (side, row)
    for side in ("hammer scotland", "hammer england", "lords red", "first-war scots")
    for row in rows("said.txt", side)
]


@pytest.mark.parametrize(("where", "row"), SAID, ids=[f"{where}: {row[0][:30]}" for where, row in SAID])
def test_a_sentence_is_on_its_page_and_is_so(where: str, row: tuple[str, ...]) -> None:
    game, side = where.split()
    sentence, text, *told = row
    more = dict(one.split(": ", 1) for one in told)
    assert sentence in " ".join((DOCS / PAGES[game]).read_text(encoding="utf-8").split())
    language = load(game).language
    parsed = language.parse(text, side)
    faults = [str(fault) for fault in parsed.faults]
    if "fault" in more:
        assert any(more["fault"] in fault for fault in faults), faults
    else:
        assert faults == []
        assert parsed.orders
    if "means" in more:
        assert language.say(parsed.orders) == language.say(language.parse(more["means"], side).orders)
