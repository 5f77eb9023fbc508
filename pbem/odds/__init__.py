"""Odds: how a fight between known forces ends, exactly, before it is fought.

Everything here is computed in whole numbers and fractions. What a game's odds are about is the game's own
affair; its title brings them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A fight, as a person describes it."""

    area: str
    attacker: str
    """The side that attacks."""
    attackers: str
    """Its forces, in the words that the game's orders use."""
    defenders: str
    plans: Mapping[str, str] = field(default_factory=dict)
    """Side -> how it fights, in the game's order language."""
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chances:
    """What may come of a fight: in words, each with its exact chance."""

    title: str
    rows: tuple[tuple[str, Fraction], ...]
    """Chances between 0 and 1."""
    means: tuple[tuple[str, Fraction], ...]
    """Quantities on average."""


class OddsMaker(Protocol):
    """The odds of one game."""

    def ask(self, question: Question) -> Chances:
        """The exact chances.

        Raises:
            OrderError: the question names something that the game does not have.
        """


def percent(chance: Fraction, digits: int = 1) -> str:
    """A chance as a percentage, rounded to the nearest; nothing certain is written that is not."""
    scale: int = 10**digits
    rounded = round(chance * 100 * scale)
    if rounded == 0 and chance > 0:
        return f"under {_decimal(1, scale, digits)} %"
    if rounded == 100 * scale and chance < 1:
        return f"over {_decimal(100 * scale - 1, scale, digits)} %"
    return f"{_decimal(rounded, scale, digits)} %"


def decimal(value: Fraction, digits: int = 2) -> str:
    """A quantity with so many decimals, rounded to the nearest."""
    scale: int = 10**digits
    return _decimal(round(value * scale), scale, digits)


def _decimal(scaled: int, scale: int, digits: int) -> str:
    whole, rest = divmod(scaled, scale)
    return f"{whole}.{rest:0{digits}d}" if digits else str(whole)
