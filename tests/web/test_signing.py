"""A league in a browser: entered by a link, calls answered by one button, letters read; and a consent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from pbem.judge import club as clubs
from tests.leagues.world import file_of
from tests.web.table import CommandPlayer, Judge, PagePlayer, pbem

pytestmark = pytest.mark.ci
FILE = file_of("swiss", count=1, more='[sides]\nby = "bids"')


def test_a_league_is_entered_answered_and_read_in_the_page(
    judge: Judge, arrive: Callable[[str], PagePlayer], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [datetime.now(UTC)]
    original = clubs.open_club
    monkeypatch.setattr(
        clubs, "open_club", lambda path, clock=lambda: now[0], key=None: original(path, clock, key)
    )
    file = judge.folder / "league.toml"
    file.write_bytes(FILE)
    with (judge.club / "club.toml").open("a", encoding="utf-8") as settings:
        settings.write('[press]\nkind = "white"\n')
    which = judge.run("league", "new", file).partition("--as NAME ")[2].split()[:4]
    ben = CommandPlayer("ben", judge.folder / "homes")
    said = judge.folder / "ben.txt"
    pbem("league", "enter", "cup", "--as", "ben", *which, "--out", said, PBEM_HOME=ben.home)
    judge.run("submit", said)

    ann = arrive("ann")
    page = ann.page
    page.goto(f"{ann.address}#enter/cup/{which[3]}/{which[1]}")
    page.get_by_role("heading", name="You are invited to cup").wait_for()
    ann.make_key()
    form = page.locator("form", has=page.get_by_role("button", name="Sign: Enter the league"))
    form.wait_for()
    assert form.get_by_label("League", exact=True).input_value() == "cup"
    assert form.get_by_label("The judge's key").input_value() == which[1]
    form.get_by_label("Your rating").fill("1650")
    form.get_by_role("button").click()
    page.get_by_text("You have signed as ann").wait_for()
    assert "; entry " in judge.run("submit", ann.download())
    ann.shot("league-entered")

    now[0] = datetime(2027, 2, 1, 12, tzinfo=UTC)
    judge.run("run", "--after-gap")
    for call in (1, 2):
        ann.read_letters(judge)
        page.get_by_text(f"Call {call} waits for your answer").wait_for()
        if page.get_by_role("button", name="Save my home").count():
            ann.save_home()
        page.get_by_label("Your bid for a side").fill("e2")
        page.get_by_role("button", name="Sign: Answer the call").click()
        page.get_by_text(f"You have answered call {call}").wait_for()
        judge.run("submit", ann.download())
        for letter in judge.letters("ben"):
            pbem("receive", letter, may_fail=True, PBEM_HOME=ben.home)
        pbem("league", "reply", "cup", "--out", said, "--force", PBEM_HOME=ben.home)
        judge.run("submit", said)
        judge.run("run", "--after-gap")
    letters = [path for path in judge.letters("ann") if path not in ann.read]
    ann.receive(*[path for path in letters if "league.cup" in path.name])
    page.get_by_role("heading", name="Table").wait_for()
    page.get_by_text("against ben").wait_for()
    ann.shot("league-table")
    assert page.locator("tbody tr").first.inner_text().split("\t")[0] == "ann"
    assert page.locator(".letter").first.inner_text().count("You meet ben in cup-r1-1")

    page.get_by_role("heading", name="Talk").wait_for()
    page.get_by_label("ben", exact=True).check()
    page.get_by_label("Your text").fill("A good game!")
    page.get_by_role("button", name="Sign and seal this message").click()
    with page.expect_download() as begun:
        page.locator(".press").get_by_role("button", name="Download .txt").click()
    begun.value.save_as(said)
    assert "message 1 of ann in league.cup to ben: passed on" in judge.run("submit", said)
    ann.read_letters(judge)
    page.locator(".talk .said", has_text="A good game!").wait_for()
    page.get_by_text("no receipt of the judge").wait_for(state="detached")
    assert page.get_by_text("I am away").count() == 0, "an absence is among the forms"
    ann.shot("league-talk")

    page.evaluate("location.hash = ''")
    page.get_by_text("you meet ben in cup-r1-1").wait_for()
    ann.receive(*[path for path in letters if "league.cup" not in path.name])
    ann.go("cup-r1-1")
    page.get_by_role("tab", name="Orders").click()
    page.get_by_text("More that you can sign").click()
    page.get_by_text("Concede", exact=True).click()
    page.get_by_role("button", name="Sign: Concede").click()
    page.get_by_text("cup-r1-1: Concede").wait_for()
    told = judge.run("submit", ann.download())
    assert "consent of ann to 'concede ann' in exchange 2" in told
    page.get_by_text("A sheet for the worst day").click()
    page.get_by_role("button", name="Show the sheet").click()
    assert "reveal ann" in page.locator(".sheet").inner_text()
    ann.shot("league-concede")
