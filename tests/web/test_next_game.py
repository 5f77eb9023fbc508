"""The next game that waits: one button in one place, and the count in the title and on the installed page."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.web.outbox import Outgoing
from tests.web.screens import NOW, Told, answers, at_home, laid_out
from tests.web.table import served
from tests.web.test_screens import SIZES, TABLES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.ci

BADGES = """
window.badges = [];
navigator.setAppBadge = async (count) => { badges.push(count); };
navigator.clearAppBadge = async () => { badges.push(0); };
"""
DUE = {
    "late": "2026-11-29T12:00:00+00:00",
    "hearth": "2026-12-03T22:57:00+00:00",
    "sent": "2026-11-28T12:00:00+00:00",
}


def told() -> Told:
    """The answers of a home with two games that wait and one that does not."""
    known = answers(TABLES["hammer"])
    shown = next(answer for call, _, answer in known if call == "show")
    lines = {
        name: replace(shown.line, game=name, deadline=due, state="receipted" if name == "sent" else "draft")
        for name, due in DUE.items()
    }
    made = Outgoing(game="late", file="late.txt", text="sealed", subject="late", exchange=2, rev=1)
    shows: Told = [("show", {"game": name}, replace(shown, line=line)) for name, line in lines.items()]
    lines["sent"] = replace(lines["sent"], unread=2)
    home = at_home(tuple(lines.values()))
    rest = [one for one in known if one[0] not in ("show", *(call for call, _, _ in home))]
    return [*home, *shows, ("seal", {}, made), *rest]


def place_of(page: Page) -> tuple[float, ...]:
    """Where the button is."""
    box = page.locator(".next-game").bounding_box()
    assert box
    return box["x"], box["y"], box["width"], box["height"]


@pytest.mark.parametrize("size", SIZES)
def test_one_button_leads_from_game_to_game_and_sending_leads_nowhere(
    chromium: Browser, site: Path, tmp_path: Path, size: str
) -> None:
    laid_out(site, tmp_path / "page", told())
    width, height = SIZES[size]
    with served(tmp_path) as where:
        context = chromium.new_context(
            viewport={"width": width, "height": height}, service_workers="block", accept_downloads=True
        )
        context.add_init_script(BADGES)
        page = context.new_page()
        page.clock.set_fixed_time(NOW)
        page.goto(f"{where}page/#")
        page.locator("body[data-ready]").wait_for()
        try:
            assert page.title() == "(2; 2 new messages) pbem: play by mail"
            assert page.evaluate("badges") == [4]
            assert page.locator(".games .new").all_text_contents() == ["2 new messages"]
            place, button = place_of(page), page.locator(".next-game")
            visited = []
            for _ in range(3):
                button.click()
                page.locator("main[aria-busy=false] .body").wait_for()
                visited.append(page.url.rpartition("#game/")[2])
                assert place_of(page) == place, "it stays where it was"
            assert visited == ["late", "hearth", "late"]

            page.get_by_role("tab", name="Orders").click()
            with page.expect_download():
                page.locator("footer .send").click()
            page.wait_for_timeout(300)
            assert page.url.endswith("#game/late"), "sending leads to no other game"

            page.goto(f"{where}page/#about")
            assert place_of(page) == place
            if shots := os.environ.get("PBEM_SCREENSHOTS"):
                page.goto(f"{where}page/#game/late")
                page.wait_for_timeout(500)
                page.screenshot(path=f"{shots}/next-{size}.png")
        finally:
            context.close()


HOLD_SHOW = """() => {
  const post = Worker.prototype.postMessage, held = [];
  window.release = () => {
    Worker.prototype.postMessage = post;
    held.forEach(([worker, message]) => post.call(worker, message));
  };
  Worker.prototype.postMessage = function (message) {
    const { call, given } = JSON.parse(message.question ?? "{}");
    if (call === "show" && given.game === "late") held.push([this, message]);
    else post.call(this, message);
  };
}"""
"""As long as this holds, Python is not asked for the game `late`."""
RELEASE = "() => { release(); return refreshed.then(() => new Promise((end) => setTimeout(end, 100))); }"
"""Lets it be asked, and waits until what comes of it is drawn."""
REFRESH = "() => import('./acts.js').then((acts) => { window.refreshed = acts.refresh(); })"


def test_what_comes_late_of_one_game_is_not_shown_in_the_next(
    chromium: Browser, site: Path, tmp_path: Path
) -> None:
    laid_out(site, tmp_path / "page", told())
    with served(tmp_path) as where:
        context = chromium.new_context(service_workers="block")
        page = context.new_page()
        page.clock.set_fixed_time(NOW)
        page.goto(f"{where}page/#game/late")
        page.locator("main[aria-busy=false] .body").wait_for()
        page.evaluate(HOLD_SHOW)
        page.evaluate(REFRESH)  # as a receipt that has come does
        page.evaluate("() => { location.hash = 'game/hearth'; }")
        shown = page.get_by_role("heading", level=2).first
        page.get_by_role("heading", name="hearth").wait_for()
        page.evaluate(RELEASE)
        assert shown.inner_text() == "hearth"
        context.close()


HOSTILE = "<img src=x onerror=\"document.title='taken'\"> &lt; ${1} " + "W" * 500


@pytest.mark.parametrize("size", SIZES)
def test_what_a_judge_says_of_the_clock_is_text_and_fits_the_screen(
    chromium: Browser, site: Path, tmp_path: Path, size: str
) -> None:
    known = answers(TABLES["hammer"])
    shown = next(answer for call, _, answer in known if call == "show")
    line = replace(shown.line, state="draft", clock=HOSTILE, is_last=True)
    home = at_home((line,))
    rest = [one for one in known if one[0] not in ("show", *(call for call, _, _ in home))]
    laid_out(site, tmp_path / "page", [*home, ("show", {}, replace(shown, line=line)), *rest])
    width, height = SIZES[size]
    with served(tmp_path) as where:
        context = chromium.new_context(viewport={"width": width, "height": height}, service_workers="block")
        page = context.new_page()
        page.clock.set_fixed_time(NOW)
        page.goto(f"{where}page/#game/{line.game}")
        page.locator("body[data-ready]").wait_for()
        try:
            page.get_by_role("tab", name="Orders").click()
            page.get_by_text("Yours is the last file that is awaited: all others are in.").wait_for()
            page.get_by_role("tab", name="Table").click()
            assert page.get_by_text(HOSTILE).inner_text() == f"The clock: {HOSTILE}."
            assert page.locator("img[src=x]").count() == 0
            assert page.title() != "taken"
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            sub = page.get_by_text(HOSTILE).bounding_box()
            assert sub
            assert sub["x"] + sub["width"] <= width
            if shots := os.environ.get("PBEM_SCREENSHOTS"):
                page.screenshot(path=f"{shots}/clock-{size}.png")
        finally:
            context.close()
