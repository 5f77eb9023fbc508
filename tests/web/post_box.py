"""A club with a post box: box and judge as processes, players who never choose or download a file."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pbem.judge.club import open_club
from tests.web.table import ARGUMENTS, Judge, PagePlayer, bot_orders

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, BrowserType

PATIENCE = 90.0
TELEPHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOK = "() => window.dispatchEvent(new Event('focus'))"


def free_port() -> int:
    """A port where nobody listens now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(what: Callable[[], Any], why: str) -> Any:
    """What is there after a while."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.05)
    raise AssertionError(f"this did not come: {why}")


class BoxClub(Judge):
    """A judge with a box, both running, and killed now and then."""

    def __init__(self, folder: Path, port: int, page: str) -> None:
        super().__init__(folder)
        self.port, self.page = port, page
        self.url = f"http://127.0.0.1:{port}/"
        settings = self.club / "club.toml"
        told = (
            f'\n[page]\naddress = "{page}"\nsha256 = "{"0" * 64}"\nboxes = ["{self.url}"]\n'
            f'\n[box]\nurl = "{self.url}"\n'
        )
        settings.write_text(settings.read_text(encoding="utf-8") + told, encoding="utf-8")
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, *names: str) -> None:
        """Start box or judge, or both, unless they run."""
        commands = {
            "box": ("box", self.club / "box", "--listen", f"127.0.0.1:{self.port}"),
            "judge": ("serve", "--club", self.club, "--every", "3600"),
        }
        for name in names or ("judge", "box"):
            if name in self.running:
                continue
            log = (self.folder / f"{name}.log").open("ab")
            words = [sys.executable, "-m", "pbem", *map(str, commands[name])]
            self.running[name] = subprocess.Popen(words, stdout=log, stderr=log)
            log.close()
        if "box" in self.running:
            wait_for(self._listens, "the box listens")

    def _listens(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def kill(self, *names: str) -> None:
        """End box or judge, or both, as a power cut does."""
        for name in names or tuple(self.running):
            process = self.running.pop(name)
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)

    def restart(self, *names: str) -> None:
        """Kill and start again."""
        self.kill(*names)
        self.start(*names)

    def link(self, game: str) -> str:
        """The link to join, as the judge writes it."""
        found = re.search(r"(http\S+#join/)GAME(/\S+)", self.run("status"))
        assert found
        assert found[2].endswith(f"/{quote(self.url, safe='')}")
        return f"{found[1]}{game}{found[2]}"

    def joined(self, player: str) -> Path:
        """The join that a player has posted, in the judge's folder."""
        found: Path = wait_for(lambda: next(self.club.glob(f"joins/*{player}*"), None), f"{player} joins")
        return found

    def begin(self, game: str, rules: str, seats: dict[str, Path], **options: str) -> None:
        """Open a game with joins that have come; a pass puts the invitations into the box."""
        self.kill("judge")
        chosen = [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
        seated = [word for side, join in seats.items() for word in ("--seat", f"{side}={join}")]
        self.run("new", game, "--rules", rules, *chosen, *seated)
        self.start("judge")


def seal_by_box(player: PagePlayer) -> None:
    """Press the one button: it signs, seals and posts."""
    player.page.get_by_role("tab", name="Orders").click()
    player.page.locator("#seal").click()


def orders_in_page(player: PagePlayer, game: str, rules: str, side: str) -> None:
    """Write what the best bot would, where anything can be written, and press Send."""
    orders = bot_orders(rules, side, player.view(game))
    player.page.get_by_role("tab", name="Orders").click()
    if player.page.locator("#orders").count():
        player.write(orders)
    seal_by_box(player)


def look(player: PagePlayer, chosen: str) -> None:
    """Come back to the page until something stands there."""
    wanted = player.page.locator(chosen).first
    until = time.monotonic() + PATIENCE
    while True:
        player.page.evaluate(LOOK)
        with suppress(Exception):
            wanted.wait_for(timeout=2_000)
            return
        assert time.monotonic() < until, f"{chosen} did not come: {player.state()}; {player.told()}"


class Device:
    """A browser with a profile on the disk, which can be killed."""

    def __init__(self, chromium: BrowserType, executable: str, profile: Path) -> None:
        self.chromium, self.executable, self.profile = chromium, executable, profile
        self.context: BrowserContext | None = None

    def open(self, **options: object) -> BrowserContext:
        """Start it."""
        self.context = self.chromium.launch_persistent_context(
            str(self.profile),
            executable_path=self.executable,
            args=ARGUMENTS,
            **options,  # type: ignore[arg-type]
        )
        return self.context

    def processes(self) -> list[int]:
        """Its processes, by the profile that they name."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                if f"--user-data-dir={self.profile}".encode() in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found

    def kill(self) -> None:
        """End it as a power cut does."""
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        if self.context is not None:
            with suppress(Exception):
                self.context.close()
        (self.profile / "SingletonLock").unlink(missing_ok=True)


@contextmanager
def club_with_box(folder: Path, port: int, page: str) -> Iterator[BoxClub]:
    """A club whose box and judge run meanwhile."""
    club = BoxClub(folder, port, page)
    try:
        yield club
    finally:
        club.kill()


def received(club: BoxClub, game: str) -> list[tuple[int, str, int]]:
    """Exchange, player and revision of each file in the ledger, in its order; the judge is at rest."""
    found = open_club(club.club)
    history = found.book(game).history
    rows = [(one.number, file.player, file.rev) for one in history.exchanges for file in one.received]
    found.store.close()
    return rows
