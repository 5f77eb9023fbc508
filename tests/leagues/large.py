"""A league of very many entrants, through the judge's real ledger, exporter and audit; with figures.

    python -m tests.leagues.large 2000 9

Entries, files of calls, draws, pairings, seats and results stand in a real ledger, sealed and signed. What is
left out: letters (each entrant would be sent the ledger), and the games themselves, whose ends are a model's.
One in ten entrants leaves each call unanswered, and one in fifty says that they are absent in the next round.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random
from time import process_time

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.leagues import audit_league
from pbem.judge.leagues import steps
from pbem.judge.leagues.book import LeagueBook
from pbem.judge.leagues.export import export
from pbem.leagues.due import GameFacts, next_act
from pbem.leagues.entries import Opened, Said
from pbem.leagues.statements import ABSENT, read_statement
from pbem.trust.entries import Received
from pbem.trust.sealing import sealed_name
from tests.leagues.world import World, file_of, key_of, make_world


class Games:
    """Every game is over as soon as it is opened; the first by name wins."""

    def __init__(self, book: LeagueBook) -> None:
        self.book = book

    def ended(self, game: str) -> GameFacts | None:
        """What came of a game."""
        opened = self._opened(game)
        first = min(seat.player for seat in opened.seats)
        places = tuple((seat.player, 1 if seat.player == first else 2) for seat in opened.seats)
        return GameFacts(size=1, head=opened.head, places=places)

    def _opened(self, game: str) -> Opened:
        return self.book.season.rounds[-1].opened[int(game.rpartition("-")[2])]

    def counted(self, game: str, count: str) -> GameFacts | None:
        """Nobody counts."""
        return None


def said(world: World, book: LeagueBook, data: bytes) -> None:
    """What the desk does with something said."""
    signed = read_statement(data)
    world.club.store.add_sealed(signed.statement.sha256, signed.body + signed.armor)
    book.append(Said.of(signed.statement, world.clock()))


def answer(world: World, book: LeagueBook, random: Random) -> None:
    """Nine of ten answer the open call; what the desk does with each file."""
    call = book.season.call
    assert call is not None
    for player in call.asked:
        if random.random() < 0.9:
            file = world.reply(player, book=book)
            world.club.store.add_sealed(sealed_name(file), file)
            name = sealed_name(file)
            book.append(Received(exchange=call.number, player=player, rev=1, sealed=name, at=world.clock()))


def run(world: World, book: LeagueBook) -> None:
    """Whatever is due."""
    while (act := next_act(book.season, world.clock(), Games(book))) is not None:
        steps.do(book, act, world.clock())


def play(world: World, entrants: int, seed: int = 1) -> None:
    """The whole season."""
    random, names, book = Random(seed), [f"player-{number:04}" for number in range(entrants)], world.book
    with world.club.store.step():
        for name in names:
            world.club.add_player(name, key_of(name).public)
            said(world, book, world.entry(name))
        book.sign()
    world.later(31)
    while not book.season.over:
        with world.club.store.step():
            run(world, book)
            if book.season.call is not None:
                answer(world, book, random)
                world.later(8)
                run(world, book)
            if book.season.rounds and not book.season.over:
                number = len(book.season.rounds) + 1
                for name in random.sample(names, entrants // 50):
                    said(world, book, world.statement(name, ABSENT, rounds=(number, number)))
                    world.later(0.000_02)
                book.sign()
                world.later(1)


def without_letters(patch: pytest.MonkeyPatch) -> None:
    """Heads are signed where letters would go out; games have the heads of their names."""
    patch.setattr(steps, "tell", lambda book, *_: book.sign())
    patch.setattr(steps, "open_game", lambda _, game, *__: sha256(game.encode()).hexdigest())
    patch.setattr(steps, "stop_game", lambda *_: None)


def measured(folder: Path, entrants: int, rounds: int) -> int:
    """Play, export and audit; print figures. The audit's status."""
    file = file_of("swiss", rounds=f"count = {rounds}\ndays = 30", entries=f"most = {entrants}")
    world = make_world(folder, file)
    world.club.store.db.conn.execute("PRAGMA synchronous = OFF")
    with closing(world.club.store):
        at = process_time()
        play(world, entrants)
        played, book = process_time(), world.book
        export(world.club, "cup", folder / "bundle")
        exported, most = process_time(), book.file.limits
    files = read_bundle(folder / "bundle")
    findings = audit_league(files)
    audited, size = process_time(), sum(map(len, files.known.values()))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000
    print(f"{entrants} entrants, {rounds} rounds: {book.size:,} entries; status {findings.status}")
    print(
        f"the bundle: {len(files.known):,} files of {most.files:,}, {size:,} bytes of {most.size:,} "
        f"({size / most.size:.1%} of its limit)"
    )
    print(
        f"processor time: played {played - at:.0f} s, exported {exported - played:.0f} s, "
        f"audited {audited - exported:.0f} s; most memory {memory:,.0f} MB"
    )
    for row in findings.rows:
        print(row)
    return findings.status


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        without_letters(patch)
        sys.exit(measured(Path(scratch), int(sys.argv[1]), int(sys.argv[2])))
