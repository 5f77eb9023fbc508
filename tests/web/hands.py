"""How somebody plays who has only a finger, or only a keyboard: taps and keys, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from playwright.sync_api import TimeoutError as TooLate

from tests.web.table import PagePlayer

if TYPE_CHECKING:
    from playwright.sync_api import FileChooser, Locator

TELEPHONE = {"width": 360, "height": 740}
SMALLEST = 24
"""As wide and as high, in pixels, is what a finger can hit (WCAG 2.2)."""
MAX_KEYS = 200
MAX_PINCHES = 6


class Hand(Protocol):
    """What a player does with the page."""

    player: PagePlayer

    def fill(self, said: str, text: str) -> None:
        """Write into a field that is called so."""

    def press(self, said: str) -> None:
        """Press a button that is called so."""

    def pick(self, files: Sequence[Path]) -> None:
        """Choose files of mail."""

    def touch(self, name: str) -> None:
        """Take something on the picture."""


class Finger:
    """A finger on a telephone."""

    def __init__(self, player: PagePlayer) -> None:
        self.player = player
        self.page = player.page

    def fill(self, said: str, text: str) -> None:
        """Tap a field and write with the telephone's own keyboard, which begins with a capital."""
        field = self.page.get_by_label(said, exact=True)
        field.tap()
        off = field.get_attribute("autocapitalize") == "off" or field.get_attribute("type") == "password"
        self.page.keyboard.type(text if off else text.capitalize())

    def press(self, said: str) -> None:
        """Tap a button that is large enough and in sight."""
        self.tap(self.page.get_by_role("button", name=said, exact=True))

    def tap(self, target: Locator) -> None:
        """Tap in the middle of something."""
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= SMALLEST, f"too small for a finger: {box}"
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= TELEPHONE["width"], f"beyond the screen: {box}"
        target.tap()

    def pick(self, files: Sequence[Path]) -> None:
        """Choose files by the telephone's own picker."""
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_label("Open mail").tap()
        give(self.player, chooser.value, files)

    def touch(self, name: str) -> None:
        """Tap where something stands; two fingers enlarge it where it is small."""
        part = part_of(self.player, name)
        whole = self.page.get_by_role("button", name="All of it")
        if not whole.is_visible():
            self.page.get_by_role("button", name="Look closer").tap()
        whole.tap()
        for _ in range(MAX_PINCHES):
            box = part.bounding_box()
            assert box
            if min(box["width"], box["height"]) >= SMALLEST:
                break
            self.pinch(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        box = part.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= SMALLEST, f"{name} is too small for a finger: {box}"
        point = part.evaluate(POINT)
        assert point, f"no finger reaches {name}"
        self.page.touchscreen.tap(*point)
        self.page.wait_for_function(CHIPS_IN_SIGHT)  # what may be done with it

    def pinch(self, x: float, y: float) -> None:
        """Move two fingers apart, on both sides of a place."""
        session = self.page.context.new_cdp_session(self.page)
        for apart in (20, 30, 40):
            kind = "touchStart" if apart == 20 else "touchMove"
            points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        session.detach()


class Keys:
    """A keyboard: the tab key, the arrows, Enter."""

    def __init__(self, player: PagePlayer) -> None:
        self.player = player
        self.page = player.page

    def reach(self, chosen: str) -> None:
        """Press the tab key until something has the focus."""
        self._tabs("(wanted) => document.activeElement.matches(wanted)", chosen)

    def fill(self, said: str, text: str) -> None:
        """Go to a field and write."""
        self._tabs("(said) => document.activeElement.labels?.[0]?.textContent === said", said)
        self.page.keyboard.insert_text(text)

    def press(self, said: str) -> None:
        """Go to a button and press it."""
        self.page.get_by_role("button", name=said, exact=True).wait_for()
        self._tabs(
            "(said) => (document.activeElement.ariaLabel ?? document.activeElement.textContent) === said",
            said,
        )
        self.page.keyboard.press("Enter")

    def _tabs(self, test: str, wanted: str) -> None:
        for _ in range(MAX_KEYS):
            if self.page.evaluate(test, wanted):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the tab key does not reach {wanted}")

    def pick(self, files: Sequence[Path]) -> None:
        """Choose files by the picker, which a key opens."""
        for last in (False, False, True):  # what is drawn anew under a key takes none; people press again
            self.reach(".openmail input")
            try:
                with self.page.expect_file_chooser(timeout=10_000) as chooser:
                    self.page.keyboard.press("Space")
                break
            except TooLate:
                if last:
                    raise
        give(self.player, chooser.value, files)

    def touch(self, name: str) -> None:
        """Go to something on the picture by the arrow keys, and take it."""
        self.reach("main .picture")
        for _ in range(MAX_KEYS):
            here = self.page.evaluate(WAY, name)
            if here == "":
                assert self.page.locator(".live").inner_text().startswith(name), "it is said where one is"
                self.page.keyboard.press("Enter")
                return
            self.page.keyboard.press(here)
        raise AssertionError(f"the arrow keys do not reach {name}")


WAY = """(name) => {
    const at = document.querySelector(".picture .at");
    if (!at) return "ArrowDown";
    if (at.dataset.name === name) return "";
    const middle = (part) => {
        const {left, top, width, height} = part.getBoundingClientRect();
        return [left + width / 2, top + height / 2];
    };
    const [x, y] = middle(at);
    const [right, down] = middle([...document.querySelectorAll(`.picture [data-name="${name}"]`)].at(-1))
        .map((value, axis) => value - [x, y][axis]);
    const across = [right > 0 ? "ArrowRight" : "ArrowLeft", right > 0 ? "ArrowLeft" : "ArrowRight"];
    const along = [down > 0 ? "ArrowDown" : "ArrowUp", down > 0 ? "ArrowUp" : "ArrowDown"];
    const [first, other] = Math.abs(right) > Math.abs(down) ? [across, along] : [along, across];
    const ways = [first[0], other[0], other[1], first[1]];
    if (window.sought?.name !== name) window.sought = {name, been: new Map()};
    const times = window.sought.been.get(at) ?? 0;
    window.sought.been.set(at, times + 1);
    return ways[times % ways.length];
}"""
"""The arrow key for somebody who sees where they are and where they go; another one where they have been."""


CHIPS_IN_SIGHT = """() => {
    const box = (one) => document.querySelector(one)?.getBoundingClientRect();
    const [chips, body] = [".chips", "#body"].map(box);
    return chips && chips.top >= body.top - 1 && chips.bottom <= body.bottom + 1;
}"""


POINT = """(part) => {
    const {left, top, width, height} = part.getBoundingClientRect();
    const named = (x, y) => document.elementsFromPoint(x, y)
        .find((one) => !one.closest(".picture svg") || one.closest("[data-name]"));
    const tenths = [5, 4, 6, 3, 7, 2, 8, 1, 9];
    for (const down of tenths) for (const right of tenths) {
        const [x, y] = [left + width * right / 10, top + height * down / 10];
        if (named(x, y)?.closest("[data-name]") === part) return [x, y];
    }
    return null;
}"""
"""Where one taps who sees it: not beside it where it is hollow, and not upon what stands there."""


def part_of(player: PagePlayer, name: str) -> Locator:
    """Something on the picture: a block, which lies upon its area."""
    return player.page.locator(f'.picture [data-name="{name}"]').last


def in_sight(player: PagePlayer, chosen: str) -> bool:
    """Is all of it on the screen?"""
    seen: bool = player.page.evaluate(
        """(chosen) => {
            const {top, bottom} = document.querySelector(chosen).getBoundingClientRect();
            return top >= -1 && bottom <= innerHeight + 1;
        }""",
        chosen,
    )
    return seen


def give(player: PagePlayer, chooser: FileChooser, files: Sequence[Path]) -> None:
    """What the picker was opened for; what was told before goes when the page tells anew."""
    player.page.evaluate(
        "() => document.querySelectorAll('#notes > div').forEach((one) => one.classList.add('old'))"
    )
    chooser.set_files([str(path) for path in files])
    player.page.locator("#notes > div:not(.old)").first.wait_for()
    player.settle()
    player.read.update(files)
