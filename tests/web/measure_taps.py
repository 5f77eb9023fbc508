"""Measures starts and taps: python -m tests.web.measure_taps [start] [taps].

Printed for pbem/docs/measurements.md. A start is told in processor seconds of all of Chromium's processes,
since other work on the machine does not change them much.
"""

import os
import sys
import tempfile
from pathlib import Path
from time import monotonic

from playwright.sync_api import Page, ViewportSize, sync_playwright

from pbem.web.build import build
from tests.browser.chromium import CHROMIUM
from tests.web.table import ARGUMENTS, PagePlayer, served
from tests.web.test_bytecode import KEPT

TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE = 300_000
TELEPHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 800}
COUNT = "() => { window.taps = 0; addEventListener('pointerdown', () => { window.taps += 1; }, true); }"
PAN = """async () => {
    const box = document.querySelector(".picture");
    const at = (kind, x) => box.dispatchEvent(new PointerEvent(kind,
        { pointerId: 1, isPrimary: true, clientX: x, clientY: 200, pointerType: "mouse", bubbles: true }));
    document.querySelector("[aria-label=Nearer]").click();
    const frames = [];
    let last = await new Promise(requestAnimationFrame), work = 0;
    at("pointerdown", 200);
    for (let frame = 0; frame < 120; frame += 1) {
        const begun = performance.now();
        at("pointermove", 200 + 60 * Math.sin(frame / 6));
        box.querySelector("svg").getBoundingClientRect();
        work += performance.now() - begun;
        const now = await new Promise(requestAnimationFrame);
        frames.push(now - last);
        last = now;
    }
    at("pointerup", 200);
    frames.sort((one, other) => one - other);
    const blocks = box.querySelectorAll("[data-name] > rect:first-child").length;
    return [frames[60], frames[114], work / 120, blocks, box.querySelectorAll("svg *").length];
}"""


def processor(root: int) -> dict[int, float]:
    """Processor seconds of a process and of each below it."""
    spent: dict[int, float] = {}
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            below.setdefault(int(fields[1]), []).append(int(entry.name))
            spent[int(entry.name)] = (int(fields[11]) + int(fields[12])) / TICKS
    known, todo = {}, [root]
    while todo:
        one = todo.pop()
        known[one] = spent.get(one, 0)
        todo += below.get(one, [])
    return known


def since(before: dict[int, float]) -> float:
    """Processor seconds since then; what has ended meanwhile is left out."""
    return sum(spent - before.get(one, 0) for one, spent in processor(os.getpid()).items())


def ready(page: Page, address: str) -> None:
    """Go there, if an address is named, and wait until Python is there."""
    if address:
        page.goto(address)
    page.locator("body[data-ready]").wait_for(timeout=PATIENCE)


def main() -> None:
    """Build, serve, and measure what is named: start, taps; both if nothing is."""
    wanted = sys.argv[1:] or ["start", "taps"]
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        root = Path(scratch)
        build(root / "site")
        with served(root) as address:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            if "start" in wanted:
                context = browser.new_context(viewport=TELEPHONE, has_touch=True)
                for visit in range(1, 6):
                    page = context.new_page()
                    before = processor(os.getpid())
                    begun = monotonic()
                    page.goto(f"{address}site/")
                    page.get_by_label("Your name in games").wait_for(timeout=PATIENCE)
                    first, clock = since(before), monotonic() - begun
                    ready(page, "")
                    print(
                        f"visit {visit}: {first:.1f} processor seconds, {clock:.1f} s until the first view,"
                    )
                    print(
                        f"  {since(before):.1f}, {monotonic() - begun:.1f} s until Python is there",
                        flush=True,
                    )
                    while not page.evaluate(KEPT):
                        page.wait_for_timeout(1000)
                    page.close()
                context.close()
            if "taps" in wanted:
                taps(PagePlayer(browser.new_context(viewport=TELEPHONE), f"{address}site/", "alice", root))
            browser.close()


def pan(page: Page, size: ViewportSize) -> None:
    """Print what a frame costs while the map is moved."""
    middle, most, work, blocks, parts = page.evaluate(PAN)
    print(f"{size['width']} x {size['height']}, {blocks} blocks, {parts} parts of the picture:")
    print(f"  a frame while panning: median {middle:.1f} ms, 95 of 100 within {most:.1f} ms")
    print(f"  of which the page's own {work:.2f} ms", flush=True)


def taps(player: PagePlayer) -> None:
    """A card and two moves in a game against the bot, and what follows."""
    page = player.page
    page.get_by_role("link", name="Try a game against the bot").click()
    page.locator(".hand .card").first.wait_for()
    page.evaluate(COUNT)
    page.locator(".hand .card").nth(1).click()
    page.locator(".order").first.wait_for()
    print(f"a card: {page.evaluate('taps')} taps, and one for the button")
    for block, way in (("Wallace", "Mentieth"), ("Bruce", "Carrick")):
        page.locator(f'.picture [data-name="{block}"].lit').first.wait_for()
        page.locator(f'.picture [data-name="{block}"].lit').last.click()
        page.locator(f'.picture [data-name="{way}"].lit').first.wait_for()
        page.locator(f'.picture [data-name="{way}"]').first.dispatch_event("pointerdown", {"bubbles": True})
        page.locator(f'.picture [data-name="{way}"]').first.dispatch_event("click")
        page.locator(f'.order[data-line="move {block} to {way}"]').wait_for()
    print(f"a card and two moves: {page.evaluate('taps')} taps, and one for the button")
    page.locator("#play-turn").click()
    page.locator(".story .now").first.wait_for()
    print(f"until the report's first step is seen: {page.evaluate('taps')} taps")


if __name__ == "__main__":
    main()
