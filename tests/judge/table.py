"""A club with one game and two players who have real keys, chains and a clock that stands still."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from pbem.judge.book import Book
from pbem.judge.club import Club, create_club, open_club
from pbem.judge.intake import desk
from pbem.judge.intake.player_files import Verdict
from pbem.judge.newgame import new_game
from pbem.titles import default_name, load
from pbem.trust import keys
from pbem.trust.act_entries import Consent, sign_consent
from pbem.trust.chance import Chain, Reveal, make_chain
from pbem.trust.entries import AFTER_CLOSE
from pbem.trust.fields import sign_fields
from pbem.trust.orderfile import LateReveal, OrderFile, Seen
from pbem.trust.player_statements import Absence, Join, read_join
from pbem.trust.rotations import KeyChange
from pbem.trust.sealing import to_armor
from tests.conftest import chance
from tests.judge.every_game import run_pass
from tests.judge.invariants import Watched
from tests.trust.sealed import orders_for, seal_late_reveal, seal_orders

GAME = "demo"
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
TITLE = load(default_name())
NAMES = ("alice", "bob", "carol", "dora", "emil")
SEATS = dict(zip(NAMES, reversed(TITLE.rules.sides({})), strict=False))


class Clock:
    """A clock that tests set."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += timedelta(days=days)


def join_of(game: str, name: str, key: keys.PrivateKey, anchor: str, **more: Any) -> Join:
    """What somebody hands in to take part in a game with their first chain."""
    wish = Join(game=game, player=name, key=key.public, anchor=Reveal(f"{name}.1", 0, anchor), **more)
    return read_join(sign_fields(wish, key))


@dataclass
class Person:
    """A player with a key and a chain."""

    name: str
    side: str
    key: keys.PrivateKey
    chain: Chain

    def join(self) -> Join:
        """What they hand in to take part."""
        return join_of(GAME, self.name, self.key, self.chain.anchor)


@dataclass
class Room:
    """A club and the clock that it goes by."""

    club: Club
    clock: Clock

    @classmethod
    def begun(cls, folder: Path, start: datetime = START, **options: Any) -> Self:
        """A club in this folder, as tests begin it."""
        clock = Clock(start)
        return cls(create_club(folder / "club", "test", clock=clock, **options), clock)

    def reopen(self) -> None:
        """Close the club and open it again, as another process would."""
        self.club.store.close()
        self.club = open_club(self.club.path, self.clock)


@dataclass
class Table(Room):
    """A room with people at a game."""

    people: dict[str, Person] = field(default_factory=dict)
    late: dict[str, bytes] = field(default_factory=dict)
    """Sealed orders that a test keeps back."""

    @property
    def book(self) -> Book:
        """The game's ledger, to be looked at."""
        return self.club.book(GAME)

    @property
    def exchange(self) -> int:
        """The open exchange."""
        current = self.book.history.current
        assert current is not None
        return current.number

    def key_change(self, player: str, new: keys.PublicKey, **more: Any) -> KeyChange:
        """What is signed about a new key of a player's, from the open exchange on unless it names another."""
        return KeyChange(
            **{
                "game": GAME,
                "genesis": self.genesis,
                "player": player,
                "exchange": self.exchange,
                "old": self.people[player].key.public.fingerprint,
                "new": new.line,
                **more,
            }
        )

    @property
    def deadline(self) -> datetime:
        """When the open exchange ends."""
        current = self.book.history.current
        assert current is not None
        assert current.deadline is not None
        return current.deadline

    @property
    def is_after_close(self) -> bool:
        """Are reveals sent when an exchange is closed (protocol 20)?"""
        return self.book.history.genesis.mode == AFTER_CLOSE

    @property
    def genesis(self) -> str:
        """The head of the game's first entry, by which consents name it."""
        return str(self.book.head_at(1))

    def order_file(self, name: str, body: str = "", **changed: object) -> OrderFile:
        """What a player's program would sign now; `changed` replaces parts of it."""
        chain = None if self.is_after_close else self.people[name].chain
        return orders_for(self.book, name, chain, self.exchange, **{"body": body, **changed})

    def sealed(self, name: str, body: str = "", **changed: object) -> bytes:
        """An order file as it leaves the player: signed, sealed, armored."""
        return to_armor(seal_orders(self.order_file(name, body, **changed), self.people[name].key)).encode()

    def sealed_reveal(self, name: str, step: int = 0) -> bytes:
        """A player's reveal of the exchange that was closed (after-close), as it leaves them."""
        book, person = self.book, self.people[name]
        exchange = book.history.current
        assert exchange is not None
        number, size = step or exchange.number, exchange.closed_at or book.size
        late = LateReveal(
            game=GAME,
            exchange=exchange.number,
            player=name,
            seen=Seen(size, book.head_at(size) or ""),
            reveal=Reveal(f"{name}.1", number, person.chain.reveal(number)),
        )
        return to_armor(seal_late_reveal(late, person.key, exchange.seals[name])).encode()

    def consent(
        self, to: str, by: str = "bob", key: keys.PrivateKey | None = None, **changed: object
    ) -> bytes:
        """A signed consent, by default as its writer's own program makes it; `changed` replaces parts."""
        parts = {"game": GAME, "genesis": self.genesis, "seen": (self.book.size, self.book.head), "by": by}
        said = Consent(**{**parts, "exchange": self.exchange, "to": to, **changed})  # type: ignore[arg-type]
        return sign_consent(said, key or self.people[by].key)

    def absence(
        self, first: date, last: date, name: str = "alice", key: keys.PrivateKey | None = None
    ) -> bytes:
        """Somebody says, signed, that they are away on these days."""
        judge = self.club.key.public.fingerprint
        said = Absence(player=name, judge=judge, begins=first, ends=last, made=self.clock())
        return sign_fields(said, key or self.people[name].key)

    def send(self, name: str, body: str = "", **changed: object) -> list[Verdict]:
        """Hand in a player's orders."""
        return desk.submit(self.club, self.sealed(name, body, **changed))

    def go(self, exchanges: int = 1, body: str = "") -> None:
        """Play exchanges in which everybody sends `body`; then nothing is wrong with the club's folder."""
        for _ in range(exchanges):
            for name in self.people:
                (verdict,) = self.send(name, body)
                assert verdict.is_accepted, verdict.text
            run_pass(self.club)
        Watched(self.club.path).look()

    def copied(self, folder: Path) -> Table:
        """A copy of the closed club, to be gone on with."""
        shutil.copytree(self.club.path, folder / "club")
        is_the_same(folder / "club")
        clock = Clock(self.clock())
        people = {name: replace(person) for name, person in self.people.items()}
        return Table(open_club(folder / "club", clock), clock, people)

    def ledger(self) -> list[bytes]:
        """The text of every entry."""
        return [row.text for row in self.club.store.entries(GAME)]


