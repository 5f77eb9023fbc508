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

import re
from collections.abc import Mapping
from pathlib import Path

from pbem.leagues.model import Bracket, LeagueView
from pbem.leagues.pages.bracket import in_words
from pbem.leagues.pages.calendar import calendar
from pbem.leagues.pages.data import games_csv, league_json
from pbem.leagues.pages.feed import feed
from pbem.leagues.pages.picture import picture
from pbem.leagues.pages.rows import Shown
from pbem.leagues.results_table import written_ratings, written_standings
from pbem.rendering import render

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
    drawn = picture(
        bracket, league.results, f"The bracket of {league.name}; the page tells it in words below"
    )
    return _page(shown, "bracket", picture=drawn, words=in_words(bracket, league.results))


def _page(shown: Shown, kind: str, **values: object) -> bytes:
    return render(f"league/{kind}.html.j2", shown=shown, league=shown.league, **values).encode()
