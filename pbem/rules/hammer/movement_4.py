"""4.0 Movement: Group Moves, borders, pinning, the Norse, and who attacks whom (5.32, 5.33).

One `Movement` is one player's Movement Phase. Enemy blocks stand still in it, so what a block can
reach changes only when a border fills up; reach is therefore kept per start area and Move Rating.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from pbem.rules.base import Ask, IllegalAnswer
from pbem.rules.hammer.cards_3 import is_event
from pbem.rules.hammer.facts import AREAS, ENGLAND_AREA, POOL, SCOTLAND, Border, enemy_of
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.position import Attack, Block, neighbours

Step = tuple[Block, tuple[str, ...]]


async def first_move(game: Hammer) -> None:
    """4.1: let Player 1 move first and complete their movement."""
    first = game.position.first
    assert first is not None
    await movement_phase(game, first)


async def second_move(game: Hammer) -> None:
    """4.1, R14: let Player 2 move after Player 1, also with blocks that fought in an event battle."""
    assert game.position.first is not None
    await movement_phase(game, enemy_of(game.position.first))


async def movement_phase(game: Hammer, side: str) -> None:
    """4.0, 3.11: let one player move, if their card is not an event (3.12, R23).

    They may use fewer moves than the card gives (R53).
    """
    card = game.position.cards[side]
    if card is None or is_event(card):
        return
    phase = Movement(game, side, int(card))
    while step := await phase.ask():
        phase.move(*step)
    game.tell(
        "moves over",
        side=side,
        blocks=len(phase.moved),
        used=phase.allowance - phase.left,
        allowed=phase.allowance,
    )


class Movement:
    """4.0: one player's Movement Phase: what they have moved in it, and what they may still move."""

    def __init__(self, game: Hammer, side: str, allowance: int) -> None:
        self.game = game
        self.position = game.position
        self.side = side
        self.allowance = allowance  # number of Group Moves (3.11)
        self.left = allowance  # number of Group Moves that are not used yet
        self.mine = self.position.at[side]
        self.theirs = self.position.at[enemy_of(side)]
        self.moved: set[str] = set()
        self.ways: dict[str, tuple[str, ...]] = {}  # 5.32: the way of each main attack, by area
        self.arrived: dict[str, int] = {}
        self.crossed: dict[str, int] = {}  # 4.3: number of blocks that went over each border
        self.groups: dict[str, list[int]] = {}  # start area -> [blocks over England's border, others]
        self.may_attack = side not in self.position.truce
        self.may_enter_england = side != SCOTLAND or self.may_attack  # R25
        self.staying = {  # 4.6, R48: how many must stay where the enemy has attacked
            area: min(len(self.theirs[area]), len(self.mine[area])) for area in self.position.contested()
        }
        self._reach: dict[tuple[str, int], list[tuple[str, bool]]] = {}

    # -- the question

    def ask(self) -> Ask:
        """4.2: return the question which block moves next, or whether the player is done."""
        return Ask(
            self.side,
            "move",
            "4.2",
            self.options,
            public=self.public,
            preferred=lambda: "done",
            read=self.read,
        )

    def options(self) -> Iterator[str]:
        """Yield every single move that is legal now, and `done`."""
        yield "done"
        for start, blocks in self.mine.items():
            if not blocks or not self.unpinned(start):
                continue
            within, across = self.affordable(start, False), self.affordable(start, True)
            for block in blocks:
                if block.name in self.moved:
                    continue
                if block.move == 0:
                    yield from self.voyages(block)
                elif within or across:
                    for path, crosses in self.reach(start, block.move):
                        if across if crosses else within:
                            yield f"move {block.name} to {path}"

    def voyages(self, norse: Block) -> Iterator[str]:
        """4.7: yield the moves by which the Norse may sail, each for one Group Move."""
        if self.left:
            for area in AREAS:
                if self.norse_may_sail(norse, area):
                    yield f"move {norse.name} to {area}"

    def public(self) -> bool:
        """Tell whether the enemy's view shows that somebody can still move.

        One Scottish block may be the Norse.
        """
        doubtful = 1 if self.side == SCOTLAND and self.position.blocks["Norse"].name not in self.moved else 0
        for area, blocks in self.mine.items():
            unmoved = len(blocks) - self.arrived.get(area, 0)
            if unmoved <= doubtful or not self.unpinned(area):
                continue
            if any(self.affordable(area, crosses) for _, crosses in self.reach(area, 1)):
                return True
        return False

    # -- what is affordable and reachable

    def affordable(self, start: str, crosses: bool) -> bool:
        """4.2, 4.4, R35, R50: tell whether Group Moves are left for one more block of `start`'s group."""
        return self.price(start, crosses) <= self.left

    def price(self, start: str, crosses: bool) -> int:
        """4.2, 4.4, R36, R37: return how many Group Moves one more block of a group costs.

        The first block of a group pays. After it each Group Move takes one block over England's border.
        """
        across, within = self.groups.get(start, (0, 0))
        if self.game.options.border_crossing == "uses_group_move":
            return 1 if crosses or not within else 0
        if crosses and across:
            return 1
        return 0 if across or within else 1

    def unpinned(self, area: str) -> bool:
        """4.6, R48, R52: tell whether one more block may leave an area that the enemy has attacked."""
        if area not in self.staying:
            return True
        defenders = len(self.mine[area]) - self.arrived.get(area, 0)
        return defenders > self.staying[area]

    def reach(self, start: str, move: int) -> Iterable[tuple[str, bool]]:
        """4.0-4.5, R40: return every path from `start` within a Move Rating.

        Each comes with whether it crosses England's border.
        """
        known = self._reach.get((start, move))
        return self._find(start, move) if known is None else known

    def _find(self, start: str, move: int) -> Iterator[tuple[str, bool]]:
        """Yield paths as they are found, and keep them if all are wanted.

        Mostly the first path is enough to tell that a block can move.
        """
        found = []
        for way in self._paths(start, start, move, (start,), "", False):
            found.append(way)
            yield way
        self._reach[start, move] = found

    def _paths(
        self, start: str, area: str, move: int, been: tuple[str, ...], text: str, crosses: bool
    ) -> Iterator[tuple[str, bool]]:
        for to, border in neighbours(area).items():
            if to in been or self.refusal(start, area, to, border):
                continue
            path = f"{text}, {to}" if text else to
            over = crosses or border.anglo_scottish
            yield path, over
            if move > 1 and not self.stops(to, border):
                yield from self._paths(start, to, move - 1, (*been, to), path, over)

    def stops(self, to: str, border: Border) -> bool:
        """4.0, 4.3, 4.4, R38, R41: tell whether a red border, an enemy or England ends the move."""
        return border.red or to == ENGLAND_AREA or bool(self.theirs[to])

    def refusal(self, start: str, area: str, to: str, border: Border) -> tuple[str, str] | None:
        """4.3, 4.6, R39, R49: return why one step of a path is not allowed: section and reason.

        Return None if it is allowed.
        """
        if self.crossed.get(border.name, 0) >= border.limit:
            colour = "red" if border.red else "green"
            return "4.3", f"{border.limit} blocks have crossed the {colour} border {area} to {to} already"
        if to == ENGLAND_AREA and not self.may_enter_england:
            return "5.9", "the Scots may not enter England during the truce"
        if self.theirs[to] and not self.may_attack:
            return "4.5", f"{to} holds enemy blocks, and the truce forbids attacks"
        if start in self.staying and (why := self.shut(start, area, border)):
            return "4.6", f"the enemy {why} the border {area} to {to}"
        return None

    def shut(self, start: str, area: str, border: Border) -> str | None:
        """4.6, R49: return how the enemy shut a border; None if it is open.

        It may be shut to those who leave contested `start`.
        """
        rule = self.game.options.unpinned_borders
        if area != start and rule != "whole_way":
            return None
        if rule == "entered":
            return "came over" if self.position.entered_by_enemy(border, start, self.side) else None
        return "controls" if self.game.closed(border, start, self.side) else None

    def norse_may_sail(self, norse: Block, to: str) -> bool:
        """4.7, R51: tell whether the Norse may sail to a coast.

        They sail from any coast to any other, to attack as well, but never to England.
        """
        return (
            AREAS[norse.area].coastal
            and AREAS[to].coastal
            and to not in (norse.area, ENGLAND_AREA)
            and (self.may_attack or not self.theirs[to])
        )

    # -- one answer

    def read(self, text: str) -> Step | None:
        """4.0-4.7: return the block and path that an answer such as `move Wallace to Mentieth` means.

        Return None for `done`.
        """
        if text == "done":
            return None
        name, to, path_text = text.removeprefix("move ").partition(" to ")
        if not text.startswith("move ") or not to:
            raise self.ask().illegal(text, "write 'move BLOCK to AREA, AREA', and 'done' at the end")
        block = self.position.blocks.get(name)
        if block is None or block.side != self.side:
            raise self.refuse(text, "4.2", f"you have no block called {name}")
        if block.area not in AREAS:
            where = "in the draw pool" if block.area == POOL else "out of play"
            raise self.refuse(text, "4.2", f"{name} is {where}")
        if name in self.moved:
            raise self.refuse(text, "4.0", f"{name} has moved already this turn")
        if not self.unpinned(block.area):
            raise self.refuse(text, "4.6", f"every block still in {block.area} is pinned")
        path = tuple(path_text.split(", "))
        if unknown := [area for area in path if area not in AREAS]:
            raise self.refuse(text, "1.1", f"there is no area called {unknown[0]}")
        if block.move == 0:
            self.check_norse(text, block, path)
        else:
            self.check_path(text, block, path)
        return block, path

    def check_norse(self, text: str, norse: Block, path: tuple[str, ...]) -> None:
        """4.7: check a move of the Norse, who move by themselves, by sea, for one Group Move."""
        if len(path) != 1 or not self.norse_may_sail(norse, path[0]):
            raise self.refuse(
                text, "4.7", f"the Norse sail straight from {norse.area} to another coastal area of Scotland"
            )
        if not self.left:
            raise self.refuse(text, "4.7", f"none of your {self.allowance} Group Moves is left")

    def check_path(self, text: str, block: Block, path: tuple[str, ...]) -> None:
        """4.0-4.4: check every step of the path, in order."""
        if len(path) > block.move:
            raise self.refuse(text, "2.13", f"{block.name} moves at most {block.move} areas")
        area, crosses, stopped = block.area, False, ""
        for index, to in enumerate(path):
            border = neighbours(area).get(to)
            if border is None:
                raise self.refuse(text, "1.1", f"{area} has no border with {to}")
            if stopped:
                raise self.refuse(text, "4.0", f"{block.name} must stop in {area}: {stopped}")
            if to == block.area or to in path[:index]:
                raise self.refuse(text, "4.2", f"the path enters {to} twice (R40)")
            if refusal := self.refusal(block.area, area, to, border):
                raise self.refuse(text, *refusal)
            if self.stops(to, border):
                stopped = (
                    f"the border {area} to {to} is red"
                    if border.red
                    else "a move ends in England"
                    if to == ENGLAND_AREA
                    else "enemy blocks are there"
                )
            crosses = crosses or border.anglo_scottish
            area = to
        if not self.affordable(block.area, crosses):
            rule, why = (
                ("4.4", "each Group Move takes only one block into or out of England, and ")
                if crosses
                else ("4.2", "")
            )
            raise self.refuse(
                text, rule, f"{why}none of your {self.allowance} Group Moves is left for {block.area}"
            )

    def refuse(self, text: str, rule: str, reason: str) -> IllegalAnswer:
        """Return the refusal of a move, with legal moves that are near it."""
        return self.ask().illegal(text, reason, rule)

    # -- carrying it out

    def move(self, block: Block, path: tuple[str, ...]) -> None:
        """4.0: carry out one block's move, count it, and note an attack or a reinforcement."""
        start, to = block.area, path[-1]
        border = self.count(block, path)
        role = self.join_battle(block, (start, *path), border) if self.theirs[to] else None
        self.moved.add(block.name)
        self.arrived[to] = self.arrived.get(to, 0) + 1
        self.position.place(block, to)
        by_sea = {"block": block.name} if border is None else {}
        self.game.tell(
            "move",
            side=self.side,
            path=[start, *path],
            role=role,
            **by_sea,
            secret={"block": block.name},
            owner=self.side,
        )

    def count(self, block: Block, path: tuple[str, ...]) -> Border | None:
        """4.2-4.4, R39: charge the Group Move and the borders of a move.

        Return the last border, or None for the Norse.
        """
        if block.move == 0:
            self.left -= 1
            return None
        way = (block.area, *path)
        crosses = over_england(way)
        for area, to in pairwise(way):
            border = neighbours(area)[to]
            used = self.crossed[border.name] = self.crossed.get(border.name, 0) + 1
            if used == border.limit:
                self._reach.clear()
        self.left -= self.price(block.area, crosses)
        group = self.groups.setdefault(block.area, [0, 0])
        group[0 if crosses else 1] += 1
        return border

    def join_battle(self, block: Block, way: tuple[str, ...], border: Border | None) -> str:
        """5.32, 5.33, R42-R47: note that a block joins a battle, and return its role there.

        The first group over its border is the main attack, all others are reserves.

        R76: only what comes into a contested area by land closes the border it used.
        """
        start, to = way[0], way[-1]
        name = border.name if border else "sea"
        if border:
            self.position.entered.append((name, to, self.side))
            if self.staying:  # for those alone it matters who came over which border
                self._reach.clear()
        if to not in self.position.attacks:
            self.position.attacks[to] = Attack(self.side, start, name)
            self.ways[to] = way
        attack = self.position.attacks[to]
        together = attack.origin == start and attack.border == name and self.same_way(way)
        if attack.attacker == self.side and (together or self.from_over_the_border(way)):
            attack.main.append(block.name)
            return "main"
        attack.reserves.append(block.name)
        return "reserve"

    def same_way(self, way: tuple[str, ...]) -> bool:
        """5.32, R42: tell whether the main attack came by this way, or may come by several (a house rule)."""
        return self.game.options.main_attack_way == "free" or self.ways.get(way[-1]) == way

    def from_over_the_border(self, way: tuple[str, ...]) -> bool:
        """4.4, R43: tell whether a way crosses England's border, and all who cross it attack as one group."""
        return self.game.options.england_one_group and over_england(way)


def over_england(way: tuple[str, ...]) -> bool:
    """4.4: tell whether the way crosses England's border.

    Nobody marches through England, and the Norse cross no border.
    """
    borders = (neighbours(area).get(to) for area, to in pairwise(way))
    return any(border.anglo_scottish for border in borders if border)
