"""The interface of a format's rounds: who is asked, who meets whom, and when no round is left."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from pbem.leagues.entries import Paired
from pbem.leagues.model import UNDECIDED, Die, Entrant, Pairing, Round, Seat, Sides
from pbem.leagues.season import Season
from pbem.leagues.seating import game_name
from pbem.leagues.state import Call

Divisions = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The pairings and byes of a round as it was drawn."""

    divisions: Divisions
    pairs: tuple[Paired, ...]
    byes: tuple[tuple[str, str], ...]
    half_byes: tuple[str, ...] = ()


class Format(ABC):
    """The course of a league's rounds in one format; a format overrides the methods in which it differs."""

    def asked(self, season: Season, number: int, playing: tuple[str, ...]) -> tuple[str, ...]:
        """Return the players of a round who are asked for a step when the round is drawn."""
        return playing

    def present_players(self, season: Season, call: Call) -> Sequence[str]:
        """Return the players whom a call for a draw finds, without those who have left since it was opened.

        A substitute who has taken a place meanwhile is drawn for it, where the other stood.
        """
        asked = tuple(map(season.name_now, call.asked))
        there = tuple(name for name in asked if not season.members[name].leaving_reason)
        return there if len(there) >= season.file.table_sizes(call.purpose.round)[0] else asked

    def entrants(self, season: Season, call: Call) -> list[Entrant]:
        """Return the players whom a call for a draw finds as entrants, for the calculation."""
        return [season.members[name].entrant() for name in self.present_players(season, call)]

    @abstractmethod
    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Return the pairings of a round that follow from a call for its draw."""

    def is_last(self, season: Season) -> bool:
        """Tell whether no round of the league comes after the last one that was drawn."""
        return len(season.rounds) >= season.file.rounds


def sides_of(season: Season, number: int) -> Sides:
    """Return the sides of the league's game, or none if players bid for them."""
    sides = season.file.game_sides(number)
    if season.file.sides == "bids" or len(sides) != 2:
        return UNDECIDED
    return sides[0], sides[1]


def one_round(season: Season, number: int, divisions: Divisions, rounds: Sequence[Round]) -> Drawn:
    """Return the rounds of all divisions as one round, with pairings numbered from first to last."""
    pairs: list[Paired] = []
    byes: list[tuple[str, str]] = []
    for one in rounds:
        byes += [(one.division, bye.player) for bye in one.byes]
        for pairing in one.pairings:
            for seats in _games(season, number, pairing):
                name = game_name(season.file.ledger, number, len(pairs) + 1)
                pairs.append(Paired(number=len(pairs) + 1, division=one.division, game=name, seats=seats))
    return Drawn(divisions, tuple(pairs), tuple(byes))


def _games(season: Season, number: int, pairing: Pairing) -> tuple[tuple[Seat, ...], ...]:
    """Return the seats of the games of a pairing: one game, or two with sides changed."""
    if season.file.sides != "both" or len(pairing.seats) != 2:
        return (pairing.seats,)
    sides = season.file.game_sides(number)
    first, second = (seat.player for seat in pairing.seats)
    there = (Seat(player=first, side=sides[0]), Seat(player=second, side=sides[1]))
    back = (Seat(player=first, side=sides[1]), Seat(player=second, side=sides[0]))
    return there, back


def recorded_dice(call: Call) -> Die:
    """Return the dice that a resolved call has recorded."""
    assert call.resolved is not None
    start = f"{call.purpose.what}-{call.purpose.round}/"
    values = {die.label.removeprefix(start): die.value for die in call.resolved.dice}
    return lambda _, label: values[label]
