"""Measures the file of a long game: time to write it, its size, when Chromium shows it, and its frames.

python -m tests.tools.measure_stories BUNDLE
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import CDPSession, sync_playwright

from pbem.audit.game import read_record
from pbem.moments.documents import write_page
from pbem.moments.tracks import tell
from tests.browser.chromium import CHROMIUM

OPENINGS, FRAMES = 5, 600
STEPPING = """(frames) => new Promise((done) => {
  const work = [], ends = [];
  let left = frames;
  const frame = (now) => {
    const start = performance.now();
    viewer.go(viewer.place + 1);
    work.push(performance.now() - start);
    ends.push(now);
    if ((left -= 1)) requestAnimationFrame(frame);
    else done({ work, ends });
  };
  requestAnimationFrame(frame);
})"""


def worked_ms(session: CDPSession) -> float:
    """Return how long a page's thread has worked; time in which others had the processor is not counted."""
    found = session.send("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in found if one["name"] == "TaskDuration") * 1000


def measure(bundle: Path) -> None:
    """Write the file of a bundle, open it, and go through its moments, one in each frame."""
    clock, worked = time.perf_counter(), time.process_time()
    record = read_record(bundle)
    page = write_page(tell(record))
    print(
        f"{len(record.resolved_exchanges)} exchanges written in {time.perf_counter() - clock:.1f} s, "
        f"of which "
        f"{time.process_time() - worked:.1f} s are its own work; {len(page):,} bytes"
    )
    with TemporaryDirectory() as scratch, sync_playwright() as playwright:
        place = Path(scratch) / "story.html"
        place.write_bytes(page)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = []
        for _ in range(OPENINGS):
            tab = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            session = tab.context.new_cdp_session(tab)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            tab.goto(place.as_uri())
            opened.append(
                tab.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart")
            )
        print(f"opened in {', '.join(f'{one:.0f}' for one in sorted(opened))} ms")
        before = worked_ms(session)
        print(f"the last time with {before:.0f} ms of work of the page's own thread")
        found = tab.evaluate(STEPPING, FRAMES)
        print(f"a step: {(worked_ms(session) - before) / FRAMES:.1f} ms of its work, with all that is drawn")
        browser.close()
    work, ends = sorted(found["work"]), found["ends"]
    gaps = sorted(later - one for one, later in pairwise(ends))
    for name, times in (("the work of a step", work), ("from frame to frame", gaps)):
        print(
            f"{name}: {times[len(times) // 2]:.1f} ms; one in twenty more than {times[-len(times) // 20]:.1f}"
        )


if __name__ == "__main__":
    measure(Path(sys.argv[1]))
