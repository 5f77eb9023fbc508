"""The page of a report in a real browser: readable on a telephone and on a desk, in light and in dark.

PBEM_SCREENSHOTS=FOLDER puts screenshots there, for a person to look at; browsers differ too much to compare
them byte by byte.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from pathlib import Path

import pytest

from pbem.judge.letters.letters_out import moment_of
from pbem.judge.tables.database import LetterRow
from pbem.mail.envelope import about, envelope_of
from pbem.pages import report_page
from pbem.practice.table import Session, Start, Table
from tests.browser.chromium import CHROMIUM, SCHEMES, SCREENSHOTS, look, printed_pages, screenshot

REPORTS = Path(__file__).parents[2] / "games/campaign-to-1298/reports"
TELEPHONE, DESK = 360, 1280

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(
        CHROMIUM is None and os.environ.get("CI") != "true", reason="no Chromium is installed"
    ),
]


def with_deadline(side: str) -> list[str]:
    """The recorded reports to a side of a turn that goes on; how many there are, the dice decide."""
    found = ((path, path.read_text(encoding="utf-8")) for path in sorted((REPORTS / side).glob("*.txt")))
    return [f"{side}/{path.stem}" for path, text in found if re.search(r"Now: \d+, turn", text)]


def in_mail(name: str) -> str:
    """The page as a mail program shows it, which puts the picture where its name stands."""
    report = (REPORTS / f"{name}.txt").read_text(encoding="utf-8")
    until = re.search(r"is open until (\S+)\.", report)
    assert until
    letter = LetterRow(
        0, "demo", "alice", f"{name}-report", b"", "", deadline=until[1], moment=moment_of(report)
    )
    head = about(envelope_of(letter, zone="Europe/London"))
    assert " ".join(re.findall(r"Now: (\d+), (turn \d)", report)[0]) in head.what
    page = report_page(report, source="cid:picture", what=head.what, due=head.due)
    assert page.png, "the report has no picture"
    return page.html.replace("cid:picture", f"data:image/png;base64,{b64encode(page.png).decode()}")


@pytest.mark.ci
@pytest.mark.parametrize(("game", "options"), [("hammer", {}), ("lords", {"players": 4}), ("first-war", {})])
def test_a_turn_is_printed_on_one_sheet(game: str, options: dict[str, int], tmp_path: Path) -> None:
    """The picture, what happened, the position and what is asked; the form is filled in elsewhere."""
    table = Table(game, options, 5)
    bots = {side: next(iter(table.setting.title.bots.values()))(side) for side in table.sides}
    for _ in range(7):
        table.exchange(
            {side: bot.write(table.view(side), table.open_asks(side)) for side, bot in bots.items()}
        )
    page = report_page(table.report(table.sides[-1])).html
    assert printed_pages(page, tmp_path) == 1
    assert printed_pages(page.replace("columns: 2", "columns: 1").replace("6.6pt", "15pt"), tmp_path) > 1


@pytest.mark.ci
def test_the_longest_turn_of_a_recorded_year_is_printed_on_one_sheet(tmp_path: Path) -> None:
    reports = (path.read_text(encoding="utf-8") for path in REPORTS.glob("*/*.txt"))
    longest = max(reports, key=lambda report: report.count("\n"))
    assert printed_pages(report_page(longest).html, tmp_path) == 1


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [TELEPHONE, DESK])
@pytest.mark.parametrize(("side", "place"), [("scotland", 2), ("england", -1)])
def test_a_page_can_be_read(side: str, place: int, width: int, scheme: str, tmp_path: Path) -> None:
    looked = look(in_mail(with_deadline(side)[place]), tmp_path, width, scheme)
    assert looked.dark == (scheme == "dark")
    assert looked.width <= width
    assert looked.dim == []
    assert looked.without_words == 0
    assert looked.asked_for == []
    assert looked.headings[0] == 1
    assert set(looked.headings[1:]) == {2}


def test_a_page_that_stands_alone_can_be_read(tmp_path: Path) -> None:
    report = (REPORTS / "scotland/demo-0006.txt").read_text(encoding="utf-8")
    looked = look(report_page(report).html, tmp_path, TELEPHONE, "dark")
    assert (looked.width, looked.dim, looked.without_words, looked.asked_for) == (TELEPHONE, [], 0, [])


def test_an_invitation_with_its_long_keys_can_be_read(tmp_path: Path) -> None:
    key = f"SHA256:{'kX9' * 14}"
    invitation = f"You are invited to the game demo.\n\nplayers\n  england: bob, key {key}\n  {64 * 'a'}\n"
    assert look(report_page(invitation).html, tmp_path, TELEPHONE, "light").width == TELEPHONE


def test_a_table_of_five_can_be_read_on_a_telephone(tmp_path: Path) -> None:
    report = Session(
        Start(game="lords", options={"players": "5"}, seed="1", side="red", bot="random")
    ).report()
    html = report_page(report).html
    assert "* holds the token" in html
    assert look(html, tmp_path, TELEPHONE, "light").width == TELEPHONE


def test_what_is_measured_can_fail(tmp_path: Path) -> None:
    bad = (
        '<html><body style="background:#fff"><p style="color:#ddd;width:700px">dim and wide</p>'
        '<img src="other.png"></body></html>'
    )
    looked = look(bad, tmp_path, TELEPHONE, "light")
    assert looked.width > TELEPHONE
    assert [one["text"] for one in looked.dim] == ["dim and wide"]
    assert looked.without_words == 1
    assert len(looked.asked_for) == 1


if SCREENSHOTS:

    @pytest.mark.parametrize("scheme", SCHEMES)
    @pytest.mark.parametrize(("width", "height"), [(TELEPHONE, 1400), (DESK, 1200)])
    def test_screenshots(scheme: str, width: int, height: int, tmp_path: Path) -> None:
        picture = Path(SCREENSHOTS) / f"page-{width}-{scheme}.png"
        screenshot(in_mail("scotland/demo-0006"), tmp_path, picture, width, scheme, height)
        assert picture.stat().st_size > 10_000
