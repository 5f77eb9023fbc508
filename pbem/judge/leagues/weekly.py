"""Writes a league's weekly letters: pending decisions to the director, the standings to players.

A letter is written once for each week, together with the note of it, on the first pass of its day or after:
the note holds the day of the next one, and the size of the ledger that was told, so that every entry stands
in one letter. A league's first letter comes on the first such day after it was opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from pbem.characters import BLANKS
from pbem.errors import PbemError
from pbem.judge.agenda import read_agendas
from pbem.judge.club import Club
from pbem.judge.leagues.book import LeagueBook, load_league
from pbem.judge.leagues.display import games_of, headline, standings
from pbem.judge.leagues.status import waiting_decisions
from pbem.judge.leagues.steps import Done
from pbem.leagues.config_reader import NEVER
from pbem.leagues.entries import Ended, Opened, Pairings, RoundOver, Ruled, Said, Substituted
from pbem.leagues.model import outcome_text
from pbem.trust.entries import Entry
from pbem.trust.times import WEEKDAYS

WEEK = timedelta(days=7)


def send_digests(club: Club) -> Iterator[Done]:
    """Write the weekly letters of leagues that are due, if the club sends mail."""
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
        following = _following(book, today)
        with club.store.step():
            club.store.put_note(note, f"{following} {book.size}")
            if not day:
                continue
            club.store.drop_sent(book.name, f"{book.name}-%week-of-%")
            count = _send(book, f"week-of-{day}", book.entries[int(size) :])
        yield Done(book.file.name, f"the week is told to {count} players and the director")


def _following(book: LeagueBook, today: date) -> str:
    """Return the day of a league's next weekly letter, or NEVER if it has none."""
    if book.file.digest == NEVER:
        return NEVER
    ahead = (WEEKDAYS.index(book.file.digest) - today.weekday()) % 7
    return (today + (timedelta(days=ahead) if ahead else WEEK)).isoformat()


def _send(book: LeagueBook, name: str, entries: Iterable[Entry]) -> int:
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
        text = _text(table[0], {"Your games": own, "Standings": table[1:], "The week": news})
        club.store.add_letter(book.name, player, f"{book.name}-{name}.txt", b"", text=text)
    waits = [
        f"{one.about}: {one.text}\n    {one.command}".rstrip(BLANKS)
        for one in waiting_decisions(club, book.file.name)
    ]
    parts = {"For you to decide": waits or ["Nothing."], "The week": news or ["Nothing has happened."]}
    text = _text(headline(season), parts)
    director, name = book.file.director, f"{book.name}-director-{name}.txt"
    if addresses.get(director):
        club.store.add_letter(book.name, director, name, b"", text=text)
    elif address := club.settings.get("watch", {}).get("address", ""):
        club.store.add_letter("", "", f"summary-{name}", b"", text=text, address=address)
    return len(players)


def _text(first: str, parts: dict[str, list[str]]) -> str:
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
