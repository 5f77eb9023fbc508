"""Computes the ratings of all players from results alone: Glicko-2 per game, over all and with each side.

A round is a rating period. Games that were forfeited or annulled are not rated; adjudicated ones are. A
table of more than two counts as pairs by place, and its ratings are marked so. Whose deviation is above
`PROVISIONAL` is provisional.

A scenario may favour a side. From all of its rated games comes an offset: the points of rating that would
make that side's part of the wins the expected one, with `CAUTION` draws thrown in, so that few games say
little. Each of two players is then rated as if the other were weaker or stronger by that offset.

A rating with one side is moved by games with that side alone; the other player counts with their rating over
all.

Glicko-2 (Glickman, Example of the Glicko-2 system, 2013) is computed in decimal numbers of 20 digits, whose
functions are rounded the same way everywhere: the same games give the same bytes on every machine, which
floats do not promise. (The package `glicko2` computes with floats, and takes the rating for the deviation in
step 5; tests hold this against it.)
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from itertools import combinations, groupby
from typing import NamedTuple

from pbem.leagues.model import Rating, Result
from pbem.leagues.standings import DECIDED, shares_of_places

CONTEXT = Context(prec=20, rounding=ROUND_HALF_EVEN)

SCALE = Decimal("173.7178")
"""Points of the printed rating scale that make one point of the computed scale."""

CENTRE = Decimal(1500)

TAU = Decimal("0.5")
"""The system constant of Glicko-2, which limits changes of volatility."""

CLOSE = Decimal("0.000001")
"""The difference of bounds at which step 5 of Glickman's paper ends."""

SQUARE_OF_PI = Decimal("9.8696044010893586188")


@dataclass(frozen=True, slots=True)
class Strength:
    """A Glicko-2 rating as it is printed: value, deviation, volatility."""

    value: Decimal = CENTRE
    deviation: Decimal = Decimal(350)
    volatility: Decimal = Decimal("0.06")


@dataclass(frozen=True, slots=True)
class SeenGame:
    """One rated game as its player saw it: the opponent's strength, and the score of 1, 1/2 or 0."""

    value: Decimal
    deviation: Decimal
    score: Decimal


PROVISIONAL = Decimal(110)

CAUTION = 10


class Who(NamedTuple):
    """The owner of a rating: a player in a game, with one side or, if `side` is "", over all sides."""

    game: str
    player: str
    side: str = ""


class Pair(NamedTuple):
    """Two players of one game that is rated; `score` and `offset` are those of the first player."""

    game: str
    players: tuple[str, str]
    sides: tuple[str, str]
    score: Decimal
    offset: Decimal
    from_table: bool


Offsets = Mapping[tuple[str, str, tuple[str, ...]], Decimal]
"""A mapping of game, scenario and its two sides to the advantage in rating points of the first side."""


def ratings(results: Sequence[Result], before: Sequence[Rating] = ()) -> tuple[Rating, ...]:
    """Return everybody's ratings: by game, over all first, then by side; the best first.

    `before`: the ratings with which these begin, as they were printed.
    """
    rated = sorted((result for result in results if result.ending in DECIDED), key=_order)
    offsets = side_offsets(rated)
    known = {Who(one.game, one.player, one.side): one for one in before}
    strengths = {who: Strength(one.value, one.deviation, one.volatility) for who, one in known.items()}
    games = defaultdict(int, {who: one.games for who, one in known.items()})
    at_tables = {who for who, one in known.items() if one.from_tables}
    by_round = {number: tuple(group) for number, group in groupby(rated, key=lambda result: result.round)}
    for period in range(min(by_round, default=0), max(by_round, default=-1) + 1):
        seen: defaultdict[Who, list[SeenGame]] = defaultdict(list)
        played: defaultdict[Who, set[tuple[str, int]]] = defaultdict(set)
        for result in by_round.get(period, ()):
            for pair in _pairs(result, offsets):
                for who, game in _views(pair, strengths):
                    seen[who].append(game)
                    played[who].add((result.division, result.pairing))
                    if pair.from_table:
                        at_tables.add(who)
        for who in strengths.keys() - seen.keys():
            strengths[who] = idle_strength(strengths[who])
        strengths |= {who: next_strength(strengths.get(who, Strength()), seen[who]) for who in seen}
        for who, boards in played.items():
            games[who] += len(boards)
    return tuple(
        sorted(
            (_round_rating(who, strengths[who], games[who], who in at_tables) for who in strengths),
            key=lambda rating: (rating.game, rating.side, -rating.value, rating.player),
        )
    )


def _order(result: Result) -> tuple[int, str, str, int]:
    return result.round, result.game, result.division, result.pairing


def side_offsets(rated: Sequence[Result]) -> Offsets:
    """Return by how many rating points each scenario favours a side, from its games of two players."""
    won: defaultdict[tuple[str, str, tuple[str, ...]], list[Fraction]] = defaultdict(list)
    for result in rated:
        sides = tuple(sorted(seat.side for seat in result.seats))
        if len(set(sides)) == 2 == len(result.seats):
            shares = shares_of_places(result.places)
            of_first = shares[0] if result.seats[0].side == sides[0] else shares[1]
            won[result.game, result.scenario, sides].append(of_first)
    return {key: _offset(sum(shares, Fraction(0)), len(shares)) for key, shares in sorted(won.items())}


