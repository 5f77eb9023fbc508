"""The course of a Swiss, in which players who have done equally well meet, in pairs or at tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pbem.leagues import summary
from pbem.leagues.formats.swiss import NoPairing, pair
from pbem.leagues.formats.tables import draw
from pbem.leagues.model import Die, Entrant, Round
from pbem.leagues.round_formats.base import Drawn, Format, one_round, sides_of
from pbem.leagues.season import Season
from pbem.leagues.state import Call


class Swiss(Format):
    """The Swiss format, in which each round is drawn by the results of those before."""

    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Return the draw of a round in pairs or at tables; half-point byes are granted if anybody plays."""
        number = call.purpose.round
        by = _tables if season.file.table_sizes(number)[-1] > 2 else _pairs
        made = one_round(season, number, (), (by(season, number, self.entrants(season, call), die),))
        return replace(made, half_byes=half_byes(season, number) if made.pairs else ())

    def is_last(self, season: Season) -> bool:
        """Tell whether the last round of a Swiss was drawn, or an empty one for lack of new couples."""
        return not season.rounds[-1].pairings.pairs or super().is_last(season)


def half_byes(season: Season, number: int) -> tuple[str, ...]:
    """Return the players who asked for half a point in place of a game and have not left."""
    members = sorted(season.members.items())
    return tuple(name for name, member in members if number in member.half_byes and not member.leaving_reason)


def _pairs(season: Season, number: int, entrants: Sequence[Entrant], die: Die) -> Round:
    try:
        return pair(
            entrants,
            summary.results(season),
            summary.rounds(season),
            die,
            wishes=season.file.swiss,
            sides=sides_of(season, number),
            rules=season.file.scoring,
            left=summary.leavers(season),
        )
    except NoPairing:  # only where the file says that the season ends then
        return Round(number=number, pairings=())


def _tables(season: Season, number: int, entrants: Sequence[Entrant], die: Die) -> Round:
    sizes = season.file.table_sizes(number)
    sides = {seats: season.file.game_sides(number, seats) for seats in sizes}
    players = [one.name for one in entrants]
    return draw(players, sizes[0], sizes[-1], summary.rounds(season), die, sides=sides)
