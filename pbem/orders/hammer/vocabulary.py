"""The nouns of Hammer's orders, and the view that a side's orders have, with a name for each thing.

Nouns are areas, blocks, kinds of block, and cards (R1: other spellings are accepted). `Sight` is all that
conditions, lists like `all` and `rest`, and forms may know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pbem.orders.cursor import Names
from pbem.orders.kit.parsed_orders import Order
from pbem.orders.kit.vocabulary import EVERYBODY, Noun
from pbem.rules.base import Ask, View
from pbem.rules.hammer.facts import (
    ALIASES,
    AREAS,
    BLOCKS,
    DECK,
    EVENT_CARDS,
    MOVE_CARDS,
    NOBLES,
    OFF_MAP,
    WINTER_TURN,
    BlockFact,
    enemy_of,
)
from pbem.rules.hammer.movement_4 import Movement
from pbem.rules.hammer.restart import movement, without_enemies


@dataclass(frozen=True, slots=True)
class Seen:
    """A block that the side sees: one of its own, or an enemy block face up in a battle."""

    name: str
    side: str
    area: str
    strength: int


@dataclass(slots=True)
class Memory:
    """The memory of what a side has seen in this turn or winter."""

    moment: tuple[int, int] = (0, 0)
    attacked: set[str] = field(default_factory=set)  # the side's areas that the enemy has attacked
    reinforcements: int = 0  # enemy blocks that joined the side's battles
    before_draws: frozenset[str] | None = None  # the side's blocks on the map when it began to build
    drawn: list[str] = field(default_factory=list)

    def copy(self) -> Memory:
        """Return a copy of the memory."""
        return replace(self, attacked=set(self.attacked), drawn=list(self.drawn))

    def look(self, sight: Sight, ask: Ask) -> None:
        """Note what the sight shows now; at a new turn the memory is cleared first."""
        if self.moment != sight.moment:
            self.moment = sight.moment
            self.attacked, self.reinforcements = set(), 0
            self.before_draws, self.drawn = None, []
        self.attacked.update(sight.attacked())
        self.reinforcements = max(self.reinforcements, sight.reinforcements())
        if ask.kind == "build":
            self._look_at_draws(sight)

    def _look_at_draws(self, sight: Sight) -> None:
        """7.62: note which blocks have come from the pool since the building began."""
        mine = sight.mine()
        if self.before_draws is None:
            self.before_draws = frozenset(mine)
        self.drawn += [name for name in mine if name not in self.before_draws and name not in self.drawn]


class Sight:
    """The view of the game that one side has at one moment."""

    def __init__(self, view: View, side: str, memory: Memory | None = None) -> None:
        self._view = view
        self.side = side
        self.memory = memory or Memory()
        self.enemy = enemy_of(side)
        self.year: int = view["year"]
        self.turn: int = view["turn"]
        self.phase: str = view["phase"]

    # -- the turn

    @property
    def moment(self) -> tuple[int, int]:
        """The year and the turn in which the game stands."""
        return self.year, self.turn

    @property
    def is_winter(self) -> bool:
        """Whether the winter is being played."""
        return self.turn == WINTER_TURN

    @property
    def is_first(self) -> bool | None:
        """4.1: whether the side is Player 1; None before the cards are turned up."""
        first = self._view["first"]
        return None if first is None else bool(first == self.side)

    @property
    def hand(self) -> tuple[str, ...]:
        """The cards in the side's hand."""
        return tuple(self._view.get("hand", ()))

    @property
    def enemy_card(self) -> str | None:
        """The enemy's card of this turn, once it is face up; None before."""
        card: str | None = self._view["cards"][self.enemy]
        return card

    @property
    def own_card(self) -> str | None:
        """The side's card of this turn, once it is face up; None before."""
        card: str | None = self._view["cards"][self.side]
        return card

    @property
    def crowned(self) -> bool:
        """6.2: whether there has been a king of the Scots."""
        return self._view["crowned"] is not None

    @property
    def edward_winters(self) -> str | None:
        """7.4: the area in Scotland where Edward winters.

        It is None if that is unknown or he is not in Scotland.
        """
        area: str | None = self._view["edward_winters"]
        return area

    @property
    def options(self) -> dict[str, Any]:
        """The options that the game is played with."""
        found: dict[str, Any] = self._view["options"]
        return found

    def movement(self, card: int, *, enemies: bool) -> Movement:
        """4.0: return a Movement Phase of the side from the present position.

        Without `enemies` there are no enemy blocks on the map.
        """
        phase = "second move" if self.is_first is False else "first move"
        return movement(self._view if enemies else without_enemies(self._view), phase, str(card))

    # -- areas

    def blocks_in(self, area: str, side: str) -> int:
        """Return how many blocks of a side stand in an area."""
        count: int = self._view["areas"][area][side]
        return count

    def is_mine(self, area: str) -> bool:
        """4.5: tell whether an area is friendly."""
        return self.blocks_in(area, self.side) > 0 and not self.blocks_in(area, self.enemy)

    def is_theirs(self, area: str) -> bool:
        """4.5: tell whether an area is the enemy's."""
        return self.blocks_in(area, self.enemy) > 0 and not self.blocks_in(area, self.side)

    def is_empty(self, area: str) -> bool:
        """4.5: tell whether an area is vacant."""
        return not self.blocks_in(area, self.side) and not self.blocks_in(area, self.enemy)

    def is_contested(self, area: str) -> bool:
        """4.5: tell whether an area holds blocks of both sides."""
        return self.blocks_in(area, self.side) > 0 and self.blocks_in(area, self.enemy) > 0

    def attacked(self) -> tuple[str, ...]:
        """Return the areas of the side that the enemy has moved into to attack, event battles left out."""
        return tuple(
            area
            for area, attack in self._view["attacks"].items()
            if attack["attacker"] == self.enemy and attack["border"]
        )

    def reinforcements(self) -> int:
        """5.33: return the number of enemy blocks that came to the areas which the side attacks."""
        return sum(
            attack["reserves"][self.enemy]
            for attack in self._view["attacks"].values()
            if attack["attacker"] == self.side and attack["border"]
        )

    def reserves_in(self, area: str, side: str) -> int:
        """5.32, 5.33: return the number of a side's blocks in an area that wait for round 2."""
        attack = self._view["attacks"].get(area)
        return int(attack["reserves"][side]) if attack else 0

    # -- blocks

    def block(self, name: str) -> Seen | None:
        """Return what the side sees of a block; None if it does not see it."""
        if (found := self._view["blocks"].get(name)) is None:
            return None
        return Seen(name, found["side"], found["area"], found["strength"])

    def own(self, name: str) -> Seen | None:
        """Return what the side sees of a block of its own on the map; None if it is no such block."""
        block = self.block(name)
        return block if block and block.side == self.side and block.area in AREAS else None

    def mine(self, area: str = "") -> tuple[str, ...]:
        """Return the side's blocks on the map (or in one area), in the order of the block list."""
        blocks = self._view["blocks"]
        return tuple(
            name
            for name in BLOCKS
            if (found := blocks.get(name)) is not None
            and found["side"] == self.side
            and (found["area"] == area if area else found["area"] in AREAS)
        )

    def holds_noble(self, name: str) -> bool | None:
        """2.22, R3: tell whether this noble is the side's; None if it is dead."""
        owner = self._view["nobles"].get(name)
        return None if owner is None else bool(owner == self.side)

    def is_out(self, name: str) -> bool:
        """5.8: tell whether a block of the side's is dead and cannot come into play any more."""
        if BLOCKS[name].noble:
            return self.holds_noble(name) is None
        to_come = {"King": not self.crowned, "French Knights": not self._view["french"]}
        block = self.block(name)
        return block is not None and block.area == OFF_MAP and not to_come.get(name)

    def nobles(self, side: str) -> int:
        """Return how many nobles a side has, on the map as far as can be seen."""
        return sum(owner == side for owner in self._view["nobles"].values())

    # -- the battle going on

    @property
    def here(self) -> str:
        """The area of the battle, for which a plan counts now; empty if there is none."""
        return self.battle

    @property
    def pace(self) -> tuple[int, int]:
        """The number of the battle and its round, in which an `ask` of a plan stops the judge once."""
        return self.battle_moment

    @property
    def affair(self) -> int:
        """The number of the battle that is fought, counted in the turn."""
        return self.battle_moment[0]

    @property
    def battle(self) -> str:
        """The area of the battle; empty if there is none."""
        fight = self._view["battle"]
        return fight["area"] if fight else ""

    @property
    def battle_moment(self) -> tuple[int, int]:
        """The number of the battle in the turn, and of its round; (0, 0) if there is none."""
        fight = self._view["battle"]
        return (fight["number"], fight["round"]) if fight else (0, 0)

    @property
    def attacks_here(self) -> bool:
        """5.3: whether the side is the attacker in the battle that is fought."""
        fight = self._view["battle"]
        return bool(fight) and fight["attacker"] == self.side

    @property
    def is_event_battle(self) -> bool:
        """Sidebar Defection Battles: whether the battle that is fought is due to an event."""
        return bool(self._view["battle"]) and self.phase == "events"

    def fighting(self, side: str) -> tuple[Seen, ...]:
        """Return a side's blocks that fight, face up."""
        fight = self._view["battle"]
        seen = (self.block(name) for name in (fight["fighting"] if fight else ()))
        return tuple(block for block in seen if block and block.side == side)

    def reserves(self, side: str) -> int:
        """Return the number of a side's blocks that are still in reserve in the battle."""
        fight = self._view["battle"]
        return fight["reserves"][side] if fight else 0


