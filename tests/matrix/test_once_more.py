"""After each failure once more, and two of everything that is a sink or a source.

A trial has one call break inside a command (PLACES: what is written, renamed, sent, fetched, sealed, locked),
types the command again when the cause is gone, and compares what has become of the club with a world in which
nothing broke. The second table (FAILING) has one sink or source fail, then another, while orders and letters
wait.

    pytest -m ci tests/matrix/test_once_more.py       the first calls of each place, and every pair
    pytest -m slow tests/matrix/test_once_more.py     every call
"""

from __future__ import annotations

import errno
import mailbox
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import groupby, permutations
from pathlib import Path
from typing import Any, NoReturn

import pytest

from pbem.box.folder import ALIVE, Alive, make_folder, write_file
from pbem.box.stores import KEY_LANE, POSTS, Post, post_name, store_post, waiting_posts
from pbem.errors import MailError
from pbem.judge.tables.database import StoreFile
from pbem.mail.maildir import Maildir, NotGiven
from pbem.mail.sessions import Folder
from pbem.service import one_pass
from pbem.trust import sealing
from pbem.trust.faults import SealFault
from tests.conftest import chance
from tests.mail.postal import mail
from tests.matrix.states import CLUBS, Club, World
from tests.matrix.test_matrix import Cell, Run, Shape, sent


def _raises(problem: Exception) -> Callable[..., NoReturn]:
    def broken(*_: Any, **__: Any) -> NoReturn:
        raise problem

    return broken


def _database(code: int, words: str) -> Callable[..., NoReturn]:
    def broken(self: StoreFile, *_: Any) -> NoReturn:
        problem = sqlite3.OperationalError(words)
        problem.sqlite_errorcode = code
        raise self._describe_error(problem)

    return broken


FULL = OSError(errno.ENOSPC, "No space left on device")
PLACES: dict[str, tuple[Any, str, Callable[..., object]]] = {
    "write": (StoreFile, "_change", _database(sqlite3.SQLITE_FULL, "database or disk is full")),
    "lock": (StoreFile, "_begin", _database(sqlite3.SQLITE_BUSY, "database is locked")),
    "rename": (Path, "replace", _raises(FULL)),
    "sync": (os, "fsync", _raises(FULL)),
    "list": (Maildir, "list_mails", _raises(MailError("the mailbox cannot be read"))),
    "fetch": (Maildir, "fetch", _raises(NotGiven("it is not given"))),
    "seal": (sealing, "seal_again", _raises(SealFault("it cannot be sealed"))),
    "quota": (Folder, "_deliver", lambda *_: (452, b"too many for now")),
    "send": (mailbox.Maildir, "add", _raises(OSError(errno.EIO, "Input/output error"))),
    "pass": (one_pass, "_lock", _raises(one_pass.Busy("another pass runs in this club now"))),
}
"""Name -> what is called there, and what it does once instead."""
LINES = {
    "run": tuple(PLACES),
    "submit": ("write", "lock"),
    "act hold": ("write", "lock"),
    "extend": ("write", "lock"),
    "backup": ("rename", "lock"),
    "new": ("write", "lock"),
    "player add": ("write", "lock"),
    "league new": ("write", "lock"),
    "league pages": ("rename",),
    "league export": ("rename",),
}
"""Row of the matrix -> the places that break while it is done."""
TRIALS = [(row, place) for row, places in LINES.items() for place in places]


@contextmanager
def breaking(place: str, number: int) -> Iterator[list[int]]:
    """At the n-th call something breaks there; the calls, counted."""
    owner, name, instead = PLACES[place]
    calls, real = [0], getattr(owner, name)

    def counted(*given: Any, **named: Any) -> Any:
        calls[0] += 1
        return (instead if calls[0] == number else real)(*given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, counted)
        yield calls


def begin(row: str, folder: Path) -> Run:
    """A world in which orders of everybody lie in the mailbox, and a letter waits."""
    run = Run(Cell(row, "open", "well", "two"), folder)
    if row.startswith("league"):
        run.types("run")  # what is shown is in the journal
    box = mailbox.Maildir(run.world.folder / "box")
    with chance.of("mails"), run.world.opened() as table:
        for number, name in enumerate(table.people):
            box.add(mail(table.sealed(name), f"{name}@example.org", Message_ID=f"<{number}@example.org>"))
    return run


def shape(world: World) -> Shape:
    """What must be the same, in which order mails came, and whether there was time for forecasts, apart."""
    found = Shape.of(world)
    for name, entries in found.entries.items():
        runs = groupby(entries, key=lambda one: one.startswith("received"))
        found.entries[name] = [one for mails, run in runs for one in (sorted(run) if mails else run)]
    found.letters = Counter({one: n for one, n in found.letters.items() if "-forecast-" not in one[1]})
    return found


def files_of(world: World) -> set[str]:
    """The names of what commands have written, half or whole, and of the letters that lie in the club."""
    made = [world.folder / "cup", world.folder / "pages", world.folder / "club/out"]
    return {str(path.relative_to(world.folder)) for folder in made for path in folder.rglob("*")}


