"""The main screens at two sizes and in both themes, beside kept pictures: a broken layout is noticed.

The pictures are kept small, and compared with a tolerance: letters may be drawn a little otherwise, but what
lies where stays. `PBEM_GOLDEN=update pytest -m ci tests/web/test_screens.py` writes them anew; look at them.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.screens import GAME, NOW, Table, Told, answers, at_home, laid_out, played, step_with
from tests.web.table import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from pbem.rules.base import Ask, View

pytestmark = pytest.mark.ci

KEPT = Path(__file__).parent / "golden" / "screens"
SIZES = {"desk": (1280, 800), "phone": (390, 844)}
SMALLER = 5
"""Kept pictures are this much smaller."""
UNLIKE, MAX_UNLIKE = 40, 0.02
"""Of 255, from where on a colour is another; and the share of a picture that may be."""


def marches(ask: Ask, view: View) -> str:
    """Go where there is an enemy; else what silence means."""
    if ask.kind != "move":
        return ask.default
    hostile = [
        area
        for area, sides in view["areas"].items()
        if any(count for side, count in sides.items() if side != ask.side)
    ]
    return next((text for text in ask.legal if text.rpartition(" ")[2] in hostile), ask.default)


def musters(ask: Ask, view: View) -> str:
    """Muster face-up from the third turn on; else what silence means."""
    up = [text for text in ask.legal if text.endswith(" up")] if ask.kind == "turn" else []
    return up[0] if up and view["turn"] > 2 else ask.default


TABLES = {
    "hammer": Table(
        "hammer",
        (("scenario", "braveheart"),),
        "scotland",
        "plan any:\nif our strength less than half their strength: retreat all\n"
        "fire\nhits infantry, rest\nend\n",
        3,
        "card 2\nmove Wallace to Mentieth\nplan any:\n"
        "if Wallace strength at most 1: retreat Wallace\nfire\nend\n",
        marches,
    ),
    "lords": Table("lords", (("players", 3),), "red", "", 5, "muster scott-1 up\n", musters),
    "first-war": Table("first-war", (), "scots", "", 2, "deploy infantry\n", lambda ask, _: ask.default),
}

WHOSE = ("nobody", "locked", "talking", *TABLES)
"""Whose home the answers are of."""


def screens() -> dict[str, tuple[str, str]]:
    """Name of a screen -> whose answers, and its address."""
    return {
        "welcome": ("nobody", ""),
        "invited-lords": ("nobody", "join-lords/hearth/key"),
        "invited-first-war": ("nobody", "join-first-war/hearth/key"),
        "unlock": ("locked", ""),
        "games": ("hammer", ""),
        "about": ("hammer", "about"),
        "hammer-orders": ("hammer", f"game/{GAME}"),
        "hammer-table": ("hammer", f"game/{GAME}"),
        "hammer-talk": ("talking", f"game/{GAME}"),
        "hammer-battle": ("hammer", story("hammer", "stood down")),
        "lords-orders": ("lords", f"game/{GAME}"),
        "lords-round": ("lords", story("lords", "board")),
        "first-war-orders": ("first-war", f"game/{GAME}"),
        "first-war-battle": ("first-war", story("first-war", "board")),
    }


def story(name: str, wanted: str) -> str:
    return f"game/{GAME}/story/{max(played(TABLES[name]).reports)}/{step_with(TABLES[name], wanted)}"


def told(name: str) -> Told:
    if name in TABLES:
        return answers(TABLES[name])
    if name == "talking":
        return answers(TABLES["hammer"], press="grey")
    return at_home(keys=name != "nobody", unlocked=name != "locked")


@pytest.fixture(scope="session")
def addresses(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The site for each who looks at it."""
    root = tmp_path_factory.mktemp("screens")
    for name in WHOSE:
        laid_out(site, root / name, told(name))
    with served(root) as where:
        yield {name: f"{where}{name}/" for name in WHOSE}


def shown(chromium: Browser, address: str, size: str, scheme: str, screen: str) -> tuple[bytes, Page]:
    """A screen, as it is seen when all has come to rest."""
    width, height = SIZES[size]
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
        service_workers="block",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    page = context.new_page()
    page.clock.set_fixed_time(NOW)
    page.goto(address)
    page.locator("body[data-ready]").wait_for()
    if screen.endswith(("-table", "-talk")):
        page.get_by_role("tab", name=screen.rpartition("-")[2].capitalize()).click()
    page.locator("main[aria-busy=false]").wait_for()
    page.evaluate("() => document.fonts.ready")
    page.wait_for_timeout(300)
    return page.screenshot(), page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", screens())
def test_a_screen_looks_as_it_did(
    chromium: Browser, addresses: dict[str, str], screen: str, size: str, scheme: str
) -> None:
    whose, at = screens()[screen]
    data, page = shown(chromium, f"{addresses[whose]}#{at}", size, scheme, screen)
    try:
        if shots := os.environ.get("PBEM_SCREENSHOTS"):
            (Path(shots) / f"{screen}-{size}-{scheme}.png").write_bytes(data)
        wide, high = page.evaluate(
            "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert (wide, high) <= SIZES[size], "the page itself does not scroll"
    finally:
        page.context.close()
    compare(data, KEPT / f"{screen}-{size}-{scheme}.png")


def test_beside_a_battle_stands_the_line_that_applied_and_why_another_did_not(
    chromium: Browser, addresses: dict[str, str]
) -> None:
    whose, at = screens()["hammer-battle"]
    _, page = shown(chromium, f"{addresses[whose]}#{at}", "phone", "light", "hammer-battle")
    try:
        said = page.get_by_label("By your orders").inner_text()
    finally:
        page.context.close()
    assert "Your order applied" in said
    assert "line 3 of your orders for exchange 4" in said
    assert "Stood down: our strength is 4, not less than half their strength of 5" in said


def compare(data: bytes, kept: Path) -> None:
    """Compare a picture with the kept one.

    Raises:
        AssertionError: they are another in too many places.
    """
    from PIL import Image, ImageChops

    now = Image.open(io.BytesIO(data)).convert("RGB")
    now = now.resize((now.width // SMALLER, now.height // SMALLER), Image.Resampling.BOX)
    if os.environ.get("PBEM_GOLDEN") == "update":
        kept.parent.mkdir(exist_ok=True)
        now.quantize(64).save(kept, optimize=True)
        return
    before = Image.open(kept).convert("RGB")
    assert now.size == before.size
    far = ImageChops.difference(now, before).convert("L").histogram()
    share = sum(far[UNLIKE + 1 :]) / (now.width * now.height)
    assert share <= MAX_UNLIKE, f"{share:.1%} of {kept.name} is another: set PBEM_SCREENSHOTS and look"
