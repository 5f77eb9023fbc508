"""How long the page takes, printed for pbem/docs/measurements.md: python -m tests.hammer.measure_page."""

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from playwright.sync_api import sync_playwright

from pbem.player import Home
from pbem.web.build import build
from tests.browser.chromium import CHROMIUM
from tests.web.table import ARGUMENTS, Judge, PagePlayer, opened, pbem, served

TIMES = 5


def main() -> None:
    """Build, serve, play, and say how long it took."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        build(folder / "site")
        sizes = [
            len(gzip.compress(path.read_bytes(), 9))
            for path in (folder / "site").rglob("*")
            if path.is_file()
        ]
        print(f"site, each file by gzip: {sum(sizes) / 1e6:.1f} MB in {len(sizes)} files")
        with served(folder / "site") as address:
            measure(folder, address)


def measure(folder: Path, address: str) -> None:
    """One player of Hammer in Chromium, beside the same at the command line's library."""
    judge = Judge(folder)
    sides = ["scotland", "england"]
    alice, _ = opened(judge, folder, "hearth", "hammer", sides, scenario="braveheart")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(accept_downloads=True)
        started = perf_counter()
        player = PagePlayer(context, address, "alice", folder / "page")
        print(f"first visit until one can act: {perf_counter() - started:.1f} s")
        player.load_home(alice.packed())
        started = perf_counter()
        player.page = player.visit()
        print(f"second visit: {perf_counter() - started:.1f} s")
        player.unlock()
        player.go("hearth")
        draft = "card 1\nmove Wallace to Mentieth"
        home = Home(alice.home)
        letter = next(path for path in alice.read if "report" in path.name).read_bytes()
        pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
            "what may follow (tap)": (
                lambda: player.ask("offers", game="hearth", line="move Wallace"),
                lambda: None,
            ),
            "look at a draft (typing)": (
                lambda: player.ask("check", game="hearth", text=draft),
                lambda: home.check(draft.encode(), game="hearth", forecast=False),
            ),
            "the same with a forecast": (
                lambda: player.ask("check", game="hearth", text=draft, forecast=True),
                lambda: home.check(draft.encode(), game="hearth"),
            ),
            "show a report": (lambda: player.ask("show", game="hearth"), lambda: None),
            "receive a report again": (
                lambda: player.ask("receive", given=[["a", _base64(letter)]]),
                lambda: home.deliver({"a": letter}),
            ),
        }
        for what, (in_page, natively) in pairs.items():
            print(f"{what}: {_median(in_page):.0f} ms in the page, {_median(natively):.0f} ms natively")
        started = perf_counter()
        player.ask("seal", game="hearth", text=draft)
        print(f"seal: {(perf_counter() - started) * 1000:.0f} ms in the page")
        started = perf_counter()
        pbem("seal", "--bare", "--game", "hearth", "--out", folder / "out.age", PBEM_HOME=alice.home)
        print(f"seal: {(perf_counter() - started) * 1000:.0f} ms natively, as a command in a running Python")
        browser.close()


def _base64(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode()


def _median(call: Callable[[], object]) -> float:
    taken = []
    for _ in range(TIMES):
        started = perf_counter()
        call()
        taken.append((perf_counter() - started) * 1000)
    return sorted(taken)[TIMES // 2]


if __name__ == "__main__":
    main()