OUR, THEIR = "our", "their"

GROUPS: dict[str, str] = {
    "leaders": "leader",
    "nobles": "noble",
    "infantry": "infantry",
    "cavalry": "cavalry",
    "archers": "archers",
    "knights": "knights",
}
"""2.2: the words by which a list names all blocks of a kind. Norse and Hobelars are one block each."""

AREA_NAMES = Names(AREAS, ALIASES)
ALL_BLOCKS = Names(BLOCKS, ALIASES)


def may_be(fact: BlockFact, side: str) -> bool:
    """2.22: tell whether a block can be this side's.

    Nobles can be either side's, except the one who never changes sides.
    """
    return fact.side in (None, side)


@cache
def blocks_of(side: str) -> Names:
    """Return the blocks that can be a side's."""
    return Names((name for name, fact in BLOCKS.items() if may_be(fact, side)), ALIASES)


def can_hold(side: str, name: str) -> bool:
    """Tell whether the block of this name can be this side's."""
    return name in BLOCKS and may_be(BLOCKS[name], side)


def is_of_group(name: str, group: str) -> bool:
    """2.2: tell whether a block is in a group such as `nobles` or `infantry`."""
    return group in GROUPS and BLOCKS[name].kind == GROUPS[group]


def _offered_areas(order: Order, clause: str, sight: Sight) -> Iterator[str]:
    """Yield areas worth offering to a player who composes a line.

    They are where the player's blocks stand, or where the named blocks can go: `from` a named block's own
    area is not offered.
    """
    picked = next((block.area for name in order.names if (block := sight.own(name))), "")
    if clause == "from" and picked:
        return iter(())
    if clause != "to":
        return (area for area in AREAS if sight.blocks_in(area, sight.side))
    if order.verb in ("sail", "home"):
        return iter(AREAS)
    way = order.all("to") if order.verb == "move" else ()
    here = way[-1] if way else order.one("from") or picked or sight.battle
    return iter(AREAS[here].neighbours if here in AREAS else AREAS)


