"""The course of a ladder, with periods in which challenged players defend their rungs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from pbem.leagues import summary
from pbem.leagues.entries import DRAW
from pbem.leagues.formats.ladder import after, may_challenge
from pbem.leagues.formats.round_robin import by_rating
from pbem.leagues.model import UNDECIDED, Die, Pairing, Round, Seat
from pbem.leagues.round_formats.base import Drawn, Format, one_round, recorded_dice, sides_of
from pbem.leagues.season import Season
from pbem.leagues.state import Call


class Ladder(Format):
    """The ladder format, in which the first draw makes an order that challenges change."""

    def asked(self, season: Season, number: int, playing: tuple[str, ...]) -> tuple[str, ...]:
        """Return the players who challenge or are challenged, if any challenge counts."""
        if not season.rounds:
            return playing
        if not any(_challenges(season, number, playing, ladder(season))):
            return ()
        named = {season.name_now(one) for made, *pair in season.challenges if made == number for one in pair}
        return tuple(name for name in playing if name in named)

    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Return the pairings of the challenges that count; sides for which nobody bids are drawn by lot."""
        number = call.purpose.round
        order = ladder(season, die if not season.rounds else None)
        sides = sides_of(season, number)
        pairings: list[Pairing] = []
        asked = tuple(map(season.name_now, call.asked))
        fixed = len(call.seating.games) if call.seating else None  # a challenge may come after its call
        for couple in map(list, islice(_challenges(season, number, asked, order), fixed)):
            if sides != UNDECIDED and die(2, f"sides/{len(pairings) + 1}") == 2:
                couple.reverse()
            pairings.append(
                Pairing(
                    number=len(pairings) + 1,
                    seats=tuple(Seat(player=one, side=side) for one, side in zip(couple, sides, strict=True)),
                )
            )
        return one_round(season, number, (), (Round(number=number, pairings=tuple(pairings)),))

    def is_last(self, season: Season) -> bool:
        """Tell whether no round comes any more.

        That is when as many rounds with challenges were drawn as the league's file sets.
        """
        return sum(bool(state.pairings.pairs) for state in season.rounds) >= season.file.rounds


def _challenges(
    season: Season, number: int, asked: Sequence[str], order: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the challenges that count in a round, in the order in which they were made."""
    games: dict[str, int] = {}
    for made, *names in season.challenges:
        challenger, challenged = map(season.name_now, names)
        busy = frozenset(name for name, count in games.items() if count >= max(1, season.members[name].games))
        if made != number or not {challenger, challenged} <= set(asked):
            continue
        if may_challenge(order, challenger, challenged, season.file.reach, busy) is None:
            for name in (challenger, challenged):
                games[name] = games.get(name, 0) + 1
            yield challenger, challenged


def ladder(season: Season, die: Die | None = None) -> tuple[str, ...]:
    """Return the present order of the ladder, the top first; empty before its first draw.

    `die`: of the first draw, while that is being made.
    """
    first = next((call for call in season.calls if call.purpose.what == DRAW), None)
    if first is None or (first.resolved is None and die is None):
        return ()
    start = [season.members[name].entrant() for name in first.asked]
    order: tuple[str, ...] = tuple(
        map(season.name_now, by_rating(start, die or recorded_dice(first), "ladder"))
    )
    late = [
        name for name in season.members if name not in first.asked and name not in season.successors.values()
    ]
    order += tuple(season.name_now(name) for name in late)
    for result in summary.results(season):
        order = after(order, result)
    return tuple(name for name in order if not season.members[name].leaving_reason)
