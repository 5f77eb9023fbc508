"""A judge on the command line, and players in a real browser with nothing but the page and files."""

from __future__ import annotations

import base64
import io
import json
import os
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.cli import main
from pbem.reports.packing import unpack_view
from pbem.rules.base import View
from pbem.titles import load
from pbem.trust.keys import parse_public
from pbem.web import homefile
from pbem.web.build import server

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PASSPHRASE = "a horse, a battery"
PATIENCE = 60_000
"""Milliseconds; a busy machine starts Python in the page in 20 seconds."""
SHOTS = os.environ.get("PBEM_SCREENSHOTS", "")


def pbem(*words: object, may_fail: bool = False, **places: Path) -> str:
    """One command of this program; what it prints."""
    out, err = io.StringIO(), io.StringIO()
    before = dict(os.environ)
    os.environ.update({name: str(path) for name, path in places.items()})
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = main([str(word) for word in words])
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert may_fail or status == 0, f"pbem {words}: {out.getvalue()}{err.getvalue()}"
    return out.getvalue() + err.getvalue()


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address at which a site is served meanwhile."""
    with server(site) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{serving.server_address[1]}/"
        finally:
            serving.shutdown()
            thread.join()


class Judge:
    """A club without mail: files in, files out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.club = folder / "club"
        pbem("init", self.club, "--name", "the page's club")
        self.key = self.club / "keys/gm.pub"

    @property
    def fingerprint(self) -> str:
        """The judge's key as the club announces it."""
        return parse_public(self.key.read_text(encoding="ascii")).fingerprint

    def run(self, *words: object, may_fail: bool = False) -> str:
        """A command of the judge's."""
        return pbem(*words, may_fail=may_fail, PBEM_CLUB=self.club)

    def open(self, game: str, rules: str, seats: Mapping[str, Path], **options: str) -> None:
        """Open a game: side -> join file."""
        for join in seats.values():
            name = join.name.partition("-joins-")[0]
            self.run("player", "add", name, join)
        chosen = [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
        seated = [word for side, join in seats.items() for word in ("--seat", f"{side}={join}")]
        self.run("new", game, "--rules", rules, *chosen, *seated)

    def letters(self, player: str) -> list[Path]:
        """All that was written to a player, as it was written."""
        return sorted((self.club / "out" / player).glob("*.txt"))


class PagePlayer:
    """Somebody who plays in a browser. Everything here is what a person does."""

    def __init__(self, context: BrowserContext, address: str, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.address = address
        self.read: set[Path] = set()
        self.violations: list[str] = []
        self.errors: list[str] = []
        context.set_default_timeout(PATIENCE)
        self.context = context
        self.page: Page = self.visit()

    def visit(self) -> Page:
        """Open the page in a new tab, and wait until one can act."""
        page = self.context.new_page()
        page.on(
            "console",
            lambda said: self.violations.append(said.text) if "Content Security" in said.text else None,
        )
        page.on("pageerror", lambda fault: self.errors.append(str(fault)))
        page.goto(self.address)
        page.locator("body[data-ready]").wait_for()
        return page

    def shot(self, name: str) -> None:
        """A picture for a person, if one asked for them."""
        if SHOTS:
            self.page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)

    def make_key(self) -> None:
        """The first thing that anybody does."""
        page = self.page
        page.get_by_label("Your name in games").fill(self.name)
        page.get_by_label("Passphrase", exact=True).fill(PASSPHRASE)
        page.get_by_label("The passphrase again").fill(PASSPHRASE)
        page.get_by_role("button", name="Make your key").click()
        page.locator(".openmail").wait_for()

    def unlock(self, page: Page | None = None) -> None:
        """Unlock the key where a tab asks for it: none does while another has unlocked it."""
        page = page or self.page
        page.locator(".openmail, [name=passphrase]").first.wait_for()
        if page.locator(".openmail").count() == 0:
            page.get_by_label("Passphrase").fill(PASSPHRASE)
            page.get_by_role("button", name="Unlock").click()
        page.locator(".openmail").wait_for()

    def load_home(self, home: Path) -> None:
        """Go on with a home from the command line, whose key has no passphrase."""
        self.page.get_by_label("Choose the file of your home").set_input_files(str(home))
        self.page.get_by_role("button", name="Unlock").click()
        self.page.locator(".openmail").wait_for()

    def go(self, game: str) -> None:
        """Open a game, if it is not what a file that came has opened."""
        if f"#game/{game}" not in self.page.url:
            self.page.get_by_role("link", name=game).click()
        self.page.locator(".banner").wait_for()

    def save_home(self) -> Path:
        """Save the home as a file, and say so."""
        page = self.page
        with page.expect_download() as begun:
            page.get_by_role("button", name="Save my home").click()
        target = self.folder / "pbem-home.zip"
        begun.value.save_as(target)
        if (have := page.get_by_role("button", name="I have the file")).is_visible():
            have.click()
            have.wait_for(state="detached")
        return target

    def join(self, game: str, judge: str) -> Path:
        """Sign the join file and download it."""
        page = self.page
        page.get_by_label("Game", exact=True).fill(game)
        page.get_by_label("The judge's key").fill(judge)
        page.get_by_role("button", name="Sign the join file").click()
        return self.download()

    def download(self) -> Path:
        """Take what is to be handed to a mail program."""
        with self.page.expect_download() as begun:
            self.page.get_by_role("button", name="Download .txt").click()
        target = self.folder / begun.value.suggested_filename
        begun.value.save_as(target)
        return target

    def receive(self, *files: Path) -> None:
        """Choose files of mail."""
        self.clear()
        self.page.get_by_label("Open mail").set_input_files([str(file) for file in files])
        self.settle()

    def settle(self) -> None:
        """Wait until it is said what became of files, and the view that follows stands."""
        self.page.locator("#notes > div").first.wait_for()
        self.page.locator("main[aria-busy=false]").wait_for()

    def drop(self, *files: Path) -> None:
        """Drop files onto the page, as out of a mail program."""
        self.clear()
        given = [(path.name, base64.b64encode(path.read_bytes()).decode()) for path in files]
        dropped = self.page.evaluate_handle(
            """(given) => {
                const dropped = new DataTransfer();
                for (const [name, data] of given) {
                    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
                    dropped.items.add(new File([bytes], name));
                }
                return dropped;
            }""",
            given,
        )
        self.page.locator("main").dispatch_event("drop", {"dataTransfer": dropped})
        self.settle()

    def clear(self) -> None:
        """Close what was told."""
        while self.page.locator("#notes button").count():
            self.page.locator("#notes button").first.click()

    def told(self) -> str:
        """What the page has said."""
        return "\n".join(self.page.locator("#notes p").all_inner_texts())

    def read_letters(self, judge: Judge) -> None:
        """Take in all new letters."""
        new = [path for path in judge.letters(self.name) if path not in self.read]
        if new:
            self.receive(*new)
            self.read.update(new)

    def state(self) -> str:
        """The state, which stands as a quiet line below the one button."""
        return self.page.locator(".banner").get_attribute("data-state") or ""

    def write(self, text: str) -> None:
        """Write orders as text."""
        self.as_text()
        self.page.locator("#draft").fill(text)

    def draft(self) -> str:
        """What the rows of orders say, line by line."""
        rows = self.page.locator(".order").evaluate_all("(all) => all.map((row) => row.dataset.line)")
        return "\n".join(rows)

    def as_text(self) -> None:
        """Show the orders as text, also where nothing is asked."""
        self.page.get_by_role("tab", name="Orders").click()
        self.page.locator("#orders").wait_for()
        for said in ("Order ahead", "Write as text"):
            if (button := self.page.get_by_role("button", name=said, exact=True)).count():
                button.click()
        self.page.locator("#draft").wait_for()

    def seal(self) -> Path:
        """Sign and seal; the sealed text, which comes by itself."""
        self.page.get_by_role("tab", name="Orders").click()
        with self.page.expect_download() as begun:
            self.page.locator("#seal").click()
        target = self.folder / begun.value.suggested_filename
        begun.value.save_as(target)
        self.page.locator("#out").wait_for()
        self.page.locator("main[aria-busy=false]").wait_for()
        return target

    def hindrances(self, axe: str) -> list[str]:
        """What axe finds on the page as it is."""
        self.page.evaluate(axe)
        found = self.page.evaluate("() => axe.run()")
        return [
            f"{one['id']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"][:3]
        ]

    def ask(self, call: str, **given: object) -> object:
        """A question to Python by the page's own way; for looking, never for acting."""
        told = self.page.evaluate(
            "([call, given]) => import('./ask.js').then((page) => page.ask(call, given))", [call, given]
        )
        found: object = json.loads(json.dumps(told))
        return found

    def view(self, game: str) -> View | None:
        """The view in the last report, out of the home that the player saves."""
        data = base64.b64decode(str(self.ask("save_home")))
        with zipfile.ZipFile(io.BytesIO(data)) as home:
            names = sorted(name for name in home.namelist() if name.startswith(f"games/{game}/reports/"))
            return unpack_view(home.read(names[-1]).decode()) if names else None


