"""Measures the time from a tap on Send to Received: a real page, box and judge on this machine.

    python -m tests.tools.measure_send

A game of Braveheart with exchange 2 open; one player sends again and again. The judge is `pbem serve`, the
box `pbem box`, both as processes of their own on loopback. Prints each time, and the machine's load.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from pbem.web.build import build, server
from tests.browser.chromium import CHROMIUM
from tests.judge.table import TITLE
from tests.web.post_box import DRAFT, TELEPHONE, BoxPlayer, Typist, club_with_box, free_port
from tests.web.table import ARGUMENTS

TIMES = 7


def measure(folder: Path) -> list[tuple[float, float]]:
    """Seconds from the tap to Sent and to Received, for each file."""
    port = free_port()
    boxes = [f"http://127.0.0.1:{port}/"]
    build(folder / "site", boxes=boxes)
    found: list[tuple[float, float]] = []
    with server(folder / "site", boxes=boxes) as serving, sync_playwright() as playwright:
        threading.Thread(target=serving.serve_forever, args=(0.01,), daemon=True).start()
        page = f"http://127.0.0.1:{serving.server_address[1]}/"
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        with club_with_box(folder, port, page) as club:
            club.start()
            alice = BoxPlayer(browser.new_context(**TELEPHONE), page, "alice", folder / "alice")  # type: ignore[arg-type]
            bob = Typist("bob", folder / "homes", club.url)
            joins = {"scotland": alice.arrive(club, "hearth"), "england": bob.arrive(club, "hearth")}
            club.begin("hearth", TITLE.name, joins, **(TITLE.excerpt or {}))
            bob.look("hearth", 1)
            bob.send("hearth")
            alice.accept()
            alice.look(DRAFT)
            for number in range(TIMES):
                time.sleep(6)  # a pass begins one time in five seconds at most
                alice.write(f"card {number % 3 + 1}")
                alice.page.locator("#faults .fault").first.wait_for(state="detached")
                begun = time.monotonic()
                alice.page.locator("#seal").click()
                alice.page.locator(".banner[data-state=sent]").wait_for()
                sent = time.monotonic() - begun
                alice.page.locator(".banner[data-state=receipted]").wait_for()
                found.append((sent, time.monotonic() - begun))
        browser.close()
        serving.shutdown()
    return found


def main() -> None:
    """Print what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder))
    for sent, received in found:
        print(f"sent {sent:.2f} s, received {received:.2f} s")
    print(f"median: sent {statistics.median(one for one, _ in found):.2f} s, ", end="")
    print(f"received {statistics.median(one for _, one in found):.2f} s; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
