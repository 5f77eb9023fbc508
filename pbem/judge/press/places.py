"""The games and leagues in which messages are sent, with their seats and settings for press in club.toml.

[press]                         # without it there is none
kind = "white"                  # none, public, white or grey: each allows what those before it do
per_day = 30                    # messages of one player in one game on one day (UTC)

[press.game.hearth]             # the same for one game, or for a league: [press.game."league.spring-2027"]
kind = "grey"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbem.errors import ConfigError
from pbem.judge.club import Club
from pbem.judge.letters.letters_out import Reader, reader_of
from pbem.trust import keys
from pbem.trust.identifiers import shown_value
from pbem.trust.press import ALL, GM, KINDS, NONE, SIDE, reason_closed

PER_DAY = 30
MAX_PER_DAY = 500
LEAGUE = "league."


@dataclass(frozen=True, slots=True)
class PressSettings:
    """The settings in club.toml for the press of a game or league."""

    kind: str = NONE
    per_day: int = PER_DAY


@dataclass(frozen=True, slots=True)
class PressPlace:
    """The facts about a game or league that the handling of press needs."""

    name: str
    genesis: str
    settings: PressSettings
    seats: Mapping[str, Reader]
    """The person who gets each seat's letters from now on, with their key."""
    sides: Mapping[str, str]
    """The side of each seat; empty in a league."""
    closed: str = ""
    """The reason why the director closed the press; "" if it is open."""
    is_league: bool = False

    def readers(self, to: tuple[str, ...], writer: str = "") -> dict[str, Reader]:
        """Return the readers of a message by their seats, without the seat of its writer.

        Raises:
            ConfigError: one of the readers does not belong to the game or league.
        """
        named: set[str] = set()
        for one in to:
            if one == ALL:
                found = set(self.seats)
            elif one == GM:
                found = set()
            elif one.startswith(SIDE):
                found = {seat for seat, side in self.sides.items() if side == one.removeprefix(SIDE)}
            else:
                found = {one} & self.seats.keys()
            if not found and one != GM:
                raise ConfigError(f"{one} is nobody in {self.name}")
            named |= found
        return {seat: self.seats[seat] for seat in sorted(named - {writer})}


def press_settings(club: Club, name: str) -> PressSettings:
    """Return the settings in club.toml for the press of a game or league.

    Raises:
        ConfigError: one of the settings is invalid.
    """
    table: Mapping[str, Any] = club.settings.get("press", {})
    games = table.get("game", {})
    own = games.get(name, {}) if isinstance(games, Mapping) else {}
    own = own if isinstance(own, Mapping) else {}
    kind = own.get("kind", table.get("kind", NONE))
    per_day = own.get("per_day", table.get("per_day", PER_DAY))
    if kind not in KINDS:
        raise ConfigError(
            f"club.toml, [press]: kind must be one of {', '.join(KINDS)}, not {shown_value(kind)}"
        )
    if isinstance(per_day, bool) or not isinstance(per_day, int) or not 0 <= per_day <= MAX_PER_DAY:
        raise ConfigError(
            f"club.toml, [press]: per_day must be a number from 0 to {MAX_PER_DAY}, not "
            f"{shown_value(per_day)}"
        )
    return PressSettings(kind, per_day)


def press_place(club: Club, name: str) -> PressPlace:
    """Return what press needs to know of a game or league, by the name of its ledger.

    Raises:
        ConfigError: this club has no ledger of that name.
    """
    settings = press_settings(club, name)
    if name.startswith(LEAGUE):
        from pbem.judge.leagues.book import load_league

        league = load_league(club, name.removeprefix(LEAGUE))
        season = league.season
        members = [player for player, member in season.members.items() if not member.leaving_reason]
        seats = {player: Reader(player, keys.parse_public(season.key_of(player))) for player in members}
        return PressPlace(name, str(league.head_at(1)), settings, seats, {}, is_league=True)
    book = club.book(name)
    players = book.history.genesis.players
    return PressPlace(
        name,
        str(book.head_at(1)),
        settings,
        {player.name: reader_of(club.store, book, player.name) for player in players},
        {player.name: player.side for player in players},
        reason_closed(book.entries),
    )