def make_table(folder: Path, mode: str = "with-orders", title: str = TITLE.name, **options: object) -> Table:
    """A club with the game `demo`, exchange 1 open: made once for each choice of options, then copied."""
    made, people = _made(mode, title, tuple(options.items()))
    shutil.copytree(made.name, folder / "club")
    clock = Clock()
    table = Table(open_club(folder / "club", clock), clock)
    table.people = {person.name: replace(person) for person in people}
    return table


def make_own_table(folder: Path) -> Table:
    """The same, made by whoever asks: all its secrets are theirs."""
    clock = Clock()
    club = create_club(folder / "club", "test", clock=clock)
    people = enrolled(club, tuple(reversed(TITLE.rules.sides({}))))
    new_game(club, GAME, TITLE.name, dict(TITLE.excerpt or {}), {one.side: one.join() for one in people})
    return Table(club, clock, {one.name: one for one in people})


def copy_of_disk(folder: Path, target: Path) -> None:
    """Copy a club's folder as a copy of its whole disk does: its file `identity` is the same as ever."""
    shutil.copytree(folder, target)
    is_the_same(target)


def is_the_same(target: Path) -> None:
    """Let the copy of a club's folder pass for the folder itself, as each test has its own."""
    store = open_club(target).store
    if name := store.note("identity").partition(" ")[0]:
        with store.step():
            store.put_note("identity", f"{name} {(target / 'identity').stat().st_ino}")
    store.close()


def enrolled(
    club: Club, sides: Sequence[str], key_of: Callable[[str], keys.PrivateKey] = keys.generate
) -> list[Person]:
    """A player for each side, whom the club knows."""
    people = []
    for number, (name, side) in enumerate(zip(NAMES, sides, strict=False), 1):
        chain = make_chain(GAME, f"{name}.1", bytes([number]) * 32)
        people.append(Person(name, side, key_of(name), chain))
        club.add_player(name, people[-1].key.public, f"{name}@example.org")
    return people


@lru_cache
def _made(
    mode: str, name: str, options: tuple[tuple[str, object], ...]
) -> tuple[tempfile.TemporaryDirectory[str], list[Person]]:
    """The folder of such a club, and its people."""
    folder, title = tempfile.TemporaryDirectory(), load(name)
    with chance.of(f"{mode} {options}"):
        club = create_club(Path(folder.name), "test", clock=Clock())
    people = enrolled(club, tuple(reversed(title.rules.sides(title.rules.checked(dict(options))))))
    seats = {person.side: person.join() for person in people}
    new_game(club, GAME, title.name, {**(title.excerpt or {}), **dict(options)}, seats, mode)
    club.store.close()
    return folder, people
