"""1.0, 2.0, 3.0, 8.0: the map, blocks, deck and scenarios, and the options that a game is played by.

Facts are read once from facts.toml; the switches, their values and the editions' defaults from
editions.toml. A rule asks `options.herald_order == "roll_then_name"`, never which edition it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from pbem.characters import is_decimal, lower
from pbem.rules import table
from pbem.rules.base import UnknownOption, read_switch

ENGLAND = "england"
SCOTLAND = "scotland"
SIDES = (ENGLAND, SCOTLAND)
ENGLAND_AREA = "England"
POOL = "pool"
OFF_MAP = "off map"
WINTER_TURN = 6
"""The number of the winter as a turn, after five Game Turns."""


def enemy_of(side: str) -> str:
    """Return the side that plays against the given side."""
    return SCOTLAND if side == ENGLAND else ENGLAND


@dataclass(frozen=True, slots=True)
class Border:
    """4.3, 4.4: a border between two areas."""

    name: str  # "Mentieth-Fife": the areas in the order of the map
    red: bool  # a block that crosses must stop
    anglo_scottish: bool
    limit: int  # number of blocks of one side that may cross in a phase


@dataclass(frozen=True, slots=True)
class Area:
    """1.1-1.4: an area of the map."""

    name: str
    order: int  # place in the list of areas, north to south
    castle_limit: int  # the English value
    cathedral: bool
    coastal: bool
    neighbours: dict[str, Border]  # by name, sorted

    def limit(self, side: str) -> int:
        """1.2, 1.3: return the Castle Limit, which also is the number of replacement points.

        A cathedral makes it higher for the Scots.
        """
        return self.castle_limit + (self.cathedral and side == SCOTLAND)


@dataclass(frozen=True, slots=True)
class BlockFact:
    """2.11-2.13, 2.21-2.26: the facts that are printed on a block of each type.

    2.11 `max`, 2.12 `letter` and `number`, 2.13 `move`. Types (`kind`): 2.21 leaders, 2.22 nobles, 2.23
    archers, 2.24 knights, cavalry and hobelars, 2.25 infantry, 2.26 the Norse. A noble is one block that
    changes side, so its `side` is None.
    """

    name: str
    order: int
    side: str | None
    kind: str
    move: int  # number of areas; 0: the block moves by sea alone (4.7)
    letter: str
    number: int
    max: int
    faction: str | None
    homes: tuple[str, ...]
    black_cross: bool
    celtic: bool

    @property
    def noble(self) -> bool:
        """2.22: whether the block is one of the fourteen nobles."""
        return self.kind == "noble"

    @property
    def token(self) -> str:
        """The block's name as it stands in a label."""
        return token(self.name)


@dataclass(frozen=True, slots=True)
class Scenario:
    """8.0: a scenario, with the places of the blocks when the game begins."""

    name: str
    title: str
    first_year: int
    last_year: int | None
    levy: int
    crowned: bool
    off_map: tuple[str, ...]
    dead: tuple[str, ...]
    set_up: dict[str, dict[str, tuple[str, ...]]]  # side -> area -> blocks


@dataclass(frozen=True, slots=True)
class EventFacts:
    """The numbers on the event cards and in sections 5.2, 6 and 7."""

    herald_success: tuple[int, ...]
    pillage_hits: int
    sea_move_blocks: int
    victuals_steps: int
    crown_area: str
    balliol_from_year: int
    last_year_of_edward_i: int
    celtic_leaves: tuple[int, ...]
    french_from_nobles: int
    wallace_refuge: str
    wallace_refuge_steps: int


def token(name: str) -> str:
    """Return a name as one word of a label: lower case, a hyphen for each blank."""
    return lower(name).replace(" ", "-")


def _read() -> dict[str, Any]:
    return table(__package__, "facts.toml")


def _borders(data: dict[str, Any]) -> dict[str, dict[str, Border]]:
    by_area: dict[str, dict[str, Border]] = {}
    for colour, pairs in data["borders"].items():
        red = colour.endswith("red")
        for one, other in pairs:
            border = Border(
                name=f"{one}-{other}",
                red=red,
                anglo_scottish=colour.startswith("anglo_scottish"),
                limit=data["limits"]["red" if red else "green"],
            )
            by_area.setdefault(one, {})[other] = border
            by_area.setdefault(other, {})[one] = border
    return by_area


def _areas(data: dict[str, Any]) -> dict[str, Area]:
    borders = _borders(data)
    return {
        row["name"]: Area(
            name=row["name"],
            order=order,
            castle_limit=row["castle_limit"],
            cathedral=row.get("cathedral", False),
            coastal=row.get("coastal", False),
            neighbours=dict(sorted(borders[row["name"]].items())),
        )
        for order, row in enumerate(data["area"])
    }


def _blocks(data: dict[str, Any]) -> dict[str, BlockFact]:
    return {
        row["name"]: BlockFact(
            name=row["name"],
            order=order,
            side=row.get("side"),
            kind=row["kind"],
            move=row["move"],
            letter=row["letter"],
            number=row["number"],
            max=row["max"],
            faction=row.get("faction"),
            homes=tuple(row.get("homes", ())),
            black_cross=row.get("black_cross", False),
            celtic=row.get("celtic", False),
        )
        for order, row in enumerate(data["blocks"]["block"])
    }


