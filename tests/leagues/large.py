"""A league of very many entrants, through the judge's real ledger, desk, letters and audit; with figures.

    python -m tests.leagues.large 2000 9

Entries, replies, draws, pairings, results and letters go through the judge's own functions; no letter leaves.
A reply comes from its player's address, as a mail does.
What is left out: the games themselves, whose ends are a model's. One in ten entrants leaves each call
unanswered, and one in fifty says that they are absent in the next round.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from time import process_time

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.leagues import audit_league
from pbem.judge.intake.desk import open_desk, take_sealed
from pbem.judge.leagues import steps
from pbem.judge.leagues.book import LeagueBook
from pbem.judge.leagues.desk import take_statement
from pbem.judge.leagues.export import export
from pbem.leagues.entries import Opened
from pbem.leagues.scheduler import CloseCall, GameFacts, OpenCall, next_act
from pbem.leagues.statements import ABSENT
from tests.benchmarks.bench_audit import memory
from tests.leagues.world import World, file_of, key_of, make_world


class Games:
    """Every game is over as soon as it is opened; the first by name wins."""

    def __init__(self, book: LeagueBook) -> None:
        self.book = book

    def ended_game(self, game: str) -> GameFacts | None:
        """What came of a game."""
        opened = self._opened(game)
        first = min(seat.player for seat in opened.seats)
        places = tuple((seat.player, 1 if seat.player == first else 2) for seat in opened.seats)
        return GameFacts(size=1, head=opened.head, places=places)

    def seated_people(self, game: str) -> None:
        """Who sits in it: nobody has left."""

    def _opened(self, game: str) -> Opened:
        return self.book.season.rounds[-1].opened_games[int(game.rpartition("-")[2])]

    def counted_game(self, game: str, count: str) -> GameFacts | None:
        """Nobody counts."""
        return None


@dataclass
class Figures:
    """What took how much of the processor."""

    spent: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """The time in here counts for this."""
        at = process_time()
        yield
        self.spent[what].append(process_time() - at)

    def show(self) -> None:
        """Each in a line: how often, the longest, and the mean."""
        for what, times in self.spent.items():
            mean = sum(times) / len(times)
            rate = f"{1 / mean:.0f} a second"
            print(f"{what}: {len(times)} times, {max(times):.3f} s at most, {mean:.4f} s in the mean, {rate}")


def answer(world: World, random: Random, figures: Figures) -> None:
    """Nine of ten answer the open call, in no order."""
    book = world.book
    call = book.season.call
    assert call is not None
    files = [(player, world.reply(player, book=book)) for player in call.asked if random.random() < 0.9]
    random.shuffle(files)
    desk = open_desk(world.club)
    for player, file in files:
        with figures.of(f"a reply to a call for {call.purpose.what}"), world.club.store.step():
            assert take_sealed(desk, file, desk.search((), (player,))).is_accepted


KINDS = {OpenCall: "opening a call", CloseCall: "closing a call"}


def run(world: World, figures: Figures) -> None:
    """Whatever is due."""
    book = world.book
    while (act := next_act(book.season, world.clock(), Games(book))) is not None:
        what = KINDS.get(type(act), type(act).__name__)
        if isinstance(act, OpenCall | CloseCall):
            purpose = act.purpose if isinstance(act, OpenCall) else book.season.calls[-1].purpose
            what += f" for {purpose.what}"
        with figures.of(what), world.club.store.step():
            steps.do(book, act, world.clock())


def play(world: World, entrants: int, figures: Figures, seed: int = 1) -> None:
    """The whole season."""
    random, names = Random(seed), [f"player-{number:04}" for number in range(entrants)]
    for name in names:
        data = world.entry(name)
        key_of(name)
        with figures.of("an entry"):
            take_statement(world.club, data, f"{name}@club.example")
    world.later(31)
    while not world.book.season.is_over:
        run(world, figures)
        if world.book.season.call is not None:
            answer(world, random, figures)
            world.later(8)
            run(world, figures)
        if world.book.season.rounds and not world.book.season.is_over:
            number = len(world.book.season.rounds) + 1
            for name in random.sample(names, entrants // 50):
                data = world.statement(name, ABSENT, rounds=(number, number))
                with figures.of("an absence"):
                    take_statement(world.club, data)
                world.later(0.000_02)
            world.later(1)


def modelled(patch: pytest.MonkeyPatch) -> None:
    """Games are a model's, with the heads of their names."""
    patch.setattr(steps, "open_game", lambda _, game, *__: sha256(game.encode()).hexdigest())
    patch.setattr(steps, "stop_game", lambda *_: None)


def sizes(world: World) -> None:
    """What takes room in the club's folder, by its tables."""
    rows = world.club.store.db.conn.execute(
        "SELECT name, sum(pgsize) AS size FROM dbstat GROUP BY name ORDER BY size DESC LIMIT 8"
    )
    print("in the database, MB: " + ", ".join(f"{row[0]} {row[1] / 1e6:,.1f}" for row in rows))


def measured(folder: Path, entrants: int, rounds: int) -> int:
    """Play, export and audit; print figures. The audit's status."""
    file = file_of("swiss", rounds=f"count = {rounds}\ndays = 30", entries=f"most = {entrants}")
    world, figures = make_world(folder, file), Figures()
    world.club.store.db.conn.execute("PRAGMA synchronous = OFF")
    with closing(world.club.store):
        play(world, entrants, figures)
        played, book = process_time(), world.book
        export(world.club, "cup", folder / "bundle")
        exported, most = process_time(), book.file.limits
        sizes(world)
    files = read_bundle(folder / "bundle")
    findings = audit_league(files)
    audited, size = process_time(), sum(map(len, files.known_files.values()))
    print(f"{entrants} entrants, {rounds} rounds: {book.size:,} entries; status {findings.status}")
    print(
        f"the bundle: {len(files.known_files):,} files of {most.files:,}, {size:,} bytes of {most.size:,} "
        f"({size / most.size:.1%} of its limit)"
    )
    print(
        f"processor time: exported {exported - played:.0f} s, "
        f"audited {audited - exported:.0f} s; most memory of an audit {memory(folder / 'bundle'):,.0f} MB"
    )
    figures.show()
    for row in findings.rows:
        print(row)
    return findings.status


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        modelled(patch)
        sys.exit(measured(Path(scratch), int(sys.argv[1]), int(sys.argv[2])))
