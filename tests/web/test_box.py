"""Players who press "Send": a real box, a real judge, real browsers, and neither file nor mail."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.rules.base import read_head
from pbem.web.build import build, server
from tests.browser.chromium import CHROMIUM
from tests.web.post_box import (
    DRAFT,
    RECEIVED,
    TELEPHONE,
    BoxClub,
    BoxPlayer,
    Device,
    Typist,
    club_with_box,
    free_port,
    received,
    wait_for,
)
from tests.web.table import bundle_of, pbem

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright, Route


@pytest.fixture(scope="module")
def box_port() -> int:
    """Where the box listens."""
    return free_port()


@pytest.fixture(scope="module")
def box_page(box_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page that may talk to it."""
    folder, boxes = tmp_path_factory.mktemp("boxed") / "site", [f"http://127.0.0.1:{box_port}/"]
    build(folder, boxes=boxes)
    with server(folder, boxes=boxes) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{serving.server_address[1]}/"
        serving.shutdown()
        thread.join()


@pytest.fixture
def club(box_port: int, box_page: str, tmp_path: Path) -> Iterator[BoxClub]:
    """A club with a box, both running."""
    with club_with_box(tmp_path, box_port, box_page) as found:
        found.start()
        yield found


@pytest.fixture
def player(chromium: Browser, box_page: str, tmp_path: Path) -> Iterator[Callable[..., BoxPlayer]]:
    """A player with a profile of their own."""
    made: list[BoxPlayer] = []

    def arrive(name: str, **options: object) -> BoxPlayer:
        context = chromium.new_context(accept_downloads=True, **options)  # type: ignore[arg-type]
        made.append(BoxPlayer(context, box_page, name, tmp_path / name))
        return made[-1]

    yield arrive
    for one in made:
        one.context.close()
        assert one.violations == []
        assert one.errors == []
        assert one.files == [], "no file was chosen or downloaded"


SIGNED = "You have signed that the exchange may end at"


def proven(club: BoxClub, game: str, folder: Path) -> list[tuple[int, str, int]]:
    """What the ledger says that came, once the judge is at rest; the audit finds nothing against it."""
    club.kill("judge")
    assert "refuted" not in pbem("audit", bundle_of(club, game, folder))
    return received(club, game)


@pytest.mark.ci
def test_an_exchange_of_braveheart_by_two_pages(
    club: BoxClub, player: Callable[..., BoxPlayer], tmp_path: Path
) -> None:
    alice, bob = player("alice", **TELEPHONE), player("bob")
    joins = {"scotland": alice.arrive(club, "hearth"), "england": bob.arrive(club, "hearth")}
    club.begin("hearth", "hammer", joins, scenario="braveheart")
    for one in (alice, bob):
        one.accept()
    alice.look(DRAFT)

    alice.write_orders("hearth", "hammer", "scotland")
    alice.context.set_offline(True)  # between seal and post
    alice.send()
    alice.head("Waiting to be sent")
    alice.page.locator(".warning", has_text="cannot be reached").wait_for()
    alice.shot("box-away")
    alice.page.reload()
    alice.page.locator("body[data-ready]").wait_for()
    alice.unlock()
    alice.head("Waiting to be sent")
    club.kill("judge")
    alice.context.set_offline(False)
    alice.head("Sent, waiting for the receipt")
    alice.shot("box-sent")

    alice.context.set_offline(True)  # between post and receipt
    club.start("judge")
    bob.look(DRAFT)
    bob.write_orders("hearth", "hammer", "england")
    bob.shot("box-send")
    bob.send()
    bob.look(RECEIVED)
    assert alice.state() == "sent"
    alice.context.set_offline(False)
    alice.look(DRAFT)
    bob.look(DRAFT)
    alice.shot("box-next")
    came = proven(club, "hearth", tmp_path)
    assert sorted(came) == [(1, "alice", 1), (1, "bob", 1), (2, "alice", 1), (2, "bob", 1)]


@pytest.mark.ci
def test_a_round_of_lords_by_two_pages_and_a_typist(
    club: BoxClub, player: Callable[..., BoxPlayer], tmp_path: Path
) -> None:
    alice, bob = player("alice", **TELEPHONE), player("bob")
    carol = Typist("carol", tmp_path / "homes", club.url)
    joins = {
        side: one.arrive(club, "braes") for side, one in (("red", alice), ("blue", bob), ("green", carol))
    }
    club.begin("braes", "lords", joins, players="3")
    carol.look("braes", 1)
    carol.send("braes")
    for one in (alice, bob):
        one.accept()
    for exchange in (2, 3):
        carol.look("braes", exchange)
        carol.send("braes", "lords", "green")
        for one, side in ((alice, "red"), (bob, "blue")):
            one.look(DRAFT)
            one.write_orders("braes", "lords", side)
            one.send()
            one.look(RECEIVED)
    carol.look("braes", 4)
    came = proven(club, "braes", tmp_path)
    assert sorted(came) == [(number, name, 1) for number in (1, 2, 3) for name in ("alice", "bob", "carol")]


