"""Measures what a frame costs while a crowded map is moved: python -m tests.hammer.measure_panning."""

import tempfile
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import sync_playwright

from pbem.web.build import build
from tests.browser.chromium import CHROMIUM
from tests.hammer.map_scenes import crowd, map_of
from tests.web.measure_taps import DESK, TELEPHONE, pan, ready
from tests.web.screens import GAME, answers, laid_out
from tests.web.table import ARGUMENTS, served
from tests.web.test_screens import TABLES

BLOCKS = 40


def main() -> None:
    """Build, serve, and measure at both sizes."""
    svg = map_of(crowd(BLOCKS))
    found = answers(TABLES["hammer"])
    told = [(call, about, replace(one, svg=svg) if call == "show" else one) for call, about, one in found]
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        root = Path(scratch)
        build(root / "site")
        laid_out(root / "site", root / "crowded", told)
        with served(root) as address:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            for size in (TELEPHONE, DESK):
                page = browser.new_context(viewport=size, service_workers="block").new_page()
                ready(page, f"{address}crowded/#game/{GAME}")
                pan(page, size)
            browser.close()


if __name__ == "__main__":
    main()
