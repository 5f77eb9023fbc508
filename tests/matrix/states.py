"""The states of a game and of its club, and how many there are: a small real world for each cell."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, chdir, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from pbem.cli import main
from pbem.judge.acts import act
from pbem.judge.club import create_club, open_club
from pbem.judge.newgame import new_game
from pbem.judge.tables.store import Store
from pbem.judge.upkeep import backups
from pbem.judge.upkeep.folder_identity import take_over
from pbem.judge.upkeep.rebuilding import put_away
from pbem.mail.sessions import Answer, Folder
from pbem.service.forgetting import forget
from pbem.service.one_pass import Pass
from pbem.trust import keys
from pbem.trust.chance import Chain, make_chain
from tests.conftest import chance
from tests.judge.invariants import Watched
from tests.judge.table import GAME, TITLE, Clock, Person, Table, enrolled, is_the_same, join_of, make_table
from tests.leagues.world import file_of
from tests.mail.test_folders import make

ARCHIVE, LEAGUE = "archive@club.example", file_of("swiss")
SETTINGS = f"""name = "test"
days = 7
[mail]
address = "judge@club.example"
sent_to = "{ARCHIVE}"
[mail.inbox]
maildir = "../box"
[mail.outbox]
maildir = "../post"
[journal]
folder = "../stick"
mail = true
"""
PAIR = ("carol", "dora")
OTHERS = {"none": 0, "one": 1, "two": 2, "many": 4}
"""A count -> the games beside the first, its leagues, and the files that a command gets."""


@dataclass
class World:
    """A club with its mailbox, its outgoing mail, its journal and whoever plays there."""

    folder: Path
    clock: Clock
    people: dict[str, Person]
    pair: dict[str, Person]
    """Who play the first game, and who play all others."""
    count: int = 0
    club_name: str = "club"
    watched: Watched = field(init=False)

    def __post_init__(self) -> None:
        self.watched = Watched(self.folder / "club")

    @property
    def club(self) -> Path:
        """The folder in which commands are typed."""
        return self.folder / self.club_name

    @contextmanager
    def opened(self) -> Iterator[Table]:
        """The club, to be looked at or played in."""
        table = Table(open_club(self.club, self.clock), self.clock)
        table.people = {name: replace(person) for name, person in self.people.items()}
        try:
            yield table
        finally:
            table.club.store.close()

    def passes(self, **options: Any) -> None:
        """The judge makes a pass, after which nothing is wrong with the folder."""
        with self.opened() as table:
            list(Pass(table.club, **options).run())
        self.watched.look(passed=True)

    def copy(self, folder: Path) -> World:
        """The same world in another folder, which is none of the copies that a club recognizes."""
        shutil.copytree(self.folder, folder, symlinks=True)
        is_the_same(folder / "club")
        return World(folder, Clock(self.clock.now), self.people, self.pair, self.count)


# -- games


def _open(world: World) -> None:
    _go(world)


def _go(world: World) -> None:
    _complete(world)
    world.passes()


def _complete(world: World) -> None:
    with world.opened() as table:
        for name in table.people:
            assert table.send(name)[0].is_accepted


def _waiting(world: World) -> None:
    _go(world)
    with world.opened() as table:
        table.send("alice")
        deadline = table.deadline
    while world.clock.now < deadline:
        world.passes()
        world.clock.pass_days(0.9)


def _acts(what: str, *of: str, by: tuple[str, ...] = ()) -> Callable[[World], None]:
    def acts(world: World) -> None:
        with world.opened() as table:
            consents = [table.consent(" ".join((what, *of)), one) for one in by]
            act(table.club, GAME, what, *of, reason="asked", consents=consents)
        world.passes()

    return acts


def _over(world: World) -> None:
    for _ in range(40):
        with world.opened() as table:
            if table.book.history.over:
                return
        _go(world)
    raise AssertionError("it never ends")


def _forgotten(world: World) -> None:
    _acts("concede", "alice", by=("alice",))(world)
    with world.opened() as table:
        with table.club.store.step():
            table.club.store.add_letter("", "bob", "hello.txt", b"", text="hello")
        forget(table.club, "bob")
    world.watched.begin_anew()
    world.passes()


def _come_back(world: World, *, journal: bool) -> dict[str, tuple[int, str]]:
    """The club is lost and restored, with its journal or without; how far each ledger had come."""
    stick, archive = world.folder / "stick", world.folder / "backup.tar.gz"
    archive.unlink(missing_ok=True)
    with world.opened() as table:
        backups.backup(table.club, archive)
    world.club.rename(world.folder / f"dead {len([*world.folder.glob('dead *')])}")
    if not journal:
        stick.rename(world.folder / "no stick")
    with at(world), closing(backups.restore(archive, world.club).store) as store:
        take_over(store)
        books = {game: open_club(world.club).book(game) for game in store.games()}
    if not journal:
        (world.folder / "no stick").rename(stick)
    world.watched.begin_anew()
    return {game: (book.size, str(book.head)) for game, book in books.items()}


def _put_away(world: World) -> None:
    _go(world)
    with world.opened() as table:
        others = [game for game in table.club.store.games() if game != GAME]
    ends = _come_back(world, journal=False)
    with world.opened() as table:
        last = table.club.store.checkpoints(GAME)[-1]
        words = f"put-away {last.size} {last.head}"
        put_away(table.club, GAME, "lost", [table.consent(words, name) for name in table.people])
    confirm_all(world, {game: end for game, end in ends.items() if game in others})
    world.passes()


def confirm_all(world: World, ends: Mapping[str, tuple[int, str]]) -> None:
    """After a restore, enter how far each ledger had come."""
    with at(world):
        for game, (size, head) in ends.items():
            main(["confirm", game, str(size), head])


def _nothing(_: World) -> None:
    """Nothing happens."""


GAMES: dict[str, Callable[[World], None] | None] = {
    "none is open": None,
    "invited": _nothing,
    "open": _open,
    "complete": _complete,
    "waiting": _waiting,
    "on hold": _acts("hold"),
    "over by the rules": _over,
    "over by an act": _acts("concede", "alice", by=("alice",)),
    "a draw": _acts("agree-draw", by=("alice", "bob")),
    "put away": _put_away,
    "of somebody forgotten": _forgotten,
}
"""State of the first game -> what brings it there from its invitation."""
RUNNING = ("invited", "open", "complete", "waiting", "on hold")


def chain_of(game: str, name: str) -> Chain:
    """A player's chain in one of the other games."""
    return make_chain(game, f"{name}.1", name.encode().ljust(32))


