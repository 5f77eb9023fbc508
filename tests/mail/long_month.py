"""A month of many games and a league by mail, and misfortunes one after the other, three at once at most.

    python -m tests.mail.long_month FOLDER SEED

Games of every title are played, and a league of eight, whose entries, answers to calls and orders come by
mail as well. What befalls the club is drawn by the seed, of all kinds there are.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.judge.book import Book
from pbem.judge.club import open_club
from pbem.judge.leagues.book import begin_league
from pbem.leagues.entries import Opened
from pbem.titles import load
from pbem.trust.sealing import sealed_name, to_armor
from tests.judge.invariants import Watched
from tests.judge.table import TITLE
from tests.leagues.world import World, by_name, chain_in, file_of, files_of, key_of
from tests.mail.habit_kinds import HABIT_KINDS
from tests.mail.misfortune_kinds import KINDS, LATER_KINDS, Misfortune
from tests.mail.misfortunes import Drawn, MoodyPost, Storm
from tests.mail.month import HAMMER, Game, Seat
from tests.mail.postal import mail
from tests.mail.servers import smtp_server
from tests.tools.measure_mails import GAMES as OPTIONS

DAYS, QUIET, LONGEST, AT_ONCE = 21, 6, 4, 3
"""The days of misfortune and those after them, how long one lasts, how many there are at once."""
TITLES = tuple(
    Game(name, dict(options), tuple(load(name).rules.sides(options)))
    for name, options in OPTIONS.items()
    if name != TITLE.name
)
GAMES = tuple(game for _ in range(5) for title in TITLES for game in (HAMMER, title))[:20]
"""Half of them of the title that tests begin with, the others of all other titles by turns."""
ENTRANTS = ("ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal")
FILE = file_of("swiss").replace(b"2027-01-31", b"2026-03-12")
ALL_KINDS = (*KINDS, *LATER_KINDS, *HABIT_KINDS)
ROUND_DAYS = 6


@dataclass
class Answered:
    """When an answer to a call reached the mailbox."""

    player: str
    call: int
    sealed: str
    at: datetime
    deadline: datetime | None


class DailyWatch(Watched):
    """Looks when it is told to do so, at each day's end, and not after each pass."""

    is_due = False

    def look(self, *, passed: bool = False) -> None:
        if self.is_due:
            super().look(passed=passed)


