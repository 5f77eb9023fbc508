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
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from playwright.sync_api import TimeoutError as TooLate

from pbem.judge.club import open_club
from pbem.player import Home
from pbem.reports.packing import unpack_view
from tests.web.table import ARGUMENTS, Judge, PagePlayer, bot_orders

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, BrowserType

PATIENCE = 180.0
TELEPHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
RECEIVED = ", ".join(f".banner[data-state={one}]" for one in ("receipted", "waiting", "draft", "over"))
"""A signed receipt is there, or what came after it."""
DRAFT = ".banner[data-state=draft]"
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

    def settle(self, more: str) -> None:
        """Write more into club.toml, which counts from the judge's next start."""
        settings = self.club / "club.toml"
        settings.write_text(f"{settings.read_text(encoding='utf-8')}{more}", encoding="utf-8")

    def deadline(self, game: str) -> datetime:
        """The deadline of the open exchange."""
        found = open_club(self.club)
        (*_, exchange) = found.book(game).history.exchanges
        found.store.close()
        assert exchange.deadline is not None
        return exchange.deadline

    def absences(self, player: str) -> list[tuple[str, str]]:
        """The first and last days on which a player is away."""
        found = open_club(self.club)
        rows = [(one.begins, one.ends) for one in found.store.absences(player)]
        found.store.close()
        return rows

    def link(self, game: str) -> str:
        """The link to join, as the judge writes it, also before the box that was started has shown itself."""
        found = re.search(r"(http\S+#join/)GAME(/\S+)", self.run("status", may_fail=True))
        assert found
        assert found[2].endswith(f"/{quote(self.url, safe='')}")
        return f"{found[1]}{game}{found[2]}"

    def joined(self, player: str) -> Path:
        """The join that a player has posted, in the judge's folder."""

        def written() -> Path | None:
            return next((one for one in self.club.glob(f"joins/*{player}*") if one.stat().st_size), None)

        found: Path = wait_for(written, f"{player} joins")
        return found

    def begin(self, game: str, rules: str, seats: dict[str, Path], **options: str) -> None:
        """Open a game with joins that have come; a pass puts the invitations into the box."""
        self.kill("judge")
        chosen = [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
        seated = [word for side, join in seats.items() for word in ("--seat", f"{side}={join}")]
        self.run("new", game, "--rules", rules, *chosen, *seated)
        self.start("judge")


class BoxPlayer(PagePlayer):
    """Somebody in a browser who presses Send, and chooses and downloads no file but that of their home."""

    def __init__(self, context: BrowserContext, address: str, name: str, folder: Path) -> None:
        self.files: list[str] = []
        super().__init__(context, address, name, folder)

    def arrive(self, club: BoxClub, game: str) -> Path:
        """A key, and the join, which is posted; the file that the judge has of it."""
        self.page.goto(club.link(game))
        self.page.get_by_role("heading", name=f"You are invited to {game}").wait_for()
        self.make_key()
        self.page.get_by_role("button", name="Sign and send").click()
        self.page.get_by_text("Your join was sent").first.wait_for()
        return club.joined(self.name)

    def accept(self) -> None:
        """The invitation comes by itself; the home is saved once, and then no file any more."""
        self.look(".banner[data-state=invited]")
        if self.page.locator("#save").count():
            self.save_home()
        self.count_files()
        self.send()
        self.look(RECEIVED)

    def go_home(self) -> None:
        """Look at the list of games."""
        self.page.evaluate("location.hash = ''")
        self.page.get_by_role("heading", name="Your keys").wait_for()

    def old_home(self) -> Path:
        """A file of the home as it is now."""
        place = self.page.url
        self.go_home()
        saved = self.save_home().rename(self.folder / "old-home.zip")
        self.page.goto(place)
        return saved

    def go_on_from(self, home: Path) -> None:
        """Begin with the file of a home."""
        self.page.get_by_label("Choose the file of your home").set_input_files(str(home))
        self.unlock()
        self.count_files()

    def keep_copy(self) -> None:
        """Let the box keep a copy of the home, and take over the one that is there."""
        self.go_home()
        self.page.locator(".copies summary").click()
        self.page.get_by_role("button", name="Keep a copy").click()
        self.page.locator(".copies summary", has_text="keeps a sealed copy").wait_for()

    def answer_by_itself(self, game: str) -> None:
        """Switch on that a game answers by itself."""
        self.go_home()
        self.page.locator(".answering summary", has_text=game).click()
        self.page.get_by_role("button", name="Answer by itself").click()
        self.page.locator(".answering summary", has_text="answers by itself at 18:00").wait_for()

    def count_files(self) -> None:
        """Note from here on whether a file is chosen or downloaded."""
        self.page.on("download", lambda one: self.files.append(one.suggested_filename))
        self.page.on("filechooser", lambda _: self.files.append("chosen"))

    def write_orders(self, game: str, rules: str, side: str) -> None:
        """Write what the best bot would, where anything can be written."""
        orders = bot_orders(rules, side, self.view(game))
        self.page.get_by_role("tab", name="Orders").click()
        if self.page.locator("#orders").count():
            self.write(orders)

    def talk(self) -> None:
        """Turn to what players say to each other."""
        self.page.get_by_role("tab", name="Talk").click()
        self.page.get_by_role("heading", name="Write").wait_for()

    def say(self, to: str, text: str) -> None:
        """Write a message, and press Send."""
        self.page.get_by_label(to, exact=True).check()
        self.page.get_by_label("Your text").fill(text)
        self.page.get_by_role("button", name="Send this message").click()
        self.page.locator(".talk .mine .said", has_text=text).wait_for()

    def hears(self, *texts: str) -> None:
        """Come back to the page until each of these was received and each own message has its receipt."""
        for text in texts:
            self.look(f'.talk .said:text-is("{text}")')
        until = time.monotonic() + PATIENCE
        while self.page.locator(".talk .remark", has_text="no receipt of the judge").count():
            assert time.monotonic() < until, self.told()
            self.page.evaluate(LOOK)
            self.page.wait_for_timeout(500)

    def leave(self, begins: str, ends: str) -> None:
        """Sign "I am away", which goes by itself."""
        self.page.locator("summary", has_text="I am away").click()
        self.page.get_by_label("First day").fill(begins)
        self.page.get_by_label("Last day").fill(ends)
        self.page.get_by_role("button", name="Sign that I am away").click()
        self.page.get_by_text("It goes to the judge by the post box.").wait_for()

    def send(self) -> None:
        """Press the one button: it signs, seals and posts."""
        self.page.get_by_role("tab", name="Orders").click()
        self.page.locator("#seal").click()
        self.page.locator(".banner:not([data-state=draft], [data-state=invited])").wait_for()

    def look(self, chosen: str) -> None:
        """Come back to the page until something stands there."""
        wanted = self.page.locator(chosen).first
        until = time.monotonic() + PATIENCE
        while True:
            self.page.evaluate(LOOK)
            with suppress(TooLate):
                wanted.wait_for(timeout=2_000)
                return
            assert time.monotonic() < until, f"{chosen} did not come: {self.state()}; {self.told()}"

    def head(self, said: str) -> None:
        """Wait until the page says in its headline how far it is."""
        self.page.get_by_role("heading", name=said).wait_for()


class Typist:
    """Somebody without a browser: each thing they do is a command."""

    def __init__(self, name: str, folder: Path, url: str) -> None:
        self.name, self.url = name, url
        self.home = Home(folder / name)
        self.home.keygen(name)
        self.joined = False

    def run(self, *words: str) -> str:
        """What a command prints; it must succeed."""
        command = [sys.executable, "-m", "pbem", *words]
        settings = {**os.environ, "PBEM_HOME": str(self.home.path)}
        done = subprocess.run(command, cwd=self.home.path, env=settings, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.decode()

    def arrive(self, club: BoxClub, game: str) -> Path:
        """Post the join; the file that the judge has of it."""
        self.run("join", game, "--as", self.name, "--judge", club.fingerprint, "--out", "join.txt")
        self.run("send", "join.txt", "--box", self.url, "--as", self.name)
        return club.joined(self.name)

    def fetch(self, *words: str) -> str:
        """Take in the letters that have come; what the command prints."""
        where = () if self.joined else ("--box", self.url, "--as", self.name)
        said = self.run("fetch", *where, *words)
        self.joined = self.joined or "uses the post box" in said
        return said

    def look(self, game: str, exchange: int) -> None:
        """Fetch until an exchange is open."""

        def is_open() -> bool:
            self.fetch()
            (found,) = (one for one in self.home.games() if one.game == game)
            return found.over or (found.exchange or 0) >= exchange

        wait_for(is_open, f"exchange {exchange} for {self.name}")

    def send(self, game: str, rules: str = "", side: str = "") -> None:
        """Seal what the best bot would write, which posts it."""
        text = self.home.last_report(game) if rules else None
        orders = bot_orders(rules, side, unpack_view(text)) if text else ""
        if not orders:
            self.run("seal", "--game", game, "--bare")
            return
        (self.home.path / "orders.txt").write_text(orders, encoding="utf-8")
        self.run("seal", "orders.txt", "--game", game)


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
