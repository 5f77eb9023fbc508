"""The options that a game of First War is played by; the switches and their values stand in facts.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbem.rules.first_war.facts import NUMBERS, SWITCHES
from pbem.rules.switches import Switches, read_switches


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Switches):
    """The options of one game of First War."""

    years: int
    mandatory: bool
    simultaneous: bool
    pass_is_final: bool
    truce: str
    tie: str
    pace: str

    @property
    def last_year(self) -> int:
        """F4, F34: the year after whose winter the game is over."""
        return NUMBERS.first_year + self.years - 1


def read_options(given: Mapping[str, Any]) -> Options:
    """Return the checked options of a game; those not given have their defaults.

    Raises:
        UnknownOption: a name or value that does not exist; the message lists those that do.
    """
    return Options(**read_switches(given, SWITCHES))
