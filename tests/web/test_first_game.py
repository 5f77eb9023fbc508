"""A first game in Chromium: no key, no judge, and hints until one knows how it goes."""

from collections.abc import Callable

import pytest

from tests.web.hands import Finger
from tests.web.table import PagePlayer

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]
IN_VIEW = """(one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const box = one.closest(".picture").getBoundingClientRect();
  return left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom;
}"""
FETCHED = "() => performance.getEntriesByType('resource').some((one) => one.name.endsWith('practice.json'))"


def test_somebody_without_a_key_plays_the_first_turns(arrive: Arrive, axe: str) -> None:
    player = arrive("alice", viewport={"width": 390, "height": 844}, has_touch=True)
    page, finger = player.page, Finger(player)
    player.shot("first-screen")
    assert not page.workers[0].evaluate(FETCHED), "the start does without it"
    page.get_by_role("link", name="Try a game against the bot").tap()
    hint = page.locator(".hint p")
    hint.get_by_text("Tap a card to play it.").wait_for()
    assert page.workers[0].evaluate(FETCHED)
    assert "You play Scotland in Hammer of the Scots." in hint.inner_text()
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    assert page.locator(".openmail, #mail").count() == 0, "there is no mail in it"
    player.shot("practice-card")
    assert player.hindrances(axe) == []

    page.locator(".hand .card").first.tap()
    hint.get_by_text("Tap a block that is lit").wait_for()
    page.locator('.picture [data-name="Wallace"].lit').first.wait_for()
    finger.touch("Wallace")
    hint.get_by_text("Now tap where it goes").wait_for()
    player.shot("practice-way")
    page.locator('.picture [data-name="Mentieth"].lit').first.wait_for()
    page.get_by_text("Your order is not complete").wait_for()
    assert page.locator(".fault, .fine").count() == 0, "what is half said is neither wrong nor right"
    page.locator('.picture [data-name="Mentieth"]').first.dispatch_event("click")
    page.locator('.order[data-line="move Wallace to Mentieth"]').wait_for()
    hint.get_by_text("Add another order").wait_for()
    page.get_by_role("button", name="Play this turn").tap()
    page.wait_for_url("**/#practice/story/2/0")
    hint.get_by_text("This is what happened").wait_for()
    player.shot("practice-story")
    page.get_by_role("button", name="One step on").tap()
    page.wait_for_url("**/#practice/story/2/1")

    page.reload()
    page.locator("body[data-ready]").wait_for()
    page.get_by_role("button", name="To your orders").tap()
    for _ in range(3):
        page.locator("#play-turn").tap()
        page.get_by_role("button", name="To your orders").tap()
    assert page.locator(".hint").count() == 0, "now one knows how it goes"
    page.locator(".signs").tap()
    legend = page.locator(".picture").get_by_text("where blocks went")
    assert legend.evaluate(IN_VIEW), "what the signs mean is in sight, however near the map is"
    page.locator(".signs").tap()
    player.shot("practice-later")
    page.get_by_text("Another game").tap()
    page.get_by_text("Lords").first.wait_for()
    page.get_by_role("button", name="As Red").first.tap()
    page.locator(".hint").wait_for()
    page.get_by_text("Your move").wait_for()
    assert page.locator("#body").evaluate("(panel) => panel.scrollTop") == 0, "another game begins at its top"
    assert "You play Red in Lords of Scotland." in hint.inner_text()
    player.shot("practice-lords")
    page.get_by_role("button", name="No more hints").tap()
    assert page.locator(".hint").count() == 0
    page.get_by_role("link", name="Back to the start").tap()
    page.get_by_label("Your name in games").wait_for()
    player.make_key()
    assert page.locator(".games").count() == 0, "it is none of the games of the home"


def test_on_a_desk_and_without_a_network(arrive: Arrive) -> None:
    player = arrive("alice", viewport={"width": 1280, "height": 800})
    page = player.page
    player.shot("first-screen-desk")
    player.context.set_offline(True)  # what is kept for later has come with the first visit
    page.get_by_role("link", name="Try a game against the bot").click()
    page.get_by_text("Tap a card to play it.").wait_for()
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    player.shot("practice-desk")
    told = page.locator("main").inner_text()
    assert "pbem practice" not in told
    assert "--" not in told
    page.get_by_role("tab", name="Table").click()
    player.shot("practice-table-desk")
    assert "pbem " not in page.locator("main").inner_text()
