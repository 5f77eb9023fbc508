"""Seats players in a game that is to be opened, and explains the game's options.

All options are asked of the game's rules and rulings, so that help and refusals say the same of every game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.characters import lower
from pbem.errors import ConfigError, PbemError
from pbem.judge.intake.waiting_list import JOINS
from pbem.rules.base import UnknownOption
from pbem.titles import Title, UnknownRules, load
from pbem.trust.player_statements import Join, read_join

if TYPE_CHECKING:
    from pbem.judge.club import Club

PLAYERS = "players"
"""Name of the option for the number of players, in a game that has it."""
LISTED = "its values are "
"""Words that stand before the values of an option in an error of the rules (UnknownOption)."""
MEANINGS = {
    PLAYERS: "how many play",
    "scenario": "where the game begins and how it is won",
    "edition": "the edition of the rulebook, which sets other options",
    "last_year": "the year after which the game ends",
    "pace": "how often the judge stops to ask",
}
"""Meanings of the options of games about which there is no ruling."""


class Choice(NamedTuple):
    """An option of a game, with its usual value, its possible values and its meaning."""

    name: str
    usual: str
    values: str
    """The values that the option can have; "" if they are not listed."""
    meaning: str


def sides_of(rules: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sides of a game that is played with these options.

    Raises:
        ConfigError: there is no such game, option or value; it says where they are listed.
    """
    title = _title(rules)
    try:
        return title.rules.sides(title.rules.checked(options))
    except UnknownOption as fault:
        raise ConfigError(f"{fault} ({where_listed(rules)})") from None


def where_listed(rules: str) -> str:
    """Return a line that names the command which explains a game's sides and options."""
    return f"what they mean: pbem game new --rules {rules} --help"


def choices(rules: str) -> list[Choice]:
    """Return a game's options with their values from its rules and their meanings from its rulings."""
    title = _title(rules)
    about = {name: ruling for ruling in reversed(title.rulings) for name in ruling.house_rules}
    found = []
    for name, usual in title.rules.checked({}).items():
        ruling = about.get(name)
        meaning = f"{ruling.title} ({ruling.number})" if ruling else MEANINGS.get(name, "")
        found.append(Choice(name, _option_text(usual), _values(title, name), meaning))
    return found


def _option_text(value: object) -> str:
    return lower(str(value)) if isinstance(value, bool) else str(value)


def _values(title: Title, name: str) -> str:
    """Return the values that a game's option can have, as the error about an impossible value lists them."""
    try:
        title.rules.checked({name: "?"})
    except UnknownOption as fault:
        return str(fault).partition(LISTED)[2]
    return ""


def with_number(rules: str, options: Mapping[str, Any], players: int) -> dict[str, Any]:
    """Return the options, with the number of players added if it was not set and the game allows it."""
    if PLAYERS in options or len(sides_of(rules, options)) == players:
        return dict(options)
    chosen = {**options, PLAYERS: players}
    try:
        fits = len(sides_of(rules, chosen)) == players
    except ConfigError:
        fits = False
    return chosen if fits else dict(options)


def seats_in_order(rules: str, options: Mapping[str, Any], players: Sequence[str]) -> dict[str, str]:
    """Return the player for each side: the first player has the first side, and so on.

    Raises:
        ConfigError: the game is for another number of players.
    """
    sides = sides_of(rules, options)
    if len(sides) != len(players):
        title = _title(rules)
        able = _values(title, PLAYERS)
        can = f"; its option {PLAYERS} can be {able}" if able else ""
        raise ConfigError(
            f"{title.rules.title} with these options has {len(sides)} sides, {', '.join(sides)}, and "
            f"{len(players)} players are named{can} ({where_listed(rules)})"
        )
    return dict(zip(sides, players, strict=True))


def find_seated(club: Club, game: str, value: str) -> str | Join:
    """Find the player for a seat: by a join file, by enrolment, or by a request to join that came by mail.

    Raises:
        ConfigError: no player is found, or several have asked by that name.
    """
    path = Path(value)
    if path.is_file():
        return read_join(path.read_bytes())
    known = club.store.player(value)
    wishes = [one for one in _wishes(club, game, value) if known is None or one.key.line == known.key]
    if len(wishes) > 1:
        raise ConfigError(
            f"{len(wishes)} have asked to join {game} as {value}, with other keys: name the file in "
            f"{club.path / JOINS} whose key is theirs"
        )
    if not wishes and known is None:
        raise ConfigError(
            f"there is no file {value} here, no player called {value} is enrolled, and nobody has asked by "
            f"mail to join {game} by that name; a seat is given to a join file, or to a player by name"
        )
    return wishes[0] if wishes else value


def _wishes(club: Club, game: str, name: str) -> list[Join]:
    found = []
    for path in sorted((club.path / JOINS).glob("*.join")):
        try:
            join = read_join(path.read_bytes())
        except PbemError:  # not written here
            continue
        if (join.game, join.player) == (game, name):
            found.append(join)
    return found


def _title(rules: str) -> Title:
    try:
        return load(rules)
    except UnknownRules as fault:
        raise ConfigError(str(fault)) from None
