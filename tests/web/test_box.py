"""Players who press "Send": a real box, a real judge, real browsers, and neither file nor mail."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.web.build import build
from pbem.web.serve import server
from tests.web.post_box import (
    TELEPHONE,
    BoxClub,
    club_with_box,
    free_port,
    look,
    orders_in_page,
    received,
    seal_by_box,
)
from tests.web.table import PagePlayer, bot_orders, bundle_of, pbem

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.ci


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
def player(chromium: Browser, box_page: str, tmp_path: Path) -> Iterator[Callable[..., PagePlayer]]:
    """A player with a profile of their own."""
    made: list[PagePlayer] = []

    def arrive(name: str, **options: object) -> PagePlayer:
        context = chromium.new_context(accept_downloads=True, **options)  # type: ignore[arg-type]
        made.append(PagePlayer(context, box_page, name, tmp_path / name))
        return made[-1]

    yield arrive
    for one in made:
        one.context.close()
        assert one.violations == []
        assert one.errors == []


def arrive_by_link(club: BoxClub, player: PagePlayer, game: str) -> Path:
    """A key, and the join, which is posted; the file that the judge has of it."""
    player.page.goto(club.link(game))
    player.page.get_by_text(f"To {game}.").wait_for()
    player.make_key()
    player.page.get_by_role("button", name="Sign and send").click()
    player.page.get_by_text("Your join was sent").first.wait_for()
    return club.joined(player.name)


def accept(player: PagePlayer) -> None:
    """The invitation comes by itself; the home is saved once, and then no file any more."""
    look(player, ".banner[data-state=invited]")
    player.save_home()
    player.files = []
    for what in ("download", "filechooser"):
        player.page.on(what, lambda _, what=what: player.files.append(what))
    player.page.get_by_role("button", name="Accept", exact=True).click()
    look(player, ".banner.receipted")


def begun(
    club: BoxClub, players: list[PagePlayer], game: str, rules: str, sides: list[str], **options: str
) -> None:
    """From nothing to exchange 2."""
    joins = {side: arrive_by_link(club, player, game) for side, player in zip(sides, players, strict=True)}
    club.begin(game, rules, joins, **options)
    for player in players:
        accept(player)
    for player in players:
        look(player, ".banner.draft")


def test_an_exchange_of_braveheart_by_two_pages(
    club: BoxClub, player: Callable[..., PagePlayer], tmp_path: Path
) -> None:
    players, sides = [player("alice", **TELEPHONE), player("bob")], ["scotland", "england"]
    begun(club, players, "hearth", "hammer", sides, scenario="braveheart")
    alice, page = players[0], players[0].page

    orders = bot_orders("hammer", "scotland", alice.view("hearth"))
    alice.write(orders)
    alice.context.set_offline(True)  # between seal and post
    seal_by_box(alice)
    page.get_by_role("heading", name="Waiting to be sent").wait_for()
    page.locator(".warning", has_text="cannot be reached").wait_for()
    alice.shot("box-away")
    page.reload()
    page.locator("body[data-ready]").wait_for()
    alice.unlock()
    page.get_by_role("heading", name="Waiting to be sent").wait_for()
    club.kill("judge")
    alice.context.set_offline(False)
    page.get_by_role("heading", name="Sent, waiting for the receipt").wait_for()
    alice.shot("box-sent")

    alice.context.set_offline(True)  # between post and receipt
    club.start("judge")
    orders_in_page(players[1], "hearth", "hammer", "england")
    look(players[1], ".banner.draft")
    assert alice.state() == "sent"
    alice.context.set_offline(False)
    look(alice, ".banner.draft")
    assert [player.files for player in players] == [[], []]
    club.kill("judge")
    assert received(club, "hearth") == [(1, "alice", 1), (1, "bob", 1), (2, "alice", 1), (2, "bob", 1)]
    assert "refuted" not in pbem("audit", bundle_of(club, "hearth", tmp_path))