class CommandPlayer:
    """Somebody who plays at the command line, with a key that has no passphrase."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.home = folder / name
        self.read: set[Path] = set()
        self.view: View | None = None
        pbem("keygen", name, PBEM_HOME=self.home)

    def join(self, game: str, judge: Judge) -> Path:
        """Sign the join file."""
        out = self.home.parent / f"{self.name}-joins-{game}.txt"
        pbem("join", game, "--as", self.name, "--judge", judge.key, "--out", out, PBEM_HOME=self.home)
        return out

    def read_letters(self, judge: Judge) -> None:
        """Take in all new letters."""
        for path in sorted(
            set(judge.letters(self.name)) - self.read, key=lambda one: ("report" not in one.name, one.name)
        ):
            printed = pbem("receive", path, "--whole", PBEM_HOME=self.home)
            self.view = unpack_view(printed) or self.view
            self.read.add(path)

    def seal(self, game: str, text: str) -> Path:
        """Sign and seal orders."""
        draft, out = self.home.parent / f"{self.name}.txt", self.home.parent / f"{self.name}.age"
        draft.write_text(text, encoding="utf-8")
        words = [draft] if text.strip() else ["--bare"]
        pbem("seal", *words, "--game", game, "--out", out, PBEM_HOME=self.home)
        return out

    def packed(self) -> Path:
        """Their home as a file for the page."""
        out = self.home.parent / f"{self.name}-home.zip"
        out.write_bytes(homefile.pack(self.home))
        return out


def opened(
    judge: Judge, folder: Path, game: str, rules: str, sides: list[str], **options: str
) -> list[CommandPlayer]:
    """A game that players at the command line have accepted, with exchange 2 open."""
    players = [CommandPlayer(name, folder / "homes") for name in ("alice", "bob", "carol")[: len(sides)]]
    joins = {side: player.join(game, judge) for side, player in zip(sides, players, strict=True)}
    judge.open(game, rules, joins, **options)
    for player in players:
        player.read_letters(judge)
        judge.run("submit", player.seal(game, ""))
    judge.run("run")
    for player in players:
        player.read_letters(judge)
    return players


def bot_orders(rules: str, side: str, view: View | None) -> str:
    """What the best bot would write."""
    if view is None:
        return ""
    bots = load(rules).bots
    return bots[next(iter(bots))](side).write(view)


def begin(
    judge: Judge, players: list[PagePlayer], game: str, rules: str, sides: list[str], **options: str
) -> None:
    """From a new key to the invitation."""
    joins = {}
    for player, side in zip(players, sides, strict=True):
        player.make_key()
        joins[side] = player.join(game, judge.fingerprint)
    judge.open(game, rules, joins, **options)
    for player in players:
        player.read_letters(judge)
        player.page.locator(".banner").wait_for()


def exchange(judge: Judge, players: list[PagePlayer], game: str, rules: str, sides: list[str]) -> None:
    """Everybody's orders, a pass of the judge, everybody's letters."""
    for player, side in zip(players, sides, strict=True):
        orders = bot_orders(rules, side, player.view(game))
        player.page.get_by_role("tab", name="Orders").click()
        if player.page.locator("#orders").count():
            player.write(orders)
        judge.run("submit", player.seal())
        player.page.get_by_role("button", name="I gave it to my mail program").click()
        player.page.locator(".banner.handed-over").wait_for()
    for player in players:
        player.read_letters(judge)
        player.page.locator(".banner.receipted").wait_for()
    judge.run("run")
    for player in players:
        player.read_letters(judge)
        player.page.locator(".banner.draft, .banner.over").wait_for()


def bundle_of(judge: Judge, game: str, folder: Path) -> Path:
    """The whole game as a bundle."""
    judge.run("export", game, "--as", "all", "--into", folder / "bundle", "--reason", "a test looks at it")
    return folder / "bundle"
