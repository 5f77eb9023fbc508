"""A game tried out in Chromium: from where a player stands, and from a step; on both sides, dice again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.table import Judge, PagePlayer, bot_orders, opened

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]
GAME = "hearth"
SIDES = ["scotland", "england"]
HOLD_LOOKS = """() => {
  const post = Worker.prototype.postMessage, looks = [];
  window.releaseLooks = () => {
    Worker.prototype.postMessage = post;
    looks.forEach(([worker, message]) => post.call(worker, message));
  };
  Worker.prototype.postMessage = function (message) {
    if (JSON.parse(message.question ?? "{}").call === "looked") looks.push([this, message]);
    else post.call(this, message);
  };
}"""
"""As long as this holds, Python is not told that a report was looked at."""


def test_a_player_tries_a_campaign_out(arrive: Arrive, judge: Judge, tmp_path: Path, axe: str) -> None:
    players = opened(judge, tmp_path, GAME, "hammer", SIDES)
    for player, side in zip(players, SIDES, strict=True):
        judge.run("submit", player.seal(GAME, bot_orders("hammer", side, player.view)))
    judge.run("run")
    for player in players:
        player.read_letters(judge)
    alice = arrive("alice", viewport={"width": 1280, "height": 800})
    alice.load_home(players[0].packed())
    alice.go(GAME)
    page = alice.page
    mark = page.get_by_text("Only a try: no part of the game").first
    assert mark.count() == 0
    page.get_by_role("tab", name="Orders").click()
    alice.write("plan any:\nfire\nend")
    page.locator("#try-it").click()
    page.wait_for_url(f"**/#try/{GAME}")
    mark.wait_for()
    assert page.locator("#draft").input_value() == "plan any:\nfire\nend", "one tries what is written"
    alice.write("")
    assert page.locator("header h2").inner_text() == f"Only a try · {GAME}"
    assert "Nothing of it leaves your device" in page.locator(".banner").inner_text()
    assert page.locator("#seal, .openmail, #mail").count() == 0, "nothing here can be sealed or sent"
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    alice.shot("try-desk")
    assert alice.hindrances(axe) == []

    page.evaluate(HOLD_LOOKS)  # who taps as soon as the game is seen is not kept waiting for it
    page.get_by_role("button", name="I do").click()
    page.get_by_text("You order Scotland.").wait_for()
    page.locator("#play-turn").click()
    page.get_by_text("You order England.").wait_for()
    page.get_by_role("tab", name="Orders").click()
    alice.shot("try-other-side")
    page.locator("#play-turn").click()
    page.get_by_text("You order Scotland.").wait_for()
    page.evaluate("() => releaseLooks()")
    mark.wait_for()
    page.get_by_role("tab", name="Orders").click()
    page.locator("#throw-again").click()
    mark.wait_for()
    page.get_by_role("tab", name="Orders").click()
    page.locator("#take-back").click()
    page.locator("#take-back").wait_for(state="detached")

    page.get_by_text("What you cannot see").click()
    choice = page.locator(".unseen select[name=Comyn]")
    chosen = choice.locator("option").nth(1).inner_text()
    choice.select_option(chosen)
    page.get_by_role("button", name="Begin again so").click()
    page.get_by_text("What you cannot see").click()
    assert choice.input_value() == chosen
    page.reload()
    mark.wait_for()

    page.set_viewport_size({"width": 390, "height": 844})
    alice.shot("try-phone")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name=f"Back to {GAME}").click()
    page.wait_for_url(f"**/#game/{GAME}")
    page.locator(".tried").wait_for(state="detached")
    page.get_by_role("tab", name="Story").click()
    page.locator("#try-here").click()
    mark.wait_for()
    alice.shot("try-step-phone")
    page.get_by_role("link", name=f"Back to {GAME}").click()
    page.locator(".tried").wait_for(state="detached")
    page.get_by_role("tab", name="Story").click()
    page.locator("#look-back").click()
    page.locator("details.trying summary").click()
    page.locator("details.trying button").click()
    mark.wait_for()
    page.wait_for_url(f"**/#try/{GAME}")
    assert alice.errors == []
    assert alice.violations == []
