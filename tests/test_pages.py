"""The page of a report: complete, small, and nothing on it that the text does not say."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pbem.pages import Image, Part, page, paragraphs, report_page, without_view
from pbem.reports.words import Table
from pbem.rules.hammer.facts import BLOCKS
from pbem.titles.hammer.pictures.blocks import short

GOLDEN = Path(__file__).parent / "reports/golden"
GAMES = Path(__file__).parents[1] / "games"
REPORTS = sorted(GOLDEN.glob("*.txt"))
SCOTLAND = GAMES / "campaign-to-1298/reports/scotland"
CLIPPED = 90_000
"""Some mail programs cut a page that is longer (at about 102 kB)."""
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


def test_what_people_wrote_cannot_become_markup() -> None:
    html = page('Game <b>x</b>\n\nWHAT HAPPENED\n\n<img src=x onerror="alert(1)">\n')
    assert "<b>" not in html
    assert "&lt;img src=x" in html


def test_a_table_takes_the_place_of_lines() -> None:
    table = Table("THE MAP", ("Area", "Blocks"), (("Fife", "Wallace"),))
    html = page("Game x\n\nTHE MAP\n\nFife    a line of text\n\nCARDS\n\nnone\n", tables=[table])
    assert "a line of text" not in html
    assert re.search(r'<th scope="row"[^>]*>Fife</th><td[^>]*>Wallace</td>', html)
    assert "none" in html


def test_broken_lines_are_put_together() -> None:
    lines = [
        "Battle 1, Buchan: Scotland attacks with",
        "  2 blocks, England defends with 1 block.",
        "Round 1",
        "  England: Comyn 1/4 B2,",
        "           York Knights 4/4 B3",
        "  S Wallace             A3    6 3 1 6",
        "    2 hits: York Knights 4 to 3,",
        "            Comyn 1 to 0, to the pool",
        "Scotland must retreat: 1 block to Annan.",
        "England holds Buchan.",
        "",
        "1297, turn 4. Each side holds 2 cards, and this line is full, as reports go,",
        "so it goes on.",
    ]
    assert list(paragraphs(lines)) == [
        Part("Battle 1, Buchan: Scotland attacks with 2 blocks, England defends with 1 block."),
        Part("Round 1"),
        Part("England: Comyn 1/4 B2, York Knights 4/4 B3", indent=2),
        Part("S Wallace \u00b7 A3 \u00b7 6 3 1 6", indent=2),
        Part("2 hits: York Knights 4 to 3, Comyn 1 to 0, to the pool", indent=4),
        Part("Scotland must retreat: 1 block to Annan."),
        Part("England holds Buchan."),
        Part(
            "1297, turn 4. Each side holds 2 cards, and this line is full, as reports go, so it goes on.",
            apart=True,
        ),
    ]


def test_the_form_stays_as_it_is() -> None:
    lines = ["Fill in:", "", "pbem1 orders", "game x", "---", "  card ____", "end orders", "", "after"]
    assert list(paragraphs(lines)) == [
        Part("Fill in:"),
        Part("pbem1 orders\ngame x\n---\n  card ____\nend orders", form=True, apart=True),
        Part("after", apart=True),
    ]


def test_the_form_of_a_practice_game_stays_as_it_is() -> None:
    form = (
        "begin orders\nnote Who moves where? You are asked when\nnote the time comes.\nmove ____\nend orders"
    )
    assert list(paragraphs(["Fill in:", "", *form.splitlines()])) == [
        Part("Fill in:"),
        Part(form, form=True, apart=True),
    ]


def test_a_line_that_begins_with_a_name_of_its_own_goes_on_from_none() -> None:
    lines = [f"  england: bob, key SHA256:{43 * 'a'}", f"  scotland: alice, key SHA256:{43 * 'b'}"]
    assert [part.said for part in paragraphs(lines)] == [line.strip() for line in lines]


def recorded(says: str, *, not_says: str = "Nothing is asked of you now") -> str:
    """The first report of the recorded games that says something, and not the other."""
    reports = (path.read_text(encoding="utf-8") for path in sorted(GAMES.glob("*/reports/*/*.txt")))
    return next(report for report in reports if says in report and not_says not in report)


@pytest.mark.parametrize(
    ("says", "not_says", "wanted"),
    [
        ("ASKED NOW", "Nothing is asked of you now", "your orders for "),
        ("Nothing is asked of you now", "\0", ": send a bare file"),
    ],
)
def test_a_page_that_stands_alone_says_first_what_is_to_be_done(
    says: str, not_says: str, wanted: str
) -> None:
    html = report_page(recorded(says, not_says=not_says)).html
    assert wanted in " ".join(Words(html).said).partition("Report to")[0]
    assert re.search('<a[^>]* href="#what-is-asked"', html)
    assert re.search('<h2[^>]* id="what-is-asked"', html)


def test_a_page_of_a_game_that_is_over_asks_for_nothing() -> None:
    last = max(SCOTLAND.glob("demo-*.txt")).read_text(encoding="utf-8")
    html = report_page(last).html
    assert "the game is over" in " ".join(Words(html).said).partition("Report to")[0]
    assert "what-is-asked" not in html


def test_a_table_on_a_page_keeps_the_key_to_its_letters() -> None:
    report = (SCOTLAND / "demo-0006.txt").read_text(encoding="utf-8")
    said = " ".join(Words(report_page(report).html).said)
    assert "c = coast, h = noble's home" in said
    assert "3/4 A3 beside a block: 3 of its 4 steps are left" in said


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
