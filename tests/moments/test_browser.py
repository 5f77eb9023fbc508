"""The file of a game in Chromium, from a disk: stepping, jumping, links, tracks, hostile names."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pbem.moments.documents import write_page
from pbem.moments.tracks import tell
from pbem.orders.hammer.form import EVENTS_ASKED
from tests.browser.chromium import CHROMIUM, SCREENSHOTS, needs_browser
from tests.moments.stories import NAMES, page_of, record_of, running, story_of
from tests.moments.test_opinions import changed
from tests.moments.test_page import HOSTILE, hostile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = needs_browser
SCREENS = {"desk": {"width": 1280, "height": 800}, "telephone": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


class Reader:
    """A person with the file of a game."""

    def __init__(self, browser: Browser, place: Path, data: bytes, **given: Any) -> None:
        place.write_bytes(data)
        self.place = place
        self.context = browser.new_context(**{"viewport": SCREENS["desk"], **given})
        self.page: Page = self.context.new_page()
        self.faults: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda said: self.faults.append(said.text))
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def open(self, moment: str = "") -> None:
        self.page.goto("about:blank")
        self.page.goto(f"{self.place.as_uri()}{moment}")
        self.page.locator(".log .now").wait_for(state="attached")

    @property
    def now(self) -> str:
        """Where the reader is, as the bar says it."""
        return self.page.locator(".play .long").text_content() or ""

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; the file's policy lets no text be run that would look for it."""
        for _ in range(100):
            if holds():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(self.now)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


