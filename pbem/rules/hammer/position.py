"""The position of a Hammer game: where every block and card is, in one mutable object.

Everything that a report, a check or a test may want is here; a rule's local variables hold only its
place in the sequence of play.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter

from pbem.rules.base import Shared
from pbem.rules.hammer.facts import (
    AREAS,
    BLOCKS,
    ENGLAND,
    ENGLAND_AREA,
    NOBLES,
    OFF_MAP,
    POOL,
    SCOTLAND,
    SIDES,
    Area,
    BlockFact,
    Border,
    enemy_of,
)

list_order = attrgetter("order")
"""Function that returns a block's place in the block list."""


class Block:
    """2.0: one block, in play or out of it. Its identity and strength are its owner's secret."""

    __slots__ = ("area", "fact", "letter", "max", "move", "name", "noble", "order", "side", "strength")

    def __init__(self, fact: BlockFact, side: str, move: int) -> None:
        self.fact = fact
        self.name = fact.name
        self.order = fact.order
        self.noble = fact.noble
        self.letter = fact.letter
        self.max = fact.max
        self.move = move
        self.side = side
        self.area = OFF_MAP
        self.strength = fact.max

    def __repr__(self) -> str:
        return f"{self.name}/{self.strength} ({self.side}, {self.area})"


@dataclass(slots=True)
class Attack:
    """5.32, 5.33: an attack on a contested area, with the blocks that came into it, and how they came."""

    attacker: str
    origin: str  # where the Main Attack began its move
    border: str  # the border by which it entered, or "sea"
    main: list[str] = field(default_factory=list)
    reserves: list[str] = field(default_factory=list)  # the reserves of both sides


@dataclass(slots=True)
class Battle:
    """5.0: a battle in progress, as both players see it on the table."""

    area: str
    number: int  # the battle's number in the turn, event battles included
    attacker: str
    round: int = 0
    upright: bool = False  # 5.3, 5.6: the rounds are over, and all blocks have been stood up again
    fighting: list[Block] = field(default_factory=list)  # face up while rounds are fought
    reserves: list[Block] = field(default_factory=list)  # upright, or just captured
    first_defenders: list[Block] = field(default_factory=list)  # 5.32: defenders of round 1
    eliminated: set[str] = field(default_factory=set)  # names of blocks killed or captured so far
    crossed: dict[tuple[str, str], int] = field(
        default_factory=dict
    )  # 5.5: (side, border) -> number of blocks that left over it in this round
    ways_unknown: bool = False  # R79: the Norse left with others, so nobody knows who went where

    @property
    def defender(self) -> str:
        """The side that acts first in the battle and need not leave."""
        return enemy_of(self.attacker)

    def of(self, side: str) -> list[Block]:
        """Return a side's blocks that fight in this round."""
        return [block for block in self.fighting if block.side == side]


@lru_cache(maxsize=1024)
def numbers(english: int, scottish: int) -> Shared:
    """Return how many blocks of each side stand in a place, in the form in which views show it."""
    return Shared({ENGLAND: english, SCOTLAND: scottish})


