"""Clubs with rated games that are over: played for one exchange, then conceded."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from pbem.judge.acts import act
from pbem.judge.club import create_club
from pbem.judge.newgame import new_game
from pbem.titles import Title
from pbem.trust import keys
from pbem.trust.chance import make_chain
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, START, TITLE, Clock, Person, Table


def club_of(
    folder: Path,
    people: Mapping[str, keys.PrivateKey],
    *,
    start: datetime = START,
    rated: bool = True,
    title: Title = TITLE,
    **options: object,
) -> Table:
    """A club with one game of these people, exchange 1 open; the game is called alike in each club."""
    clock = Clock(start)
    club = create_club(folder / "club", "test", clock=clock)
    seated, chosen = {}, {**(title.excerpt or {}), **options}
    sides = reversed(title.rules.sides(title.rules.checked(dict(chosen))))
    for number, (side, (name, key)) in enumerate(zip(sides, people.items(), strict=True), 1):
        chain = make_chain(GAME, f"{name}.1", bytes([number]) * 32)
        seated[name] = Person(name, side, key, chain)
        club.add_player(name, key.public, f"{name}@example.org")
    joins = {one.side: one.join() for one in seated.values()}
    new_game(club, GAME, title.name, chosen, joins, rated=rated)
    return Table(club, clock, seated)


def concede(table: Table, *losers: str) -> Table:
    """Play one exchange; then all but one concede, one after the other, and the game is over."""
    table.go()
    for loser in losers:
        signed = table.consent(f"concede {loser}", loser)
        act(table.club, GAME, "concede", loser, reason=f"{loser} has written so", consents=[signed])
    run_pass(table.club)
    assert table.book.history.over
    return table
