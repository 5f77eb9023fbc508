"""What a newcomer with a telephone disliked, and is now otherwise: on games played beforehand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from pbem.web.build import POLICY, policy_with
from tests.web.screens import GAME, answers, at_home, laid_out
from tests.web.table import served
from tests.web.test_screens import TABLES, shown, story

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.ci

Look = Callable[..., "Page"]
READABLE = 12
"""Pixels from the top of the letters to their lowest point."""
IN_SIGHT = "(all) => all.map((one) => one.getBoundingClientRect().bottom <= innerHeight)"
UNLIKE = """(one) => {
    const parts = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map(Number);
    const light = (colour) => parts(colour).map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
    const { color, backgroundColor } = getComputedStyle(one);
    const [low, high] = [light(color), light(backgroundColor)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}"""
"""The contrast of a button's words with its ground."""
BEYOND = """() => [...document.querySelectorAll("#page *")]
    .filter((one) => !one.closest("svg") && one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.className || one.localName)"""
READABLE_TABLE = 7
"""The same for words on a card table, of which a finger that rests enlarges each."""
MOVED = "(before) => document.querySelector('.picture svg').getAttribute('viewBox') !== before"
BEGUN = """async () => {
    const { store } = await import("./state.js");
    const offer = { verb: "move", clause: "to", name: "Mentieth", line: "move Wallace to Mentieth" };
    store.set((now) => ({ draft: { ...now.draft, open: true }, light: [offer] }));
}"""
"""A tap on a block has begun its order; Mentieth is within its reach."""
BOX = "https://box.club.example/"
AS_BY_NIGHT = """async () => {
    const { night } = await import("./night.js");
    const parsed = (text) => new DOMParser().parseFromString(text, "image/svg+xml");
    const read = async (name) => parsed(await (await fetch(name)).text());
    const [day, dark] = await Promise.all(["cover.svg", "cover-night.svg"].map(read));
    night(day.documentElement);
    return [day, dark].map((one) => new XMLSerializer().serializeToString(one));
}"""


@pytest.fixture(scope="module")
def addresses(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The site for each game, and for somebody who has locked it."""
    root = tmp_path_factory.mktemp("screens")
    laid_out(site, root / "locked", at_home(unlocked=False))
    laid_out(site, root / "nobody", at_home(keys=False))
    index = laid_out(site, root / "boxed", at_home(keys=False)) / "index.html"
    index.write_text(index.read_text(encoding="utf-8").replace(POLICY, policy_with((BOX,))), encoding="utf-8")
    for name, table in TABLES.items():
        laid_out(site, root / name, answers(table))
    with served(root) as where:
        yield {name: f"{where}{name}/" for name in ("locked", "nobody", "boxed", *TABLES)}


@pytest.fixture
def look(chromium: Browser, addresses: dict[str, str]) -> Iterator[Look]:
    """Look at a game on a telephone."""
    made: list[Page] = []

    def looked(name: str, at: str = f"game/{GAME}", size: str = "phone", scheme: str = "light") -> Page:
        _, page = shown(chromium, f"{addresses[name]}#{at}", size, scheme, name)
        made.append(page)
        return page

    yield looked
    for page in made:
        page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_words_of_each_way_to_go_on_can_be_read(look: Look, scheme: str) -> None:
    page = look("lords", scheme=scheme)
    page.locator(".order .said").click()
    page.get_by_text("Another order", exact=True).wait_for()
    for one in page.locator(".chip").all():
        assert one.evaluate(UNLIKE) >= 4.5, one.inner_text()


def test_the_dice_of_a_battle_are_seen_without_a_scroll(look: Look) -> None:
    page = look("hammer", story("hammer", "stood down"))
    for _ in range(8):
        if page.locator(".dice").count():
            break
        page.get_by_role("button", name="One step on").click()
    foot = page.locator("footer").evaluate("(foot) => foot.getBoundingClientRect().top")
    dice = page.locator(".dice").evaluate("(dice) => dice.getBoundingClientRect().bottom")
    assert dice <= foot


def test_on_a_telephone_a_battle_is_brought_near_and_on_a_desk_it_stays(look: Look) -> None:
    wide = "(svg) => svg.viewBox.baseVal.width"
    far = look("hammer").locator(".picture svg").evaluate(wide)
    near = look("hammer", story("hammer", "stood down")).locator(".picture svg").evaluate(wide)
    assert near < far / 2
    desk = look("hammer", size="desk").locator(".picture svg").evaluate(wide)
    battle = look("hammer", story("hammer", "stood down"), "desk")
    assert battle.locator(".picture svg").evaluate(wide) == desk


def test_a_card_table_fills_the_picture_and_its_legend_is_a_tap_away(look: Look) -> None:
    page = look("lords")
    high = "(svg) => svg.viewBox.baseVal.height"
    short = page.locator(".picture svg").evaluate(high)
    assert not page.locator(".picture svg").get_by_text("draws a card").is_visible()
    page.get_by_role("button", name="What the signs mean").click()
    letters = page.locator(".picture svg").get_by_text("draws a card").bounding_box()
    assert letters
    assert letters["height"] >= READABLE_TABLE
    page.get_by_role("button", name="What the signs mean").click()
    assert page.locator(".picture svg").evaluate(high) == short
    page = look("hammer")
    page.get_by_role("button", name="What the signs mean").click()
    letters = page.locator(".picture svg").get_by_text("where blocks went").bounding_box()
    assert letters
    assert letters["height"] >= READABLE_TABLE


def test_where_nothing_is_asked_at_once_a_hand_is_cards_too(look: Look) -> None:
    page = look("first-war")
    cards = page.locator(".hand .card").evaluate_all("(all) => all.map((card) => card.ariaLabel)")
    assert any(one.startswith("deploy ") for one in cards)
    page.locator(".hand .card").first.click()
    assert page.locator(".hand .card").first.get_attribute("aria-pressed") == "true"
    cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText)"
    assert page.locator(".hand .card").evaluate_all(cut) == []


def test_a_finger_that_rests_has_a_lens_in_which_names_can_be_read(look: Look) -> None:
    page = look("hammer")
    box = page.locator('.picture [data-name="Wallace"]').last.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    page.locator(".lens svg").wait_for()
    letters = page.locator('.lens [data-name="Wallace"] text').first
    assert letters.evaluate("(one) => one.getBoundingClientRect().height") >= READABLE
    assert page.locator(".live").inner_text() == "Wallace"
    above = page.locator(".lens").bounding_box()
    assert above
    assert above["y"] + above["height"] <= y or above["x"] >= x or above["x"] + above["width"] <= x
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator(".lens svg").wait_for(state="detached")


@pytest.mark.parametrize("width", [320, 360, 390])
def test_nothing_stands_beyond_the_edge_of_a_narrow_telephone(look: Look, width: int) -> None:
    page = look("hammer")
    page.set_viewport_size({"width": width, "height": 740})
    page.wait_for_timeout(200)
    assert page.evaluate(BEYOND) == []


def test_what_was_sealed_is_to_be_mailed_and_that_stands_in_sight(look: Look) -> None:
    page = look("hammer")
    page.locator("#body").evaluate("(body) => body.scrollTo(0, 9999)")
    change = """async () => {
        const { store } = await import("./state.js");
        const { game } = store.get();
        const made = { to: "", subject: "hearth", copies: [], remarks: [], text: "x", file: "x.txt" };
        store.set({ game: { ...game, line: { ...game.line, state: "sealed" }, sealed: made } });
    }"""
    page.evaluate(change)
    page.locator("#out").wait_for()
    assert page.locator("#body").evaluate("(body) => body.scrollTop") == 0
    assert page.locator("#out .buttons").evaluate_all(IN_SIGHT) == [True]


@pytest.mark.parametrize("state", ["sealed", "handed over", "receipted", "waiting", "over"])
def test_how_far_the_orders_are_is_said_once(look: Look, state: str) -> None:
    page = look("hammer")
    change = """async (state) => {
        const { store } = await import("./state.js");
        const { game } = store.get();
        store.set({ game: { ...game, line: { ...game.line, state } } });
        return (await import("./words.js")).words.states[state][1];
    }"""
    said = page.evaluate(change, state)
    page.locator(f'.banner[data-state="{state}"]', has_text=said).wait_for()
    assert page.locator("#page").inner_text().count(said) == 1


def test_who_has_accepted_is_not_told_of_orders(look: Look) -> None:
    """In the first exchange nothing is ordered, and what was accepted stays so."""
    page = look("hammer")
    page.evaluate("""async () => {
        const { store } = await import("./state.js");
        const { game } = store.get();
        store.set({ game: { ...game, line: { ...game.line, state: "receipted", exchange: 1 } } });
    }""")
    banner = page.locator(".banner[data-state=receipted]")
    banner.get_by_text("The judge has signed that you have accepted. The others can accept until").wait_for()
    assert not any(word in banner.inner_text() for word in ("orders", "change"))


def test_what_was_ordered_ahead_is_shown_where_the_next_orders_are_written(look: Look) -> None:
    page = look("hammer")
    page.evaluate("""async () => {
        const { store } = await import("./state.js");
        const { game } = store.get();
        const parts = [{ said: "Sent for exchange 2:", indent: 0 }, { said: "All fight.", indent: 2 }];
        const title = "Your earlier orders that still count";
        const sections = [...game.shown.sections, { title, parts, table: null, small: false, asked: false }];
        store.set({ game: { ...game, shown: { ...game.shown, sections } } });
    }""")
    page.get_by_role("tab", name="Orders").click()
    page.get_by_text("All fight.").wait_for()
    page.get_by_role("heading", name="Your earlier orders that still count").wait_for()


@pytest.mark.parametrize(
    ("name", "at", "needs"),
    [
        ("nobody", "", "this page and your mail"),
        ("boxed", "", "this page, and your mail for games without a post box"),
        ("boxed", f"join/{GAME}/SHA256:abc/{quote(BOX, safe='')}", "this page alone"),
        ("nobody", f"join/{GAME}/SHA256:abc/{quote(BOX, safe='')}", "this page and your mail"),
    ],
)
def test_the_welcome_says_what_a_player_needs(look: Look, name: str, at: str, needs: str) -> None:
    look(name, at).get_by_text(f"a move a week: you need {needs}.").wait_for()


@pytest.mark.parametrize(("name", "mails"), [("nobody", True), ("boxed", False)])
def test_the_tour_tells_of_mail_where_it_carries_the_letters(look: Look, name: str, mails: bool) -> None:
    page = look(name, "tour")
    page.get_by_text("Tap a block, then where it goes").wait_for()
    told = page.locator("#body, main").first.inner_text()
    assert ("mail the text" in told) is mails
    assert ("by itself" in told) is not mails


def test_mistakes_are_told_at_the_button_and_in_their_row(look: Look) -> None:
    page = look("hammer")
    change = """async () => {
        const { store } = await import("./state.js");
        const fault = { line: 1, remark: false, said: "line 1: no such card\\n    card" };
        store.set({ study: { understood: [], faults: [fault] } });
    }"""
    page.evaluate(change)
    page.locator(".banner", has_text="One order has a mistake").wait_for()
    assert "no such card" in page.locator(".order").first.inner_text()
    over = """async () => {
        const { store } = await import("./state.js");
        store.set(({ game }) => ({ game: { ...game, line: { ...game.line, state: "over" } } }));
    }"""
    page.evaluate(over)
    page.locator('.banner[data-state="over"]').wait_for()
    assert page.locator(".banner .mistake").count() == 0, "a game that is over has none"


def test_the_cover_has_a_night_of_its_own_which_is_the_day_by_night(look: Look) -> None:
    page = look("locked", "", scheme="dark")
    image = page.locator(".cover").evaluate("(cover) => getComputedStyle(cover).backgroundImage")
    assert 'cover-night.svg")' in image
    day, dark = page.evaluate(AS_BY_NIGHT)
    assert day == dark


def test_the_last_table_is_seen_before_the_passphrase_only_if_the_player_wants_it(
    chromium: Browser, addresses: dict[str, str]
) -> None:
    context = chromium.new_context(service_workers="block", viewport={"width": 390, "height": 844})
    page = context.new_page()
    kept = "() => JSON.stringify(localStorage)"
    page.goto(f"{addresses['hammer']}#game/{GAME}")
    page.locator(".picture svg").wait_for()
    assert page.evaluate(kept) == "{}"
    page.goto(f"{addresses['hammer']}#")
    page.get_by_label("Show my last table").check()
    page.goto(f"{addresses['hammer']}#game/{GAME}")
    page.locator(".tabs").wait_for()
    page.wait_for_function("() => Object.values(localStorage).some((one) => one.includes('data-name'))")

    page.goto(f"{addresses['locked']}")
    page.get_by_role("button", name="Unlock").wait_for()
    assert page.locator('.picture [data-name="Wallace"]').count()
    assert page.locator(".cover").count() == 0
    page.goto(f"{addresses['hammer']}#")
    page.get_by_label("Show my last table").uncheck()
    assert json.loads(page.evaluate(kept)) == {}
    page.goto(f"{addresses['locked']}")
    page.locator(".cover").wait_for()
    context.close()


@pytest.mark.parametrize("tab", ["Story", "Orders"])
def test_enlarged_to_twice_its_size_all_of_it_can_be_reached(look: Look, tab: str) -> None:
    page = look("hammer", f"game/{GAME}/story/3/0")
    page.set_viewport_size({"width": 195, "height": 422})  # 390 x 844 at 200 %
    page.get_by_role("tab", name=tab).click()
    assert page.evaluate(BEYOND) == []
    assert page.evaluate("() => document.documentElement.scrollHeight > innerHeight"), "the page is scrolled"
    hidden = "(one) => one.scrollHeight - one.clientHeight"
    assert page.locator("#body").evaluate(hidden) <= 1, "not a panel of a line or two"
    assert page.locator("footer .banner").evaluate(hidden) <= 1


def test_after_a_battle_one_looks_from_where_one_did_before(look: Look) -> None:
    page = look("hammer", story("hammer", "battle begins"))
    view = "(svg) => svg.getAttribute('viewBox')"
    page.get_by_role("button", name="One step back").click()
    page.get_by_role("button", name="Look closer").click()
    page.get_by_role("button", name="Nearer").click()
    before = page.locator(".picture svg").evaluate(view)
    page.get_by_role("button", name="One step on").click()
    page.wait_for_function(MOVED, arg=before)
    page.get_by_role("button", name="One step back").click()
    page.wait_for_timeout(300)
    assert page.locator(".picture svg").evaluate(view) == before


def test_the_buttons_of_a_story_stay_under_the_finger(look: Look) -> None:
    page = look("hammer", story("hammer", "battle begins"))
    button, title = page.get_by_role("button", name="One step on"), page.locator(".play b")
    places, titles = [], set()
    for _ in range(4):
        places.append(button.bounding_box())
        titles.add(title.inner_text())
        page.get_by_role("button", name="One step back").click()
    assert len(titles) > 1
    assert places == places[:1] * 4


def test_the_second_tap_of_two_on_the_button_before_sends_nothing(look: Look) -> None:
    page = look("hammer")
    page.evaluate("async () => (await import('./acts.js')).typed('', 0)")
    page.get_by_role("button", name="Send without orders").wait_for()
    page.locator("#seal").dispatch_event("click", {"detail": 2})
    page.locator("#seal").dispatch_event("click", {"detail": 1})
    page.locator("#notes .fault").wait_for()  # here no judge seals
    assert page.locator("#notes .fault").count() == 1


def test_the_reach_of_a_block_is_near_until_its_order_is_whole(look: Look) -> None:
    page = look("hammer")
    view = "(svg) => svg.getAttribute('viewBox')"
    before = page.locator(".picture svg").evaluate(view)
    page.locator('.picture [data-name="Wallace"]').last.dispatch_event("click")
    page.evaluate(BEGUN)
    page.wait_for_function(MOVED, arg=before)
    page.evaluate("async () => (await import('./acts.js')).goToLine(0)")
    page.wait_for_function("(before) => !(" + MOVED + ")(before)", arg=before)


def test_a_note_lies_in_the_panel_and_not_upon_the_map(look: Look) -> None:
    page = look("hammer")
    page.evaluate("async () => (await import('./acts.js')).note('hearth: invitation')")
    note = page.locator("#notes > div").bounding_box()
    tabs, body = page.locator(".tabs").bounding_box(), page.locator("#body").bounding_box()
    assert note
    assert tabs
    assert body
    assert tabs["y"] + tabs["height"] <= note["y"] + 1
    assert note["y"] + note["height"] <= body["y"] + 1


def test_cards_that_are_alike_are_one_card_with_their_number(look: Look) -> None:
    page = look("hammer")
    change = """async () => {
        const { store } = await import("./state.js");
        const { game } = store.get();
        const cards = { "card 2": { about: "", added: "2 groups", copies: 3 } };
        store.set({ game: { ...game, shown: { ...game.shown, cards } } });
    }"""
    page.evaluate(change)
    card = page.locator('.hand [aria-label="card 2"]')
    assert (card.locator("i").get_attribute("data-said") or "").endswith("3")
    assert card.get_attribute("aria-description") == "2 groups. You hold 3 of these."
    assert page.locator('.hand [aria-label="card sea move"] i').count() == 0


def test_a_card_table_on_a_telephone_has_letters_that_can_be_read(look: Look) -> None:
    high = "(all) => Math.min(...all.map((one) => one.getBoundingClientRect().height))"
    for name, words in (("first-war", "[data-name] text"), ("lords", "g:not([data-name]) > text")):
        page = look(name)
        assert page.locator(f".picture {words}").evaluate_all(high) >= READABLE_TABLE, name
        folded = page.get_by_role("button", name="Nearer")
        assert not folded.is_visible(), "what lies upon cards is folded"
        page.get_by_role("button", name="Look closer").click()
        folded.click()


def test_an_invitation_says_how_fast_the_game_goes(look: Look) -> None:
    page = look("hammer")
    change = """async () => {
        const { store } = await import("./state.js");
        const { game } = store.get();
        store.set({ game: { ...game, line: { ...game.line, exchange: 1 } } });
    }"""
    page.evaluate(change)
    page.locator(".invitation", has_text="An answer about every 7 days.").wait_for()


def test_paper_has_the_day_of_a_map_and_no_buttons(look: Look) -> None:
    page = look("hammer", scheme="dark")
    colours = "(svg) => [...svg.querySelectorAll('path')].map((one) => one.getAttribute('fill')).join()"
    dark = page.locator(".picture svg").evaluate(colours)
    page.emulate_media(media="print")
    page.wait_for_function(
        f"(dark) => ({colours})(document.querySelector('.picture svg')) !== dark", arg=dark
    )
    assert page.locator("button:visible:not(.card):not(.said)").count() == 0
    assert "hsl(" not in page.locator(".picture svg").evaluate(colours)


KEEP_KEY = """async () => {
    const { keep } = await import("./store.js");
    await keep([["keys/alice", new Uint8Array(1)], ["keys/alice.pub", new Uint8Array(1)]], [], 0);
}"""


@pytest.mark.parametrize("who", ["nobody", "locked"])
def test_what_comes_first_can_be_filled_in_before_python_is_there(
    chromium: Browser, addresses: dict[str, str], who: str
) -> None:
    context = chromium.new_context(service_workers="block", viewport={"width": 390, "height": 844})
    page = context.new_page()
    if who == "locked":
        page.goto(addresses[who])
        page.locator("body[data-ready]").wait_for()
        page.evaluate(KEEP_KEY)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/answers.json", hold)  # without them the worker is not ready
    page.goto("about:blank")
    field = page.get_by_label("Your name in games" if who == "nobody" else "Passphrase")
    with page.expect_request("**/answers.json"):
        page.goto(addresses[who])
        field.fill("alice")
    assert page.locator("body[data-ready]").count() == 0
    assert "Getting ready" in page.locator("#holder").inner_text()
    assert held
    held[0].continue_()
    page.locator("body[data-ready]").wait_for()
    assert field.input_value() == "alice"
    assert page.locator("#holder").inner_text() == ""
    context.close()
