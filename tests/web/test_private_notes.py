"""Private notes in a browser: written on the list and on the map, drawn as text, back with the game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.table import Judge, PagePlayer, opened

pytestmark = pytest.mark.ci
HOSTILE = "<img src=x onerror=\"document.title='taken'\"> \u202eEdward"


def test_a_block_is_marked_on_the_map_and_its_note_comes_back(
    judge: Judge, arrive: Callable[..., PagePlayer], tmp_path: Path
) -> None:
    alice, _ = opened(judge, tmp_path, "hearth", "hammer", ["scotland", "england"], scenario="braveheart")
    player = arrive("alice")
    page = player.page
    player.load_home(alice.packed())
    player.go("hearth")
    page.get_by_role("tab", name="Table").click()
    notes = page.locator("details.private")
    notes.get_by_text("Your notes").click()
    notes.get_by_label("About this game").fill(HOSTILE)
    notes.get_by_role("button", name="Keep this note").click()
    page.get_by_text("Your notes (1)").wait_for()

    notes.get_by_text("Mark an enemy block").click()
    notes.get_by_role("button", name="Choose on the map").click()
    page.locator('.picture [data-name="Lothian"]').first.dispatch_event("click")
    assert notes.get_by_label("The block").locator("option:checked").inner_text().endswith("Lothian")
    notes.get_by_label("What you think").fill(HOSTILE)
    notes.get_by_role("button", name="Mark it").click()
    page.locator(".marks li").wait_for()
    assert page.locator(".marks .said").inner_text().startswith("<img src=x onerror=")
    assert "\u202e" not in page.locator(".marks .said").inner_text()
    assert page.locator(".picture text.pin").all_text_contents() == ["1"]
    assert page.locator(".private img").count() == 0
    for name, size in {"desk": (1280, 800), "phone": (390, 844)}.items():
        page.set_viewport_size({"width": size[0], "height": size[1]})
        player.shot(f"private-notes-{name}")

    page.reload()
    page.locator(".picture text.pin").wait_for()
    page.get_by_role("tab", name="Table").click()
    assert "Edward" in notes.get_by_label("About this game").input_value()
    page.get_by_role("tab", name="Story").click()
    page.locator("#look-back").click()
    page.get_by_role("tab", name="Plans").click()
    assert page.locator(".noted").count() == 2
    assert page.locator(".noted img").count() == 0
    assert "taken" not in page.title()
