"""The course of a knock-out, in which winners go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pbem.leagues import summary
from pbem.leagues.formats.knockout import Cup, seeds
from pbem.leagues.model import Die
from pbem.leagues.round_formats.base import Drawn, Format, one_round, recorded_dice, sides_of
from pbem.leagues.season import Season
from pbem.leagues.state import Call


class Knockout(Format):
    """The knock-out format, whose bracket is made by the first draw."""

    def asked(self, season: Season, number: int, playing: tuple[str, ...]) -> tuple[str, ...]:
        """Return the players who have not lost, and the eliminators."""
        if not season.rounds:
            return playing
        ahead = cup(season).still_asked()
        return tuple(name for name in playing if name in ahead or season.members[name].eliminator)

    def present_players(self, season: Season, call: Call) -> Sequence[str]:
        """Return all players who were asked: a player who has left since stays in the bracket."""
        return tuple(map(season.name_now, call.asked))

    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Draw the next round of the bracket."""
        number, there = call.purpose.round, self.present_players(season, call)
        drawn = cup(season, die).next_round(die, asked=there, sides=sides_of(season, number))
        return one_round(season, number, (), (drawn,))

    def is_last(self, season: Season) -> bool:
        """Tell whether the bracket has been played to its end."""
        return cup(season).is_over()


def cup(season: Season, die: Die | None = None) -> Cup:
    """Return the present state of the knock-out; `die` is that of the first draw while that is being made."""
    call = season.calls[0]
    drawn = season.file.seeding == "draw"
    entrants = [season.members[name].entrant() for name in call.asked]
    order = seeds(
        [replace(one, rating=None) for one in entrants] if drawn else entrants,
        die if die is not None and not season.rounds else recorded_dice(call),
    )
    return Cup(
        order=tuple(map(season.name_now, order)),
        rounds=summary.rounds(season),
        results=summary.results(season),
        eliminators=frozenset(
            season.name_now(name) for name, member in season.members.items() if member.eliminator
        ),
        gone=summary.leavers(season),
        drawn=season.file.drawn,
        third=season.file.third,
    )
