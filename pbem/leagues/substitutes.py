"""Decides which substitute from the list takes which place, for judge and audit alike.

The place that has been free longest goes to the first on the list, the next to the second. It is taken while
its days go on, or by who was on the list when they were over; a game whose seat has waited before in this
round is lost first. A place with nothing left to play is taken by nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pbem.leagues.entries import Paired
from pbem.leagues.round_drawing import is_last
from pbem.leagues.round_formats.knockout import cup
from pbem.leagues.season import Season
from pbem.leagues.timeouts import is_too_late, listed_substitutes


@dataclass(frozen=True, slots=True)
class TakePlace:
    """The act by which a substitute from the list takes a leaver's place."""

    player: str
    of: str


def due_places(season: Season) -> Iterator[TakePlace]:
    """Yield the places that are due to substitutes on the list now, in order."""
    if not any(offer.is_listed for offer in season.offers.values()):
        return
    given: set[str] = set()
    free = [(member.left_at, name) for name, member in season.members.items() if member.left_at is not None]
    for _, of in sorted(free):
        first = next((name for name in listed_substitutes(season, of) if name not in given), None)
        if first is not None and _is_worth_it(season, of):
            given.add(first)
            yield TakePlace(first, of)


def place_in(season: Season, pair: Paired) -> TakePlace | None:
    """Return the place in a game that a substitute from the list takes before anything else is done."""
    gone = {name for name in map(season.name_now, pair.players) if season.members[name].leaving_reason}
    return next((place for place in due_places(season) if place.of in gone), None) if gone else None


def games_with(season: Season, name: str) -> tuple[Paired, ...]:
    """Return the games without a result in which a player has a place."""
    unfinished = season.round.unfinished_pairs if season.round is not None else ()
    return tuple(pair for pair in unfinished if name in map(season.name_now, pair.players))


def _is_worth_it(season: Season, of: str) -> bool:
    """Tell whether a leaver's place has something left to play: a running game, or a round to come."""
    games = games_with(season, of)
    if any(is_too_late(season, pair, of) for pair in games):
        return False
    if games or not season.rounds:
        return True
    if season.file.format == "knockout":
        standing = cup(season)
        return of in replace(standing, gone=standing.gone - {of}).still_asked()
    return season.file.format != "sections" and not is_last(season)
