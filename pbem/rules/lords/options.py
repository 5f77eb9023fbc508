"""The options that a game of Lords is played by; the switches and their values stand in facts.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbem.rules.base import UnknownOption
from pbem.rules.lords.facts import CARDS, POWER_TESTS, SIDES, SWITCHES, PowerTest
from pbem.rules.switches import Switches, read_switches

SMALL_TABLE = 2
"""Number of players for which there are no alternative rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Switches):
    """The options of one game of Lords."""

    players: int
    use_bruce: bool
    first: str
    discard_pile_public: bool
    power_test: str
    pace: str

    @property
    def sides(self) -> tuple[str, ...]:
        """L3: the sides that play, clockwise."""
        return SIDES[: self.players]

    @property
    def test(self) -> PowerTest:
        """L12, L13, L14: the test which Followers keep a power from working."""
        return POWER_TESTS[SMALL_TABLE if self.power_test == "same_for_all" else self.players]

    @property
    def deck(self) -> list[str]:
        """Setting Up the Game, L2: the cards in the game, in the order of their ranks."""
        return [card.name for card in CARDS.values() if self.use_bruce or card.clan != "bruce"]


def read_options(given: Mapping[str, Any]) -> Options:
    """Return the checked options of a game; those not given have their defaults.

    Raises:
        UnknownOption: a name or value that does not exist; the message lists those that do.
    """
    named = {name: value for name, value in given.items() if value is not None}
    options = Options(**read_switches(named, SWITCHES))
    if options.first != "drawn" and options.first not in options.sides:
        raise UnknownOption(
            f"option first cannot be {options.first!r} with {options.players} players; "
            f"its values are drawn, {', '.join(options.sides)}"
        )
    return options
