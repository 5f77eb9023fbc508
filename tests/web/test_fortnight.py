"""A fortnight of somebody with games, a league and messages, who looks only when they are told.

The judge's clock is the story's. Its passes, the box, the notifier and the push service are real; an opponent
answers late, as bots do. Whoever waits in vain to be told misses a deadline, which the ledgers show.
"""

from __future__ import annotations

import base64
import email
import mailbox
import re
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Protocol

import pytest

from pbem.box.folder import ALIVE, Alive, make_folder, write_file
from pbem.box.stores import waiting_posts
from pbem.judge.agenda import read_agendas
from pbem.judge.club import create_club, open_club
from pbem.judge.leagues.book import begin_league, load_league
from pbem.judge.newgame import new_game
from pbem.notify.courier import Courier
from pbem.notify.spool import make_push_key
from pbem.player import Home
from pbem.player.box_client import HomeBox, fetch_letters, take_fetched
from pbem.reports.packing import unpack_view
from pbem.service.one_pass import Pass
from pbem.titles import load
from pbem.trust.player_statements import read_join
from pbem.trust.times import parse_utc, utc_text
from pbem.web import homefile
from pbem.web.api import Api
from tests.box.served import ServedBox, free_port
from tests.box.test_round_trip import command
from tests.judge.table import Clock
from tests.leagues.world import file_of
from tests.notify.push_service import HOST, PushService
from tests.web.measure_taps import COUNT
from tests.web.post_box import LOOK, TELEPHONE, BoxPlayer, wait_for
from tests.web.table import bot_orders
from tests.web.test_box import box_page, box_port, player
from tests.web.test_next_game import BADGES
from tests.web.test_waking import SUBSCRIBES

__all__ = ["box_page", "box_port", "player"]
ALICE, BOB, CUP = "alice", "bob", "league.cup"
HOURS = (2, 8, 12, 16, 18, 20)
"""When the judge makes a pass; it is a minute later."""
GAMES = {"g1": "hammer", "g2": "first-war", "g3": "lords", "g4": "hammer", "g5": "first-war"}
BOX = """
import sys
from pbem.box import app, server
from pbem.cli import main
server.HEARTBEAT_SECONDS = 1e9  # the story shows that it runs, by the story's clock
app.KEY_PER_HOUR = app.ASKS_PER_MINUTE = 10_000  # a fortnight takes a minute here
sys.exit(main(sys.argv[1:]))
"""
CLUB = """name = "test"
[rhythm]
days = 2
hour = "20:00"
zone = "UTC"
reminder_hours = 12
[press]
kind = "white"
[page]
address = "{page}"
sha256 = "{zeros}"
boxes = ["{url}"]
[box]
url = "{url}"
mails = "{mails}"
[notify]
contact = "mailto:gm@club.example"
[mail]
address = "judge@club.example"
[mail.outbox]
maildir = "{folder}"
"""
ASKED = ("draft", "to be sent", "refused", "late", "trouble")
ARRIVED = "your orders have arrived"
PUSH, DIGEST = "push", "digest"
WAYS = {
    "mail": ("all", ""),
    "short mail": ("short", ""),
    DIGEST: ("short", "game=digest,league=digest,message=digest,reminder=now"),
    PUSH: ("all", ""),
}
"""What the club mails, and what alice signs."""
COUNTS = re.compile(r"(?:\((?:(\d+)(?:; )?)?(?:(\d+) new messages?)?\) )?pbem").match
"""How many games wait and how many messages are new, in the page's title."""
Player = Callable[..., BoxPlayer]
Fact = tuple[str, int]
"""A game or league, and its exchange or call."""


@dataclass
class Day:
    """What one day costs."""

    looks: int = 0
    answers: int = 0
    taps: int = 0
    wakes: int = 0
    mails: int = 0


class Person(Protocol):
    """Somebody who looks, and answers what waits."""

    @property
    def taps(self) -> int:
        """How often they have tapped so far."""

    def look(self, due: set[Fact]) -> None:
        """Fetch until exactly this waits, which its number says too."""

    def answer(self, facts: set[Fact], titles: Mapping[str, str]) -> None:
        """Answer some of what waits."""


def waiting_in(games: Iterable[Mapping[str, Any]], leagues: Iterable[Mapping[str, Any]]) -> set[str]:
    """What waits by what the page is told."""
    asked = {one["league"] for one in leagues if one["asked"]}
    return asked | {one["game"] for one in games if one["state"] in ASKED}


