"""The setting with which a game is played: its title, its options, its seats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pbem.errors import ConfigError
from pbem.orders.base import Language
from pbem.rules import Rules, UnknownRules
from pbem.titles import Title, load

if TYPE_CHECKING:
    from pbem.reports.plain import Style
    from pbem.reports.words import Words


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything about a game that is fixed in its genesis."""

    game: str
    title: Title
    options: Mapping[str, Any]
    seats: Mapping[str, str]
    """The player of each side."""

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.title.rules

    @property
    def language(self) -> Language:
        """The order language of the game."""
        return self.title.language

    @property
    def words(self) -> Words:
        """The words of the game's reports."""
        return self.title.words

    @property
    def style(self) -> Style:
        """The style of the game's reports."""
        return self.title.style

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of the game, in the order of the rules."""
        return self.rules.sides(self.options)

    def side_of(self, player: str) -> str:
        """Return the side that a player plays."""
        return next(side for side, name in self.seats.items() if name == player)


def make_setting(game: str, name: str, options: Mapping[str, Any], seats: Mapping[str, str]) -> Setting:
    """Return the setting of a game of the title `name`.

    Raises:
        ConfigError: no such game is installed.
    """
    try:
        title = load(name)
    except UnknownRules as problem:
        raise ConfigError(str(problem)) from None
    return Setting(game, title, options, seats)
