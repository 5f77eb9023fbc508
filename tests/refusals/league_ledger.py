"""What cannot stand in a league's ledger: calls, pairings, games, results; and a season to try it in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pbem.leagues.calls import Call
from pbem.leagues.config import read_file
from pbem.leagues.entries import Ended, Finished, GameAt, Opened, Paired, Pairings, Purpose, RoundOver
from pbem.leagues.facts import Member, RoundState
from pbem.leagues.model import Ending, PreviousSeason, Seat
from pbem.leagues.season import Season
from pbem.trust.chance import Reveal
from pbem.trust.entries import Drawn, Entry, Open, Resolve
from tests.leagues.test_entries import AT
from tests.leagues.world import file_of, key_of
from tests.refusals.clauses import Row
from tests.refusals.league_words import GENESIS, HEAD

PEOPLE = ("ann", "ben", "cat", "dan")
LATER = AT + timedelta(days=30)
PAIRS = tuple(
    Paired(
        number=number,
        division="",
        game=f"cup-{number}",
        seats=(Seat(player=one, side=""), Seat(player=two, side="")),
    )
    for number, one, two in ((1, "ann", "ben"), (2, "cat", "dan"))
)
MADE = Pairings(round=1, at=AT, until=LATER, pairs=PAIRS)
"""Round 1: ann against ben, cat against dan."""
DRAW, SEATS = Purpose("draw", 1), Purpose("seats", 1)
BIDS, BALANCED = '[sides]\nby = "bids"', '[sides]\nby = "balanced"'


def called(number: int, purpose: Purpose, *, resolved: bool = True) -> Call:
    """A call that was resolved."""
    opened = Open(exchange=number, seals=(), deadline=LATER)
    answer = Resolve(exchange=number, reveals=(), absent=(), mix="0" * 64) if resolved else None
    return Call(number, opened, 2, purpose=purpose, chains={}, resolved=answer)


def season(
    form: str = "swiss", *, rounds: int = 1, seated: bool = True, more: str = "", **file: str
) -> Season:
    """Four have entered; so many rounds are drawn, and the seats of the last are known if it is `seated`.

    Sides are bid for, unless `more` stands in the file.
    """
    given = file.get("rounds_table", "count = 3\ndays = 100" if form == "swiss" else "days = 100")
    data = file_of(form, rounds=given, more=more or BIDS, entries=file.get("entries", ""), waits=(2, 9, 9))
    read = read_file(
        data.replace(b'assistants = ["anna"]', b'assistants = ["anna"]\npanel = ["paul", "ann"]')
    )
    people = (("dora", key_of("dora").public.fingerprint),)
    found = Season(replace(GENESIS, file=read.sha256, game=read.ledger, people=people), read, HEAD)
    for name in PEOPLE:
        found.members[name] = Member(name, None, 0, False, 2, 1)
        found.keys.current_keys[name] = key_of(name).public.line
        found.keys.named_keys[name] = [key_of(name).public.line]
        found.keys.chains[name] = Reveal(f"{name}.1", 0, "a" * 64)
    for number in range(1, rounds + 1):
        found.calls.append(called(2 * number - 1, Purpose("draw", number)))
        found.calls.append(called(2 * number, Purpose("seats", number)))
        found.rounds.append(RoundState(replace(MADE, round=number), LATER))
    if rounds and not seated:
        found.calls.pop()
    return found


At = Mapping[str, Any]
NOTHING: At = {}


def adds(entry: Entry, at: At = NOTHING, change: Callable[[Season], object] = id) -> Callable[[], None]:
    """An entry comes next in a season, in which something is otherwise."""

    def door() -> None:
        here = season(**at)
        change(here)
        here.add(entry)

    return door


GAME = Opened(game="cup-1", head="a" * 64, about=(1, 1), seats=PAIRS[0].seats, at=AT)
RESULT = Ended(
    round=1, pairing=1, ending=Ending.ADJUDICATED, by="director", places=(("ann", 1), ("ben", 2)), at=AT
)
OVER = RoundOver(round=1, at=AT)
END = Finished(standings="a" * 64, ratings="b" * 64, at=AT)
NEXT = Open(exchange=3, seals=(("ann", "x"),), deadline=LATER, extra=("for draw 2",))
TO_SEATS = replace(NEXT, exchange=2, extra=("for seats 1",))
UNSEATED = {"seated": False}
DRAWN_LATER = "a round is drawn when the one before it is over"
SEATS_LATER = "a call for seats follows the draw of a round that takes bids for sides"
ASKED = "a call asks those who take part, and has a deadline"
PAIRED_LATER = "pairings follow the resolution of their draw"
OPENED_LATER = "a game is opened after the call that seats its round"
OVER_LATER = "a round is over when each of its pairings has a result"


def over(found: Season) -> None:
    """The last round is over."""
    found.rounds[-1].over_at = AT


def both(*changes: Callable[[Season], object]) -> Callable[[Season], None]:
    def change(found: Season) -> None:
        for one in changes:
            one(found)

    return change


def cancelled(found: Season) -> None:
    found.is_cancelled = True


def chainless(found: Season) -> None:
    over(found)
    del found.keys.chains["ann"]


def ended(found: Season) -> None:
    """Each of its pairings has a result."""
    found.rounds[-1].results = {1: RESULT, 2: replace(RESULT, pairing=2)}


def in_game(found: Season) -> None:
    """The first game of the round is opened."""
    found.rounds[-1].opened_games[1] = GAME


def busy(found: Season) -> None:
    """Ann wishes one game at once, and plays it."""
    found.members["ann"].games = 1
    found.rounds[-1].pairings = replace(MADE, pairs=(*PAIRS, replace(PAIRS[0], number=3, game="cup-3")))
    found.rounds[-1].opened_games[3] = GAME


def drawn(found: Season) -> None:
    """The draw of the next round is resolved."""
    over(found)
    found.calls.append(called(3, Purpose("draw", 2)))


TWO = replace(MADE, round=2)
LAST = (PreviousSeason("x", "a" * 64, "b" * 64),)


def begun(settings: At = NOTHING, /, **genesis: Any) -> Callable[[], object]:
    """A season begins with another genesis, or another file."""
    return lambda: Season(replace(season().genesis, **genesis), replace(season().file, **settings), HEAD)


LEDGER = (
    Row("the league's file is not the one", begun(file="f" * 64)),
    Row("the league's file is not the one", begun(game="league.x")),
    Row("what comes from earlier seasons is not", begun(carried="f" * 64)),
    Row("what comes from earlier seasons is not", begun({"last": LAST})),
    Row("the league is over", adds(OVER, change=cancelled)),
    Row("it is dated earlier than the entry", adds(replace(OVER, at=AT - timedelta(days=1)))),
    Row("a league has no such entry", adds(Drawn(exchange=1, owner="a", label="a/b", result="c"))),
    Row("has its pairings", adds(replace(NEXT, exchange=4), change=drawn)),
    Row(DRAWN_LATER, adds(replace(NEXT, extra=("for draw 3",)), change=over)),
    Row(DRAWN_LATER, adds(NEXT)),
    Row(SEATS_LATER, adds(replace(NEXT, exchange=1, extra=("for seats 1",)), {"rounds": 0})),
    Row(SEATS_LATER, adds(replace(TO_SEATS, extra=("for seats 2",)), {"seated": False})),
    Row(SEATS_LATER, adds(replace(NEXT, extra=("for seats 1",)))),
    Row(SEATS_LATER, adds(TO_SEATS, {"seated": False}, in_game)),
    Row(SEATS_LATER, adds(TO_SEATS, {"seated": False, "more": BALANCED})),
    Row(ASKED, adds(replace(NEXT, seals=(("eve", "x"),)), change=over)),
    Row(ASKED, adds(replace(NEXT, again=1), change=over)),
    Row(ASKED, adds(replace(NEXT, deadline=None), change=over)),
    Row("ann has not entered, and has no chain", adds(NEXT, change=chainless)),
    Row(PAIRED_LATER, adds(TWO, change=over)),
    Row(PAIRED_LATER, adds(replace(TWO, round=3), change=drawn)),
    Row("its call fixes the judge's part in 0 games", adds(TWO, {"more": BALANCED}, drawn)),
    Row("pairings are numbered from 1", adds(replace(TWO, pairs=PAIRS[1:]), change=drawn)),
    Row("only players who have entered can be paired", adds(replace(TWO, half_byes=("eve",)), change=drawn)),
    Row(OPENED_LATER, adds(GAME, {"seated": False})),
    Row(OPENED_LATER, adds(GAME, {"rounds": 2})),
    Row("opened already, or not needed", adds(GAME, change=in_game)),
    Row("opened already, or not needed", adds(GAME, change=ended)),
    Row("the game is not the one of its pairing", adds(replace(GAME, game="cup-2"))),
    Row("the game is not the one of its pairing", adds(replace(GAME, seats=PAIRS[1].seats))),
    Row("ann plays as many games as they wish", adds(GAME, change=busy)),
    Row("this pairing has a result", adds(RESULT, change=ended)),
    Row("a result has a place for everybody who plays", adds(replace(RESULT, places=(("ann", 1),)))),
    Row("the result is of another game", adds(replace(RESULT, game=GameAt("cup-1", 9, "a" * 64)))),
    Row("is of another game", adds(replace(RESULT, game=GameAt("cup-2", 9, "a" * 64)), change=in_game)),
    Row("round 2 has not been drawn", adds(replace(RESULT, round=2))),
    Row("round 1 has no pairing 3", adds(replace(RESULT, pairing=3))),
    Row(OVER_LATER, adds(OVER, {"rounds": 0})),
    Row(OVER_LATER, adds(replace(OVER, round=2), change=ended)),
    Row(OVER_LATER, adds(OVER, change=both(ended, over))),
    Row(OVER_LATER, adds(OVER)),
    Row("a league is over when its last round is", adds(END, {"rounds": 0})),
    Row("a league is over when its last round is", adds(END)),
)
ROWS = LEDGER
FOLDERS = tuple(f"leagues/{name}.py" for name in ("season", "facts", "calls", "rulings", "statement_rules"))
