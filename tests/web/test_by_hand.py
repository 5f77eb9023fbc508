"""Braveheart from the invitation on, by a finger on a telephone and by the keyboard alone, against a bot.

What the player writes is what the page offers: a card, moves by the map, and what a battle asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.hands import TELEPHONE, Finger, Hand, Keys, in_sight
from tests.web.table import PASSPHRASE, CommandPlayer, Judge, PagePlayer, bot_orders, bundle_of, pbem

Arrive = Callable[..., PagePlayer]
GAME = "hearth"
MAX_EXCHANGES = 60
TELEPHONES = {"viewport": TELEPHONE, "has_touch": True, "is_mobile": True}


WIDTH = """() => {
    const closed = [...document.querySelectorAll("main details:not([open])")];
    closed.forEach((one) => { one.open = true; });
    const wide = document.documentElement.scrollWidth;
    closed.forEach((one) => { one.open = false; });
    return wide;
}"""
"""How wide the page is with all of it unfolded."""


class Evening:
    """A game of somebody in the page against a bot, with a judge at the command line."""

    def __init__(self, hand: Hand, judge: Judge, folder: Path) -> None:
        self.hand, self.judge = hand, judge
        self.player, self.page = hand.player, hand.player.page
        self.bot = CommandPlayer("bob", folder / "homes")
        self.wrote: list[str] = []

    def begin(self) -> None:
        """From nothing to exchange 2: a key, the join file, the invitation, the home, the acceptance."""
        hand, page = self.hand, self.page
        hand.fill("Your name in games", "alice")
        hand.fill("Passphrase", PASSPHRASE)
        hand.fill("The passphrase again", PASSPHRASE)
        hand.press("Make your key")
        page.get_by_role("heading", name="Join a game").wait_for()
        hand.fill("Game", GAME)
        hand.fill("The judge's key", f"{self.judge.fingerprint} ")  # as it was copied
        hand.press("Sign the join file")
        joins = {"scotland": self.taken("Download .txt"), "england": self.bot.join(GAME, self.judge)}
        self.judge.open(GAME, "hammer", joins, scenario="braveheart")
        self.mail()
        page.locator(".banner[data-state=invited]").wait_for()
        self.taken("Save my home")
        hand.press("I have the file")
        self.play("Accept")

    def taken(self, said: str) -> Path:
        """Press a button that downloads."""
        with self.page.expect_download() as begun:
            self.hand.press(said)
        target = self.player.folder / begun.value.suggested_filename
        begun.value.save_as(target)
        return target

    def mail(self) -> None:
        """All new letters, at once."""
        new = [path for path in self.judge.letters(self.player.name) if path not in self.player.read]
        self.hand.pick(new)
        assert self.page.locator("#notes .fault").count() == 0
        assert self.page.evaluate("() => scrollY") == 0, "the state is in sight"

    def play(self, seal: str) -> None:
        """Seal what stands there, hand it over; the bot plays; what the judge answers."""
        hand, page = self.hand, self.page
        self.judge.run("submit", self.taken(seal))
        page.locator("#out").wait_for()
        hand.press("I gave it to my mail program")
        page.locator(".banner.handed-over").wait_for()
        self.bot.read_letters(self.judge)
        self.judge.run("submit", self.bot.seal(GAME, bot_orders("hammer", "england", self.bot.view)))
        self.judge.run("run")
        self.mail()
        page.locator(".banner.draft, .banner.over").wait_for()

    def exchange(self) -> None:
        """One exchange: what is asked, from what is offered."""
        assert self.page.evaluate(WIDTH) <= self.page.evaluate("() => innerWidth"), "wider than the screen"
        assert self.page.get_by_role("tab", name="Story").get_attribute("aria-selected") == "true"
        self.hand.press("To your orders")
        self.page.locator("#orders").wait_for()
        assert in_sight(self.player, "footer"), "the one button is in sight"
        assert self.page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
        if (ahead := self.page.get_by_role("button", name="Order ahead")).count():
            assert self.page.locator(".picture .lit").count() == 0, "where nothing is asked, nothing is lit"
            assert ahead.is_visible()
            self.play("Send your number for the dice")
            return
        event = self.one_of("card", r"\d") not in ("", *"123")
        self.one_of("battles")
        if not event and any(one.startswith("move ") for one in self.offered()):
            self.move()
        self.wrote.append(self.player.draft())
        self.page.locator("#faults .fault").first.wait_for(state="detached")  # it is looked at as one writes
        self.player.shot(f"{type(self.hand).__name__}-{len(self.wrote):02}")
        self.play("Sign and send" if self.wrote[-1] else "Send without orders")

    def offered(self) -> list[str]:
        """What stands on the buttons, once they speak of the line at hand."""
        self.page.wait_for_function(
            """() => {
                const line = document.querySelector(".order.now")?.dataset.line;
                const title = document.querySelector(".chips p")?.textContent ?? "";
                return line ? title.includes(`"${line}"`) : title === "Add an order";
            }"""
        )
        return self.named(".hand .card, .chips [data-line]")

    def named(self, chosen: str) -> list[str]:
        """What buttons are called that are in sight, not folded away under what comes later."""
        found: list[str] = self.page.locator(chosen).evaluate_all(
            "(all) => all.filter((one) => one.checkVisibility()).map((one) => one.ariaLabel)"
        )
        return found

    def one_of(self, verb: str, rather: str = "") -> str:
        """The last that is offered of a verb, or of those that are wanted rather; "" if none is."""
        if f"{verb} …" in self.offered():
            self.hand.press(f"{verb} …")
        found = [one for one in self.offered() if re.fullmatch(rf"{verb} [\w ]+", one)]
        if not found:
            return ""
        chosen = ([one for one in found if rather and re.search(rather, one)] or found)[-1]
        self.hand.press(chosen)
        return chosen.removeprefix(f"{verb} ")

    def move(self) -> None:
        """By the picture: a block, and an area that lights up."""
        before = self.player.draft()
        for block in ("Wallace", "Douglas", "Bruce", "Fraser", "Grant"):
            if not self.page.locator(f'.picture .lit[data-name="{block}"]').count():
                continue
            self.hand.touch(block)
            line = f"move {block}"
            asked = re.compile(rf"^({block}|Now tap where {block} goes.*)$")
            self.page.locator(".chips p", has_text=asked).wait_for()
            if self.player.draft() != f"{before}\n{line}".strip():  # as in winter: it goes nowhere
                assert self.player.draft() == before, "nothing is written unasked"
                continue
            lit = self.page.locator(".picture .lit:has(> path:first-child)")
            way: str = lit.first.evaluate("(part) => part.dataset.name")
            self.hand.touch(way)
            self.chosen(f"{line} to {way}", f"{before}\n{line} to {way}".strip())
            self.page.locator(".drawn polyline").first.wait_for(state="attached")
            self.offered()
            return

    def chosen(self, line: str, text: str) -> None:
        """A tap has written it; or more than one line was meant, as a noble bears its area's name."""
        self.page.wait_for_function(
            """([line, text]) => [...document.querySelectorAll(".order")]
                    .map((row) => row.dataset.line).join("\\n") === text
                || document.querySelector(".chips p").textContent === line.split(" to ")[1]""",
            arg=[line, text],
        )
        if self.player.draft() != text:
            self.hand.press(line)
            self.page.locator(f'.order[data-line="{line}"]').wait_for()
        assert self.player.draft() == text

    def year(self) -> str:
        """Of which year the last report speaks."""
        return self.page.locator(".time i").first.text_content() or ""

    def whole_year(self) -> None:
        """Exchanges until the year is over."""
        first = self.year()
        while self.year() == first and not self.page.locator(".banner.over").count():
            assert len(self.wrote) < MAX_EXCHANGES
            self.exchange()

    def looked_at(self) -> None:
        """What was written was orders, and the game that came of it holds."""
        assert any(line.startswith("move ") for text in self.wrote for line in text.splitlines())
        assert any(line.startswith("card ") for text in self.wrote for line in text.splitlines())


@pytest.fixture
def finger(judge: Judge, arrive: Arrive, tmp_path: Path) -> Evening:
    """Somebody with a telephone."""
    return Evening(Finger(arrive("alice", **TELEPHONES)), judge, tmp_path)


@pytest.fixture
def keys(judge: Judge, arrive: Arrive, tmp_path: Path) -> Evening:
    """Somebody without a mouse."""
    return Evening(Keys(arrive("alice")), judge, tmp_path)


@pytest.mark.ci
@pytest.mark.parametrize("who", ["finger", "keys"])
def test_an_exchange(who: str, request: pytest.FixtureRequest) -> None:
    evening: Evening = request.getfixturevalue(who)
    evening.begin()
    evening.exchange()
    evening.looked_at()


@pytest.mark.slow
@pytest.mark.parametrize("who", ["finger", "keys"])
def test_a_year(who: str, request: pytest.FixtureRequest, judge: Judge, tmp_path: Path) -> None:
    evening: Evening = request.getfixturevalue(who)
    evening.begin()
    evening.whole_year()
    evening.looked_at()
    assert "refuted" not in pbem("audit", bundle_of(judge, GAME, tmp_path))
