"""A device that is woken: from the switch in a page to the notification, by judge, notifier and push service.

Chromium has no push service of its maker's here, which the page says. So a stub in the page gives an address
at the service of the tests, and the browser's own tools hand the service worker what would come from there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.judge.club import open_club
from pbem.judge.letters.wishes import wishes_of
from pbem.notify.courier import Courier
from pbem.notify.spool import make_push_key
from tests.notify.push_service import HOST, PushService
from tests.web.post_box import TELEPHONE, BoxClub, BoxPlayer, Typist, wait_for
from tests.web.test_box import box_page, box_port, club, player

__all__ = ["box_page", "box_port", "club", "player"]
SUBSCRIBES = """() => {
  let given = null;
  const encoded = (bytes) =>
    btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  PushManager.prototype.getSubscription = async () => given;
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly || applicationServerKey.length !== 65) throw new TypeError("refused");
    const endpoint = "https://%s/wpush/v2/" + encoded(applicationServerKey);
    given = { endpoint, unsubscribe: async () => { given = null; return true; } };
    return given;
  };
}""".replace("%s", HOST)
SHOWN = "async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((one) => one.body)"


def address_of(club: BoxClub, name: str) -> str:
    """The address of a device that the judge keeps for a player."""
    found = open_club(club.club)
    push = wishes_of(found.store, name).push
    found.store.close()
    return push


def deliver(player: BoxPlayer) -> None:
    """Hand the service worker what a push service would: a wake without a word."""
    session = player.context.new_cdp_session(player.page)
    found: list[dict[str, str]] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda said: found.extend(said["registrations"]))
    session.send("ServiceWorker.enable")
    player.page.wait_for_function("() => navigator.serviceWorker.controller")
    while not found:
        player.page.wait_for_timeout(50)
    origin = player.address.rstrip("/")
    given = {"origin": origin, "registrationId": found[-1]["registrationId"], "data": ""}
    session.send("ServiceWorker.deliverPushMessage", given)


@pytest.mark.ci
def test_a_page_is_woken_by_its_club(club: BoxClub, player: Callable[..., BoxPlayer], tmp_path: Path) -> None:
    folder, service = club.club / "notify", PushService(tmp_path / "service")
    folder.mkdir()
    key = make_push_key(folder).public
    club.settle('\n[notify]\ncontact = "mailto:gm@club.example"\n')
    club.restart("judge")
    alice, bob = (
        player("alice", permissions=["notifications"], **TELEPHONE),
        Typist("bob", tmp_path, club.url),
    )
    joins = {"scotland": alice.arrive(club, "hearth"), "england": bob.arrive(club, "hearth")}
    club.begin("hearth", "hammer", joins, scenario="braveheart")
    alice.accept()
    bob.look("hearth", 1)

    alice.go_home()
    alice.page.locator(".waking summary", has_text="Wake this device").click()
    assert "not which game" in alice.page.locator(".waking").inner_text()
    alice.page.get_by_role("button", name="Wake this device").click()
    alice.page.get_by_text("its push service cannot be reached").wait_for()
    alice.page.evaluate(SUBSCRIBES)
    alice.page.get_by_role("button", name="Wake this device").click()
    alice.page.locator(".waking summary", has_text="This device is woken").wait_for()
    alice.shot("waking")
    address = service.subscribe(key, key)
    wait_for(lambda: address_of(club, "alice") == address, "the judge has the address")

    club.kill("judge")
    club.start("judge")  # a pass
    courier = Courier(folder, service.delivery(), list[str]().append)
    bob.send("hearth")
    wait_for(courier.make_round, "alice is woken")
    assert service.woken == [f"/wpush/v2/{key}"]
    assert service.refusals == []
    deliver(alice)
    wait_for(lambda: alice.page.evaluate(SHOWN), "the notification")
    assert alice.page.evaluate(SHOWN) == [f"Something waits at 127.0.0.1:{club.port}."]

    alice.page.get_by_role("button", name="Wake it no more").click()
    alice.page.locator(".waking summary", has_text="Wake this device").wait_for()
    wait_for(lambda: not address_of(club, "alice"), "the judge has dropped the address")
    service.close()