@pytest.fixture
def read(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Gives a file to a reader; in the end nothing has gone wrong, and nothing but the file was asked for."""
    readers: list[Reader] = []

    def give(data: bytes, **given: Any) -> Reader:
        readers.append(Reader(browser, tmp_path / f"{len(readers)}.html", data, **given))
        return readers[-1]

    yield give
    for one in readers:
        one.context.close()
        assert one.faults == []
        assert {url.split("#")[0] for url in one.asked} <= {one.place.as_uri()}


def long_exchange(name: str, count: int) -> int:
    """The first exchange after the beginning that has so many moments on every track."""
    tracks = story_of(name).tracks
    return next(
        chapter.exchange
        for place, chapter in enumerate(tracks[0].chapters)
        if chapter.exchange > 3 and all(len(track.chapters[place].moments) >= count for track in tracks)
    )


@pytest.mark.ci
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_fits_the_screen_and_shows_its_moments(name: str, screen: str, scheme: str, read: Any) -> None:
    reader = read(page_of(name), viewport=SCREENS[screen], color_scheme=scheme)
    exchange = long_exchange(name, 3)
    reader.open(f"#{exchange}/3")
    page = reader.page
    assert reader.now.startswith(f"exchange {exchange}, step 3 of ")
    assert page.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen]["width"]
    assert page.evaluate("document.documentElement.scrollHeight") <= SCREENS[screen]["height"]
    assert page.locator(".picture svg [data-name]").count() > 0
    assert page.locator(".size").count() == len(story_of(name).setting.sides)
    buttons = page.locator("button:visible")
    small = [
        box
        for box in (buttons.nth(place).bounding_box() for place in range(buttons.count()))
        if box and min(box["width"], box["height"]) < 24
    ]
    assert small == []
    if SCREENSHOTS:
        page.screenshot(path=os.path.join(SCREENSHOTS, f"{name}-{screen}-{scheme}.png"))  # noqa: PTH118


@pytest.mark.ci
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize(
    ("name", "exchanges", "last"), [("campaign-to-1298", 9, "1298"), ("lords-for-three", 11, "round 3")]
)
def test_the_timeline_names_its_last_year_whole(
    name: str, exchanges: int, last: str, screen: str, read: Any
) -> None:
    """The games stop where a year or round has just begun."""
    reader = read(write_page(tell(running(record_of(name), exchanges))), viewport=SCREENS[screen])
    reader.open()
    marks = reader.page.locator(".marks b:visible")
    boxes = [marks.nth(place).bounding_box() for place in range(marks.count())]
    scrub = reader.page.locator(".scrub").bounding_box()
    assert marks.last.inner_text() == last
    if SCREENSHOTS:
        reader.page.screenshot(path=os.path.join(SCREENSHOTS, f"last-{name}-{screen}.png"))  # noqa: PTH118
    ends = [box["x"] + box["width"] for box in boxes]
    assert ends[-1] <= scrub["x"] + scrub["width"] + 1
    assert all(end <= box["x"] + 1 for end, box in zip(ends, boxes[1:], strict=False)), "none lies on another"


@pytest.mark.ci
def test_keys_go_through_the_moments(read: Any) -> None:
    reader = read(page_of("campaign-to-1298"))
    reader.open()
    assert reader.now.startswith("exchange 1, step 1 of")
    reader.press("ArrowRight", "ArrowRight")
    assert reader.now.startswith("exchange 1, step 3 of")
    reader.press("ArrowDown")
    assert reader.now.startswith("exchange 2, step 1 of")
    reader.press("ArrowLeft")
    assert reader.now.startswith("exchange 1, step 5 of 5")
    reader.press("b")
    assert "Battle of" in reader.page.locator("h1").inner_text()
    reader.press("n")
    said = reader.page.locator(".sub").first.inner_text()
    assert any(what in said for what in ("joins", "goes over", "captured", "out of the game")), said
    reader.press("End")
    assert reader.now.startswith(f"exchange {len(story_of('campaign-to-1298').tracks[-1].chapters)}, ")
    reader.press("Home", "ArrowUp")
    assert reader.now.startswith("exchange 1, step 1 of")


@pytest.mark.ci
def test_an_address_names_a_moment_and_a_button_copies_it(read: Any) -> None:
    reader = read(page_of("campaign-to-1298"))
    exchange = long_exchange("campaign-to-1298", 5)
    reader.open(f"#{exchange}/4/scotland")
    page = reader.page
    assert reader.now.startswith(f"exchange {exchange}, step 4 of")
    assert page.locator(".eyes [aria-pressed=true]").inner_text() == "Scotland"
    reader.press("ArrowRight")
    reader.until(lambda: page.url.endswith(f"#{exchange}/5/scotland"))
    page.get_by_role("button", name="Copy a link to this moment").click()
    page.locator("[data-done]").wait_for()
    page.evaluate("(to) => { location.hash = to; }", f"#{exchange}/2")
    reader.until(lambda: reader.now.startswith(f"exchange {exchange}, step 2"))
    for nowhere in ("#0/0", "#99/1", "#nonsense", "#3/999"):
        reader.open(nowhere)
        assert reader.now.startswith("exchange ")


@pytest.mark.ci
def test_a_moment_says_how_it_is_tried_out_and_what_that_does(read: Any) -> None:
    reader = read(page_of("campaign-to-1298"))
    exchange = long_exchange("campaign-to-1298", 3)
    reader.open(f"#{exchange}/3/scotland")
    trying = reader.page.locator("details.trying")
    trying.locator("summary").click()
    assert "It is only a try, and no part of the game." in trying.inner_text()
    command = f"pbem try BUNDLE --as scotland --exchange {exchange} --step 3"
    assert trying.locator("code").all_inner_texts() == [command]
    reader.page.set_viewport_size(SCREENS["telephone"])
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= SCREENS["telephone"]["width"]
    reader.press("End")
    trying.wait_for(state="hidden")


@pytest.mark.ci
def test_an_address_to_which_one_goes_in_the_same_moment_stays(read: Any) -> None:
    one = read(page_of("campaign-to-1298"))
    one.open()
    one.until(lambda: one.page.url.endswith("#1/1"))
    one.page.evaluate("viewer.go(viewer.place + 1); location.hash = '#elsewhere'")
    one.page.wait_for_timeout(400)
    assert one.page.url.endswith("#elsewhere"), "the viewer writes no address over another's"
    one.press("ArrowRight")
    one.until(lambda: not one.page.url.endswith("#elsewhere"))


@pytest.mark.ci
def test_the_same_moment_is_seen_by_other_eyes(read: Any) -> None:
    reader = read(page_of("campaign-to-1298"))
    exchange = long_exchange("campaign-to-1298", 4)
    reader.open(f"#{exchange}/4")
    page = reader.page
    everything = page.locator(".picture text").count()
    page.get_by_role("button", name="The public", exact=False).click()
    assert reader.now.startswith(f"exchange {exchange}, step 4 of")
    assert page.locator(".picture text").count() < everything
    page.get_by_role("tab", name="Orders").click()
    assert page.locator(".lines").count() == 0
    page.get_by_role("button", name="England", exact=True).click()
    assert (
        page.locator(".written h2").all_inner_texts() == ["England bob"]
        or page.locator(".written").count() == 1
    )
    reader.press("t", "t")
    page.locator(".eyes [aria-pressed=true]", has_text="public").wait_for()


@pytest.mark.ci
def test_each_moment_is_said_to_those_who_do_not_see(read: Any) -> None:
    reader = read(page_of("campaign-to-1298"))
    exchange = long_exchange("campaign-to-1298", 4)
    reader.open(f"#{exchange}/3")
    page, story = reader.page, story_of("campaign-to-1298")
    moments = story.tracks[-1].chapters[exchange - 1].moments
    said = page.locator(".unseen[role=status]")
    assert said.text_content() == " ".join(moments[2].step.lines)
    reader.press("ArrowRight")
    assert said.text_content() == " ".join(moments[3].step.lines)
    assert "Map of Scotland" in (page.locator(".picture").get_attribute("aria-label") or "")
    assert " ".join(moments[3].step.lines) in (
        page.get_by_role("slider", name="The whole game").get_attribute("aria-valuetext") or ""
    )


@pytest.mark.ci
def test_a_block_is_followed_from_event_to_event(read: Any) -> None:
    reader = read(page_of("campaign-to-1298"))
    reader.open()
    reader.press("b", "ArrowRight", "ArrowRight")
    page = reader.page
    name = page.locator(".blk b").first.inner_text()
    page.locator(".blk").first.click()
    assert name in page.locator(".followed").inner_text()
    before = reader.now
    page.get_by_role("button", name=f"Next event of {name}").click()
    assert reader.now != before


@pytest.mark.ci
def test_the_next_step_that_names_a_word_is_found_by_keys_alone(read: Any) -> None:
    reader, story = read(page_of("campaign-to-1298")), story_of("campaign-to-1298")
    reader.open("#1/1")
    page = reader.page

    def names(word: str, track: int) -> list[str]:
        return [
            f"exchange {chapter.exchange}, step {number} of {len(chapter.moments)}"
            for chapter in story.tracks[track].chapters
            for number, moment in enumerate(chapter.moments, 1)
            if word in " ".join(moment.step.lines).lower()
        ]

    named = {word: names(word, -1) for word in EVENTS_ASKED}
    word, naming = max(named.items(), key=lambda one: len(one[1]))
    count = page.locator(".search output")
    reader.press("f")
    page.keyboard.type(word)
    assert count.inner_text() == f"{len(naming)} steps"
    assert reader.now.startswith("exchange 1, step 1"), "letters in the box are no keys"
    for number, place in enumerate(naming, 1):
        reader.press("Enter")
        assert reader.now == place
        assert count.inner_text() == f"{number} of {len(naming)}"
        assert page.locator(".log .now.found").count() == 1
    reader.press("Enter")
    assert reader.now == naming[0], "after the last one comes the first"
    reader.press("Shift+Enter")
    assert reader.now == naming[-1]
    page.get_by_role("tab", name="Orders").click()
    page.get_by_role("button", name="The next step that names it").click()
    assert reader.now == naming[0]
    assert page.locator(".log .found").count() > 0
    page.get_by_role("searchbox").fill("wallace")
    by_england = names("wallace", 0)
    assert len(by_england) != len(names("wallace", -1))
    page.locator(".eyes button").first.click()
    page.get_by_role("searchbox").press("Enter")
    assert count.inner_text() == f"{by_england.index(reader.now) + 1} of {len(by_england)}", "by other eyes"
    page.locator(".eyes button").last.click()
    page.get_by_role("searchbox").fill("zzz")
    assert count.inner_text() == "none"
    page.get_by_role("searchbox").press("Escape")
    assert page.get_by_role("searchbox").input_value() == ""
    assert page.locator(".log .found").count() == 0
    reader.press("ArrowRight")
    assert reader.now != naming[0], "the keys are those of the story again"


@pytest.mark.ci
def test_an_order_leads_to_what_followed_from_it_and_back(read: Any) -> None:
    reader = read(page_of("campaign-to-1298"))
    reader.open("#2/2")
    page = reader.page
    orders = page.locator(".causes .lines button")
    said = orders.all_inner_texts()
    assert all(one.startswith("move ") for one in said)
    orders.nth(1).click()
    assert page.locator(".written .lit code").inner_text() == said[1]
    page.locator(".lit .to button").click()
    assert reader.now.startswith("exchange 2, step 2 of")
    assert said[1].removeprefix("move ").split(" to ")[0] in page.locator(".sub").first.inner_text()
    assert page.locator(".jumps").count() == 1
    scotland = next(one for one in story_of("campaign-to-1298").tracks if one.reader == "scotland")
    exchange, step, line = next(  # what a plan decided is joined on a side's own track too
        (chapter.exchange, step, own.line)
        for chapter in scotland.chapters
        for step, moment in enumerate(chapter.moments, 1)
        for own in moment.own
        if own.applied and own.exchange == chapter.exchange
    )
    reader.open(f"#{exchange}/{step}/scotland")
    page.get_by_role("button", name=f"line {line} of your orders for exchange {exchange}").click()
    page.get_by_role(
        "button", name=f"To step {step} of exchange {exchange}, which followed from this line"
    ).click()
    assert reader.now.startswith(f"exchange {exchange}, step {step} of")
    reader.open(f"#{exchange}/{step}/public")
    assert page.locator(".causes, .own").count() == 0


@pytest.mark.ci
def test_a_caption_says_what_happens_and_the_last_step_how_it_ended(read: Any) -> None:
    reader, story = read(page_of("campaign-to-1298")), story_of("campaign-to-1298")
    reader.open("#3/1")
    page = reader.page
    third = next(one for one in story.tracks[-1].chapters if one.exchange == 3)
    parts = dict.fromkeys(one.step.chapter for one in third.moments if one.step.chapter)
    exchange, moment, *happens = page.locator(".body h2 small").inner_text().split(" · ")
    assert exchange == "Exchange 3"
    assert re.fullmatch(r"129[78], turn [1-5]", moment)
    assert happens == list(parts)
    page.get_by_role("button", name=story.outcome).click()
    assert page.locator("h1").inner_text() == "How it ended"
    lines = story.tracks[-1].chapters[-1].moments[-1].step.lines
    assert page.locator(".sub p").all_inner_texts() == list(lines)
    before = reader.now
    reader.press("ArrowRight")
    assert reader.now == before


@pytest.mark.ci
def test_it_plays_by_itself_until_it_is_stopped(read: Any) -> None:
    reader = read(page_of("campaign-to-1298"))
    reader.open("#2/1")
    reader.page.evaluate("viewer.pace = 50")
    reader.press(" ")
    reader.until(lambda: not reader.now.startswith("exchange 2,"))
    reader.press(" ")
    stopped = reader.now
    reader.page.wait_for_timeout(300)
    assert reader.now == stopped


@pytest.mark.ci
def test_a_finger_goes_on_by_a_swipe(read: Any) -> None:
    reader = read(page_of("campaign-to-1298"), viewport=SCREENS["telephone"], has_touch=True)
    reader.open("#3/2")
    swipe = """(by) => {
      const body = document.querySelector(".body");
      const at = (x) => new Touch({ identifier: 1, target: body, clientX: x, clientY: 600 });
      body.dispatchEvent(new TouchEvent("touchstart", { touches: [at(200)], changedTouches: [at(200)] }));
      body.dispatchEvent(new TouchEvent("touchend", { touches: [], changedTouches: [at(200 + by)] }));
    }"""
    reader.page.evaluate(swipe, -100)
    assert reader.now.startswith("exchange 3, step 3 of")
    reader.page.evaluate(swipe, 100)
    reader.page.evaluate(swipe, 20)
    assert reader.now.startswith("exchange 3, step 2 of")


@pytest.mark.ci
def test_names_with_markup_are_text(read: Any) -> None:
    story = hostile(story_of("campaign-to-1298"))
    reader, exchange = read(write_page(story)), long_exchange("campaign-to-1298", 3)
    written = {
        track.reader: sum(bool(one.text) for one in track.chapters[place].orders)
        for track in story.tracks
        for place, chapter in enumerate(track.chapters)
        if chapter.exchange == exchange
    }
    assert written["gm"] > written["scotland"] > 0
    for moment, count in (
        ("", 0),
        (f"#{exchange}/3", written["gm"]),
        (f"#{exchange}/2/scotland", written["scotland"]),
    ):
        reader.open(moment)
        page = reader.page
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 2
        assert HOSTILE.split("\u2028")[0] in (page.locator("body").text_content() or "")
        page.get_by_role("tab", name="Orders").click()
        assert page.locator(".lines").count() == count
        assert page.locator("img").count() == 0


@pytest.mark.ci
def test_chances_and_a_bots_opinion_are_shown_where_they_belong(read: Any) -> None:
    story, _, exchange = changed("card herald\n")
    reader = read(write_page(story, bot=True))
    reader.open(f"#{exchange}/1")
    page = reader.page
    page.get_by_role("tab", name="Orders").click()
    page.locator(".opinion summary").click()
    said = page.locator(".opinion").inner_text()
    assert "The opinion of a bot (captain)" in said
    assert "200 of 200" in said
    assert "Its forecast for these orders" in said
    assert page.locator(".opinion .other").count() > 0
    reader.press("ArrowDown")
    assert page.locator(".opinion").count() == 0
    page.get_by_role("tab", name="Luck").click()
    chances = page.locator(".chances").first.inner_text()
    assert " holds " in chances
    assert "so it came" in chances