class Program:
    """Somebody at the command line: their home and the box."""

    taps = 0

    def __init__(self, home: Home, url: str) -> None:
        self.home, self.box = home, HomeBox(home, url, home.path.name)

    def fetch(self) -> None:
        fetch_letters(self.box)
        for delivery, _ in take_fetched(self.box):
            assert delivery.faults == ()

    def look(self, due: set[Fact]) -> None:
        self.fetch()
        api = Api(self.home.path)
        waiting = waiting_in(map(asdict, api.standing().games), map(asdict, api.leagues()))
        assert waiting == {name for name, _ in due}

    def answer(self, facts: set[Fact], titles: Mapping[str, str]) -> None:
        for game, _ in sorted(facts):
            if game == CUP:
                self.box.client().post(self.home.league("cup").reply())
                continue
            text, (line,) = (
                self.home.last_report(game),
                [one for one in self.home.games() if one.game == game],
            )
            orders = bot_orders(titles[game], line.side or "", unpack_view(text) if text else None)
            self.box.client().post(self.home.seal(orders or None, game=game).armor.encode())


class OnPage:
    """Somebody with the page, who taps as little as it needs; `by_list` they do without *Next game*."""

    def __init__(self, player: BoxPlayer, home: Path, by_list: bool) -> None:
        self.player, self.page, self.by_list = player, player.page, by_list
        self.sent = 0
        self.page.evaluate(f"() => {{ {BADGES} }}")
        self.page.evaluate(COUNT)
        self.player.load_home(home)

    @property
    def here(self) -> str:
        """The game or league that is shown."""
        return str([*self.page.url.partition("#")[2].split("/"), ""][1])

    def saved(self) -> bytes:
        """The home as the page has it."""
        return base64.b64decode(str(self.player.ask("save_home")))

    def be_woken(self) -> None:
        """Switch on that this device is woken."""
        self.page.evaluate(SUBSCRIBES)
        self.page.locator(".waking summary", has_text="Wake this device").click()
        self.page.get_by_role("button", name="Wake this device").click()
        self.page.locator(".waking summary", has_text="This device is woken").wait_for()

    @property
    def taps(self) -> int:
        return int(self.page.evaluate("taps")) + self.sent

    def look(self, due: set[Fact]) -> None:
        names = {name for name, _ in due}

        def agrees() -> bool:
            self.page.evaluate(LOOK)
            self.page.wait_for_timeout(300)
            standing: Any = self.player.ask("standing")
            leagues: Any = self.player.ask("leagues")
            found, badge = COUNTS(self.page.title()), self.page.evaluate("badges.at(-1)")
            assert found, self.page.title()
            waiting, unread = (int(one or 0) for one in found.groups())
            number = (waiting, badge) == (len(names), waiting + unread)
            return number and waiting_in(standing["games"], leagues) == names

        wait_for(agrees, f"{names} wait, and title and badge say so: {self.page.title()}")

    def go_on(self, left: set[str]) -> None:
        """Go on to what waits next, or to one of those that are `left` in the list of games."""
        if self.by_list:
            self.page.locator("header .mark").click()
            self.page.locator(f".games a[href$='/{min(left)}']").click()
        else:
            self.page.locator(".next-game").click()
        self.page.locator("main[aria-busy=false]").wait_for()

    def answer(self, facts: set[Fact], titles: Mapping[str, str]) -> None:
        left = {name for name, _ in facts}
        while left:
            if self.here not in left:
                self.go_on(left)
            name = self.here
            if name not in left:
                continue
            left.remove(name)
            if name == CUP:
                self.page.get_by_role("button", name="Sign: Answer the call").click()
                self.page.get_by_text("You have answered call").wait_for()
                continue
            self.page.locator("header .game h2", has_text=name).wait_for()
            button = self.page.locator("footer .send")
            while (
                step := button.get_attribute("id")
            ) != "seal":  # to the orders; a game's new secrets are saved
                button.click()
                self.page.locator(f"footer .send:not(#{step})").wait_for()
            if (card := self.page.locator(".hand .card")).count():
                card.first.click()
                self.page.locator(".order").first.wait_for()
            self.sent += 1
            button.press("Enter")  # counted as a tap; a click would be the second of two, which sends nothing
            self.page.locator(".banner:not([data-state=draft], [data-state=invited])").wait_for()


