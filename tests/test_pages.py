"""The page of a report: complete, small, and nothing on it that the text does not say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pbem.pages import Image, gist, page, report_page, sections, without_view
from pbem.reports.packing import unpack_view
from pbem.rules.base import read_head
from pbem.rules.hammer.facts import BLOCKS
from pbem.titles import load
from pbem.titles.hammer.pictures.blocks import short
from tests.kept import Telling, as_kept

GOLDEN = Path(__file__).parent / "reports/golden"
GAMES = Path(__file__).parents[1] / "games"
REPORTS = sorted(GOLDEN.glob("*.txt"))
SCOTLAND = sorted(GAMES.glob("campaign-to-1298/reports/scotland/demo-*.txt"))
CLIPPED = 90_000
"""Some mail programs cut a page that is longer (at about 102 kB)."""
PAGES = (
    *(GOLDEN / f"{name}.txt" for name in ("turn.scotland", "end.public")),
    *(SCOTLAND[place] for place in (5, 6, -1)),
)
NO_PICTURE = Image("cid:map", "", "a map in words", 980, 1390)


class Words(HTMLParser):
    """What a page says, and its tags with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._silent = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._silent = tag == "style"

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.said += data.split()


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_a_page_says_all_that_the_report_says(path: Path) -> None:
    report = path.read_text(encoding="utf-8")
    page_words = " ".join(" ".join(Words(page(report)).said).replace("\u00b7", " ").split()).upper()
    for line in report.partition("FOR PROGRAMS")[0].splitlines():
        assert " ".join(line.split()).upper() in page_words, line


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_a_page_is_small_and_asks_for_nothing_from_outside(path: Path) -> None:
    html = page(path.read_text(encoding="utf-8"), image=NO_PICTURE, what="orders", due="soon")
    assert len(html.encode()) < CLIPPED
    assert not re.search(r"https?:|//|@import|<script|<link|\bon\w+=|url\(", html)
    names = Words(html).tags
    assert [given["src"] for tag, given in names if tag == "img"] == ["cid:map"]
    assert [given["alt"] for tag, given in names if tag == "img"] == [NO_PICTURE.words]
    heads = [int(tag[1]) for tag, _ in names if re.fullmatch(r"h\d", tag)]
    assert heads[0] == 1
    assert set(heads[1:]) == {2}


def as_made(report: str) -> Iterator[object]:
    """What its page is made of, part by part, and the whole page in short."""
    yield gist(report)
    view = unpack_view(report)
    tables = load(read_head(view).game).words.tables(view) if view else ()
    for one in sections(report, {table.section: table for table in tables}):
        yield f"{one.title}{' (small)' * one.small}{' (asked)' * one.asked}: {one.table and one.table.head}"
        for part in one.parts:
            yield f"{'|' * part.apart}{' ' * part.indent}{'form: ' * part.form}{part.said}"
    html = report_page(report).html
    yield f"{' '.join(Words(html).said)[:160]}... {sha256(html.encode()).hexdigest()[:8]}"


def test_pages_are_as_they_were() -> None:
    told = Telling()
    for path in PAGES:
        told.add(f"{path.parent.name} {path.stem}", as_made(path.read_text(encoding="utf-8")))
    asked = report_page(PAGES[0].read_text(encoding="utf-8"), what="look", due="soon")
    told.add("with what is to be done", [" ".join(Words(asked.html).said)[:200]])
    as_kept(Path(__file__).parent / "golden" / "pages.txt", str(told))


def test_what_people_wrote_cannot_become_markup() -> None:
    html = page('Game <b>x</b>\n\nWHAT HAPPENED\n\n<img src=x onerror="alert(1)">\n')
    assert "<b>" not in html
    assert "&lt;img src=x" in html


@pytest.mark.parametrize(
    "path",
    sorted(GAMES.glob("campaign-to-1298/reports/*/demo-*.txt")),
    ids=lambda one: one.parent.name + one.stem,
)
def test_a_page_and_its_picture_name_nobody_whom_the_text_does_not_name(path: Path) -> None:
    report = path.read_text(encoding="utf-8")
    text = " ".join(without_view(report).split())
    html = report_page(report).html
    for name in BLOCKS:
        assert name in text or name not in html
        assert name in text or short(name) not in html
