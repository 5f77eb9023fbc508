"""A whole game looked back at in the page, and a bundle audited there: in Chromium, as a person does it."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit.bundle import read_bundle
from tests.web.table import CommandPlayer, Judge, PagePlayer, bot_orders, opened

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]
SIDES = ["scotland", "england"]
GAME = "hearth"
BUNDLE = Path(__file__).parents[2] / "games/campaign-to-1298/bundle.tar.gz"


def play(judge: Judge, players: list[CommandPlayer]) -> None:
    """One exchange, with the orders of bots."""
    for player, side in zip(players, SIDES, strict=True):
        judge.run("submit", player.seal(GAME, bot_orders("hammer", side, player.view)))
    judge.run("run")
    for player in players:
        player.read_letters(judge)


def test_a_player_looks_back_at_the_whole_game(
    arrive: Arrive, judge: Judge, tmp_path: Path, axe: str
) -> None:
    players = opened(judge, tmp_path, GAME, "hammer", SIDES, scenario="braveheart")
    for _ in range(3):
        play(judge, players)
    alice = arrive("alice", viewport={"width": 1280, "height": 800})
    alice.load_home(players[0].packed())
    alice.go(GAME)
    page = alice.page
    page.get_by_role("tab", name="Story").click()
    page.get_by_role("link", name="Look back at the whole game").click()
    page.locator(".timeline").wait_for()
    where = page.locator(".play .long")
    assert (where.text_content() or "").startswith("exchange 4, step 1 of")
    page.keyboard.press("Home")
    assert (where.text_content() or "").startswith("exchange 1, step 1 of")
    page.keyboard.press("ArrowDown")
    page.wait_for_url(f"**/#game/{GAME}/look/2/1")
    assert page.locator(".size").count() == len(SIDES)
    alice.shot("look-back")
    page.get_by_role("tab", name="Plans").click()
    assert page.locator(".plans section").count() == 3
    assert "You had no forecast" in page.locator(".plans").inner_text()
    alice.shot("look-back-plans")
    assert alice.hindrances(axe) == []

    page.reload()
    page.locator(".timeline").wait_for()
    assert (where.text_content() or "").startswith("exchange 2, step 1 of")
    page.get_by_role("link", name="Back to the game").click()
    page.locator(".banner").wait_for()
    assert page.locator(".timeline").count() == 0
    assert page.locator("link[href='viewer.css']").count() == 0
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(300)
    assert page.url.endswith(f"#game/{GAME}"), "nothing of the viewer listens any more"


def test_a_bundle_is_audited_and_its_dice_are_thrown_again(arrive: Arrive, axe: str) -> None:
    """Without a key: whoever has a bundle needs none. What was forged is refuted, and has no way on."""
    reader = arrive("reader", viewport={"width": 390, "height": 844}, has_touch=True)
    page = reader.page
    page.get_by_role("link", name="Check a game's bundle").click()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    page.get_by_label("Choose an archive").set_input_files(str(BUNDLE))
    page.locator("progress").wait_for()
    page.get_by_role("link", name="Look back at it").wait_for()
    claims = page.locator(".claims li").all_inner_texts()
    assert any(one.startswith("proven played again, every exchange") for one in claims)
    assert any(one.startswith("open ") for one in claims)
    assert not any(one.startswith(("refuted", "missing")) for one in claims)
    reader.shot("audit")
    assert reader.hindrances(axe) == []
    page.get_by_role("link", name="Look back at it").click()
    page.locator(".timeline").wait_for()
    assert page.locator(".eyes button").all_inner_texts()[-1] == "Everything"
    page.keyboard.press("b")
    while page.locator(".die").count() == 0:
        page.keyboard.press("ArrowRight")
    page.locator(".die").first.click()
    page.locator(".checked .fine").wait_for()
    said = page.locator(".checked").inner_text()
    assert "printf %s 'd6 129" in said
    assert "The die was told as" in said
    assert "the same" in said
    reader.shot("die")
    assert all(one.startswith(f"GET {reader.address}") for one in asked), "nothing is uploaded"

    page.get_by_role("link", name="Back to the audit").click()
    page.get_by_role("button", name="Put it away").click()
    forged = reader.folder / "forged.zip"
    found = read_bundle(BUNDLE).known_files
    with zipfile.ZipFile(forged, "w") as archive:
        for name in found:
            archive.writestr(name, found[name] + b"x" * (name == "reports/public/0004.txt"))
    page.get_by_label("Choose an archive").set_input_files(str(forged))
    page.locator(".fault").get_by_text("the bundle is refuted").wait_for()
    assert page.locator(".claims .refuted").count() > 0
    assert page.get_by_role("link", name="Look back at it").count() == 0