class Position:
    """The state of one game of Hammer."""

    def __init__(self, first_year: int, moves: dict[str, int]) -> None:
        self.year = first_year
        self.turn = 1
        self.phase = "set-up"
        self.first: str | None = None  # 4.1: Player 1 of this turn
        self.cards: dict[str, str | None] = dict.fromkeys(SIDES)
        self.played: dict[str, list[str]] = {side: [] for side in SIDES}
        self.hands: dict[str, list[str]] = {side: [] for side in SIDES}
        self.truce: list[str] = []  # sides that may not attack this turn
        self.attacks: dict[str, Attack] = {}
        self.entered: list[tuple[str, str, str]] = []  # 5.5: (border, area, side) of each way into a battle
        self.battles = 0  # number of battles begun this turn
        self.battle: Battle | None = None
        self.crowned: str | None = None  # 6.2: the name of whoever was crowned
        self.edward = 1  # 6.1: Edward I or Edward II
        self.edward_wintered = False  # 7.4: Edward I wintered in Scotland last winter
        self.edward_winters = False  # 7.4: Edward I winters in Scotland this winter
        self.french = False  # 7.61: the French have been added to the pool
        self.settled: list[str] = []  # 7.1: nobles that have gone home, or over, in this winter
        self.blocks = {
            name: Block(fact, fact.side or ENGLAND, moves.get(name, fact.move))
            for name, fact in BLOCKS.items()
        }
        self.at: dict[str, dict[str, list[Block]]] = {side: {area: [] for area in AREAS} for side in SIDES}
        self.pools: dict[str, list[Block]] = {side: [] for side in SIDES}
        self.hidden: dict[
            Block, str
        ] = {}  # 5.5, 7.3: the area where others still see a block that leaves, until that is told
        self._numbers: Shared | None = None  # kept until a block is placed or changes side
        self._nobles: Shared | None = None  # kept until a noble changes side or enters or leaves play
        self._out: tuple[str, ...] | None = None  # kept until a block enters or leaves play
        self._own: dict[str, tuple[Block, ...]] = {}  # kept until a noble changes side
        self.side_changed = False  # a noble has changed side since the last event; see Hammer.heard

    # -- placing blocks

    def place(self, block: Block, area: str) -> None:
        """Put a block into an area, the pool or out of play."""
        if OFF_MAP in (block.area, area):
            self._nobles = self._out = None
        self._take_up(block)
        block.area = area
        self._put_down(block)
        self._numbers = None

    def convert(self, block: Block, side: str) -> None:
        """2.22: let a noble change side where it stands and keep its strength."""
        self.side_changed |= side != block.side
        self._take_up(block)
        block.side = side
        self._put_down(block)
        self._nobles = self._numbers = None
        self._own.clear()

    def _take_up(self, block: Block) -> None:
        if block.area != OFF_MAP:
            self._beside(block).remove(block)

    def _put_down(self, block: Block) -> None:
        # R2: in the order of the block list, so that no list tells which block came first
        if block.area != OFF_MAP:
            insort(self._beside(block), block, key=list_order)

    def _beside(self, block: Block) -> list[Block]:
        return self.pools[block.side] if block.area == POOL else self.at[block.side][block.area]

    def to_pool(self, block: Block) -> None:
        """5.8: put a block into the pool, from which it may be drawn again; its strength is forgotten."""
        self.place(block, POOL)
        block.strength = block.max

    # -- who is where

    @property
    def numbers(self) -> Shared:
        """4.5: the number of blocks of each side in each area; views show this very object."""
        if self._numbers is None:
            scottish = self.at[SCOTLAND]
            self._numbers = Shared(
                {area: numbers(len(blocks), len(scottish[area])) for area, blocks in self.at[ENGLAND].items()}
            )
        return self._numbers

    @property
    def allegiances(self) -> Shared:
        """R3: the side of each noble that is not dead; views show this very object."""
        if self._nobles is None:
            self._nobles = Shared({name: self.blocks[name].side for name in NOBLES if not self.dead(name)})
        return self._nobles

    @property
    def out(self) -> tuple[str, ...]:
        """The blocks out of play, by name."""
        if self._out is None:
            self._out = tuple(sorted(block.name for block in self.blocks.values() if block.area == OFF_MAP))
        return self._out

    def own(self, side: str) -> tuple[Block, ...]:
        """Return a side's blocks, wherever they are, in the order of the block list."""
        if side not in self._own:
            self._own[side] = tuple(block for block in self.blocks.values() if block.side == side)
        return self._own[side]

    def on_map(self, side: str) -> list[Block]:
        """Return a side's blocks on the map, area by area."""
        return [block for blocks in self.at[side].values() for block in blocks]

    def friendly(self, area: str, side: str) -> bool:
        """4.5: tell whether an area is friendly to `side`, which then occupies it alone."""
        return bool(self.at[side][area]) and not self.at[enemy_of(side)][area]

    def contested(self) -> list[str]:
        """4.5: return the areas with blocks of both sides, in the order of the map."""
        english, scottish = self.at[ENGLAND], self.at[SCOTLAND]
        return [area for area, blocks in english.items() if blocks and scottish[area]]

    def nobles(self, side: str) -> list[Block]:
        """Return the nobles that a side holds on the map (R109: nobody holds a dead or pooled Moray)."""
        nobles = (self.blocks[name] for name in NOBLES)
        return [block for block in nobles if block.side == side and block.area in AREAS]

    def dead(self, name: str) -> bool:
        """5.8: tell whether a block is out of the game for good.

        Only blocks that have been in play can be dead.
        """
        return self.blocks[name].area == OFF_MAP

    # -- borders

    def closed(self, border: Border, area: str, side: str, control: str) -> bool:
        """5.5, R74, R75: tell whether a border is closed to blocks of `side` that leave `area`.

        It is if the enemy was last to attack across it.

        `control` "turn": into any battle of this turn; "battle": into the battle for this area;
        "attacker": the same, but only over borders by which this battle was begun.
        """
        users = [
            user
            for name, into, user in self.entered
            if name == border.name and (control == "turn" or into == area)
        ]
        if control == "attacker" and self.attacks[area].attacker not in users:
            return False
        return bool(users) and users[-1] != side

    def entered_by_enemy(self, border: Border, area: str, side: str) -> bool:
        """4.6, R49: tell whether the enemy of `side` came into the battle for `area` over this border."""
        return any(name == border.name and into == area and user != side for name, into, user in self.entered)


def home(block: Block) -> bool:
    """1.4: tell whether the block is a noble in a home area of its own."""
    return block.area in block.fact.homes


def neighbours(area: str) -> dict[str, Border]:
    """Return the areas that share a border with `area`, each with that border."""
    return AREAS[area].neighbours


def may_fall_back(position: Position, block: Block, to: str) -> bool:
    """5.5, 4.5, R77, R81: tell whether a block may fall back to an area, which must be friendly or vacant.

    The English never fall back into Scotland, the Scots never out of it.
    """
    if position.at[enemy_of(block.side)][to]:
        return False
    if to == ENGLAND_AREA:
        return block.side == ENGLAND
    return block.area != ENGLAND_AREA or block.side == SCOTLAND


def havens(position: Position, block: Block) -> list[str]:
    """4.7, R82: return where the Norse may retreat or regroup: other friendly coasts outside England."""
    return [
        area.name
        for area in AREAS.values()
        if area.coastal
        and area.name not in (ENGLAND_AREA, block.area)
        and position.friendly(area.name, block.side)
    ]


def coastal(area: str) -> bool:
    """Tell whether the area touches the sea."""
    found: Area = AREAS[area]
    return found.coastal
