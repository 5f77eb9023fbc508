"""The league format of sections: everybody meets everybody in a section; winners may meet in a final one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pbem.leagues import summary
from pbem.leagues.formats import shuffled
from pbem.leagues.formats.round_robin import schedule, sections
from pbem.leagues.model import Die, Entrant
from pbem.leagues.round_formats.base import Drawn, Format, one_round, sides_of
from pbem.leagues.season import Season
from pbem.leagues.state import Call


class Sections(Format):
    """The league format that splits entrants into sections: all in one meet; all rounds are drawn at once."""

    def asked(self, season: Season, number: int, playing: tuple[str, ...]) -> tuple[str, ...]:
        """Return who is asked for a step for the draw: all, or the section winners for a final section."""
        if not season.rounds:
            return playing
        groups = list(summary.winners(season, playing))
        return tuple(sorted(name for names in groups for name in names)) if len(groups) > 1 else ()

    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Return the draw of the sections' rounds, or of the section of their winners."""
        return (_final if season.rounds else _sections)(season, self.entrants(season, call), die)

    def is_last(self, season: Season) -> bool:
        """Tell whether no draw follows: the league has no final section, or the final section was drawn."""
        return len(season.rounds) > 1 or not season.file.final


def _sections(season: Season, entrants: Sequence[Entrant], die: Die) -> Drawn:
    drawn = sections(entrants, season.file.size, die)
    divisions = tuple((str(number), players) for number, players in enumerate(drawn, 1))
    rounds = [
        one
        for division, players in divisions
        for one in schedule(players, season.file.double, sides=sides_of(season, 1), division=division)
    ]
    made = one_round(season, 1, divisions, rounds)
    return Drawn(divisions, made.pairs, ())  # a free turn of a table is no bye


def _final(season: Season, entrants: Sequence[Entrant], die: Die) -> Drawn:
    """Return the draw of a section for the winners of all sections; a shared first place goes by lot."""
    there = {one.name: one for one in entrants}
    groups = enumerate(summary.winners(season, there), 1)
    chosen = [there[shuffled(names, die, f"final/first-{number}")[0]] for number, names in groups]
    if len(chosen) < 2:  # all others have left while it was called for
        chosen = list(entrants)
    (players,) = sections(chosen, len(chosen), die, "final")
    sides = sides_of(season, season.rounds[-1].number + 1)
    rounds = schedule(players, season.file.double, sides=sides, division=summary.FINAL)
    return replace(one_round(season, len(season.rounds) + 1, ((summary.FINAL, players),), rounds), byes=())
