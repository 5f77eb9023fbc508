"""Lists the decisions for which the club's leagues wait, and the facts of them that everybody may know."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.errors import PbemError
from pbem.judge.agenda import read_agendas
from pbem.judge.club import Club
from pbem.judge.leagues.book import load_league
from pbem.judge.leagues.games import ClubGames
from pbem.leagues.recent_events import Headline, headlines
from pbem.leagues.scheduler import Decision, decisions


def waiting_decisions(club: Club, name: str = "") -> Iterator[Decision]:
    """Yield lines on decisions that leagues wait for, and on leagues that cannot go on, with reasons."""
    rows = [row for row in club.store.leagues() if not name or name in (row.name, row.name[7:])]
    if name and not rows:
        load_league(club, name)
    over = frozenset(game for game, one in read_agendas(club).items() if one.over)
    for row in rows:
        try:
            book = load_league(club, row.name)
        except PbemError as fault:
            yield Decision(row.name, f"stopped: {fault}", "")
            continue
        if row.trouble:
            yield Decision(book.file.name, f"stopped: {row.trouble}", "")
        yield from decisions(book.season, book.time(club.clock()), ClubGames(club, over))


def headlines_of(club: Club, ledger: str) -> list[Headline]:
    """Return the facts of a league that hold now and name no player.

    Raises:
        LedgerError: the league cannot be read.
    """
    return list(headlines(load_league(club, ledger).season))
