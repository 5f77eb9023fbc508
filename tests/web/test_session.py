"""The passphrase once per session: other tabs and a reload go on, and all are locked at once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.web.table import Judge, PagePlayer, opened

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]
STORED = """async () => {
    const bases = await indexedDB.databases();
    const caches_ = await caches.keys();
    return [bases.map((one) => one.name), localStorage.length, sessionStorage.length,
        caches_.filter((name) => !name.startsWith("pbem-"))];
}"""


def is_open(page: Page) -> bool:
    """Whether a tab goes on without a passphrase."""
    page.locator(".openmail, [name=passphrase]").first.wait_for()
    return page.locator(".openmail").count() == 1


def test_a_second_tab_and_a_reload_do_not_ask_again_until_all_are_locked(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    alice, _ = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    player = arrive("alice")
    page = player.page
    page.get_by_label("Choose the file of your home").set_input_files(str(alice.packed()))
    asked = page.get_by_label("Stay unlocked for")
    asked.wait_for()
    assert asked.locator("option").all_inner_texts() == ["15 minutes", "1 hour", "8 hours"]
    player.shot("unlock")
    page.get_by_role("button", name="Unlock").click()
    page.locator(".openmail").wait_for()

    page.reload()
    assert is_open(page)
    player.go("hearth")
    player.write("card 1")
    first = player.seal()  # signed by a key whose seed is not here
    judge.run("submit", first)

    other = player.visit()
    assert is_open(other)
    letters = [path for path in judge.letters("alice") if path not in alice.read]
    other.get_by_label("Open mail").set_input_files([str(path) for path in letters])
    other.locator("#notes > div").first.wait_for()
    assert other.locator("#notes .fault").count() == 0, "letters are opened too"
    other.locator(".banner.receipted").wait_for()
    told = other.evaluate(STORED)
    assert told == [["pbem"], 0, 0, []]

    for place in ("", "#about", "#tour", "#practice", "#game/hearth"):  # wherever one is
        other.goto(f"{player.address}{place}")
        other.get_by_role("button", name="Lock now").wait_for()
    other.get_by_role("button", name="Lock now").click()
    for tab in (other, page):
        tab.get_by_role("button", name="Unlock").wait_for()
        assert tab.locator(".openmail, .games").count() == 0
    page.reload()
    assert not is_open(page)
    page.get_by_role("button", name="Unlock").click()
    for tab in (page, other):  # unlocked in one, unlocked in all
        tab.locator(".openmail").wait_for()
    page.get_by_text("Remove this home").first.click()
    page.get_by_label("To remove it, type its name: alice").fill("alice")
    page.get_by_role("button", name="Remove it").click()
    other.locator(".openmail").wait_for(state="detached")


def test_the_time_that_the_player_chose_ends(judge: Judge, arrive: Arrive, tmp_path: Path) -> None:
    alice, _ = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    player = arrive("alice")
    page = player.page
    page.clock.install()
    page.get_by_label("Choose the file of your home").set_input_files(str(alice.packed()))
    page.get_by_label("Stay unlocked for").select_option("15")
    page.get_by_role("button", name="Unlock").click()
    page.locator(".openmail").wait_for()
    page.clock.fast_forward("14:00")
    assert page.locator(".openmail").count() == 1
    page.clock.fast_forward("01:30")
    page.get_by_role("button", name="Unlock").wait_for()