@pytest.mark.ci
def test_two_pages_talk_and_give_each_other_a_day_by_the_box(
    club: BoxClub, player: Callable[..., BoxPlayer], tmp_path: Path
) -> None:
    """A message that is sent without a network waits; what is asked and granted goes by itself."""
    club.settle('[press]\nkind = "white"\n[rhythm]\nagreed_days = 1\n')
    alice, bob = player("alice", **TELEPHONE), player("bob")
    joins = {"scotland": alice.arrive(club, "hearth"), "england": bob.arrive(club, "hearth")}
    club.begin("hearth", "hammer", joins, scenario="braveheart")
    alice.accept()
    bob.look(".banner[data-state=invited]")
    bob.save_home()
    bob.count_files()

    alice.talk()
    alice.context.set_offline(True)
    alice.say("bob", "Peace until the harvest?")
    alice.page.get_by_text("no receipt of the judge has come for it yet").wait_for()
    alice.page.get_by_text("The judge passes it on").wait_for()
    alice.shot("box-talk-away")
    alice.context.set_offline(False)
    bob.talk()
    bob.hears("Peace until the harvest?")
    assert "hearth: a message" in bob.told().split("\n")
    bob.say("alice", "Yes. A day more?")
    alice.hears("Yes. A day more?")
    bob.hears()

    before = club.deadline("hearth")
    bob.page.get_by_role("button", name="One day more?").click()
    bob.page.get_by_text(SIGNED).wait_for()
    alice.look("button:has-text('Granted: until')")
    alice.shot("box-talk")
    alice.page.get_by_role("button", name="Granted: until").click()
    alice.page.get_by_text(SIGNED).wait_for()
    wait_for(lambda: club.deadline("hearth") == before + timedelta(days=1), "the deadline is a day later")
    begins, ends = (f"{before + timedelta(days=days):%Y-%m-%d}" for days in (30, 40))
    alice.leave(begins, ends)
    assert wait_for(lambda: club.absences("alice"), "the absence is noted") == [(begins, ends)]
    proven(club, "hearth", tmp_path)


@pytest.mark.ci
def test_one_home_on_two_devices_that_answers_by_itself(
    club: BoxClub, player: Callable[..., BoxPlayer], tmp_path: Path
) -> None:
    """A telephone goes on from a file of the home that is older than the game; the desk learns of it."""
    alice, bob = player("alice"), Typist("bob", tmp_path / "homes", club.url)
    joins = {"scotland": alice.arrive(club, "hearth"), "england": bob.arrive(club, "hearth")}
    old = alice.old_home()
    club.begin("hearth", "hammer", joins, scenario="braveheart")
    bob.look("hearth", 1)
    bob.send("hearth")
    alice.accept()
    alice.look(DRAFT)
    alice.keep_copy()

    phone = player("alice", **TELEPHONE)
    phone.go_on_from(old)
    phone.keep_copy()
    phone.go("hearth")
    phone.look(DRAFT)
    phone.write_orders("hearth", "hammer", "scotland")
    phone.send()
    phone.look(RECEIVED)
    phone.shot("box-copy")
    alice.go("hearth")
    alice.look(RECEIVED)
    bob.look("hearth", 2)
    bob.send("hearth", "hammer", "england")
    for one in (alice, phone):
        one.look(DRAFT)
    phone.answer_by_itself("hearth")
    phone.shot("box-answering")
    came = proven(club, "hearth", tmp_path)
    assert sorted(came) == [(1, "alice", 1), (1, "bob", 1), (2, "alice", 1), (2, "bob", 1)]


@pytest.mark.slow
def test_a_year_of_braveheart_by_two_pages(
    club: BoxClub, player: Callable[..., BoxPlayer], tmp_path: Path
) -> None:
    """Every third time alice is without a network when she presses Send."""
    alice, bob = player("alice", **TELEPHONE), player("bob")
    sides = (("scotland", alice), ("england", bob))
    joins = {side: one.arrive(club, "hearth") for side, one in sides}
    club.begin("hearth", "hammer", joins, scenario="braveheart")
    for one in (alice, bob):
        one.accept()
    years, exchange = set[str](), 2
    while len(years) < 2 and not alice.page.locator(".banner[data-state=over]").count():
        for side, one in sides:
            one.look(f"{DRAFT}, .banner[data-state=over]")
            one.write_orders("hearth", "hammer", side)
            one.context.set_offline(one is alice and exchange % 3 == 0)
            one.send()
            one.context.set_offline(False)
            one.look(RECEIVED)
        exchange += 1
        for _, one in sides:
            one.look(f".banner[data-exchange='{exchange}'], .banner[data-state=over]")
        view = alice.view("hearth")
        years |= {read_head(view).moment[0]} if view else set()
    came = proven(club, "hearth", tmp_path)
    assert sorted(came) == [(number, name, 1) for number in range(1, exchange) for name in ("alice", "bob")]


