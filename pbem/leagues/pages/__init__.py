"""Writes a league as public files: static pages, CSV, JSON and a calendar.

Everything comes from a `LeagueView`, which is public, and from nothing else: no clock, no address, no order
that could differ. The same league gives the same bytes.

| file | what it is |
|---|---|
| `index.html` | tables of all divisions, what comes next, last dates, open games, rulings and appeals |
| `round-N.html` | who meets whom, and what came of it |
| `cross-table.html` | everybody against everybody, or, where not all meet, round by round |
| `bracket.html` | the bracket of a knock-out, as a picture and in words |
| `ratings.html` | ratings over all and with each side |
| `player-NAME.html` | one player's games |
| `standings.csv`, `ratings.csv` | the same, byte for byte as the league's last entry hashes it |
| `games.csv` | every seat of every game |
| `league.json` | all of it |
| `rules.html` | the league's file in words, and how to enter; only of a league that says its rules |
| `calendar.ics` | all dates: of entries, calls, rounds and appeals, for calendar programs (RFC 5545) |
| `feed.atom` | what has happened, the latest first (RFC 4287) |
"""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5
from xml.etree import ElementTree as ET

from pbem.characters import plain
from pbem.leagues.model import Bracket, LeagueView
from pbem.leagues.pages.bracket import bracket_in_words, bracket_picture
from pbem.leagues.pages.rows import Shown
from pbem.leagues.results_table import written_ratings, written_standings
from pbem.rendering import render
from pbem.trust.times import parse_utc

_MAY_VANISH = re.compile(r"(round|player)-.+\.html|bracket\.html")
_OWN = b"default-src 'none'; style-src 'unsafe-inline'"
"""The line that every page of a league has at its head, by which such pages are recognised."""


def pages(league: LeagueView) -> Mapping[str, bytes]:
    """Return every file of a league's pages by its name."""
    shown = Shown(league)
    made = {
        "index.html": _page(shown, "index"),
        "cross-table.html": _page(shown, "cross-table"),
        "ratings.html": _page(shown, "ratings"),
        "standings.csv": written_standings(league.tie_breaks, league.standings),
        "games.csv": games_csv(league),
        "ratings.csv": written_ratings(league.ratings),
        "league.json": league_json(league),
        "calendar.ics": calendar(league),
    }
    if league.rules:
        made["rules.html"] = _page(shown, "rules")
    if league.bracket is not None:
        made["bracket.html"] = _bracket(shown, league.bracket)
    if league.news:
        made["feed.atom"] = feed(league)
    made |= {f"round-{number}.html": _page(shown, "round", number=number) for number in shown.rounds}
    made |= {
        f"player-{entrant.name}.html": _page(shown, "player", player=entrant.name)
        for entrant in league.entrants
    }
    return made


def write(league: LeagueView, folder: Path, *, public: bool = False) -> int:
    """Write all files of a league's pages, each whole or not at all, and return how many there are.

    `public`: make the folder and the files readable for every user of this machine, so that a web server can
    read them whatever the umask is. A file that is there already is replaced. The page of a round or player
    that is no longer in the league, as after a restore, is removed; files by others are left alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if public:
        folder.chmod(0o755)
    made = pages(league)
    for name, data in made.items():
        beside = folder / f".{name}.new"
        beside.write_bytes(data)
        if public:
            beside.chmod(0o644)
        beside.replace(folder / name)
    for path in folder.iterdir():
        if _MAY_VANISH.fullmatch(path.name) and path.name not in made and _OWN in path.read_bytes():
            path.unlink()
    return len(made)


def _bracket(shown: Shown, bracket: Bracket) -> bytes:
    """Return the page of a bracket, whose picture has a description and words below it."""
    league = shown.league
    drawn = bracket_picture(
        bracket, league.results, f"The bracket of {league.name}; the page tells it in words below"
    )
    return _page(shown, "bracket", picture=drawn, words=bracket_in_words(bracket, league.results))


def _page(shown: Shown, kind: str, **values: object) -> bytes:
    return render(f"league/{kind}.html.j2", shown=shown, league=shown.league, **values).encode()


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
        event.add("description", _open_games(sum(one == number for one, _, _ in league.open_games)))
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


def _open_games(games: int) -> str:
    match games:
        case 0:
            return "No game of it is open."
        case 1:
            return "1 game is still open."
    return f"{games} games are still open."


ATOM = "http://www.w3.org/2005/Atom"


def feed(league: LeagueView) -> bytes:
    """Return the feed of all news, the latest first; it depends on nothing but the league."""
    own = uuid5(NAMESPACE_OID, league.genesis)
    root = ET.Element("feed", xmlns=ATOM)
    _add_texts(root, id=own.urn, title=league.name, updated=league.news[0].at)
    _add_texts(ET.SubElement(root, "author"), name=league.name)
    ET.SubElement(root, "link", href="index.html")
    for one in league.news:
        entry = ET.SubElement(root, "entry")
        _add_texts(
            entry, id=uuid5(own, one.key).urn, title=one.title, updated=one.at, summary=one.text or one.title
        )
        ET.SubElement(entry, "link", href="index.html")
    ET.indent(root, " ")
    data: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _add_texts(parent: ET.Element, **values: str) -> None:
    """Add child elements, each with a text; characters that XML cannot hold become blanks."""
    for tag, value in values.items():
        ET.SubElement(parent, tag).text = plain(value)


def games_csv(league: LeagueView) -> bytes:
    """Return the CSV file of a league's games, a line for each seat; seats of open games have no place."""
    results = {(one.round, one.division, one.pairing): one for one in league.results}
    rows: list[Sequence[object]] = []
    for drawn in league.rounds:
        for pairing in drawn.pairings:
            result = results.get((drawn.number, drawn.division, pairing.number))
            seats = result.seats if result else pairing.seats
            places: Sequence[int | str] = result.places if result else ("",) * len(seats)
            ending, day = (result.ending.value, result.day) if result else ("open", "")
            for seat, place in zip(seats, places, strict=True):
                rows.append(
                    (drawn.number, drawn.division, pairing.number, seat.player, seat.side, place, ending, day)
                )
        rows += [
            (drawn.number, drawn.division, "", bye.player, "", "", "half-bye" if bye.half else "bye", "")
            for bye in drawn.byes
        ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("round", "division", "pairing", "player", "side", "place", "ending", "day"))
    writer.writerows(rows)
    return text.getvalue().encode()


def league_json(league: LeagueView) -> bytes:
    """Return the whole `LeagueView` as JSON, by the names of its fields."""
    return (json.dumps(asdict(league), default=_plain, ensure_ascii=False, indent=1) + "\n").encode()


def _plain(value: Any) -> str:
    """Return a fraction or a decimal number as text, so that no program rounds it."""
    if isinstance(value, Fraction | Decimal):
        return str(value)
    raise TypeError(f"no plain form of {value!r}")