def is_reached(row: str, place: str, number: int, folder: Path, well: Run) -> bool:
    """Whether a trial's call takes place at all; what becomes of it is as if nothing had been."""
    ill = begin(row, folder)
    with breaking(place, number) as calls:
        told = ill.act()
    if calls[0] < number:
        return False
    if told.status != 0 or row == "run":
        again = ill.act()
        assert again.status == 0, (told, again)
    ill.later()
    assert (found := shape(ill.world).against(shape(well.world))) == [], (told, found)
    assert files_of(ill.world) == files_of(well.world), told
    if place not in ("write", "lock"):  # what could not be noted leaves again, under the same name
        sent(ill.world)
    ill.goes_on()
    return True


def check(row: str, place: str, folder: Path, numbers: range) -> int:
    """Break these calls of a place, one in each world; the number of those that there are."""
    well = begin(row, folder / "well")
    assert well.act().status == 0
    well.later()
    for number in numbers:
        if not is_reached(row, place, number, folder / str(number), well):
            return number - 1
    return numbers[-1]


@pytest.mark.ci
@pytest.mark.parametrize(("row", "place"), TRIALS)
def test_what_broke_is_done_once_more(row: str, place: str, tmp_path: Path) -> None:
    assert check(row, place, tmp_path, range(1, 3)) >= 1, "that is called there"


@pytest.mark.slow
@pytest.mark.parametrize(("row", "place"), TRIALS)
def test_every_call_that_breaks_is_done_once_more(row: str, place: str, tmp_path: Path) -> None:
    check(row, place, tmp_path, range(3, 200))


BOX = "post box"


def _box_away(world: World, stack: ExitStack) -> None:
    for name in (ALIVE, POSTS):
        path = world.folder / BOX / name
        stack.callback(path.with_name(f"{name} away").rename, path)
        path.rename(path.with_name(f"{name} away"))


SINKS = ("mailbox away", "outgoing mail away", "journal away", "archive refused", "one refused")
FAILING = {name: CLUBS[name] for name in SINKS} | {
    "box away": Club(_box_away, examined="has never shown that it runs"),
}
"""The states of the club in which one sink or source fails, as the matrix has them, and that of the box."""


def begin_with_box(folder: Path) -> Run:
    """A world whose club has a post box besides: alice's orders are in the mailbox, bob's in the box."""
    run = begin("run", folder)
    world, path = run.world, run.world.folder / BOX
    settings = world.folder / "club/club.toml"
    settings.write_text(
        f'{settings.read_text()}[box]\nurl = "https://box.club.example/"\nfolder = "../{BOX}"\n'
    )
    (by_mail,) = [one for one in (world.folder / "box/new").iterdir() if b"bob@" in one.read_bytes()]
    armor = by_mail.read_bytes().partition(b"\n\n")[2]
    by_mail.unlink()
    make_folder(path)
    key, now = world.people["bob"].key.public.fingerprint, world.clock.now
    write_file(path / ALIVE, Alive(time=now, since=None, refused=None).text)
    store_post(path, post_name(now, 1), Post(received=now, lane=KEY_LANE, key=key, body=armor))
    return run


def passes(run: Run) -> str:
    """A pass, with a box that runs if it is there; what it says."""
    path = run.world.folder / BOX / ALIVE
    if path.exists():
        write_file(path, Alive(time=run.world.clock.now, since=None, refused=None).text)
    return run.types("run").text


def later_with_box(run: Run) -> None:
    """Passes after which whatever waited has left."""
    for _ in range(4):
        run.world.clock.pass_days(0.3)
        passes(run)


STOPPED = {
    "mailbox away": {"counter"},
    "outgoing mail away": {"mail", "letter"},
    "journal away": {"folder"},
    "archive refused": {"mail"},
    "one refused": {"letter"},
    "box away": set[str](),
}
"""What does not take place meanwhile: the mailbox's counter, the journal's folder and mail, the letter."""


def fails(run: Run, one: str, ahead: set[str]) -> None:
    """One of them fails for some passes: the judge tells it, and what waits for it, and for it alone, waits.

    `ahead`: what has not taken place yet. The journal's mail follows its folder, the letter all others.
    """
    state, waited = FAILING[one], ahead & STOPPED[one]
    with ExitStack() as stack:
        state.begins(run.world, stack)
        for _ in range(2):
            run.world.clock.pass_days(0.02)
            passes(run)
        ahead &= (
            STOPPED[one] | ({"mail"} if "folder" in waited else set()) | ({"letter"} if waited else set())
        )
        waits = bool(Shape.of(run.world).letters["alice", "hello.txt", "waits"])
        assert waits == bool(ahead), f"{one}: it has {'not ' if waits else ''}left"
        if waited or not STOPPED[one]:
            assert state.told in run.types("status").text, f"{one}: told"
            assert (state.examined or state.told) in run.types("doctor").text, f"{one}: examined"


@pytest.mark.ci
@pytest.mark.parametrize(("one", "other"), [*permutations(FAILING, 2)])
def test_one_fails_then_another(one: str, other: str, tmp_path: Path) -> None:
    well, ill = begin_with_box(tmp_path / "well"), begin_with_box(tmp_path / "ill")
    passes(well)
    later_with_box(well)
    ahead = {"counter", "folder", "mail", "letter"}
    fails(ill, one, ahead)
    fails(ill, other, ahead)
    later_with_box(ill)
    assert (found := shape(ill.world).against(shape(well.world))) == [], found
    assert waiting_posts(ill.world.folder / BOX)[0] == []
    sent(ill.world)
    if "archive refused" not in (one, other):  # that is told until a copy is taken
        told = ill.types("status").text
        assert not any(state.told and state.told in told for state in FAILING.values()), told
