"""1.0, 2.0, 3.0, 8.0: the map, the blocks, the deck and the scenarios, read once from facts.toml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pbem.characters import is_decimal, lower
from pbem.rules import table

ENGLAND = "england"
SCOTLAND = "scotland"
SIDES = (ENGLAND, SCOTLAND)
ENGLAND_AREA = "England"
POOL = "pool"
OFF_MAP = "off map"


def enemy_of(side: str) -> str:
    """Return the other side."""
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
