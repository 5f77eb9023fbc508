"""A league for programs: CSV and JSON. Fractions are written exactly, as 7/2."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pbem.leagues.model import LeagueView

DANGEROUS = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so is a formula to a spreadsheet program."""


def standings_csv(league: LeagueView) -> bytes:
    """A line for each player of each division, with all tie-breaks."""
    rows = [
        (division, line.place, line.player, line.played, line.points, *line.tie_breaks, line.note)
        for division, table in league.standings
        for line in table
    ]
    return _csv(("division", "place", "player", "played", "points", *league.tie_breaks, "note"), rows)


def games_csv(league: LeagueView) -> bytes:
    """A line for each seat of each game, open ones without a place."""
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
        rows += [(drawn.number, drawn.division, "", bye.player, "", "", "bye", "") for bye in drawn.byes]
    return _csv(("round", "division", "pairing", "player", "side", "place", "ending", "day"), rows)


def ratings_csv(league: LeagueView) -> bytes:
    """A line for each rating; side is empty over all."""
    names = (
        "player",
        "game",
        "side",
        "value",
        "deviation",
        "volatility",
        "games",
        "provisional",
        "from_tables",
    )
    return _csv(names, ([getattr(rating, name) for name in names] for rating in league.ratings))


def league_json(league: LeagueView) -> bytes:
    """The whole `LeagueView`, by its own names."""
    return (json.dumps(asdict(league), default=_plain, ensure_ascii=False, indent=1) + "\n").encode()


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode()


def _cell(value: object) -> object:
    """As it is written; text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and value.startswith(DANGEROUS):
        return f"'{value}"
    return value


def _plain(value: Any) -> str:
    """Fractions and decimal numbers as text, so that no program rounds them."""
    if isinstance(value, Fraction | Decimal):
        return str(value)
    raise TypeError(f"no plain form of {value!r}")