@cache
def _made(game: str, count: str) -> tuple[World, tempfile.TemporaryDirectory[str]]:
    folder = tempfile.TemporaryDirectory()
    place, number, bring = Path(folder.name), OTHERS[count], GAMES[game]
    with chance.of(f"{game} {count}"):
        if bring is None:
            clock = Clock()
            club = create_club(place / "club", "test", clock=clock)
            people = enrolled(club, tuple(reversed(TITLE.rules.sides({}))))
            table = Table(club, clock, {one.name: one for one in people})
        else:
            ends: dict[str, Any] = (
                {"scenario": "campaign", "last_year": 1297} if game == "over by the rules" else {}
            )
            table = make_table(place, **ends)
        pair = {
            name: replace(one, name=name, key=keys.generate(name))
            for name, one in zip(PAIR, table.people.values(), strict=True)
        }
        for one in pair.values():
            table.club.add_player(one.name, one.key.public, f"{one.name}@example.org")
        for other in range(number):
            joins = {
                one.side: join_of(f"g{other}", one.name, one.key, chain_of(f"g{other}", one.name).anchor)
                for one in pair.values()
            }
            new_game(table.club, f"g{other}", TITLE.name, dict(TITLE.excerpt or {}), joins)
        for box in ("box", "post"):
            make(place / box)
        (place / "stick").mkdir()
        (place / "club/club.toml").write_text(SETTINGS)
        table.club.store.close()
        world = World(place, table.clock, table.people, pair, number)
        for league in range(number // 2):
            (place / "league.toml").write_bytes(LEAGUE.replace(b'"cup"', f'"cup{league}"'.encode()))
            with at(world):
                assert main(["league", "new", str(place / "league.toml")]) == 0
        world.passes()
        if bring is not None:
            bring(world)
        with world.opened() as table:
            table.club.store.db.conn.execute("VACUUM")
    return world, folder


def make_world(game: str, count: str, folder: Path) -> World:
    """A world of its own: made once for each state and count, then copied."""
    return _made(game, count)[0].copy(folder)


@contextmanager
def at(world: World) -> Iterator[None]:
    """Commands are typed there, at its time."""
    with pytest.MonkeyPatch.context() as patch, chdir(world.folder):
        patch.setenv("PBEM_CLUB", str(world.club))
        patch.setenv("PBEM_HOME", str(world.folder / "home"))
        patch.setattr(open_club, "__defaults__", (world.clock, None))
        yield


# -- the club


@dataclass(frozen=True)
class Club:
    """A state of the club, which begins and ends."""

    begins: Callable[[World, ExitStack], None]
    """It ends with the stack."""
    told: str = ""
    """What `status` says after a pass; "" if there is nothing to say."""
    examined: str = ""
    """What `doctor` says, where that is something else."""
    entered: bool = True
    """Can anything be written, signed or sent meanwhile?"""
    holds: bool = False
    """Does nothing leave for a player meanwhile? What is journalled twice waits for both."""
    of_games: bool = False
    """Is it told of games that go on, so not where there are none?"""
    of_folder: bool = False
    """Does it befall the whole folder, so not in the middle of a pass?"""


def _moved(name: str, world: World, stack: ExitStack) -> None:
    path = world.folder / name
    stack.callback(path.with_name(f"{name} away").rename, path)
    path.rename(path.with_name(f"{name} away"))


def _pragma(line: str, world: World, stack: ExitStack) -> None:
    patch, made = stack.enter_context(pytest.MonkeyPatch.context()), Store.__init__

    def limited(self: Store, path: Path, *rest: Any, **more: Any) -> None:
        made(self, path, *rest, **more)
        if path == world.folder / "club/club.db":
            (pages,) = self.db.conn.execute("PRAGMA page_count").fetchone()
            self.db.conn.execute(line.format(pages=pages))

    patch.setattr(Store, "__init__", limited)


def _refused(address: str, _: World, stack: ExitStack) -> None:
    patch, deliver = stack.enter_context(pytest.MonkeyPatch.context()), Folder._deliver

    def refusing(self: Folder, sender: str, goal: str, mail: bytes) -> Answer | None:
        return (451, b"try later") if goal.startswith(address) else deliver(self, sender, goal, mail)

    patch.setattr(Folder, "_deliver", refusing)


def _clock_back(world: World, stack: ExitStack) -> None:
    world.clock.pass_days(-2)
    stack.callback(world.clock.pass_days, 2)


def _copied(world: World, stack: ExitStack) -> None:
    shutil.copytree(world.club, world.folder / "copy")
    world.club_name = "copy"
    stack.callback(setattr, world, "club_name", "club")


def _restored(world: World, stack: ExitStack) -> None:
    _come_back(world, journal=True)


def _blind(world: World, stack: ExitStack) -> None:
    stack.callback(confirm_all, world, _come_back(world, journal=False))


CLUBS = {
    "well": Club(lambda *_: None),
    "disk full": Club(partial(_pragma, "PRAGMA max_page_count = {pages}"), entered=False),
    "read-only": Club(partial(_pragma, "PRAGMA query_only = 1"), entered=False),
    "mailbox away": Club(partial(_moved, "box"), "is not a maildir: it has no folders new and cur"),
    "outgoing mail away": Club(partial(_moved, "post"), "is not a maildir that can be written", holds=True),
    "journal away": Club(partial(_moved, "stick"), "the journal cannot be written into", holds=True),
    "archive refused": Club(
        partial(_refused, ARCHIVE), "does not accept the journal for sent_to: 451", holds=True
    ),
    "one refused": Club(partial(_refused, "alice@"), "451 try later", holds=True),
    "clock back": Club(_clock_back, "the clock says", "which is before the last pass: set it right"),
    "copied": Club(_copied, "is a copy of a club's folder", entered=False, of_folder=True),
    "restored": Club(_restored, of_folder=True),
    "restored blind": Club(_blind, "restored", "confirm", of_games=True, of_folder=True),
}
"""Name -> state of the club."""
