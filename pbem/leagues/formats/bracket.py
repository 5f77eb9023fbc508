"""The bracket of a knock-out as the public sees it: who met, who goes on, who may still come.

It adds nothing to what `Cup` reads from rounds and results, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.leagues.formats.knockout import Cup, Stage, bracket
from pbem.leagues.model import Bracket, Match, Pairing, Place

OPEN = Place(settled=False)
NOBODY = Place()


def bracket_of(cup: Cup) -> Bracket | None:
    """Return the whole bracket of a knock-out; None until its first round is drawn."""
    drawn = cup.stages()
    if not drawn:
        return None
    stages = []
    for at, stage in enumerate(drawn):
        following = drawn[at + 1].places if at + 1 < len(drawn) else ()
        if stage.through and len(stage.places) > 1:
            stages.append(tuple(_stage_matches(cup, stage, following)))
    places = [_without(cup.gone, match.winner) for match in stages[-1]]
    for _ in range(len(stages), len(bracket(cup.order)).bit_length() - 1):
        stages.append(tuple(_to_come(places)))
        places = [OPEN] * len(stages[-1])
    return Bracket(stages=tuple(stages), third=_third(cup, drawn, stages) if cup.third else None)


def _stage_matches(cup: Cup, stage: Stage, following: Sequence[str]) -> Iterator[Match]:
    """Yield the matches of a drawn stage; `following` are the players drawn into the next stage."""
    for at, through in enumerate(stage.through):
        names = stage.places[2 * at], stage.places[2 * at + 1]
        here = tuple(filter(None, names))
        games = list(_games(stage, here))
        guests = {seat.player for _, game in games for seat in game.seats} & cup.eliminators
        keys = tuple((number, game.number) for number, game in games)
        if following and (following[at] or len(through) == 2):
            winner = _place(following[at])
        elif not _over(cup, keys):
            winner = Place(names=here, settled=False)
        else:
            tied = tuple(name for name in here if name not in cup.gone)
            on = tied if len(through) == 2 else through
            winner = Place(names=on, settled=len(on) < 2)
        yield Match(
            places=(_place(names[0]), _place(names[1])),
            guest="".join(sorted(guests)[:1]),
            games=keys,
            winner=winner,
        )


def _games(stage: Stage, couple: Sequence[str]) -> Iterator[tuple[int, Pairing]]:
    """Yield the games that two players had in a stage of the bracket, each with its round."""
    for drawn in stage.rounds if couple else ():
        for pairing in drawn.pairings:
            if {seat.player for seat in pairing.seats} >= set(couple):
                yield drawn.number, pairing


def _over(cup: Cup, games: Sequence[tuple[int, int]]) -> bool:
    return {(one.round, one.pairing) for one in cup.results}.issuperset(games)


def _place(name: str) -> Place:
    return Place(names=(name,)) if name else NOBODY


def _without(gone: frozenset[str], place: Place) -> Place:
    """Return a place of the bracket; if its player is settled and has left, nobody is in it."""
    names = tuple(name for name in place.names if name not in gone)
    return Place(names=names) if place.settled else place


def _to_come(places: Sequence[Place]) -> Iterator[Match]:
    """Yield the matches of a stage that is not drawn yet."""
    for at in range(0, len(places), 2):
        yield Match(places=(places[at], places[at + 1]), winner=OPEN)


def _third(cup: Cup, drawn: Sequence[Stage], stages: Sequence[tuple[Match, ...]]) -> Match | None:
    """Return the match for the third place, between the losers of the semi-finals; None if there is none."""
    final = next((stage for stage in drawn if len(stage.places) == 2), None)
    if final is None:
        one, other = (_loser(cup, match) for match in stages[-2])
        return None if NOBODY in (one, other) else Match(places=(one, other), winner=OPEN)
    outside = {*final.places, *cup.eliminators}
    for pairing in final.rounds[0].pairings:
        first, second = (seat.player for seat in pairing.seats)
        if not {first, second} & outside:
            games = ((final.rounds[0].number, pairing.number),)
            winner = Place(names=cup.third_place(), settled=_over(cup, games))
            return Match(places=(_place(first), _place(second)), games=games, winner=winner)
    return None


def _loser(cup: Cup, semi: Match) -> Place:
    """Return the player who does not go on from a semi-final."""
    if NOBODY in semi.places:
        return NOBODY
    if any(not place.settled for place in semi.places):
        return OPEN
    names = tuple(name for place in semi.places for name in place.names)
    if not semi.winner.settled:
        return Place(names=names, settled=False) if semi.games else OPEN
    lost = tuple(name for name in names if name not in semi.winner.names)
    return _without(cup.gone, Place(names=lost)) if len(lost) == 1 else NOBODY
