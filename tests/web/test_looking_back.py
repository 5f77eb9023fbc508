"""A whole game looked back at in the page, and a bundle audited there: in Chromium, as a person does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.table import CommandPlayer, Judge, PagePlayer, bot_orders, opened

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]
SIDES = ["scotland", "england"]
GAME = "hearth"


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
    alice.unlock()
    page.locator(".timeline").wait_for()
    assert (where.text_content() or "").startswith("exchange 2, step 1 of")
    page.get_by_role("link", name="Back to the game").click()
    page.locator(".banner").wait_for()
    assert page.locator(".timeline").count() == 0
    assert page.locator("link[href='viewer.css']").count() == 0
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(300)
    assert page.url.endswith(f"#game/{GAME}"), "nothing of the viewer listens any more"
