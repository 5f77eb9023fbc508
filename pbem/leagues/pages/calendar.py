"""Writes all dates of a league, of entries, calls, rounds and appeals, for calendar programs (RFC 5545)."""

from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

from pbem.leagues.model import LeagueView
from pbem.trust.times import parse_utc


def calendar(league: LeagueView) -> bytes:
    """Return a calendar with a day for each round's last date and a time for every other date of a league."""
    from icalendar import Calendar, Event

    book = Calendar()
    book.add("prodid", "-//pbem//league//EN")
    book.add("version", "2.0")
    book.add("method", "PUBLISH")
    book.add("x-wr-calname", league.name)
    known = sha256(league.name.encode()).hexdigest()[:16]
    for number, day in league.deadlines:
        last = date.fromisoformat(day)
        event = Event()
        event.add("uid", f"round-{number}-{known}@pbem.invalid")
        event.add("dtstamp", datetime(last.year, last.month, last.day, tzinfo=UTC))
        event.add("dtstart", last)
        event.add("dtend", last + timedelta(days=1))
        event.add("summary", f"{league.name}: last day of round {number}")
        event.add("description", _open(sum(one == number for one, _, _ in league.open_games)))
        event.add("transp", "TRANSPARENT")
        book.add_component(event)
    for key, at, text in league.dates:
        moment = parse_utc(at)
        event = Event()
        event.add("uid", f"{key}-{known}@pbem.invalid")
        event.add("dtstamp", moment)
        event.add("dtstart", moment)
        event.add("summary", f"{league.name}: {text}")
        event.add("transp", "TRANSPARENT")
        book.add_component(event)
    return bytes(book.to_ical())


def _open(games: int) -> str:
    match games:
        case 0:
            return "No game of it is open."
        case 1:
            return "1 game is still open."
    return f"{games} games are still open."
