"""What a league's draw refuses, what is no challenge, and when nobody may say more."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from pbem.leagues.calls import seating_of
from pbem.leagues.config import LeagueFile, read_file
from pbem.leagues.facts import StatementQuota
from pbem.leagues.formats import MAX_DIE_SIDES, draw_number, round_robin, tables
from pbem.leagues.formats.swiss import PairingOptions
from pbem.leagues.model import Entrant
from pbem.leagues.pages import _plain
from pbem.leagues.round_drawing import may_challenge
from pbem.leagues.standings import measure_tie_breaks
from pbem.leagues.statements import ABSENT, ENTER, NEW_KEY, SUBSTITUTE, VOTE, Statement
from pbem.trust.entries import Open
from pbem.trust.formats import MAX_NEW_KEYS, MAX_STATEMENTS_IN_DAY, MAX_VOTES
from tests.leagues.dice import dice
from tests.leagues.test_entries import AT
from tests.leagues.test_swiss import ours, seasons
from tests.leagues.world import file_of
from tests.refusals.clauses import Row


@cache
def cup() -> LeagueFile:
    return read_file(file_of("swiss", rounds="count = 1\ndays = 100", entries="most = 4"))


def says(say: str, **more: Any) -> Callable[[], object]:
    """Somebody has said this a thousand times, on different days, and says it again."""

    def do() -> None:
        room = StatementQuota(cup())
        one = Statement(league="league.cup", player="ann", say=say, made=AT, judge="x", **more)
        for _ in range(1000):
            room.take(one, AT)
        room.on_day.clear()
        room.check(one, AT)

    return do


def met(entrants: int) -> Callable[[], object]:
    """Everybody has met everybody, and a season without a further round is wished."""

    def do() -> object:
        (played,) = seasons(ours, entrants, 3, [3])
        return ours(played, 4, PairingOptions(stuck="end"))

    return do


def today() -> None:
    room = StatementQuota(cup())
    room.on_day["ann", AT.date()] = MAX_STATEMENTS_IN_DAY
    room.check(Statement(league="league.cup", player="ann", say=ABSENT, made=AT, judge="x"), AT)


def for_others() -> None:
    """As many as may enter have offered to play on, each for somebody else."""
    room = StatementQuota(cup())
    room.offers.update("abcd")
    room.check(Statement(league="league.cup", player="eve", say=SUBSTITUTE, of="ben", made=AT, judge="x"), AT)


def rulings() -> None:
    StatementQuota(cup(), rulings=10**6).take_ruling()


def challenge(challenger: str, challenged: str, reach: int = 2, busy: str = "") -> Callable[[], object]:
    return lambda: may_challenge("abcde", challenger, challenged, reach, frozenset(busy))


def sections(entrants: str, size: int) -> Callable[[], object]:
    return lambda: round_robin.sections([Entrant(name=name) for name in entrants], size, dice(1))


def call(*lines: str) -> Callable[[], object]:
    return lambda: seating_of(Open(exchange=3, seals=(), extra=("for seats 1", *lines)))


STUCK = "players cannot be paired: too many of them have met"
QUOTA = (
    Row(f"ann has had {MAX_NEW_KEYS} new keys in cup", says(NEW_KEY)),
    Row(f"ann has voted on this game {MAX_VOTES} times, the most", says(VOTE, about=(1, 1))),
    Row("have entered cup, with those who left; no more can enter", says(ENTER)),
    Row("have entered the list of substitutes; no more can enter", says(SUBSTITUTE)),
    Row("have offered to play on for ben; the director chooses", says(SUBSTITUTE, of="ben")),
    Row("4 have offered to play on for somebody in cup", for_others),
    Row(f"ann has said {MAX_STATEMENTS_IN_DAY} things today; no more are taken on one day (UTC)", today),
    Row("things in cup; no more are taken, but", says(ABSENT, rounds=(1, 1))),
    Row("rulings have been made in cup; no more are taken", rulings),
    Row("call 3 does not fix the games of its round as it must", call("nonsense")),
)
"""The quota of statements and the seats of a call, which stand with the facts of a ledger."""
ROWS = (
    Row("'x' is not a tie-break; the tie-breaks are", lambda: measure_tie_breaks(["x"], {}, {})),
    Row("x is not on the ladder", challenge("x", "a")),
    Row("x is not on the ladder", challenge("a", "x")),
    Row("a cannot challenge themselves", challenge("a", "a")),
    Row("b is below a; a challenge must go up", challenge("a", "b")),
    Row("a is 3 rungs above; the highest that d can challenge is b", challenge("d", "a")),
    Row("a already plays as many games as they want", challenge("b", "a", busy="a")),
    Row("b already plays as many games as they want", challenge("b", "a", busy="b")),
    Row("a section has at least two players", sections("abc", 1)),
    Row("a section has at least two players", sections("a", 2)),
    Row("2 players are too few for a table of 3", lambda: tables.draw_tables(["a", "b"], 3, 5, [], dice(1))),
    Row(f"4 {STUCK}", met(4)),
    Row(f"3 {STUCK}", met(3)),
    Row("no lot among 0", lambda: draw_number(0, dice(1), "x")),
    Row("no lot among 65537", lambda: draw_number(MAX_DIE_SIDES**2 + 1, dice(1), "x")),
    Row("no plain form of {1}", lambda: _plain({1})),
)
FOLDERS = (
    "leagues/standings.py",
    "leagues/formats",
    "leagues/round_drawing.py",
    "leagues/pages/__init__.py",
)
ELSEWHERE = {
    "leagues/formats/__init__.py draw_number: a die falls within its range at last": "a loop without an end"
}
