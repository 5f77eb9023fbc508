"""A fortnight of somebody with five games, a league and messages: they look only when they are told.

The judge's clock is the story's. Its passes, the box, the notifier and the push service are real; opponents
answer as bots do. Whoever waits in vain to be told misses a deadline, which the ledgers show.
"""

from __future__ import annotations

import email
import mailbox
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from pbem.box.folder import ALIVE, Alive, make_folder, write_file
from pbem.judge.agenda import read_agendas
from pbem.judge.club import create_club, open_club
from pbem.judge.leagues.book import begin_league, load_league
from pbem.judge.newgame import new_game
from pbem.notify.courier import Courier
from pbem.notify.push import make_push_key
from pbem.player import Home
from pbem.player.box_client import HomeBox, fetch_letters, take_fetched
from pbem.reports.packing import unpack_view
from pbem.service.one_pass import Pass
from pbem.titles import load
from pbem.trust.joins import read_join
from pbem.trust.times import utc_text
from pbem.web.api import Api
from tests.box.served import ServedBox, free_port
from tests.box.test_round_trip import command
from tests.judge.table import Clock
from tests.leagues.world import file_of
from tests.notify.push_service import PushService
from tests.web.table import bot_orders

ALICE, BOB, CUP = "alice", "bob", "league.cup"
HOURS = (2, 8, 12, 16, 18, 20)
"""When the judge makes a pass; it is a minute later."""
GAMES = {"g1": "hammer", "g2": "first-war", "g3": "lords", "g4": "hammer", "g5": "first-war"}
BOX = """
import sys
from pbem.box import quotas, server
from pbem.cli import main
server.HEARTBEAT_SECONDS = 1e9  # the story shows that it runs, by the story's clock
quotas.KEY_PER_HOUR = quotas.ASKS_PER_MINUTE = 10_000  # a fortnight takes a minute here
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
[box]
url = "{url}"
[notify]
contact = "mailto:gm@club.example"
[mail]
address = "judge@club.example"
[mail.outbox]
maildir = "{mails}"
"""
MAILED = "game={0},league={0},message={0},reminder=now"
WAYS: dict[str, dict[str, str]] = {"mail": {}, "push": {"hear": "game=now"}, "digest": {"hear": MAILED.format("digest")}}
ASKED = ("draft", "sealed", "to be sent", "refused", "late", "trouble")
Fact = tuple[str, int]
"""A game or league, and its exchange or call."""


@dataclass
class Day:
    """What one day costs."""

    looks: int = 0
    answers: int = 0
    wakes: int = 0
    mails: int = 0
    taps: int = 0


class Program:
    """Alice at the command line: her home and the box."""

    def __init__(self, home: Home, box: ServedBox) -> None:
        self.home, self.box = home, HomeBox(home, box.url, home.path.name)

    def fetch(self) -> None:
        """Take in what lies in the box."""
        fetch_letters(self.box)
        for delivery, _ in take_fetched(self.box):
            assert delivery.faults == ()

    def due(self) -> int:
        """How many games and leagues wait, by what the page is told."""
        api = Api(self.home.path)
        games = [one for one in api.standing().games if one.state in ASKED]
        return len(games) + len([one for one in api.leagues() if one.asked])

    def answer(self, game: str, title: str) -> None:
        """Send what the best bot would, or the answer to a league's call."""
        if game == CUP:
            sealed = self.home.league("cup").reply()
        else:
            text, (line,) = self.home.last_report(game), [one for one in self.home.games() if one.game == game]
            orders = bot_orders(title, line.side or "", unpack_view(text) if text else None)
            sealed = self.home.seal(orders or None, game=game).armor.encode()
        self.box.client().post(sealed)


