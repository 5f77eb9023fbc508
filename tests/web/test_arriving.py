"""Arriving by a link that the judge has written: it fills in game and judge, and replaces nothing."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.table import CommandPlayer, Judge, PagePlayer

pytestmark = pytest.mark.ci

Arrive = Callable[..., PagePlayer]
OTHER = f"SHA256:{'b/' * 21}B"


def set_up_page(judge: Judge, address: str) -> None:
    """Name the page in club.toml, at an address that a link may have."""
    settings = judge.club / "club.toml"
    told = f'\n[page]\naddress = "{address}"\nsha256 = "{"0" * 64}"\n'
    settings.write_text(settings.read_text(encoding="utf-8") + told, encoding="utf-8")


def test_a_link_fills_in_game_and_judge_and_never_replaces_a_judge(
    judge: Judge, arrive: Arrive, tmp_path: Path
) -> None:
    player = arrive("alice", viewport={"width": 390, "height": 844})
    page = player.page
    set_up_page(judge, player.address)
    found = re.search(r"(http\S+#join/)GAME(/\S+)", judge.run("status"))
    assert found
    link = f"{found[1]}hearth{found[2]}"
    page.goto(link)
    page.get_by_role("heading", name="You are invited to hearth").wait_for()
    player.shot("arriving-invited")
    player.make_key()
    game, key = page.get_by_label("Game", exact=True), page.get_by_label("The judge's key")
    assert (game.input_value(), key.input_value()) == ("hearth", judge.fingerprint)
    page.get_by_role("heading", name="Join hearth").wait_for()
    shown = page.locator("code.key")
    assert shown.inner_text() == judge.fingerprint, "what is to be compared is seen whole"
    player.shot("arriving-join")
    page.get_by_role("button", name="Sign the join file").click()
    joins = {"scotland": player.download()}
    assert f"\njudge {judge.fingerprint}\n" in joins["scotland"].read_text(encoding="utf-8")

    page.goto(f"{player.address}#join/hearth/{OTHER}")
    fault = page.locator(".join p.fault")
    fault.wait_for()
    assert OTHER in fault.inner_text()
    assert key.input_value() == judge.fingerprint, "the known key stands"
    player.shot("arriving-other-judge")
    assert player.ask("judges", game="hearth") == [judge.fingerprint]

    bob = CommandPlayer("bob", tmp_path / "homes")
    joins["england"] = bob.join("hearth", judge)
    judge.open("hearth", "hammer", joins, scenario="braveheart")
    page.get_by_role("link", name="pbem").click()
    player.read_letters(judge)
    page.goto(link)
    page.wait_for_url("**/#game/hearth")
    page.get_by_role("heading", name="You are invited").wait_for()
    page.goto(f"{player.address}#join/hearth/{OTHER}")
    fault.wait_for()
    assert player.ask("judges", game="hearth") == [judge.fingerprint]