def _scenarios(data: dict[str, Any]) -> dict[str, Scenario]:
    return {
        name: Scenario(
            name=name,
            title=row["title"],
            first_year=row["first_year"],
            last_year=row.get("last_year"),
            levy=row["levy"],
            crowned=row["crowned"],
            off_map=tuple(row["off_map"]),
            dead=tuple(row["dead"]),
            set_up={side: {area: tuple(names) for area, names in row[side].items()} for side in SIDES},
        )
        for name, row in data["scenario"].items()
    }


_DATA = _read()
AREAS: dict[str, Area] = _areas(_DATA)
BLOCKS: dict[str, BlockFact] = _blocks(_DATA)
NOBLES: tuple[str, ...] = tuple(fact.name for fact in BLOCKS.values() if fact.noble)
CATHEDRALS: tuple[str, ...] = tuple(area.name for area in AREAS.values() if area.cathedral)
DECK: tuple[str, ...] = tuple(card for card, count in _DATA["deck"].items() for _ in range(count))
MOVE_CARDS: tuple[str, ...] = tuple(card for card in _DATA["deck"] if is_decimal(card))
EVENT_CARDS: tuple[str, ...] = tuple(card for card in _DATA["deck"] if not is_decimal(card))
SCENARIOS: dict[str, Scenario] = _scenarios(_DATA)
_NUMBERS: dict[str, Any] = {
    key: tuple(value) if isinstance(value, list) else value for key, value in _DATA["events"].items()
}
EVENTS = EventFacts(**_NUMBERS)
HAND_CARDS: int = _DATA["limits"]["hand_cards"]
MAX_ROUNDS: int = _DATA["limits"]["most_rounds"]
ALIASES: dict[str, str] = _DATA["aliases"]

_EDITIONS: dict[str, Any] = table(__package__, "editions.toml")
SWITCHES: dict[str, tuple[Any, ...]] = {name: tuple(values) for name, values in _EDITIONS["switch"].items()}
EDITIONS: tuple[str, ...] = tuple(_EDITIONS["edition"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one game of Hammer; see editions.toml for each switch's ruling."""

    scenario: str
    edition: str
    last_year: int | None
    moves: tuple[tuple[str, int], ...]  # blocks whose Move Rating the edition changes

    herald_order: str
    main_attack_way: str
    unpinned_borders: str
    french_join: str
    scots_disband: str
    pillage_attacker: str
    control_change: str
    dead_round_turns: bool
    mandatory_retreat_order: str
    truce_bars_sea_to_england: bool
    spend_rp: str
    win_after_winter: bool
    final_winter: bool
    border_control: str
    border_crossing: str
    schiltrom_reserve_archers: str
    celtic_timing: str
    inland_draw: str
    truce_raid_loss: bool
    england_one_group: bool
    schiltroms: bool
    bid: str

    @property
    def years_without_edward(self) -> int:
        """The number of first years in which Edward cannot be drawn, by the bids E1 to E3."""
        return int(self.bid[1]) if self.bid.startswith("E") else 0

    @property
    def extra_levy(self) -> int:
        """The number of blocks added to the first levy, by the bids S1 to S3."""
        return int(self.bid[1]) if self.bid.startswith("S") else 0

    def as_dict(self) -> dict[str, Any]:
        """Return every option by name, such that `read_options` gives the same object again."""
        return {name: getattr(self, name) for name in _NAMES}


_NAMES = tuple(field.name for field in fields(Options) if field.name != "moves")


def _last_year(value: Any, scenario: str) -> int | None:
    """Return the year after whose winter nobles are counted; in a Campaign a league chooses it (R112)."""
    printed = SCENARIOS[scenario].last_year
    if value in (None, "", "none"):
        return printed
    first = SCENARIOS[scenario].first_year
    try:
        year = int(value)
    except (TypeError, ValueError):
        year = 0
    if not first <= year <= first + 200:
        raise UnknownOption(f"option last_year must be a year from {first} on, not {value!r}")
    if printed is not None and year != printed:
        raise UnknownOption(f"option last_year belongs to the campaign; {scenario} ends in {printed}")
    return year


def read_options(given: Mapping[str, Any]) -> Options:
    """Return the checked options of a game; those not given are the edition's.

    Raises:
        UnknownOption: a name or value that does not exist; the message lists those that do.
    """
    known = {"scenario", "edition", "last_year", *SWITCHES}
    if unknown := sorted(set(given) - known):
        raise UnknownOption(f"no option called {unknown[0]!r}; there are {', '.join(sorted(known))}")
    scenario = read_switch("scenario", given.get("scenario", "braveheart"), tuple(SCENARIOS))
    edition = read_switch("edition", str(given.get("edition", EDITIONS[0])), EDITIONS)
    defaults = _EDITIONS["edition"][edition]
    switches = {
        name: read_switch(name, given.get(name, defaults.get(name, values[0])), values)
        for name, values in SWITCHES.items()
    }
    return Options(
        scenario=scenario,
        edition=edition,
        last_year=_last_year(given.get("last_year"), scenario),
        moves=tuple(sorted(defaults.get("move", {}).items())),
        **switches,
    )