class LongMonth(Storm):
    """A club with games of every title and a league, which misfortunes befall for three weeks."""

    watched: DailyWatch

    days, quiet = DAYS, QUIET

    def __init__(
        self, folder: Path, post: MoodyPost, port: int, seed: int, kinds: Sequence[type[Misfortune]] = ()
    ) -> None:
        self.seed = seed
        self.books: dict[str, Book] = {}
        super().__init__(folder, post, port, seed, kinds or ALL_KINDS, GAMES)
        begin_league(self.table.club, FILE)
        self.watched = DailyWatch(folder / "club")
        self.entered: set[str] = set()
        self.answered: list[Answered] = []
        self.ended: dict[str, int] = {}
        self.day_number = 0

    def draw(self, kinds: Sequence[type[Misfortune]]) -> None:
        """Those of this month first, then others, each on days by chance on which there is room.

        Three seeds that follow one another, from one that three divides, draw every kind.
        """
        third, part = divmod(self.seed, 3)
        order = random.Random(third).sample(kinds, len(kinds))
        chance = random.Random(self.seed)
        for kind in (*order[part::3], *chance.sample(order, len(order))):
            if any(type(one.misfortune) is kind for one in self.drawn):
                continue
            days = [(first, first + chance.randrange(1, LONGEST + 1)) for first in range(1, DAYS - 1)]
            chance.shuffle(days)
            for first, last in days:
                if last < DAYS and self._has_room(kind, first, last):
                    self.drawn.append(Drawn(kind(), first, last))
                    break

    def _has_room(self, kind: type[Misfortune], first: int, last: int) -> bool:
        for day in range(first, last + 1):
            now = [one.misfortune for one in self.drawn if one.first <= day <= one.last]
            if len(now) >= AT_ONCE or (kind.is_of_folder and any(one.is_of_folder for one in now)):
                return False
        return True

    def day(self) -> None:
        self.day_number += 1
        super().day()
        self.watched.is_due = True
        self.watched.look()
        self.watched.is_due = False

    def run(self, **options: object) -> None:
        self.books.clear()
        super().run(**options)
        self.books.clear()

    def ledger(self, game: str) -> Book:
        """A game's ledger, read once between two passes."""
        if game not in self.books:
            self.books[game] = super().ledger(game)
        return self.books[game]

    def play(self) -> None:
        if (self.folder / "club" / "club.db").exists():
            self._play_league()
        super().play()

    def order(self, seat: Seat, number: int) -> None:
        exchanges = self.ledger(seat.game).history.exchanges
        if number <= len(exchanges) and seat.name in exchanges[number - 1].seals:
            super().order(seat, number)
        else:
            seat.sent[number] = ""  # the game is over, or nothing is asked of them

    def _play_league(self) -> None:
        club = open_club(self.table.club.path, self.clock)
        try:
            world = World(club, self.clock)
            season = world.book.season
            for name in ENTRANTS:
                if name not in self.entered and season.call is None and self.random.random() < 0.6:
                    self.entered.add(name)
                    self.box.deliver(mail(world.entry(name), f"{name}@example.org", Subject="league.cup"))
            if season.call is not None:
                self._answer(world)
            known = {seat.game for seat in self.seats}
            for entry in world.book.entries:
                if isinstance(entry, Opened) and entry.game not in known:
                    genesis = club.book(entry.game).history.genesis
                    self.seats += [
                        Seat(entry.game, one.name, one.side, key_of(one.name), chain_in(genesis, one.name))
                        for one in genesis.players
                    ]
                    self.ended[entry.game] = self.day_number + ROUND_DAYS
            self._end_games(world)
        finally:
            club.store.close()

    def _answer(self, world: World) -> None:
        call = world.book.season.call
        assert call is not None
        done = {(one.player, one.call) for one in self.answered}
        for name in call.asked:
            if (name, call.number) not in done and self.random.random() < 0.6:
                sealed = world.reply(name)
                self.answered.append(
                    Answered(name, call.number, sealed_name(sealed), self.clock(), call.opened.deadline)
                )
                self.box.deliver(mail(to_armor(sealed), f"{name}@example.org", Subject="league.cup"))

    def _end_games(self, world: World) -> None:
        """Its games end by concession, as the director enters it when they are at the machine."""
        if any(one.is_of_folder for one in self.on):
            return
        for pair in world.open_pairs():
            if self.ended.get(pair.game, self.day_number + 1) <= self.day_number:
                world.play([pair], by_name)
                self.books.clear()

    def check(self) -> None:
        super().check()
        club = open_club(self.table.club.path, self.clock)
        world = World(club, self.clock)
        season = world.book.season
        assert set(season.members) <= set(ENTRANTS)
        for one in self.answered:
            call = season.calls[one.call - 1]
            if one.deadline is None or one.at <= one.deadline:
                received = {entry.sealed for entry in call.received}
                assert one.sealed in received, f"{one.player}, call {one.call}: in time"
        wrong = [str(row) for row in audit_league(files_of(world)).rows if row.state is State.REFUTED]
        assert not wrong, f"the league is refuted: {wrong}"
        club.store.close()

    @property
    def summary(self) -> str:
        """What the month was, in figures."""
        club = open_club(self.table.club.path, self.clock)
        letters = sum(bool(one.sent) for one in club.store.letters())
        games = club.store.games()
        exchanges = sum(len(club.book(game).history.resolved) for game in games)
        rounds = len(World(club, self.clock).book.season.rounds)
        club.store.close()
        orders = sum(bool(name) for seat in self.seats for name in seat.sent.values())
        return (
            f"{len(self.drawn)} misfortunes, {len(games)} games, {exchanges} exchanges, {orders} orders, "
            f"{len(self.answered)} answers to calls, {rounds} rounds, {self.passes} passes, {letters} letters"
        )


def live(folder: Path, seed: int, kinds: Sequence[type[Misfortune]] = ()) -> LongMonth:
    """A month is lived through, and looked at."""
    post = MoodyPost(folder / "post")
    with smtp_server(post) as port:
        month = LongMonth(folder, post, port, seed, kinds)
        try:
            month.live()
            month.check()
        except Exception as fault:
            fault.add_note(f"seed {seed}, day {month.day_number}: {', '.join(month.names)}")
            raise
    return month


def main(folder: Path, seed: int) -> None:
    """Print what the month was, when it is over."""
    folder.mkdir(parents=True, exist_ok=True)
    began, processor = time.time(), time.process_time()
    month = live(folder, seed)
    spent = f"{time.time() - began:.0f} s, {time.process_time() - processor:.0f} s of the processor"
    sys.stdout.write(f"seed {seed}: {month.summary}; {spent}\n{', '.join(month.names)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
