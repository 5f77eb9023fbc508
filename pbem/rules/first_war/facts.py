"""The Deck, Common Deck Card List, F1: cards and numbers from facts.toml; the options of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbem.rules import table
from pbem.rules.base import Switches, read_switches

_DATA: dict[str, Any] = table(__package__, "facts.toml")

SIDES: tuple[str, ...] = tuple(_DATA["sides"])
SCOTS, ENGLISH = SIDES
SEASONS = ("spring", "summer", "fall", "winter")
UNITS = ("leader", "noble", "troop")


@dataclass(frozen=True, slots=True)
class Kind:
    """Card List Notation: a row of the card list, which stands for several equal cards (F12)."""

    id: str
    name: str
    count: int
    type: str  # leader, noble, troop, event, strategy, victory
    order: int  # place in the card list
    user: str = ""  # the only side that may use it (F6)
    op: str = ""  # what an Event or Victory card does
    number: int = 0  # number of cards or tokens
    hits: tuple[str, ...] = ()  # types of Unit that it can have as target

    @property
    def unit(self) -> bool:
        """Unit Cards: whether cards of this kind are Units: leaders, nobles and troops."""
        return self.type in UNITS

    def usable(self, side: str) -> bool:
        """F6: tell whether this side may use a card of this kind."""
        return self.user in ("", side)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of First War's rules; see facts.toml."""

    territories: int
    hand: int
    first_year: int
    victory: int
    leaders: int
    lowland_draw: int
    strategy_force: int
    stolen: int
    lost_units: int
    full_hand: int
    extra_quarter: int
    first_event: str
    first_strategy: str
    ties: str
    no_winter_leader: str


@dataclass(frozen=True, slots=True)
class SideFact:
    """The numbers that differ by side: cards drawn, Units kept in winter, limits by kind of Unit."""

    draw: int
    quarters: int
    limits: dict[str, int]


KINDS = {
    row["id"]: Kind(**{**row, "order": order, "hits": tuple(row.get("hits", ()))})
    for order, row in enumerate(_DATA["card"])
}
DECK = tuple(f"{kind.id}-{number}" for kind in KINDS.values() for number in range(1, kind.count + 1))
NUMBERS = Numbers(**_DATA["game"])
SIDE_FACTS = {side: SideFact(**_DATA["side"][side]) for side in SIDES}
SWITCHES: dict[str, tuple[Any, ...]] = {name: tuple(values) for name, values in _DATA["switch"].items()}
LIST_ORDER = {card: place for place, card in enumerate(DECK)}


def kind_of(card: str) -> Kind:
    """Return the kind that a card such as `infantry-3` is of."""
    return KINDS[card.rpartition("-")[0]]


def enemy_of(side: str) -> str:
    """Return the side that plays against the given side."""
    return ENGLISH if side == SCOTS else SCOTS


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