def _offered_fights(order: Order, _: str, sight: Sight) -> Iterator[str]:
    """Yield areas that are fought over, or could be pillaged."""
    fits = sight.is_theirs if order.verb == "pillage" else sight.is_contested
    return (area for area in AREAS if fits(area))


def _offered_blocks(order: Order, _: str, sight: Sight) -> Iterator[str]:
    """Yield the side's own blocks; for a line that names a block to move, those that stand with it."""
    first = next((block for name in order.names if (block := sight.own(name))), None)
    here = first.area if first and order.verb in ("move", "sail", "retreat", "regroup") else ""
    return iter(
        sight.mine(here or (sight.battle if order.verb in ("fire", "pass", "retreat", "hit") else ""))
    )


def _offered_cards(_: Order, __: str, sight: Sight) -> Iterator[str]:
    """Yield the cards in the side's hand."""
    return iter(dict.fromkeys(card for card in sight.hand if card in DECK))


_AREA = Noun(name="area", what="an area", names=AREA_NAMES, rule="1.1", everybody={}, offers=_offered_areas)
_BLOCK = Noun(name="block", what="a block", names=ALL_BLOCKS, rule="2.2", everybody={})
_OWN = Noun(
    name="own block",
    what="a block",
    names=blocks_of,
    rule="2.2",
    everybody={},
    offers=_offered_blocks,
    mistaken={
        "block": "{name} is not yours",
        "area": "{name} is an area, not a block; before an area comes 'from', 'to' or 'in'",
    },
)
_LIST = replace(_OWN, name="own blocks", groups=tuple(GROUPS), everybody=EVERYBODY)
_CARD = Noun(
    name="card",
    what="a card",
    names=Names(dict.fromkeys(DECK), {"one": "1", "two": "2", "three": "3"}),
    rule="3.0",
    everybody={},
    sorts={"event": EVENT_CARDS, "move": MOVE_CARDS},
    offers=_offered_cards,
)

NOUNS = (
    _AREA,
    _BLOCK,
    _CARD,
    replace(_AREA, name="areas", everybody=dict.fromkeys(EVERYBODY, "rest"), offers=_offered_fights),
    replace(_BLOCK, name="block or kind", groups=tuple(GROUPS)),
    _OWN,
    _LIST,
    replace(_LIST, name="steps", everybody={**EVERYBODY, "drawn": "drawn"}),
    Noun(name="noble", what="a noble", names=Names(NOBLES, ALIASES), rule="2.22", everybody={}),
    Noun(
        name="candidate",
        what="a candidate for the crown",
        names=Names(("Bruce", "Comyn", "Balliol")),
        rule="6.2",
        everybody={},
    ),
    Noun(
        name="whose",
        what="'our' or 'their'",
        names=Names((OUR, THEIR), {"my": OUR, "his": THEIR, "enemy": THEIR}),
        everybody={},
    ),
)
