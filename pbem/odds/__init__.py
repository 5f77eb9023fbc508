"""Odds of a fight between known forces, computed exactly before the fight.

Everything here is computed in whole numbers and fractions. What a game's odds are about is the game's own
affair; its title brings them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, runtime_checkable

from pbem.rules.base import Event, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A fight whose odds are asked, as a person describes it."""

    area: str
    attacker: str
    """The side that attacks in the fight."""
    attackers: str
    """The attacker's forces, in the words that the game's orders use."""
    defenders: str
    plans: Mapping[str, str] = field(default_factory=dict)
    """The way in which each side fights, in the game's order language, by side."""
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chances:
    """The chances of a fight: what may come of it, in words, each with its exact chance."""

    title: str
    rows: tuple[tuple[str, Fraction], ...]
    """Outcomes of the fight in words, each with its chance between 0 and 1."""
    means: tuple[tuple[str, Fraction], ...]
    """Quantities of the fight in words, such as losses, each with its average."""


class OddsMaker(Protocol):
    """The maker of odds for one game."""

    def ask(self, question: Question) -> Chances:
        """Return the exact chances of a fight.

        Raises:
            OrderError: the question names something that the game does not have.
        """


@runtime_checkable
class BattleOdds(Protocol):
    """Odds that also serve readers who look back at battles; a title may do without them."""

    def before(self, view: View) -> Chances | None:
        """Return the chances of a battle as a view shows it before the first die, fought to the end.

        None if the viewer did not see all who fought, or if they are too many.
        """

    def outcome(self, told: Sequence[Event]) -> frozenset[str]:
        """Return those outcomes from `before` that came true, as words, by what was told of the battle."""


def percent(chance: Fraction) -> str:
    """Return a chance as a percentage with one decimal; only what is certain is written as 0 or 100 %."""
    thousandths = round(chance * 1000)
    if thousandths == 0 and chance > 0:
        return "under 0.1 %"
    if thousandths == 1000 and chance < 1:
        return "over 99.9 %"
    return f"{thousandths // 10}.{thousandths % 10} %"


def roughly(chance: Fraction) -> str:
    """Return an estimated chance in whole percent, from 1 to 99, as no estimate is certain."""
    return f"{min(99, max(1, round(chance * 100)))} %"


def decimal(value: Fraction) -> str:
    """Return a quantity as text with two decimals."""
    whole, rest = divmod(round(value * 100), 100)
    return f"{whole}.{rest:02d}"
