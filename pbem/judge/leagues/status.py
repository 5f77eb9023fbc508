"""Lists the decisions that leagues wait for and public facts of leagues, and writes their weekly letters.

A weekly letter tells the director the decisions that are pending, and players the standings. It is written
once for each week, together with the note of it, on the first pass of its day or after: the note holds the
day of the next one, and the size of the ledger that was told, so that every entry stands in one letter. A
league's first letter comes on the first such day after it was opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date, timedelta

from pbem.characters import BLANKS
from pbem.errors import LedgerError, PbemError
from pbem.judge.agenda import Agenda, load_agenda, read_agendas, unconfirmed_ledgers
from pbem.judge.club import Club
from pbem.judge.leagues.book import Done, LeagueBook, load_league
from pbem.judge.leagues.display import games_of, headline, standings
from pbem.judge.leagues.games import ClubGames
from pbem.leagues.config_reader import NEVER
from pbem.leagues.entries import Ended, Opened, Pairings, RoundOver, Ruled, Said, Substituted
from pbem.leagues.model import outcome_text
from pbem.leagues.news import Headline, describe_next_event, headlines
from pbem.leagues.scheduler import Decision, decisions
from pbem.trust.entries import Entry
from pbem.trust.times import WEEKDAYS, utc_text

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
    """Return the line that tells what happens next in a league; "" if the league cannot be read."""
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
    """Return the agenda of a league's open call; `before`: its agenda at an earlier head."""
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


WEEK = timedelta(days=7)


def send_digests(club: Club) -> Iterator[Done]:
    """Write the weekly letters of leagues that are due, if the club sends mail; yield a line on each."""
    if not club.mails:
        return
    today = club.clock().date()
    for row in club.store.leagues():
        note = f"week {row.name}"
        day, _, size = club.store.note(note).partition(" ")
        if row.over or day == NEVER or (day and today < date.fromisoformat(day)):
            continue
        try:
            book = load_league(club, row.name)
        except PbemError:  # what stops a league is told by those who run it
            continue
        following = _next_letter_day(book, today)
        with club.store.step():
            club.store.put_note(note, f"{following} {book.size}")
            if not day:
                continue
            club.store.drop_sent(book.name, f"{book.name}-%week-of-%")
            count = _send_week(book, f"week-of-{day}", book.entries[int(size) :])
        yield Done(book.file.name, f"the week is told to {count} players and the director")


def _next_letter_day(book: LeagueBook, today: date) -> str:
    """Return the day of a league's next weekly letter, or NEVER if it has none."""
    if book.file.digest == NEVER:
        return NEVER
    ahead = (WEEKDAYS.index(book.file.digest) - today.weekday()) % 7
    return (today + (timedelta(days=ahead) if ahead else WEEK)).isoformat()


def _send_week(book: LeagueBook, name: str, entries: Iterable[Entry]) -> int:
    """Put a league's weekly letters into the outbox; return the number of players they go to."""
    club, season = book.club, book.season
    agendas, addresses = read_agendas(club), {row.name: row.address for row in club.store.players()}
    news, table = list(news_lines(entries)), standings(season)
    players = [
        one
        for one, member in sorted(season.members.items())
        if not member.leaving_reason and addresses.get(one)
    ]
    for player in players:
        own = games_of(season, player, agendas) or ["Nothing waits for you."]
        text = _week_text(table[0], {"Your games": own, "Standings": table[1:], "The week": news})
        club.store.add_letter(book.name, player, f"{book.name}-{name}.txt", b"", text=text)
    waits = [
        f"{one.about}: {one.text}\n    {one.command}".rstrip(BLANKS)
        for one in waiting_decisions(club, book.file.name)
    ]
    parts = {"For you to decide": waits or ["Nothing."], "The week": news or ["Nothing has happened."]}
    text = _week_text(headline(season), parts)
    director, name = book.file.director, f"{book.name}-director-{name}.txt"
    if addresses.get(director):
        club.store.add_letter(book.name, director, name, b"", text=text)
    elif address := club.settings.get("watch", {}).get("address", ""):
        club.store.add_letter("", "", f"summary-{name}", b"", text=text, address=address)
    return len(players)


def _week_text(first: str, parts: dict[str, list[str]]) -> str:
    told = [f"{heading}\n\n" + "\n".join(lines).strip("\n") for heading, lines in parts.items() if lines]
    return "\n\n".join([first, *told]) + "\n"


def news_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield a line for each entry of a league's ledger that players may care about; calls are left out."""
    for entry in entries:
        match entry:
            case Said():
                said = dict(line.split(" ", 1) for line in entry.extra)
                yield f"{entry.player}: {said['say']} {said.get('of', '')}".rstrip(BLANKS)
            case Substituted():
                yield f"{entry.player} takes the place of {entry.of}"
            case Pairings():
                byes = len(entry.byes) + len(entry.half_byes)
                yield f"round {entry.round} is drawn: {len(entry.pairs)} games, {byes} byes"
            case Opened():
                yield f"{entry.game} is open: " + ", ".join(f"{one.player} {one.side}" for one in entry.seats)
            case Ended():
                told = outcome_text(entry.ending, entry.places, entry.reason)
                yield f"round {entry.round}, pairing {entry.pairing}: {told}"
            case RoundOver():
                yield f"round {entry.round} is over"
            case Ruled():
                yield f"ruling {entry.number} by {entry.by}: {' '.join(entry.decides)} ({entry.reason})"
