"""A season's summary in the words of the model: its entrants, rounds and results so far."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from pbem.leagues.model import Bye, Entrant, Pairing, Result, Round, Seat, Standing
from pbem.leagues.season import Season
from pbem.leagues.standings import rank_places
from pbem.leagues.standings import standings as standings_of
from pbem.leagues.state import RoundState

FINAL = "final"
"""The name of the division in which the winners of sections meet."""
Tables = tuple[tuple[str, tuple[Standing, ...]], ...]


def entrants(season: Season) -> tuple[Entrant, ...]:
    """Return every player who has entered and was not replaced, by name."""
    return tuple(
        member.entrant() for name, member in sorted(season.members.items()) if name not in season.successors
    )


def leavers(season: Season) -> frozenset[str]:
    """Return the players who left with games to play and have no substitute."""
    return frozenset(
        name
        for name, member in season.members.items()
        if member.leaving_reason and not member.played_all and name not in season.successors
    )


def standings(season: Season, ranks: Mapping[str, int] | None = None) -> Tables:
    """Return each division's table by points and tie-breaks; `ranks`: how far each came in a knock-out."""
    gone, played, drawn = leavers(season), results(season), rounds(season)
    found = []
    for division, players in _divisions(season):
        table = standings_of(
            tuple(one for one in entrants(season) if one.name in players),
            tuple(one for one in played if one.division == division),
            season.file.scoring,
            rounds=tuple(one for one in drawn if one.division == division),
            left=gone & players,
            ranks=ranks,
        )
        found.append((division, table))
    return tuple(found)


def _divisions(season: Season) -> list[tuple[str, frozenset[str]]]:
    named = [division for state in season.rounds for division in state.pairings.divisions]
    if not named:
        return [("", frozenset(one.name for one in entrants(season)))]
    return [(name, frozenset(map(season.name_now, players))) for name, players in named]


def winners(season: Season, there: Container[str]) -> Iterator[tuple[str, ...]]:
    """Yield the winner of each section, or the players in `there` who share its first place."""
    for division, table in standings(season):
        first = tuple(row.player for row in table if row.place == 1 and not row.note and row.player in there)
        if first and division != FINAL:
            yield first


def results(season: Season) -> tuple[Result, ...]:
    """Return every result of a season as it counts now, by rounds and pairings.

    A substitute's results include those that they took over.
    """
    return tuple(_results(season))


def _results(season: Season) -> Iterator[Result]:
    for state in season.rounds:
        scenario = str(season.file.game_options(state.number, 0).get("scenario", ""))
        for pair in state.pairings.pairs:
            outcome = state.outcome(pair.number)
            if outcome is None:
                continue
            opened = state.opened_games.get(pair.number)
            sides = {seat.player: seat.side for seat in (opened.seats if opened else pair.seats)}
            places = dict(outcome.places)
            gone = () if outcome.ruled else state.absent_players.get(pair.number, ())
            yield Result(
                round=state.number,
                division=pair.division,
                pairing=pair.number,
                game=season.file.rules,
                scenario=scenario,
                seats=tuple(
                    Seat(player=season.name_now(player), side=sides[player]) for player in pair.players
                ),
                places=rank_places(len(places) + 1 if one in gone else places[one] for one in pair.players),
                gone=tuple(map(season.name_now, gone)),
                ending=outcome.ending,
                reason=outcome.reason,
                counts=outcome.counts,
                day=outcome.at.date().isoformat(),
            )


def rounds(season: Season) -> tuple[Round, ...]:
    """Return every round of a season that was drawn, one for each division."""
    return tuple(one for state in season.rounds for one in _rounds_by_group(season, state))


def _rounds_by_group(season: Season, state: RoundState) -> Iterator[Round]:
    names = [name for name, _ in state.pairings.divisions] or [""]
    for division in names:
        yield Round(
            number=state.number,
            division=division,
            pairings=tuple(
                Pairing(
                    number=pair.number,
                    seats=tuple(
                        Seat(player=season.name_now(seat.player), side=seat.side) for seat in pair.seats
                    ),
                )
                for pair in state.pairings.pairs
                if pair.division == division
            ),
            byes=tuple(
                Bye(player=season.name_now(player))
                for where, player in state.pairings.byes
                if where == division
            )
            + tuple(Bye(player=season.name_now(player), half=True) for player in state.pairings.half_byes),
        )
