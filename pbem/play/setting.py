"""What a game is played with: its rules, its order language, its reports, its seats.

The three come by the game's name from entry points ("pbem.rules", "pbem.orders", "pbem.reports"), so
that nothing here knows a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

from pbem.errors import ConfigError
from pbem.orders.base import Language
from pbem.reports import Style
from pbem.rules import Rules, UnknownRules, load


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything about a game that is fixed in its genesis."""

    game: str
    rules: Rules
    language: Language
    style: Style
    options: Mapping[str, Any]
    seats: Mapping[str, str]
    """Side -> player."""

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides, in the order of the rules."""
        return self.rules.sides(self.options)

    def side_of(self, player: str) -> str:
        """The side that a player plays."""
        return next(side for side, name in self.seats.items() if name == player)


def make_setting(game: str, name: str, options: Mapping[str, Any], seats: Mapping[str, str]) -> Setting:
    """The setting of a game of `name`.

    Raises:
        ConfigError: no such game is installed.
    """
    try:
        rules = load(name)
    except UnknownRules as problem:
        raise ConfigError(str(problem)) from None
    language, style = _plug("pbem.orders", name), _plug("pbem.reports", name)
    return Setting(game, rules, language, style, options, seats)


@lru_cache(maxsize=64)
def _plug(group: str, name: str) -> Any:
    for found in entry_points(group=group, name=name):
        return found.load()
    raise ConfigError(f"the game {name} comes without its part {group}")