class Fortnight:
    """The club, its two players, and what alice is told."""

    def __init__(
        self, folder: Path, games: int, way: str, port: int, page: str = "https://page.example/"
    ) -> None:
        self.way, self.random = way, Random(52)
        self.now = Clock(datetime.now(UTC).replace(hour=1, minute=1, second=0, microsecond=0) + timedelta(1))
        self.titles = dict(list(GAMES.items())[:games])
        self.path, self.mails = folder / "club", folder / "mails"
        self.box = ServedBox(self.path / "box", port, program=("-c", BOX))
        club = create_club(self.path, "test", clock=self.now)
        told = {
            "page": page,
            "zeros": "0" * 64,
            "url": self.box.url,
            "mails": WAYS[way][0],
            "folder": self.mails,
        }
        (self.path / "club.toml").write_text(CLUB.format(**told))
        (self.path / "notify").mkdir()
        mailbox.Maildir(self.mails)
        homes = {name: Home(folder / name) for name in (ALICE, BOB)}
        for name, home in homes.items():
            has_mail = name == ALICE and way != PUSH
            club.add_player(name, home.keygen(name), f"{name}@example.org" if has_mail else "")
        self.judge = club.key.public.fingerprint
        for game, title in self.titles.items():
            found = load(title)
            options = dict(found.excerpt or {})
            seats = zip(found.rules.sides(found.rules.checked(options)), homes.items(), strict=True)
            joins = {
                side: read_join(home.join(game, player=name, judge=self.judge))
                for side, (name, home) in seats
            }
            new_game(club, game, title, options, joins)
        until = utc_text(self.now() + timedelta(days=1)).encode()
        file = file_of("swiss", more="[rhythm]\ndays = 2\n").replace(b"2027-01-31T20:00:00Z", until)
        self.cup = begin_league(club, file).season.genesis_head
        club.store.close()
        self.service = PushService(folder / "service")
        self.key = make_push_key(self.path / "notify").public
        self.courier = Courier(self.path / "notify", self.service.delivery(), list[str]().append)
        self.alice, self.bob = (Program(home, self.box.url) for home in homes.values())
        self.days: list[Day] = []
        self.told: set[tuple[str, Fact]] = set()
        self.attached: Counter[str] = Counter()

    def begin(self) -> None:
        """Both have the letters of the box and enter the league, and alice chooses her way."""
        self.service.subscribe(self.key, self.key)
        self.run()
        self.box.start()
        for one in (self.alice, self.bob):
            one.fetch()
            words = ("--judge", self.judge, "--genesis", self.cup, "--out", str(one.home.path / "enter"))
            command(one.home, "league", "enter", "cup", "--as", one.home.path.name, *words)
            one.box.client().post((one.home.path / "enter").read_bytes())
        if wishes := WAYS[self.way][1]:
            self.alice.box.client().post(self.alice.home.profile(ALICE, judge=self.judge, hear=wishes))

    def run(self) -> None:
        """A pass of the judge and a round of the notifier."""
        write_file(make_folder(self.box.path) / ALIVE, Alive(time=self.now()).text)
        club = open_club(self.path, self.now)
        assert [line.text for line in Pass(club).run() if line.trouble] == []
        agendas = [one for one in read_agendas(club).values() if one.is_open]
        self.open = {(one.game, one.exchange): one for one in agendas}
        self.titles = {one.game: "hammer" for one in agendas} | self.titles
        call = load_league(club, "cup").season.call
        self.calls = dict.fromkeys(call.waiting, (CUP, call.number)) if call else {}
        facts = {*self.open, *self.calls.values()}
        self.near = {fact for fact in facts if club.store.note(f"reminded {fact[0]}") == str(fact[1])}
        club.store.close()
        self.courier.make_round()

    def due(self, name: str) -> set[Fact]:
        """What waits for somebody since the last pass."""
        found = {fact for fact, one in self.open.items() if one.waits_for_orders_of(name)}
        return found | ({self.calls[name]} if name in self.calls else set())

    def read_mails(self) -> list[str]:
        """The subjects of the mails that have come; no letter comes twice, and no subject twice at a time."""
        found = []
        for path in sorted((self.mails / "new").iterdir()):
            mail = email.message_from_bytes(path.read_bytes())
            self.attached.update(
                [
                    mail["Message-ID"],
                    *(name for one in mail.walk() if (name := str(one.get_filename())).endswith(".txt")),
                ]
            )
            found.append(" ".join(mail["Subject"].split()))
            path.unlink()
        assert [name for name, count in self.attached.items() if count > 1] == []
        assert len(found) == len(set(found)), found
        return found

    def is_told(self, day: Day) -> bool:
        """Whether alice hears of something now: once of each fact by each way."""
        due, mails, wakes = self.due(ALICE), self.read_mails(), len(self.service.woken)
        self.service.woken.clear()
        facts = {("open", fact) for fact in due} | {("near", fact) for fact in due & self.near}
        is_new, self.told = not facts <= self.told, self.told | facts
        assert wakes == (is_new and self.way == PUSH), (wakes, facts)
        assert self.service.refusals == []
        day.wakes, day.mails = day.wakes + wakes, day.mails + len(mails)
        return bool(wakes) or any(ARRIVED not in one for one in mails)

    def live(self, days: int, person_on: Callable[[int], Person]) -> None:
        """Alice looks when she is told, and sets every third exchange aside until the reminder."""
        for number in range(days):
            day, person = Day(), person_on(number)
            self.days.append(day)
            before = person.taps
            for hour in HOURS:
                self.now.now = self.now().replace(hour=hour)
                self.run()
                if self.is_told(day):
                    due = self.due(ALICE)
                    person.look(due)
                    now = {(name, at) for name, at in due if at % 3 or name == CUP or (name, at) in self.near}
                    person.answer(now, self.titles)
                    person.look(due - now)
                    day.looks, day.answers = day.looks + 1, day.answers + len(now)
                self.let_bob_play(number, hour)
            day.taps = person.taps - before
            sys.stdout.write(f"{number} {astuple(day)}\n")
            self.now.now += timedelta(1)

    def let_bob_play(self, day: int, hour: int) -> None:
        """Bob answers when a deadline is near, and sometimes before; each third day he writes."""
        self.bob.fetch()
        near = {fact for fact in self.due(BOB) & set(self.open) if self.left(fact) < timedelta(hours=6)}
        some = {fact for fact in sorted(self.due(BOB)) if self.random.random() < 0.15}
        self.bob.answer(near | some, self.titles)
        if day % 3 == 0 and hour == 12:
            text = self.bob.home.path / "says.txt"
            text.write_text(f"Day {day}: will you hold?\n")
            command(self.bob.home, "press", "g1", str(text), "--to", ALICE)

    def left(self, fact: Fact) -> timedelta:
        return parse_utc(self.open[fact].deadline) - self.now()

    def check(self) -> None:
        """Whatever was due has come in time; print what it cost."""
        club = open_club(self.path, self.now)
        closed = [
            (game, one.number, {entry.player for entry in one.received})
            for game in club.store.games()
            for one in club.book(game).history.exchanges
            if one.closed is not None and ALICE in one.seals
        ]
        calls = load_league(club, "cup").season.calls
        club.store.close()
        assert [row for row in closed if ALICE not in row[2]] == []
        assert [one.number for one in calls[:-1] if not one.received_of(ALICE)] == []
        rows = [f"{self.way}: {len(closed)} exchanges, {len(calls)} calls; {', '.join(Day.__annotations__)}"]
        rows.append(f"all {[sum(column) for column in zip(*map(astuple, self.days), strict=True)]}")
        sys.stdout.write("\n".join(rows) + "\n")


