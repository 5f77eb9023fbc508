"""The page where its start, its home, a letter or another tab is in trouble: words, and a way out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.player import Home
from pbem.web import homefile
from pbem.web.build import POLICY
from tests.player.test_web import BAD_HOMES
from tests.web.table import Judge, PagePlayer, opened, served

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]


@pytest.fixture
def alice(tmp_path: Path) -> Home:
    """A home at the command line."""
    home = Home(tmp_path / "homes/alice")
    home.keygen("alice")
    return home


def zipped(folder: Path, data: bytes) -> Path:
    """A file to choose."""
    saved = folder / "home.zip"
    saved.write_bytes(data)
    return saved


def test_a_home_that_cannot_be_used_leaves_nothing_behind(
    arrive: Arrive, alice: Home, tmp_path: Path
) -> None:
    player = arrive("alice")
    for name, bad in BAD_HOMES.items():
        player.page.get_by_label("Choose the file of your home").set_input_files(zipped(tmp_path, bad(alice)))
        player.page.locator("#notes .fault").wait_for()
        assert "zip" in player.told(), name
        assert "Something went wrong" not in player.told(), name
        player.clear()
    player.page.reload()
    player.page.locator("body[data-ready]").wait_for()
    player.load_home(zipped(tmp_path, homefile.pack(alice.path)))


def test_an_address_that_nobody_has_written_is_the_first_view(arrive: Arrive) -> None:
    player = arrive("alice")
    page = player.context.new_page()
    page.goto(f"{player.address}#%")
    page.locator("body[data-ready]").wait_for()
    assert page.get_by_label("Your name in games").is_visible()


STORE = """([name, text]) => new Promise((done, failed) => {
    const asked = indexedDB.open("pbem", 1);
    asked.onsuccess = () => {
        const change = asked.result.transaction(["files", "meta"], "readwrite");
        change.objectStore("files").put(new TextEncoder().encode(text), name);
        change.objectStore("meta").put(77, "generation");
        change.oncomplete = done;
        change.onerror = failed;
    };
})"""


def test_a_home_that_is_damaged_in_the_storage_can_be_saved_and_removed(
    arrive: Arrive, alice: Home, tmp_path: Path
) -> None:
    player = arrive("alice")
    player.load_home(zipped(tmp_path, homefile.pack(alice.path)))
    page = player.page
    page.evaluate(STORE, ["keys/alice.pub", "garbage"])
    page.reload()
    page.get_by_role("heading", name="The page cannot go on").wait_for()
    assert "not a public key line" in page.locator("main .fault").inner_text()
    page.get_by_text("Remove this home").first.click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save a copy first").click()
    assert saved.value.path().stat().st_size > 0
    name = page.get_by_label("To remove it, type its name: alice")
    name.fill("bob")
    page.get_by_role("button", name="Remove it").click()
    page.locator("#notes .fault", has_text="is not the name of this home").wait_for()
    name.fill("alice")
    page.get_by_role("button", name="Remove it").click()
    page.get_by_label("Your name in games").wait_for()
    player.load_home(zipped(tmp_path, homefile.pack(alice.path)))


def test_no_other_page_frames_this_one_after_the_first_visit(arrive: Arrive, tmp_path: Path) -> None:
    """The service worker, which answers from then on, keeps the host's policy and adds its own."""
    player = arrive("alice")
    (tmp_path / "index.html").write_text(f"<iframe src='{player.address}'></iframe>", encoding="utf-8")
    with served(tmp_path) as elsewhere:
        page = player.context.new_page()
        page.route(elsewhere, lambda route: route.fulfill(path=tmp_path / "index.html"))
        page.goto(elsewhere)
        assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"]
    policies = player.page.evaluate(
        "() => fetch('index.html').then((got) => got.headers.get('Content-Security-Policy'))"
    )
    assert policies == ", ".join([f"{POLICY}; frame-ancestors 'none'"] * 2)
    player.violations.clear()  # that framing was refused


def test_a_second_tab_says_who_has_the_home(arrive: Arrive) -> None:
    player = arrive("alice")
    player.page.evaluate(
        "() => { navigator.locks.request('pbem-home', () => new Promise((go) => { window.release = go; })); }"
    )
    other = player.context.new_page()
    other.goto(player.address)
    other.locator("#holder", has_text="Another tab of this browser").wait_for()
    player.page.evaluate("() => window.release()")
    other.locator("body[data-ready]").wait_for()
    assert other.locator("#holder").inner_text() == ""


def test_what_another_tab_has_changed_is_not_written_over(arrive: Arrive) -> None:
    player = arrive("alice")
    keep = """(known) => import('./store.js')
        .then((store) => store.keep([['keys/x', new Uint8Array()]], [], known))
        .then(() => 'kept', (fault) => fault.message)"""
    assert player.page.evaluate(keep, 5) == "another tab has changed the home meanwhile"
    assert player.page.evaluate(keep, 0) == "kept"
    assert player.page.evaluate(keep, 0) == "another tab has changed the home meanwhile"
    assert player.page.evaluate(keep, 1) == "kept"


def test_a_letter_that_is_never_read_to_its_end_is_passed_over(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    """Python hangs, as by a fault of ours: the page goes on, and the home is free for another tab."""
    command_line, _ = opened(
        judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart"
    )
    player = arrive("alice", service_workers="block")

    def hanging(route: "Route") -> None:
        bundle = json.loads(route.fetch().text())
        name, line = "pbem/web/api.py", "        delivery = self._home.deliver(sources)\n"
        assert line in bundle[name]
        hang = "        while any(b'hang' in data for data in sources.values()):\n            pass\n"
        bundle[name] = bundle[name].replace(line, hang + line)
        route.fulfill(json=bundle)

    def impatient(route: "Route") -> None:
        script = route.fetch().text()
        assert "LIMIT = 60_000" in script
        route.fulfill(body=script.replace("LIMIT = 60_000", "LIMIT = 6_000"), content_type="text/javascript")

    player.context.route("**/pbem.json", hanging)
    player.context.route("**/ask.js", impatient)
    page: Page = player.page
    page.reload()
    page.locator("body[data-ready]").wait_for()
    player.load_home(command_line.packed())
    bad = tmp_path / "bad.txt"
    bad.write_text("let them hang <b>", encoding="utf-8")
    good = next(path for path in sorted(command_line.read) if "receipt" in path.name)
    for given in ([bad, good], [bad]):
        page.get_by_label("Open mail").set_input_files([str(path) for path in given])
        page.locator("#notes .fault", has_text="That took too long").wait_for()
        assert ("one at a time" in player.told()) == (len(given) > 1)
        if len(given) == 1:
            note = page.locator("#notes .fault", has_text="bad.txt was passed over")
            note.get_by_text("What it holds").click()
            assert note.locator("pre").inner_text() == "let them hang <b>"
        player.unlock()
    player.receive(good)
    assert "receipt" in player.told()
    other = player.visit()
    player.unlock(other)
