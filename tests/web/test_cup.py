"""A cup from pages and a desk: players who have a browser each, and a director who has nothing but the desk.

No command is typed but `init`, `serve`, `box` and `desk`: buttons open the cup, draw it and rule in it,
and what players say is signed in a page and goes by the box.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.desk.browser import Browser, desk_of
from tests.web.post_box import BoxClub, BoxPlayer, wait_for
from tests.web.test_box import box_page, box_port, club, player

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["box_page", "box_port", "club", "player"]
SIDES = ("england", "scotland")
PAGE = "location.hash = '#league/league.cup'"
SETTINGS = {"until": "2099-01-31T20:00:00Z", "gap_days": "0"}
APPEALS = "[appeals]\r\ndays = "


class Cup:
    """A knock-out of a club with a box, its players in browsers, and its director at the desk."""

    def __init__(self, club: BoxClub, desk: Browser, arrive: Callable[..., BoxPlayer]) -> None:
        self.desk, self.arrive = desk, arrive
        self.pages = club.folder / "pages"
        club.settle(f'[site]\nname = "The Hearth"\nfolder = "{self.pages}"\n')
        self.players: dict[str, BoxPlayer] = {}

    def open(self, least: int) -> str:
        """Open the cup by the preset, with a minute for appeals; return the link to enter it."""
        text = self.desk.text_in("deed/open-league?start=knockout").replace("knockout-2027", "cup")
        for name, value in {**SETTINGS, "least": str(least)}.items():
            text, count = re.subn(rf"(?m)^{name} = \S+", f"{name} = {value}", text, count=1)
            assert count, name
        assert APPEALS in text
        text = text.replace(f"{APPEALS}7", f"{APPEALS}0.0007")
        done = self.desk.run_deed("open-league", **{"league-file": text})
        found = re.search(r"in a browser: (\S+)", unescape(done.text))
        assert found, done.text
        index = self.pages / "index.html"
        self.pass_until(
            lambda: index.exists() and "Enter cup" in index.read_text(), "the club's pages name it"
        )
        return found[1]

    def enter(self, names: Iterable[str], link: str) -> None:
        """Let players come by the link or the club's pages, make a key, and sign entries."""
        for place, name in enumerate(names):
            one = self.players[name] = self.arrive(name)
            one.page.goto(link if place % 2 else (self.pages / "index.html").as_uri())
            if not place % 2:
                one.page.get_by_role("link", name="Enter cup").click()
            one.page.get_by_role("heading", name="You are invited to cup").wait_for()
            one.make_key()
            form = one.page.locator("form", has=one.page.get_by_role("button", name="Sign: Enter the league"))
            form.get_by_label("Your rating").fill(str(1_800 - 10 * place))
            form.get_by_role("button").click()
            one.page.get_by_text("goes to the post box by itself").wait_for()
        for one in self.players.values():
            one.look("a[href='#league/league.cup'], h1:text-is('cup')")
            one.page.evaluate(PAGE)
            one.page.get_by_role("heading", name="cup", exact=True).wait_for()
            one.save_home()

    def pass_until(self, is_so: Callable[[], bool], why: str) -> None:
        """Press "Do one pass now" until something is so."""

        def is_so_now() -> bool:
            if not is_so():
                self.desk.run_deed("pass")
            return is_so()

        wait_for(is_so_now, why)

    def pass_until_told(self, place: str, pattern: str) -> None:
        """Press "Do one pass now" until a page of the desk says something."""
        self.pass_until(lambda: bool(re.search(pattern, unescape(self.desk.at(place).text))), pattern)

    def draw(self, number: int, names: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Let the players of a round answer its call; return by game who has which side, as told there."""
        self.pass_until_told("league/cup", "waits for answers")
        for name in names:
            one = self.players[name]
            one.page.evaluate(PAGE)
            one.look(f"p:has-text('Call {number} waits for your answer')")
            if one.page.get_by_role("button", name="Save my home").count():
                one.save_home()
            one.page.get_by_role("button", name="Sign: Answer the call").click()
            one.look(f"p:has-text('You have answered call {number}')")

        def drawn() -> list[str]:
            return sorted(set(re.findall(rf"/game/(cup-r{number}-\d+)", self.desk.at("").text)))

        wait_for(lambda: len(drawn()) == len(names) // 2, f"round {number} is drawn")
        return {game: self.seats_of(game) for game in drawn()}

    def seats_of(self, game: str) -> tuple[str, str]:
        """Return the names of England and Scotland."""
        told = unescape(self.desk.at(f"game/{game}").text)
        first, second = (name for side in SIDES for name in re.findall(rf"{side}: (\w+), key", told))
        return first, second

    def rule(self, about: str, **given: str) -> None:
        """Press the button beside something that waits for the director, and fill in what it leaves open."""
        self.pass_until_told("", re.escape(about))
        waits = unescape(self.desk.at("").text).partition("<h2>What waits for you</h2>")[2]
        line = next(row for row in waits.partition("<h2>")[0].split("<li>") if about in row)
        found = re.search(r'href="([^"]*/deed/[^"]*)"', line)
        assert found, line
        place = urlsplit(found[1])
        form = {**dict(parse_qsl(place.query)), **given}
        done = self.desk.run_deed(place.path.rpartition("/")[2], **form)
        assert done.status == 200, done.text

    def take_seat(self, name: str, game: str) -> Page:
        """Open a game at its orders."""
        one = self.players[name]
        one.look(f"a[href='#game/{game}']")
        one.go(game)
        one.page.get_by_role("tab", name="Orders").click()
        return one.page

    def play(self, game: str, seats: tuple[str, str]) -> None:
        """Let both write what the best bot would, and press Send; wait until the exchange is played.

        Its report takes nobody to the story who has opened a form meanwhile.
        """
        for name, side in zip(seats, SIDES, strict=True):
            one, page = self.players[name], self.take_seat(name, game)
            page.locator("#save, #seal").first.wait_for()
            if page.locator("#save").count():
                one.save_home()
            one.write_orders(game, "hammer", side)
            one.send()
        loser, winner = (self.players[name] for name in seats)
        self.unfold(loser.page)
        winner.look("#tab-story[aria-selected=true]")
        loser.look("#tab-story[aria-selected=false] .count")

    @staticmethod
    def unfold(page: Page) -> None:
        """Open the form by which a player gives a game up."""
        page.get_by_text("More that you can sign").click()
        page.get_by_text("Concede", exact=True).click()

    def concede(self, game: str, loser: str, winner: str) -> None:
        """Sign in the page that a game is lost; the director enters it by the button."""
        page = self.players[loser].page
        if not (button := page.get_by_role("button", name="Sign: Concede")).is_visible():
            self.unfold(self.take_seat(loser, game))
        button.click()
        page.get_by_text(f"{game}: Concede").wait_for(state="attached")
        self.rule(f"{game}: {loser} has signed 'concede {loser}'", reason="the game is lost")
        pair = f"({loser} - {winner}|{winner} - {loser})"
        self.pass_until_told("league/cup", rf"{pair}: {winner} (wins|goes on) \(conceded\)")

    def appeal(self, name: str, game: str) -> None:
        """Sign an appeal against a result, whose entry the page names; the director's button upholds it."""
        one = self.players[name]
        one.page.evaluate(PAGE)
        one.look(f"li:has-text('{game}'):has-text('(entry ')")
        result = one.page.locator("li", has_text=game).filter(has_text="(entry ").inner_text()
        entry = result.partition("(entry ")[2].partition(")")[0]
        one.page.get_by_text("More that you can sign").click()
        one.page.get_by_text("Appeal against an entry", exact=True).click()
        button = one.page.get_by_role("button", name="Sign: Appeal against an entry")
        form = one.page.locator("form", has=button)
        form.get_by_label("Number of the entry").fill(entry)
        form.get_by_label("Why").fill("the light was bad")
        button.click()
        about = f"{name} appeals against entry {entry}, the result of {game}: the light was bad"
        self.rule(about, reason="it was too dark")
        one.look("details:has-text('ruling 2 by dora: answer')")


@pytest.mark.ci
@pytest.mark.parametrize("bracket", ["ann ben", "ann hal dan eva ben gus cleo finn"], ids=["two", "eight"])
def test_a_cup_is_entered_drawn_played_and_appealed_from_pages_and_a_desk(
    bracket: str, club: BoxClub, player: Callable[..., BoxPlayer]
) -> None:
    """The first seed meets the last, as the ledger drew it; winners of neighbouring games meet next."""
    left, number = bracket.split(), 0
    with desk_of(club.club) as served:
        cup = Cup(club, served.open(), player)
        cup.enter(sorted(left), cup.open(len(left)))
        cup.desk.run_deed("rule", league="cup", decides="start", reason="all are here")
        while len(left) > 1:
            number += 1
            meetings = cup.draw(number, left)
            assert [sorted(seats) for seats in meetings.values()] == [
                sorted(left[place : place + 2]) for place in range(0, len(left), 2)
            ]
            for game, seats in meetings.items():
                if game.endswith("-1"):
                    cup.play(game, seats)
                cup.concede(game, *seats)
            if number == 1:  # players are told the results when a round has all of them
                cup.appeal(seats[0], game)
            left = [winner for _, winner in meetings.values()]
        cup.pass_until_told("league/cup", "it is over")
    for one in cup.players.values():
        one.page.evaluate(PAGE)
        one.look("p:has-text('The league is over.')")
        row = one.page.locator("tbody tr").first.inner_text().split("\t")
        assert row == [*left, str(number), str(number), "0", "0"]
    one.page.goto((cup.pages / "leagues/cup/index.html").as_uri())
    assert one.page.locator("tr:has(td)").first.inner_text().split("\t")[:2] == ["1", *left]
