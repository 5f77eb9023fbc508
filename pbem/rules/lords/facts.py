"""Content, Reading the Cards, L1: cards and the rulebook's numbers from facts.toml; the options of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbem.rules import table
from pbem.rules.base import Switches, UnknownOption, read_switches

_DATA: dict[str, Any] = table(__package__, "facts.toml")


@dataclass(frozen=True, slots=True)
class Clan:
    """Clan Powers: a clan, and when its power takes effect."""

    name: str
    title: str
    also: tuple[str, ...]  # other spellings
    immediate: bool  # whether the power takes effect at once, not at the end of the round
    effect: str


@dataclass(frozen=True, slots=True)
class Card:
    """Reading the Cards: a card, with its clan, its strength, and the rank that no other card has."""

    name: str
    clan: str
    strength: int
    rank: int

    @property
    def title(self) -> str:
        """Reading the Cards: the card as people read it, `Scott 12` for scott-12."""
        return self.name.replace(f"{self.clan}-", f"{CLANS[self.clan].title} ")


@dataclass(frozen=True, slots=True)
class PowerTest:
    """Clan Powers, Alternative Rules: the test which other face-up Followers keep a power from working."""

    same_clan: bool
    equal_blocks: bool


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of Lords' rulebook; see facts.toml."""

    hand: int
    recruits: int
    supporters: int
    turns: int
    full_hand: int
    victory: int
    double: int
    double_from: int
    claims: int
    cochrane_claims: int


def _cards() -> dict[str, Card]:
    found = [
        Card(f"{clan['id']}-{strength if len(clan['cards']) > 2 else rank}", clan["id"], strength, rank)
        for clan in _DATA["clan"]
        for strength, rank in clan["cards"]
    ]
    return {card.name: card for card in sorted(found, key=lambda card: card.rank)}


SIDES: tuple[str, ...] = tuple(_DATA["sides"])
CLANS = {
    row["id"]: Clan(row["id"], row["title"], tuple(row["also"]), row["power"] == "immediate", row["effect"])
    for row in _DATA["clan"]
}
CARDS = _cards()
NUMBERS = Numbers(**_DATA["game"])
POWER_TESTS = {
    players: PowerTest(row["same_clan"], row["equal_blocks"])
    for row in _DATA["power_test"]
    for players in row["players"]
}
SWITCHES: dict[str, tuple[Any, ...]] = {name: tuple(values) for name, values in _DATA["switch"].items()}


def rank(name: str) -> int:
    """Return a card's rank, by which piles and hands are sorted."""
    return CARDS[name].rank


def strength(name: str) -> int:
    """Return a card's strength."""
    return CARDS[name].strength


def by_strength(name: str) -> tuple[int, int]:
    """L26, L33: return the key that sorts the weaker card first, and of equal ones that of the lower rank."""
    return strength(name), rank(name)


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
