"""What will be opened when a game is over is said on the page of each order language."""

from __future__ import annotations

from pathlib import Path

import pytest

import pbem

PAGES = sorted((Path(pbem.__file__).parent / "docs").glob("orders*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_of_orders_says_what_is_opened_at_the_end(page: Path) -> None:
    said = " ".join(page.read_text().split())
    assert (
        "everybody can read every file that was received, with its notes, also files that you replaced"
        in said
    )
