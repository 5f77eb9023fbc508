"""Lists what is pending in leagues (decisions, open calls), and facts of them that everybody may know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

from pbem.errors import LedgerError, PbemError
from pbem.judge.agenda import Agenda, load_agenda, read_agendas, unconfirmed_ledgers
from pbem.judge.club import Club
from pbem.judge.leagues.book import LeagueBook, load_league
from pbem.judge.leagues.games import ClubGames
from pbem.leagues.news import Headline, describe_next_event, headlines
from pbem.leagues.scheduler import Decision, decisions
from pbem.trust.times import utc_text

CALLS = "open call 2"
"""Name under which the database keeps each league's open call with the league's head; it changes with the
content."""


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


def next_event_of(club: Club, ledger: str) -> str:
    """Return the line that tells what happens next in a league; "" of one that cannot be read."""
    with suppress(PbemError):
        return describe_next_event(load_league(club, ledger).season)
    return ""


def headlines_of(club: Club, ledger: str) -> list[Headline]:
    """Return the facts of a league that hold now and name no player.

    Raises:
        LedgerError: the league cannot be read.
    """
    return list(headlines(load_league(club, ledger).season))


def open_calls(club: Club) -> list[Agenda]:
    """Return each league's open call as an agenda; a league's ledger is read only when it has grown.

    An agenda's exchange is the number of the call, 0 if none is open. Leagues that cannot be read, or are to
    be confirmed after a restore, are left out: whoever runs them is told.
    """
    store, found, unconfirmed = club.store, [], unconfirmed_ledgers(club)
    kept = store.derived(CALLS)
    for name in (row.name for row in store.leagues() if not row.over and row.name not in unconfirmed):
        head, data = kept.get(name, ("", ""))
        before = load_agenda(data) if data else Agenda(game=name)
        if head == store.league_head(name):
            found.append(before)
            continue
        try:
            book = load_league(club, name)
        except LedgerError:
            continue
        found.append(_agenda_of(book, before, utc_text(club.clock())))
        with store.step():
            store.put_derived(name, CALLS, book.head, json.dumps(found[-1]._asdict()))
    return found


def _agenda_of(book: LeagueBook, before: Agenda, now: str) -> Agenda:
    """Return the agenda of a league's open call; `before` is the one of an earlier head."""
    call = book.season.call
    number = call.number if call is not None else 0
    opened = before.opened if number == before.exchange and before.opened else now
    if call is None:
        return Agenda(game=book.name, opened=opened)
    return Agenda(
        game=book.name,
        exchange=number,
        players=call.asked,
        waiting=call.waiting,
        senders=call.waiting,
        opened=opened,
        deadline=utc_text(call.opened.deadline) if call.opened.deadline else "",
    )
