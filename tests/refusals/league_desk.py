"""What the judge refuses in a league: files, ledgers, what people say and send, rulings."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

from pbem.judge.club import open_club
from pbem.judge.leagues.book import LeagueBook, begin_league, load_league
from pbem.judge.leagues.desk import find_reply, take_opened, take_statement
from pbem.judge.leagues.display import publish_folder
from pbem.leagues.config import read_file
from pbem.leagues.entries import RoundOver
from pbem.leagues.statements import HALF_BYE, WITHDRAW
from pbem.trust.formats import MAX_SEALED_REPLY_SIZE
from tests.conftest import chance
from tests.leagues.test_keys import new_key
from tests.leagues.world import World, file_of, key_of, make_world
from tests.refusals.clauses import Row

CUP = file_of("swiss")
BOWL = CUP.replace(b'"cup"', b'"bowl"').replace(b"2027-01-31", b"2027-09-30")
"""Another league, whose entries are open still."""


@cache
def _place() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@cache
def _made() -> World:
    """A league whose first call is open."""
    with chance.of("a league whose judge refuses"):
        world = make_world(Path(_place().name), CUP)
    world.enter("ann", "ben")
    world.after(31)
    world.club.store.close()
    return world


def at_league(do: Callable[[World], object]) -> Callable[[], object]:
    """Something in a copy of that league's club."""

    def door() -> object:
        made = _made()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(made.club.path, Path(folder, "club"))
            world = World(open_club(Path(folder, "club"), made.clock), made.clock)
            with closing(world.club.store):
                return do(world)

    return door


def begins(data: bytes) -> Callable[[], object]:
    return at_league(lambda world: begin_league(world.club, data))


def begun_otherwise(world: World) -> object:
    """The first entry of a ledger is that a round is over."""
    club, file = world.club, read_file(BOWL)
    with club.store.step():
        club.store.add_league(file.ledger, BOWL)
        book = LeagueBook(club, file, club.roots(file.ledger), world.book.season, [], [])
        book._keep(RoundOver(round=1, at=club.clock()))
    return load_league(club, "bowl")


def replaced(world: World) -> object:
    """What the old key signs comes after the new one."""
    take_statement(world.club, new_key(world, "ann2", key_of("ann")))
    return world.say("ann", WITHDRAW)


def damaged(world: World) -> object:
    reply = world.reply("ann")
    world.club.store._change("UPDATE league_entry SET text = x'00' WHERE number = 2")
    world.club.leagues.forget("league.cup")
    return find_reply(world.club, reply)


def large(world: World) -> object:
    key = world.book.seal(1, "ann")
    return take_opened(world.club, key, b"", b"x" * (MAX_SEALED_REPLY_SIZE + 1))


UNKNOWN = BOWL.replace(b"[people]\n", b'[people]\npanel = ["paul"]\n')
PUBLISH = "[leagues] has publish, as in publish"
ROWS = (
    Row(PUBLISH, lambda: publish_folder({"leagues": ["publish"]}, Path())),
    Row(PUBLISH, lambda: publish_folder({"leagues": {"into": "www"}}, Path())),
    Row("publish must be the path of a folder", lambda: publish_folder({"leagues": {"publish": 1}}, Path())),
    Row("there is a league called cup already", begins(CUP)),
    Row("entries would be closed already", begins(BOWL.replace(b"2027-09-30", b"2026-12-31"))),
    Row("paul is of the panel, which signs its votes, and is not enrolled", begins(UNKNOWN)),
    Row("this club has no league called cub", at_league(lambda world: load_league(world.club, "cub"))),
    Row("the ledger of bowl does not begin as a league's does", at_league(begun_otherwise)),
    Row("cup gives no half-point byes", at_league(lambda world: world.say("ann", HALF_BYE, rounds=(9, 9)))),
    Row("eve does not play in cup", at_league(lambda world: world.say("eve", WITHDRAW))),
    Row("ann has another key in cup now", at_league(replaced)),
    Row("entry 2 of league.cup was changed after it was written", at_league(damaged)),
    Row("sealed files for a league have 17,408 at most", at_league(large)),
    Row("zoe does not play in cup", at_league(lambda world: world.rule("expel", "zoe"))),
)
FOLDERS = ("judge/leagues",)
ELSEWHERE = {
    "judge/leagues/letters.py warn: ends at ... players are warned": "no refusal",
    "judge/leagues/desk.py _in_vain: why": "no refusal: the statement is entered",
    "judge/leagues/steps.py _notify_withdrawn: ; silent, and so withdrawn:": "no refusal",
}
"""What says that something was done."""
