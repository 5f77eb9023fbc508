"""The scores of every player in every game: results as shares and points, after the rule for leavers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from pbem.leagues.model import Ending, Entrant, Pairing, Result, Round, Scoring, Seat, WithdrawalScoring

DECIDED = (Ending.PLAYED, Ending.ADJUDICATED)
"""The endings of games that were decided by the position on the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The score of one player in one game, or from a bye (without opponents)."""

    round: int
    points: Fraction
    """The points of the score as the league counts them."""
    share: Fraction
    """The share of a win: 1, or 1/2 for a draw; at a table, the part of the others who placed below."""
    opponents: tuple[str, ...]
    side: str = ""
    result: Result | None = None
    """The result of the game; None for a bye, a game that does not count, and one lost by leaving."""


Scores = Mapping[str, Sequence[Score]]
"""The scores of each player, in the order of rounds."""


def scores(
    entrants: Sequence[Entrant],
    results: Sequence[Result],
    rules: Scoring,
    *,
    rounds: Sequence[Round] = (),
    left: frozenset[str] = frozenset(),
) -> Scores:
    """Return the scores of each entrant, game by game, after the rule for leavers."""
    dropped, lost = leavers(results, rounds, rules.leavers, left)
    got: dict[str, list[Score]] = {entrant.name: [] for entrant in entrants}
    for result in results:
        counted = _counting_result(result, dropped)
        rows = _game_scores(counted, rules) if counted is not None else _annulled_scores(result, left, rules)
        for name, score in rows:
            if name in got:
                got[name].append(score)
    for number, pairing in lost:
        if dropped & {seat.player for seat in pairing.seats}:
            continue
        for seat in pairing.seats:
            plays_on = len(pairing.seats) > 2 and seat.player not in left
            if seat.player in got and not plays_on:
                got[seat.player].append(_walked_over(number, pairing, seat, left, rules))
    for drawn in rounds:
        for bye in drawn.byes:
            if bye.player in got and bye.player not in dropped:
                worth = (rules.draw, Fraction(1, 2)) if bye.half else (rules.bye, Fraction(1))
                got[bye.player].append(_without_game(drawn.number, *worth))
    return {name: sorted(rows, key=lambda score: score.round) for name, rows in got.items()}


def leavers(
    results: Sequence[Result], rounds: Sequence[Round], rule: WithdrawalScoring, left: frozenset[str]
) -> tuple[frozenset[str], tuple[tuple[int, Pairing], ...]]:
    """Return the leavers whose games do not count, and the unfinished games (with round) lost by leaving."""
    if not left:
        return frozenset(), ()
    ended = {(result.round, result.division, result.pairing) for result in results}
    open_games = tuple(
        (drawn.number, pairing)
        for drawn in rounds
        for pairing in drawn.pairings
        if (drawn.number, drawn.division, pairing.number) not in ended
        and left & {seat.player for seat in pairing.seats}
    )
    match rule:
        case WithdrawalScoring.ANNULLED:
            return left, ()
        case WithdrawalScoring.OPEN_LOST:
            return frozenset(), open_games
    finished: dict[str, int] = dict.fromkeys(left, 0)
    due: dict[str, int] = dict.fromkeys(left, 0)
    for result in results:
        for seat in result.seats:
            if seat.player in left and result.ending is not Ending.ANNULLED:
                due[seat.player] += 1
                finished[seat.player] += result.ending in DECIDED and seat.player not in result.gone
    for _, pairing in open_games:
        for seat in pairing.seats:
            if seat.player in left:
                due[seat.player] += 1
    return frozenset(name for name in left if finished[name] * 2 < due[name]), open_games


def _counting_result(result: Result, dropped: frozenset[str]) -> Result | None:
    """Return a result as it counts; at a table, players who do not count are removed, and others move up."""
    if result.ending is Ending.ANNULLED:
        return None
    rows = zip(result.seats, result.places, strict=True)
    stay = [(seat, place) for seat, place in rows if seat.player not in dropped]
    if len(stay) == len(result.seats):
        return result
    if len(stay) < 2:
        return None
    places = rank_places(place for _, place in stay)
    return replace(result, seats=tuple(seat for seat, _ in stay), places=places)


def _game_scores(result: Result, rules: Scoring) -> Iterator[tuple[str, Score]]:
    """Yield the score of every player in a game that counts."""
    players = [seat.player for seat in result.seats]
    for seat, place, share in zip(result.seats, result.places, shares_of_places(result.places), strict=True):
        yield (
            seat.player,
            Score(
                round=result.round,
                points=_points(result, seat.player, place, share, rules),
                share=share,
                opponents=tuple(name for name in players if name != seat.player),
                side=seat.side,
                result=result,
            ),
        )


def _annulled_scores(result: Result, left: frozenset[str], rules: Scoring) -> Iterator[tuple[str, Score]]:
    """Yield the scores that a game which does not count gives to the players who have not left."""
    if rules.annulled:
        for seat in result.seats:
            if seat.player not in left:
                yield seat.player, _without_game(result.round, rules.annulled)


def _without_game(number: int, points: Fraction, share: Fraction = Fraction(1)) -> Score:
    """Return the score of a player for a round without a game that counts, through no fault of their own."""
    return Score(round=number, points=points, share=share, opponents=())


def rank_places(places: Iterable[int]) -> tuple[int, ...]:
    """Return places numbered from 1 again, where some places may have been left out."""
    found = tuple(places)
    return tuple(1 + sum(other < place for other in found) for place in found)


@lru_cache(maxsize=1024)  # there are few ways to end a game
def shares_of_places(places: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Return for each place the part of the others that it beats, equal ones by half: 1, 1/2, 0 for two."""
    others = len(places) - 1
    return tuple(
        Fraction(2 * sum(other > place for other in places) + places.count(place) - 1, 2 * others)
        for place in places
    )


def _points(result: Result, player: str, place: int, share: Fraction, rules: Scoring) -> Fraction:
    if player in result.gone:
        return Fraction(0)
    if result.ending is Ending.FORFEITED and place == 1 and share == 1:
        return rules.forfeit
    if result.ending is Ending.FORFEITED and place != 1:
        return Fraction(0)
    if len(result.places) == 2:
        return rules.draw if share.denominator == 2 else rules.win if share else rules.loss
    return rules.loss + (rules.win - rules.loss) * share


def _walked_over(number: int, pairing: Pairing, seat: Seat, left: frozenset[str], rules: Scoring) -> Score:
    """Return a player's score in a game lost by leaving: as by a forfeit if they stayed, 0 if they left."""
    stayed = seat.player not in left
    return Score(
        round=number,
        points=rules.forfeit if stayed else Fraction(0),
        share=Fraction(stayed),
        opponents=tuple(other.player for other in pairing.seats if other.player != seat.player),
        side=seat.side,
    )
