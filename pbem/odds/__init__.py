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
        """Return the exact chances.

        Raises:
            OrderError: the question names something that the game does not have.
        """


def percent(chance: Fraction) -> str:
    """Return a chance as a percentage with one decimal; nothing certain is written that is not."""
    thousandths = round(chance * 1000)
    if thousandths == 0 and chance > 0:
        return "under 0.1 %"
    if thousandths == 1000 and chance < 1:
        return "over 99.9 %"
    return f"{thousandths // 10}.{thousandths % 10} %"


def roughly(chance: Fraction) -> str:
    """Return an estimated chance in whole percent; none is called certain."""
    return f"{min(99, max(1, round(chance * 100)))} %"


def decimal(value: Fraction) -> str:
    """Return a quantity with two decimals."""
    whole, rest = divmod(round(value * 100), 100)
    return f"{whole}.{rest:02d}"