def _offset(won: Fraction, games: int) -> Decimal:
    """Return the rating points for which a share of wins is the expected one, with `CAUTION` draws added."""
    odds = (won + Fraction(CAUTION, 2)) / (games - won + Fraction(CAUTION, 2))
    with localcontext(CONTEXT):
        return (Decimal(odds.numerator) / Decimal(odds.denominator)).ln() * SCALE


def _pairs(result: Result, offsets: Offsets) -> list[Pair]:
    """Return the pairs of players that a result is rated as: one for two players, all couples of a table."""
    seated = [
        row for row in zip(result.seats, result.places, strict=True) if row[0].player not in result.gone
    ]
    rows = sorted(seated, key=lambda row: (row[0].side, row[0].player))
    table = len(result.seats) > 2
    sides = tuple(seat.side for seat, _ in rows)
    offset = Decimal(0) if table else offsets.get((result.game, result.scenario, sides), Decimal(0))
    return [
        Pair(
            game=result.game,
            players=(one.player, other.player),
            sides=(one.side, other.side),
            score=Decimal(1 + (place < its) - (place > its)) / 2,
            offset=offset,
            from_table=table,
        )
        for (one, place), (other, its) in combinations(rows, 2)
    ]


def _views(pair: Pair, strengths: Mapping[Who, Strength]) -> list[tuple[Who, SeenGame]]:
    """Return the ratings that a pair's game changes, each with the opponent's strength and the score.

    These are, for each player, the rating in the game and, if sides are known, the rating with their side.
    """
    first, second = (strengths.get(Who(pair.game, name), Strength()) for name in pair.players)
    with localcontext(CONTEXT):
        seen = (
            SeenGame(second.value - pair.offset, second.deviation, pair.score),
            SeenGame(first.value + pair.offset, first.deviation, 1 - pair.score),
        )
    return [
        (Who(pair.game, name, as_side), game)
        for name, side, game in zip(pair.players, pair.sides, seen, strict=True)
        for as_side in dict.fromkeys(("", side))
    ]


def _round_rating(who: Who, strength: Strength, games: int, from_tables: bool) -> Rating:
    """Return a rating rounded to the printed digits."""

    def rounded(number: Decimal, digits: str) -> Decimal:
        return number.quantize(Decimal(digits), rounding=ROUND_HALF_EVEN)

    return Rating(
        player=who.player,
        game=who.game,
        side=who.side,
        value=rounded(strength.value, "0.01"),
        deviation=rounded(strength.deviation, "0.01"),
        volatility=rounded(strength.volatility, "0.00001"),
        games=games,
        provisional=strength.deviation > PROVISIONAL,
        from_tables=from_tables,
    )


def idle_strength(own: Strength) -> Strength:
    """Return a player's strength after a period without a game, in which it becomes less certain."""
    with localcontext(CONTEXT):
        phi = own.deviation / SCALE
        return Strength(own.value, (phi**2 + own.volatility**2).sqrt() * SCALE, own.volatility)


def next_strength(own: Strength, games: Iterable[SeenGame]) -> Strength:
    """Return a player's strength after a period with the given games (steps 2 to 8 of Glickman's paper)."""
    with localcontext(CONTEXT):
        mu, phi = (own.value - CENTRE) / SCALE, own.deviation / SCALE
        certainty = surplus = Decimal(0)
        for game in games:
            weight = _weight(game.deviation / SCALE)
            expected = 1 / (1 + (-weight * (mu - (game.value - CENTRE) / SCALE)).exp())
            certainty += weight**2 * expected * (1 - expected)
            surplus += weight * (game.score - expected)
        variance = 1 / certainty
        volatility = _volatility(phi**2, variance, variance * surplus, own.volatility)
        new = 1 / (1 / (phi**2 + volatility**2) + certainty)
        return Strength((mu + new * surplus) * SCALE + CENTRE, new.sqrt() * SCALE, volatility)


def _weight(phi: Decimal) -> Decimal:
    """Return the weight of a game against an opponent whose rating has the uncertainty `phi`."""
    return 1 / (1 + 3 * phi**2 / SQUARE_OF_PI).sqrt()


def _volatility(phi2: Decimal, variance: Decimal, delta: Decimal, old: Decimal) -> Decimal:
    """Return a player's new volatility (step 5 of Glickman's paper): a root, by the Illinois method.

    The unknown is counted from the logarithm of the old volatility's square, which so need not be taken.
    """
    known, before = phi2 + variance, old**2
    surplus = delta**2 - known

    def f(x: Decimal, grown: Decimal) -> Decimal:
        return grown * (surplus - grown) / (2 * (known + grown) ** 2) - x / TAU**2

    low, grown_low = Decimal(0), before
    if surplus > 0:
        high, grown_high = (surplus / before).ln(), surplus
    else:
        high, grown_high = -TAU, before * (-TAU).exp()
        while f(high, grown_high) < 0:
            high -= TAU
            grown_high = before * high.exp()
    at_low, at_high = f(low, grown_low), f(high, grown_high)
    while abs(high - low) > CLOSE:
        between = low + (low - high) * at_low / (at_high - at_low)
        grown = before * between.exp()
        at_between = f(between, grown)
        if at_between * at_high <= 0:
            low, grown_low, at_low = high, grown_high, at_high
        else:
            at_low /= 2
        high, grown_high, at_high = between, grown, at_between
    return grown_low.sqrt()
