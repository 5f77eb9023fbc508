"""Glicko-2 ratings of a player after one rating period (Glickman, Example of the Glicko-2 system, 2013).

Computed in decimal numbers of 20 digits, whose functions are rounded the same way everywhere: the same games
give the same bytes on every machine, which floats do not promise. (The package `glicko2` computes with
floats, and takes the rating for the deviation in step 5; tests hold this against it.)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext

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
class Game:
    """One rated game as its player saw it: the opponent's strength, and the score of 1, 1/2 or 0."""

    value: Decimal
    deviation: Decimal
    score: Decimal


def idle(own: Strength) -> Strength:
    """Return a player's strength after a period without a game, in which it becomes less certain."""
    with localcontext(CONTEXT):
        phi = own.deviation / SCALE
        return Strength(own.value, (phi**2 + own.volatility**2).sqrt() * SCALE, own.volatility)


def after(own: Strength, games: Iterable[Game]) -> Strength:
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
    """Return the new volatility (step 5): the root of f between two bounds, by the Illinois method.

    Counted from the logarithm of the old volatility's square, so that it need not be taken.
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