class Fortnight:
    """The club, its two players, and what alice is told."""

    def __init__(self, folder: Path, games: int, way: str, port: int) -> None:
        self.folder, self.way, self.random = folder, way, Random(52)
        self.now = Clock(datetime.now(UTC).replace(hour=1, minute=1, second=0, microsecond=0) + timedelta(1))
        self.titles = dict(list(GAMES.items())[:games])
        self.path, self.mails = folder / "club", folder / "mails"
        self.box = ServedBox(self.path / "box", port, program=("-c", BOX))
        club = create_club(self.path, "test", clock=self.now)
        (self.path / "club.toml").write_text(CLUB.format(url=self.box.url, mails=self.mails))
        (self.path / "notify").mkdir()
        mailbox.Maildir(self.mails)
        homes = {name: Home(folder / name) for name in (ALICE, BOB)}
        for name, home in homes.items():
            club.add_player(name, home.keygen(name), f"{name}@example.org" if name == BOB or way != "push" else "")
        for game, title in self.titles.items():
            found = load(title)
            options = dict(found.excerpt or {})
            sides = found.rules.sides(found.rules.checked(options))
            joins = {
                side: read_join(home.join(game, player=name, judge=club.key.public.fingerprint))
                for side, (name, home) in zip(sides, homes.items(), strict=True)
            }
            new_game(club, game, title, options, joins)
        until = utc_text(self.now() + timedelta(days=1))
        cup = begin_league(club, file_of("swiss", more="[rhythm]\ndays = 2\n").replace(b"2027-01-31T20:00:00Z", until.encode()))
        self.judge, self.cup = club.key.public.fingerprint, cup.season.genesis_head
        club.store.close()
        self.service = PushService(folder / "service")
        self.key = make_push_key(self.path / "notify").public
        self.courier = Courier(self.path / "notify", self.service.delivery(), list[str]().append)
        self.alice, self.bob = (Program(home, self.box) for home in homes.values())
        self.days: list[Day] = []
        self.heard: set[Fact] = set()
        self.reminded: set[Fact] = set()

    def begin(self) -> None:
        """Both have the letters of the box, the league's entry is signed, and alice has chosen her way."""
        make_folder(self.box.path)
        self.run()
        self.box.start()
        for one in (self.alice, self.bob):
            one.fetch()
            words = ("--judge", self.judge, "--genesis", self.cup, "--out", str(out := one.home.path / "enter"))
            command(one.home, "league", "enter", "cup", "--as", one.home.path.name, *words)
            one.box.client().post(out.read_bytes())
        if wishes := WAYS[self.way]:
            if self.way == "push":
                wishes["push"] = self.service.subscribe(self.key, self.key)
            self.alice.box.client().post(self.alice.home.profile(ALICE, judge=self.judge, **wishes))

    def run(self) -> set[Fact]:
        """A pass of the judge and a round of the notifier: what waits for alice now."""
        write_file(make_folder(self.box.path) / ALIVE, Alive(time=self.now()).text)
        club = open_club(self.path, self.now)
        assert [line.text for line in Pass(club).run() if line.trouble] == []
        agendas = [one for one in read_agendas(club).values() if one.exchange and not one.closed]
        self.waiting = {(one.game, one.exchange): one for one in agendas}
        self.titles |= {one.game: "hammer" for one in agendas if one.game not in self.titles}
        self.near = {(one.game, one.exchange) for one in agendas if club.store.note(f"reminded {one.game}") == str(one.exchange)}
        call = load_league(club, "cup").season.call
        self.calls = {name: (CUP, call.number) for name in call.waiting} if call else {}
        club.store.close()
        self.courier.make_round()
        return self.due_of(ALICE)

    def due_of(self, name: str) -> set[Fact]:
        """What waits for somebody since the last pass."""
        found = {fact for fact, one in self.waiting.items() if name in one.senders}
        return found | ({self.calls[name]} if name in self.calls else set())

    def sent(self) -> list[str]:
        """The subjects of the mails that have come for alice."""
        found = []
        for path in sorted((self.mails / "new").iterdir()):
            mail = email.message_from_bytes(path.read_bytes())
            if mail["To"].startswith(ALICE):
                found.append(" ".join(mail["Subject"].split()))
            path.unlink()
        return found


@pytest.mark.parametrize("way", WAYS)
def test_fortnight(tmp_path: Path, way: str) -> None:
    story = Fortnight(tmp_path, 2, way, free_port())
    story.begin()
    for day in range(3):
        for hour in HOURS:
            story.now.now = story.now().replace(hour=hour)
            due = story.run()
            print(day, hour, due, story.near, len(story.service.woken), story.sent())
            story.alice.fetch()
            print("  ", story.alice.due(), len(due))
            story.bob.fetch()
            for one, name in ((story.alice, ALICE), (story.bob, BOB)):
                for game, number in story.due_of(name):
                    one.answer(game, story.titles.get(game, ""))
        story.now.now += timedelta(1)
    story.box.stop(9)
    story.service.close()
