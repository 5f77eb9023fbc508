"""Measures how soon the sandbox of a campaign opens: python -m tests.hammer.measure_tries.

From a tap on *Try it*, beside the table that has been looked at, to the sandbox's table; by the clock, and in
processor seconds of this process and all below it. Printed for pbem/docs/measurements.md.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from time import monotonic

from playwright.sync_api import sync_playwright

from pbem.web.build import build
from tests.browser.chromium import CHROMIUM
from tests.web.measure_taps import DESK, TELEPHONE, processor, since
from tests.web.table import ARGUMENTS, Judge, PagePlayer, bot_orders, opened, served

GAME = "hearth"
SIDES = ["scotland", "england"]
LOOK = 3_000
"""Milliseconds for which the player looks at the table; what Python makes ready meanwhile is done then."""


def tries(player: PagePlayer) -> None:
    """Print the times of three openings: the first begins the sandbox, and then it is there."""
    judge = Judge(player.folder)
    players = opened(judge, player.folder, GAME, "hammer", SIDES, scenario="campaign")
    for one, side in zip(players, SIDES, strict=True):
        judge.run("submit", one.seal(GAME, bot_orders("hammer", side, one.view)))
    judge.run("run")
    players[0].read_letters(judge)
    player.load_home(players[0].packed())
    player.go(GAME)
    page, times = player.page, list[str]()
    mark = page.get_by_text("Only a try: no part of the game").first
    for _ in range(3):
        page.get_by_role("tab", name="Orders").click()
        page.locator("#try-it").wait_for()
        page.wait_for_timeout(LOOK)
        before, begun = processor(os.getpid()), monotonic()
        page.locator("#try-it").click()
        mark.wait_for()
        page.locator(".picture svg").wait_for()
        times.append(f"{monotonic() - begun:.2f} s ({since(before):.2f} s of work)")
        page.get_by_role("link", name=f"Back to {GAME}").click()
        mark.wait_for(state="detached")
    print(f"{page.viewport_size}: {', '.join(times)}", flush=True)


def main() -> None:
    """Build, serve, and open the sandbox in fresh profiles of two sizes."""
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        root = Path(scratch)
        build(root / "site")
        with served(root) as address:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            for number, size in enumerate((TELEPHONE, DESK) * 3):
                context = browser.new_context(viewport=size)
                tries(PagePlayer(context, f"{address}site/", "alice", root / str(number)))
                context.close()
            browser.close()


if __name__ == "__main__":
    main()
