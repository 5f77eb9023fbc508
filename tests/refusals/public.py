"""What messages between players, a club's pages and the story of a game are refused for."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pbem.disputes.record import ALL, Record
from pbem.judge.press.desk import MAX_AHEAD, MAX_PER_DAY, press_settings
from pbem.judge.press.director import close_press, write_as_director
from pbem.moments.tracks import PUBLIC, _shown_in, tell
from pbem.site.seats import _MAX_PLAYERS, LONGEST, call_substitute, offer_seat
from pbem.site.view import MAX_RULES_LENGTH, site_settings
from pbem.site.writing import write_site
from pbem.trust import keys
from pbem.trust.press import GM
from tests.judge.press import allow, write
from tests.judge.table import GAME, TITLE, Table
from tests.moments.stories import NAMES, record_of, running
from tests.refusals.clauses import Row
from tests.refusals.club import at_table, conceded

# -- messages


def writes(to: str, kind: str = "white", per_day: int = 30, **more: Any) -> Callable[[], object]:
    """Alice writes, where press is of this kind."""

    def do(table: Table) -> str:
        allow(table, kind, per_day=per_day)
        return write(table, "alice", to, **more).text

    return at_table(do)


def writes_twice(table: Table) -> str:
    """Two messages have one number."""
    allow(table)
    write(table, "alice", "bob")
    return write(table, "alice", "bob", "War!\n").text


def stranger_writes(table: Table) -> str:
    allow(table)
    table.people["mallory"] = table.people["alice"]
    return write(table, "mallory", "bob", key=keys.generate("mallory")).text


def closes_press(*, before: Callable[[Table], object]) -> Callable[[], object]:
    def do(table: Table) -> object:
        before(table)
        return close_press(table.club, GAME, "quarrels")

    return at_table(do)


def press(**found: object) -> Callable[[], object]:
    """The settings of press."""

    def do(table: Table) -> object:
        table.club.settings = {"press": found}
        return press_settings(table.club, GAME)

    return at_table(do)


PER_DAY = f"per_day must be a number from 0 to {MAX_PER_DAY}, not"
MESSAGES = (
    Row("mallory is nobody in demo", at_table(stranger_writes)),
    Row("nobody but you would read it", writes("side/scotland", kind="white")),
    Row("demo has no press", writes("bob", kind="none")),
    Row("dora is nobody in demo", writes("dora")),
    Row("you have used number 1 for another message", at_table(writes_twice)),
    Row(f"number {MAX_AHEAD + 1} is far ahead", writes("bob", number=MAX_AHEAD + 1)),
    Row("you have sent 0 messages in demo today", writes("bob", per_day=0)),
    Row('set kind = "none" for it in club.toml', closes_press(before=conceded)),
    Row(
        "the press of demo is closed already",
        closes_press(before=lambda table: close_press(table.club, GAME, "quarrels")),
    ),
    Row(
        "name players of demo, a side, or all",
        at_table(lambda table: write_as_director(table.club, GAME, (GM,), "", "Hello.")),
    ),
    Row("kind must be one of none, public, white, grey, not 'black'", press(kind="black")),
    Row(f"{PER_DAY} True", press(per_day=True)),
    Row(f"{PER_DAY} 1.5", press(per_day=1.5)),
    Row(f"{PER_DAY} -1", press(per_day=-1)),
)
# -- pages


def offered(
    game: str = "dunbar-8", seats: int = 1, about: str = "", people: tuple[str, ...] = ()
) -> Callable[[], object]:
    """The director offers seats."""
    given = {"rules": TITLE.name, "seats": seats, "rhythm": "", "about": about, "people": people}
    return at_table(lambda table: offer_seat(table.club, game, **given))  # type: ignore[arg-type]


def called(side: str = "scotland", before: Callable[[Table], object] | None = None) -> Callable[[], object]:
    """The director calls for a substitute."""

    def do(table: Table) -> object:
        if before is not None:
            before(table)
        return call_substitute(table.club, GAME, side, rhythm="", about="")

    return at_table(do)


def in_a_league(table: Table) -> None:
    """The game is one of a league."""
    with table.club.store.step():
        table.club.store.add_league_game(GAME, "league.spring")


def settled(site: object, rules: bytes = b"") -> Callable[[], object]:
    """Return a look at [site], in a club with these rules of the house."""

    def do() -> object:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "rules.txt").write_bytes(rules)
            return site_settings({"site": site}, Path(folder))

    return do


def written_into(found: Callable[[Path], object]) -> Callable[[], object]:
    """The pages are to be written where something else is."""

    def do(table: Table) -> object:
        settings = site_settings({"site": {"name": "The Hearth"}}, table.club.path)
        assert settings is not None
        into = table.club.path / "www"
        found(into)
        return write_site(table.club, into, settings)

    return at_table(do)


def of_others(into: Path) -> None:
    into.mkdir()
    (into / "mine.txt").touch()


NAME = "The Hearth"
PAGES = (
    Row("demo has begun; seats are offered before", offered(GAME)),
    Row(f"an offer is of 1 to {_MAX_PLAYERS} seats", offered(seats=_MAX_PLAYERS + 1)),
    Row(f"an offer says at most {LONGEST} characters", offered(about="x" * (LONGEST + 1))),
    Row("nobody plays 'france' in demo", called("france")),
    Row("demo is over; nobody takes a seat over", called(before=conceded)),
    Row("demo is a game of a league, whose list", called(before=in_a_league)),
    Row("'mallory' is not a player of this club, so an offer", offered(people=("mallory",))),
    Row("site must be a table, [site]", settled(7)),
    Row("[site] has no odd", settled({"name": NAME, "odd": ""})),
    Row("[site]: about must be a text in quotes", settled({"name": NAME, "about": 7})),
    Row("the rules of the house cannot be read", settled({"name": NAME, "rules": "none.txt"})),
    Row(
        "the rules of the house have more than",
        settled({"name": NAME, "rules": "rules.txt"}, b"x" * (MAX_RULES_LENGTH + 1)),
    ),
    Row("site cannot be written to", written_into(Path.touch)),
    Row("holds other files: name a new folder", written_into(of_others)),
)
# -- the story of a game


def whole(change: Callable[[Record], Record]) -> Callable[[], object]:
    """Everything of a recorded game is asked for."""
    return lambda: tell(change(record_of(NAMES[0])), ALL)


STORIES = (
    Row("is still played; when it is over", whole(lambda record: running(record, 1))),
    Row("this bundle tells what public knows", whole(lambda record: replace(record, reader=PUBLIC))),
    Row("report on exchange 1 is damaged", lambda: _shown_in({(1, PUBLIC): "x"}, PUBLIC)),
)
ROWS = (*MESSAGES, *PAGES, *STORIES)
FOLDERS = ("judge/press", "site", "moments")
ELSEWHERE = {"site/writing.py publish_site: the club's site:": "it says what was done"}
"""What is no refusal."""
