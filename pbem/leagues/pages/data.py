"""Writes a league for programs: its games as CSV, and all of it as JSON. Fractions are exact, as 7/2."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pbem.leagues.model import LeagueView


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
