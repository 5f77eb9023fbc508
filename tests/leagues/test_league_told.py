"""Leagues from their entries on: what the judge does, writes to whom, enters and shows, whole, day by day."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.audit.leagues import audit_league
from pbem.judge.agenda import read_agendas
from pbem.judge.leagues import display
from pbem.judge.leagues.status import send_digests, waiting_decisions
from pbem.leagues.results_table import view
from pbem.leagues.statements import WITHDRAW
from tests import conftest
from tests.kept import Telling, as_kept, plain
from tests.leagues.world import by_name, file_of, files_of, make_world

GOLDEN = Path(__file__).parent / "golden"
MAIL = {"mail": {"address": "judge@club.example", "outbox": {"host": "127.0.0.1"}}}
PEOPLE = ("ann", "ben", "cat", "dan", "eve")
FILES = {
    "swiss": file_of("swiss", rounds="count = 2\ndays = 40\nwarn_days = 10", waits=(1, 7, 3)),
    "knockout": file_of("knockout", rounds="days = 30", waits=(0, 7, 2)),
    "sections": file_of("sections", rounds="days = 60", waits=(2, 5, 2)),
    "ladder": file_of("ladder", rounds="count = 2\ndays = 30", waits=(0, 3, 0)),
}


class Told:
    """A league, and what has been told of it."""

    def __init__(self, folder: Path, file: bytes) -> None:
        self.world, self.telling = make_world(folder, file, ("ann", "ben", "dora")), Telling()
        self.letters = self.entries = 0
        self.answered: set[tuple[int, str]] = set()

    def answers(self, *silent: str) -> None:
        """All others whom the open call asks answer it, if there is one."""
        call = self.world.book.season.call
        if call is not None:
            asked = [one for one in call.asked if (call.number, one) not in self.answered]
            self.answered |= {(call.number, one) for one in asked}
            self.world.answer(one for one in asked if one not in silent)

    def day(self, heading: str, days: float = 0.0) -> None:
        """The judge looks so many days later."""
        world, telling = self.world, self.telling
        world.later(days)
        done = world.run()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(world.club, "settings", MAIL)
            done += send_digests(world.club)
        telling.add(heading, [plain(str(one)) for one in done])
        season = world.book.season
        lines = [display.headline(season), *display.standings(season), *display.substitutes(season)]
        agendas = read_agendas(world.club)
        lines += [f"{name}: {one}" for name in PEOPLE for one in display.games_of(season, name, agendas)]
        telling.add("news", [*view(season).news, *view(season).dates])
        telling.add("shown", [*lines, *display.bracket(season), *map(str, waiting_decisions(world.club))])
        for letter in world.club.store.letters():
            if letter.id > self.letters and letter.name.startswith("league."):
                telling.add(f"{letter.name} to {letter.player}", plain(letter.text).split("\n"))
            self.letters = max(self.letters, letter.id)
        for entry in world.book.entries[self.entries :]:
            telling.add("entered", plain(entry.text.decode()).split("\n"))
        self.entries = len(world.book.entries)


def a_season(told: Told) -> None:
    """Five enter; one is silent, one leaves, one appeals; somebody takes a place."""
    world = told.world
    told.day("begun")
    world.enter(*PEOPLE[:3])
    world.enter(*PEOPLE[3:], rating=1600)
    told.day("entered", 1)
    told.day("called", 30)
    told.answers("eve")
    told.day("answered", 1)
    told.day("the call is over", 5)
    for number in range(1, 4):
        told.answers()
        told.day(f"seated {number}", 1)
        told.answers()
        told.day(f"seated {number} and asked again", 6)
        if number == 1:
            world.say("dan", WITHDRAW)
            world.substitute("fay")
            told.day("dan has left, fay offers to play", 1)
        world.play(world.open_pairs()[:number], by_name)
        told.day(f"played {number}", 8)
        told.day(f"later {number}", 26)


@pytest.mark.ci(but=("ladder", "swiss"))
@pytest.mark.parametrize("form", FILES)
def test_a_league_is_told_as_it_was(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "CHANCE", "")  # else the dice would be others
    with conftest.chance.of("a league"):
        told = Told(tmp_path, FILES[form])
        a_season(told)
    told.telling.add("audit", [plain(str(row)) for row in audit_league(files_of(told.world)).rows])
    told.world.club.store.close()
    as_kept(GOLDEN / f"{form}.txt", str(told.telling))