def swallow_answer(route: Route) -> None:
    """The box gets what is asked, and its answer gets lost."""
    route.fetch()
    route.abort()


class Story:
    """One game in which something is killed at each step between Send and Received; bob looks on."""

    def __init__(self, club: BoxClub, device: Device, page: str, folder: Path) -> None:
        self.club, self.device, self.page_at, self.folder = club, device, page, folder
        self.bob = Typist("bob", folder / "homes", club.url)
        self.alice = BoxPlayer(device.open(**TELEPHONE), page, "alice", folder / "alice")
        self.exchange = 1

    def begin(self) -> None:
        """From nothing to exchange 2."""
        joins = {
            "scotland": self.alice.arrive(self.club, "hearth"),
            "england": self.bob.arrive(self.club, "hearth"),
        }
        self.club.begin("hearth", "hammer", joins, scenario="braveheart")
        self.alice.accept()
        self.finish()

    def finish(self) -> None:
        """Bob sends, too, and the next exchange is open for both."""
        self.bob.look("hearth", self.exchange)
        self.bob.send("hearth", *(("hammer", "england") if self.exchange > 1 else ()))
        self.exchange += 1
        self.bob.look("hearth", self.exchange)
        self.alice.look(DRAFT)

    def kill_browser(self) -> None:
        """End it as a power cut does, and open the page again."""
        self.device.kill()
        self.alice = BoxPlayer(self.device.open(**TELEPHONE), self.page_at, "alice", self.folder / "alice")
        self.alice.unlock()
        self.alice.count_files()
        self.alice.go("hearth")

    def send(self) -> None:
        """Write, and press Send."""
        self.alice.write_orders("hearth", "hammer", "scotland")
        self.alice.send()

    def away_before_the_post(self) -> None:
        self.club.kill("box")
        self.send()
        self.alice.head("Waiting to be sent")
        self.club.start("box")

    def browser_killed_while_it_waits(self) -> None:
        self.club.kill("box")
        self.send()
        self.alice.head("Waiting to be sent")
        self.kill_browser()
        self.alice.head("Waiting to be sent")
        self.club.start("box")

    def answer_to_the_post_lost(self) -> None:
        self.alice.context.route("**/post", swallow_answer)
        self.send()
        self.alice.head("Waiting to be sent")
        self.alice.context.unroute("**/post")

    def box_killed_when_it_has_stored(self) -> None:
        self.club.kill("judge")
        self.send()
        self.alice.head("Sent, waiting for the receipt")
        self.club.kill("box")
        self.club.start()

    def browser_killed_when_it_has_sent(self) -> None:
        self.club.kill("judge")
        self.send()
        self.alice.head("Sent, waiting for the receipt")
        self.kill_browser()
        self.alice.head("Sent, waiting for the receipt")
        self.club.start("judge")

    def judge_killed_as_it_takes_it_in(self) -> None:
        self.club.kill("judge")
        self.send()
        self.alice.head("Sent, waiting for the receipt")
        self.club.start("judge")
        posts = self.club.club / "box/posts"
        wait_for(lambda: not list(posts.glob("*.post")), "the judge takes the post")
        self.club.restart("judge")

    def acknowledgement_lost(self) -> None:
        self.alice.context.route("**/acknowledge", lambda route: route.abort())
        self.send()
        self.alice.look(RECEIVED)
        self.kill_browser()
        self.alice.context.unroute("**/acknowledge")


STEPS = (
    Story.away_before_the_post,
    Story.browser_killed_while_it_waits,
    Story.answer_to_the_post_lost,
    Story.box_killed_when_it_has_stored,
    Story.browser_killed_when_it_has_sent,
    Story.judge_killed_as_it_takes_it_in,
    Story.acknowledgement_lost,
)


@pytest.mark.ci
def test_whatever_is_killed_nothing_is_lost_and_nothing_comes_twice(
    club: BoxClub, playwright: Playwright, box_page: str, tmp_path: Path
) -> None:
    assert CHROMIUM
    story = Story(club, Device(playwright.chromium, CHROMIUM, tmp_path / "profile"), box_page, tmp_path)
    try:
        story.begin()
        for step in STEPS:
            step(story)
            story.alice.look(RECEIVED)
            story.finish()
        assert story.alice.errors == []
        assert story.alice.files == []
        came = proven(club, "hearth", tmp_path)
    finally:
        story.device.kill()
    exchanges = range(1, len(STEPS) + 2)
    assert sorted(came) == [(number, name, 1) for number in exchanges for name in ("alice", "bob")]
    assert not list((club.club / "box/posts").glob("*.post"))
