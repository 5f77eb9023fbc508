"""Does a condition hold? Judged from a side's own view, and from what it has seen earlier in the turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pbem.orders.hammer.sight import Sight, is_of_group
from pbem.orders.hammer.tree import (
    OUR,
    Both,
    Compare,
    Condition,
    Either,
    Fact,
    Not,
    Quantity,
)
from pbem.orders.hammer.vocabulary import GROUPS
from pbem.rules.hammer.facts import AREAS


@dataclass(slots=True)
class Memory:
    """What a side has seen in this turn or winter and its view no longer shows."""

    moment: tuple[int, int] = (0, 0)
    attacked: set[str] = field(default_factory=set)  # areas of the side's, by the enemy's moves
    reinforcements: int = 0  # enemy blocks that joined the side's battles
    before_draws: frozenset[str] | None = None  # the side's blocks on the map when it began to build
    drawn: list[str] = field(default_factory=list)

    def copy(self) -> Memory:
        """The same memory."""
        return replace(self, attacked=set(self.attacked), drawn=list(self.drawn))

    def look(self, sight: Sight) -> None:
        """Note what can be seen now."""
        if self.moment != sight.moment:
            self.moment = sight.moment
            self.attacked, self.reinforcements = set(), 0
            self.before_draws, self.drawn = None, []
        self.attacked.update(sight.attacked())
        self.reinforcements = max(self.reinforcements, sight.reinforcements())

    def look_at_draws(self, sight: Sight) -> None:
        """7.62: note which blocks have come from the pool since the building began."""
        mine = sight.mine()
        if self.before_draws is None:
            self.before_draws = frozenset(mine)
        self.drawn += [name for name in mine if name not in self.before_draws and name not in self.drawn]


def holds(condition: Condition | None, sight: Sight, memory: Memory) -> bool:
    """Is this so? No condition always holds."""
    if condition is None:
        return True
    if isinstance(condition, Not):
        return not holds(condition.what, sight, memory)
    if isinstance(condition, Both):
        return all(holds(part, sight, memory) for part in condition.parts)
    if isinstance(condition, Either):
        return any(holds(part, sight, memory) for part in condition.parts)
    if isinstance(condition, Compare):
        return _compare(condition, sight)
    return _is_fact(condition, sight, memory)


def _is_fact(fact: Fact, sight: Sight, memory: Memory) -> bool:
    match fact.what:
        case "first":
            return sight.is_first is True
        case "second":
            return sight.is_first is False
        case "against":
            return sight.enemy_card in fact.names
        case "attacked only":
            return memory.attacked <= set(fact.areas)
        case "reinforced":
            return memory.reinforcements <= fact.number
        case "drawn":
            return any(name in memory.drawn for name in fact.names)
        case "winters":
            return sight.edward_winters is not None and sight.edward_winters in (fact.areas or AREAS)
        case "noble mine" | "noble theirs":
            return sight.holds_noble(fact.names[0]) is (fact.what == "noble mine")
        case "on map":
            return sight.own(fact.names[0]) is not None
        case "in":
            block = sight.own(fact.names[0])
            return block is not None and block.area == fact.areas[0]
        case "attacking" | "defending" | "event battle" | "they have" | "we have":
            return bool(sight.battle) and _is_so_in_battle(fact, sight)
        case _:
            return _is_area(fact.what, fact.areas[0], sight, memory)


def _is_area(state: str, area: str, sight: Sight, memory: Memory) -> bool:
    match state:
        case "attacked":
            return area in memory.attacked
        case "mine":
            return sight.is_mine(area)
        case "theirs":
            return sight.is_theirs(area)
        case "contested":
            return sight.is_contested(area)
        case _:
            return sight.is_empty(area)


def _is_so_in_battle(fact: Fact, sight: Sight) -> bool:
    match fact.what:
        case "attacking":
            return sight.attacks_here
        case "defending":
            return not sight.attacks_here
        case "event battle":
            return sight.is_event_battle
        case _:
            fighting = sight.fighting(sight.side if fact.what == "we have" else sight.enemy)
            return any(
                is_of_group(block.name, name) if name in GROUPS else block.name == name
                for block in fighting
                for name in fact.names
            )


def _compare(compare: Compare, sight: Sight) -> bool:
    left, right = _twice(compare.left, sight), _twice(compare.right, sight)
    if left is None or right is None:
        return False
    match compare.how:
        case "is":
            return left == right
        case "less than":
            return left < right
        case "more than":
            return left > right
        case "at most":
            return left <= right
        case "at least":
            return left >= right


def _twice(quantity: Quantity, sight: Sight) -> int | None:
    """Twice the quantity, so that a half is a whole number; None if the side does not see it."""
    value = _value(quantity, sight)
    if value is None:
        return None
    return value * {"half": 1, "": 2, "twice": 4}[quantity.factor]


def _value(quantity: Quantity, sight: Sight) -> int | None:
    if quantity.what == "number":
        return quantity.number
    if quantity.what == "round":
        return sight.battle_moment[1] if sight.battle else None
    if quantity.block:
        block = sight.own(quantity.block)
        if block is None:
            seen = [seen for seen in sight.fighting(sight.enemy) if seen.name == quantity.block]
            block = seen[0] if seen else None
        return block.strength if block else None
    side = sight.side if quantity.whose == OUR else sight.enemy
    if quantity.what == "nobles":
        return sight.nobles(side)
    return _in_area(quantity, side, sight) if quantity.area else _in_battle(quantity, side, sight)


def _in_area(quantity: Quantity, side: str, sight: Sight) -> int | None:
    match quantity.what:
        case "blocks":
            return sight.blocks_in(quantity.area, side)
        case "reserves":
            return sight.reserves_in(quantity.area, side)
        case _:
            if side != sight.side:
                return None
            blocks = (sight.own(name) for name in sight.mine(quantity.area))
            return sum(block.strength for block in blocks if block)


def _in_battle(quantity: Quantity, side: str, sight: Sight) -> int | None:
    if not sight.battle:
        return None
    match quantity.what:
        case "blocks":
            return len(sight.fighting(side))
        case "reserves":
            return sight.reserves(side)
        case _:
            return sum(block.strength for block in sight.fighting(side))