@contextmanager
def fortnight(*given: Any, **more: Any) -> Iterator[Fortnight]:
    """A story that has begun."""
    story = Fortnight(*given, **more)
    try:
        story.begin()
        yield story
    finally:
        story.box.stop(signal.SIGKILL)
        story.service.close()


def by_program(folder: Path, games: int, days: int, way: str) -> None:
    with fortnight(folder, games, way, free_port()) as story:
        if way == PUSH:
            push = f"https://{HOST}/wpush/v2/{story.key}"
            story.alice.box.client().post(story.alice.home.profile(ALICE, judge=story.judge, push=push))
        story.live(days, lambda _: story.alice)
        story.check()


@pytest.mark.ci
def test_three_days_of_digests(tmp_path: Path) -> None:
    by_program(tmp_path, 2, 3, DIGEST)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_fortnight_by_the_program(tmp_path: Path, way: str) -> None:
    by_program(tmp_path, 5, 14, way)


def by_pages(
    folder: Path, games: int, days: int, port: int, page: str, player: Player, by_list: bool = False
) -> None:
    """The first day on the telephone, the next at the desk, and so on in turn."""
    with fortnight(folder, games, PUSH, port, page) as story:
        home = folder / "home.zip"

        def on(**options: Any) -> OnPage:
            home.write_bytes(homefile.pack(story.alice.home.path))
            return OnPage(player(ALICE, **options), home, by_list)

        telephone = on(permissions=["notifications"], **TELEPHONE)
        telephone.be_woken()
        wait_for(lambda: len(waiting_posts(story.box.path)[0]) == 3, "two entries and an address")
        used = [telephone]

        def person_on(day: int) -> Person:
            if day:
                shutil.rmtree(story.alice.home.path)
                homefile.unpack(used[-1].saved(), story.alice.home.path)
                used[-1].page.close()
                used.append(on() if day % 2 else on(**TELEPHONE))
            return used[-1]

        story.live(days, person_on)
        story.check()


@pytest.mark.ci
def test_three_days_by_page_and_telephone(
    tmp_path: Path, box_port: int, box_page: str, player: Player
) -> None:
    by_pages(tmp_path, 2, 3, box_port, box_page, player)


@pytest.mark.ci
@pytest.mark.parametrize("by_list", [False, True], ids=["next game", "list of games"])
def test_a_fortnight_by_page_and_telephone(
    tmp_path: Path, box_port: int, box_page: str, player: Player, by_list: bool
) -> None:
    by_pages(tmp_path, 5, 14, box_port, box_page, player, by_list)
