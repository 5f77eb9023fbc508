"""A stranger's ten questions about a finished game, answered in the browser from its file alone.

The right answers come from the game played again and from its order files, not from what looks back at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pbem.moments.documents import write_page
from tests.browser.chromium import CHROMIUM, needs_browser
from tests.moments.stories import record_of, story_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [needs_browser]
GAME = "campaign-to-1298"


@cache
def played() -> dict[int, Any]:
    """The resolution of each exchange."""
    record = record_of(GAME)
    return {exchange.number: found.resolution for exchange, found in record.play(record.adjudicator())}


def told(kind: str) -> Iterator[tuple[int, int, Any]]:
    """Events of a kind with their exchange and place in it."""
    for exchange, resolution in played().items():
        for place, event in enumerate(resolution.seen["gm"].told):
            if event["event"] == kind:
                yield exchange, place, event


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The file, opened from a disk without a network."""
    from playwright.sync_api import sync_playwright

    place: Path = tmp_path_factory.mktemp("questions") / "story.html"
    place.write_bytes(write_page(story_of(GAME)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        found = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True).new_page()
        found.set_default_timeout(10_000)
        found.goto(place.as_uri())
        yield found
        browser.close()


def see(page: Page, address: str, tab: str = "Story") -> str:
    """What the panel says at an address."""
    page.evaluate("(to) => { location.hash = to; }", address)
    page.get_by_role("tab", name=tab).click()
    return panel(page)


def panel(page: Page) -> str:
    """All that the panel says, with what a reader may open."""
    page.evaluate("document.querySelectorAll('.body details').forEach((one) => { one.open = true; })")
    return " ".join(page.locator(".body").inner_text().split())


def at_end(page: Page, exchange: int, reader: str = "") -> str:
    """What the panel says at the end of an exchange."""
    return see(page, f"#{exchange}/999{reader}")


@pytest.mark.ci
def test_who_held_mar_when_the_first_year_ended(page: Page) -> None:
    last = max(number for number, one in played().items() if one.seen["gm"].after["moment"][0] == "1297")
    counts = played()[last].seen["gm"].after["areas"]["Mar"]
    (holder,) = (side for side, number in counts.items() if number)
    assert f"Mar: {holder.capitalize()} " in at_end(page, last)


@pytest.mark.ci
def test_which_dice_took_the_last_step_of_the_first_that_fell(page: Page) -> None:
    exchange, place, fallen = next(one for one in told("hit") if not one[2]["strength"])
    before = played()[exchange].seen["gm"].told[:place]
    shot = [event for event in before if event["event"] == "fire"][-1]
    see(page, f"#{exchange}/1")
    page.get_by_role("button", name=f"{fallen['block']} is hit: no strength is left").first.click()
    roll = page.locator(".roll")
    assert shot["block"] in roll.inner_text()
    assert [int(die) for die in roll.locator(".dice u").all_inner_texts()] == list(shot["dice"])
    roll.locator(".die").first.click()
    assert f"{shot['label']}/die-1" in page.locator(".checked").inner_text()


@pytest.mark.parametrize("side", ["england", "scotland"])
def test_what_a_side_had_planned(side: str, page: Page) -> None:
    record = record_of(GAME)
    player = next(one.name for one in record.genesis.players if one.side == side)
    for exchange in (3, 6):
        body = record.files[exchange, player].body
        said = see(page, f"#{exchange}/1", "Orders")
        assert body
        assert all(" ".join(line.split()) in said for line in body.splitlines())


def test_which_line_answered_what_england_was_asked(page: Page) -> None:
    answer = next(one for one in played()[4].answers if one.side == "england" and one.line)
    said = see(page, "#4/1", "Orders")
    assert f"{answer.rule} line {answer.line} of exchange {answer.exchange}" in said


def test_who_won(page: Page) -> None:
    last = played()[max(played())]
    said = page.locator(".outcome").inner_text()
    assert said.startswith(f"{last.outcome.winner.capitalize()} wins")


def test_how_many_nobles_each_side_had_in_the_end(page: Page) -> None:
    last = max(played())
    at_end(page, last)
    page.get_by_role("button", name="nobles", exact=True).click()
    owners = list(played()[last].seen["gm"].after["nobles"].values())
    said = " ".join(page.locator(".measures .now").inner_text().split())
    for side in ("England", "Scotland"):
        assert f"{side} {owners.count(side.lower())}" in said


def test_what_scotland_saw_of_an_area_then(page: Page) -> None:
    areas = played()[5].seen["scotland"].after["areas"].items()
    area, hidden = next((area, of["england"]) for area, of in areas if of["england"] and not of["scotland"])
    assert f"{area}: England {hidden} hidden." in at_end(page, 5, "/scotland")


@pytest.mark.ci
def test_which_cards_were_played(page: Page) -> None:
    for exchange, _, event in told("cards"):
        said = see(page, f"#{exchange}/1/gm")
        for side in ("england", "scotland"):
            assert f"{side} plays {event[side]}" in said.lower()


def test_who_attacked_in_the_first_battle_and_who_held_it(page: Page) -> None:
    exchange, _, fight = next(told("battle"))
    _, _, over = next(told("battle over"))
    said = see(page, f"#{exchange}/1")
    assert f"{fight['attacker'].capitalize()} attacks with {fight['blocks'][fight['attacker']]} block" in said
    assert f"{over['holder'].capitalize()} holds {over['area']}" in said


@pytest.mark.ci
def test_how_likely_that_was_before_the_first_die(page: Page) -> None:
    _, _, over = next(told("battle over"))
    see(page, "#3/1", "Luck")
    row = page.locator(".chances").first.locator("tr", has_text=f"{over['holder'].capitalize()} holds")
    said = row.inner_text()
    assert "%" in said
    assert "so it came" in said
