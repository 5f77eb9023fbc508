"""Writes numbers and results in the form in which people read them."""

from fractions import Fraction

from pbem.characters import capitalize, upper
from pbem.leagues.model import Bye, Ending

HALF = Fraction(1, 2)
MAX_DENOMINATOR = 12
"""The largest denominator of a printed fraction; others are easier to read as decimal numbers."""


def amount(value: Fraction | None) -> str:
    """Return a number as people write it: 3, 3½, 2 1/3, or 0.269; a dash for None."""
    if value is None:
        return "-"
    if value.denominator == 1:
        return str(value.numerator)
    sign, whole, rest = "-" if value < 0 else "", abs(value) // 1, abs(value) % 1
    if rest == HALF:
        return f"{sign}{whole or ''}½"
    if value.denominator <= MAX_DENOMINATOR:
        return f"{sign}{f'{whole} ' if whole else ''}{rest}"
    thousandths = round(abs(value) * 1000)
    return f"{sign}{thousandths // 1000}.{thousandths % 1000:03}"


def mark(share: Fraction, place: int, seats: int, ending: Ending) -> str:
    """Return a result for a table: 1, ½ or 0 for two players, the place for more; + and - for a forfeit."""
    if ending is Ending.ANNULLED:
        return "x"
    if ending is Ending.FORFEITED:
        return "+" if place == 1 else "-"
    if seats > 2:
        return f"{place}/{seats}"
    return amount(share)


def bye_name(bye: Bye) -> str:
    """Return the name of a kind of bye."""
    return "half-point bye" if bye.half else "bye"


def side_name(side: str) -> str:
    """Return a side's name as people write it."""
    return " ".join(map(capitalize, side.split("-")))


def tie_break_name(name: str) -> str:
    """Return the name of a tie-break as a heading: Buchholz, Sonneborn-Berger, Total nobles."""
    return "Sonneborn-Berger" if name == "sonneborn-berger" else upper(name[:1]) + name[1:]
