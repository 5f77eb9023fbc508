"""One game of Hammer of the Scots, and the view of each viewer (Fog-of-war sidebar, 2.0, R2-R4).

A side sees its own blocks, hand and pool in full, of the enemy the number of blocks in each area, and
whatever lies face up in a battle. The public sees what both sides see. "gm" sees everything and can
be given back to `start` as a position.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pbem.rules.base import Chance, Head, Outcome, Shared, View
from pbem.rules.flow import Telling
from pbem.rules.hammer.facts import (
    AREAS,
    BLOCKS,
    ENGLAND,
    EVENTS,
    OFF_MAP,
    POOL,
    SCENARIOS,
    SCOTLAND,
    SIDES,
    WINTER_TURN,
    Border,
    Options,
)
from pbem.rules.hammer.position import Battle, Block, Position, list_order, numbers


class Hammer(Telling):
    """A game of Hammer in progress, which the rules of each chapter take; those rules are coroutines.

    R54: an answer that was given stands; who may still replace an order is the judge's affair.
    """

    rule_of_turns = "3.0"

    def __init__(self, options: Options, chance: Chance, position: Position, stops: bool) -> None:
        super().__init__(stops)
        self.options = options
        self._options = Shared(options.as_dict())  # the options as views show them
        self.chance = chance
        self.position = position
        position.side_changed = False  # to begin with somebody's blocks is no change

    def view(self, viewer: str) -> View:
        """Return the view of the game that a side, the public or the game master may see now."""
        return view(self.position, self._options, self.outcome, viewer)

    @property
    def first_year(self) -> int:
        """8.0: the first year of the scenario."""
        return SCENARIOS[self.options.scenario].first_year

    def heard(self) -> None:
        """Apply the rules that wait for a noble's change of side, if one was told (R105)."""
        if self.position.side_changed:
            self.position.side_changed = False
            if self.options.french_join == "at_once":
                self.french_join()

    def french_join(self) -> None:
        """7.61, R105: add the French to the Scottish pool, once in a game, if the Scots hold eight nobles."""
        position = self.position
        if not position.french and len(position.nobles(SCOTLAND)) >= EVENTS.french_from_nobles:
            position.french = True
            position.place(position.blocks["French Knights"], POOL)
            self.tell("french")

    # -- small helpers that several chapters need

    def label(self, *parts: str) -> str:
        """Return the label of a die or draw: the year and turn, and the parts that say what it is for."""
        return "/".join((f"{self.position.year}.{self.position.turn}", *parts))

    def closed(self, border: Border, area: str, side: str) -> bool:
        """5.5: tell whether the enemy controls this border against a retreat from `area`."""
        return self.position.closed(border, area, side, self.options.border_control)


def names(blocks: list[Block]) -> list[str]:
    """Return the names of some blocks, sorted."""
    return sorted(block.name for block in blocks)


def view(position: Position, options: Mapping[str, Any], outcome: Outcome | None, viewer: str) -> View:
    """Return what `viewer` (a side, "public" or "gm") may see, as JSON-able data."""
    turn = "winter" if position.turn == WINTER_TURN else f"turn {position.turn}"
    found = public_facts(position, viewer)
    found["blocks"] = visible_blocks(position, viewer)
    found |= cards(position, viewer)
    found["battle"] = battle_on_table(position, viewer)
    found["attacks"] = attacks(position, viewer)
    if viewer == "gm":
        found |= judge_only(position)
    return Head("hammer", viewer, (str(position.year), turn), options, outcome).view(**found)


def public_facts(position: Position, viewer: str) -> dict[str, Any]:
    """R3, R4: return the public facts: calendar, numbers per area and pool, allegiances, kings, losses."""
    return {
        "year": position.year,
        "turn": position.turn,
        "phase": position.phase,
        "first": position.first,
        "areas": areas(position, viewer),
        "nobles": position.allegiances,
        "pools": pools(position, viewer),
        "out": list(position.out),
        "crowned": position.crowned,
        "edward": "I" if position.edward == 1 else "II",
        "edward_wintered": position.edward_wintered,
        "edward_winters": position.blocks["Edward"].area if position.edward_winters else None,
        "french": position.french,
        "truce": list(position.truce),
        "entered": [list(entry) for entry in position.entered],
        "battles": position.battles,
        "settled": list(position.settled),
    }


def areas(position: Position, viewer: str) -> dict[str, Shared]:
    """4.5: return how many blocks of each side stand in each area, as this viewer sees it."""
    shared = position.numbers
    if not position.hidden or not (gone := under_way(position, viewer)):
        return shared
    counts = {area: dict(sides) for area, sides in shared.items()}
    for block, seen in gone:
        if block.area != POOL:
            counts[block.area][block.side] -= 1
        counts[seen][block.side] += 1
    return {area: numbers(sides[ENGLAND], sides[SCOTLAND]) for area, sides in counts.items()}


def pools(position: Position, viewer: str) -> dict[str, int]:
    """R3: return how many blocks lie in each pool, as this viewer sees it."""
    counts = {side: len(pool) for side, pool in position.pools.items()}
    if position.hidden:
        for block, _ in under_way(position, viewer):
            counts[block.side] -= block.area == POOL
    return counts


def under_way(position: Position, viewer: str) -> list[tuple[Block, str]]:
    """5.5, 7.3: return the blocks that have left unseen (R79), each with where this viewer still sees it."""
    return [(block, seen) for block, seen in position.hidden.items() if viewer not in ("gm", block.side)]


def visible_blocks(position: Position, viewer: str) -> dict[str, Shared]:
    """2.0, 5.1: return the viewer's own blocks, and those that lie face up in the battle going on."""
    fight = position.battle
    seen: Collection[Block]
    if viewer == "gm":
        seen = position.blocks.values()
    elif fight is not None and fight.round and not fight.upright:
        up = fight.fighting
        seen = [block for block in position.blocks.values() if block.side == viewer or block in up]
    elif viewer in SIDES:
        seen = position.own(viewer)
    else:
        return {}
    rows = ROWS
    try:
        return {one.name: rows[one.side][one.area][one.strength] for one in seen}
    except KeyError:  # off the map a block of a position that was given may have any strength
        return {one.name: block_as_seen(one.side, one.area, one.strength) for one in seen}


def block_as_seen(side: str, area: str, strength: int) -> Shared:
    """Return one block of a side in this place and of this strength, as its owner sees it."""
    return Shared({"side": side, "area": area, "strength": strength})


STRONGEST = max(fact.max for fact in BLOCKS.values())
ROWS = {
    side: {
        area: {strength: block_as_seen(side, area, strength) for strength in range(STRONGEST + 1)}
        for area in (*AREAS, POOL, OFF_MAP)
    }
    for side in SIDES
}
"""The entries with which views show a block, made beforehand, by its side, area and strength."""


def cards(position: Position, viewer: str) -> dict[str, Any]:
    """3.0, R4: return the viewer's hand, both hands' sizes, and the cards on the table and of this year."""
    hands = position.hands
    found: dict[str, Any] = {
        "hand_sizes": {side: len(hand) for side, hand in hands.items()},
        "cards": dict(position.cards),
        "played": {side: list(played) for side, played in position.played.items()},
    }
    if viewer == "gm":
        found["hands"] = {side: list(hand) for side, hand in hands.items()}
    elif viewer in hands:
        found["hand"] = list(hands[viewer])
    return found


def battle_on_table(position: Position, viewer: str) -> dict[str, Any] | None:
    """5.0: return what everybody sees of a battle.

    That is its area, round and roles, who is face up, and how many are in reserve.

    When the rounds are over all blocks stand upright: nobody sees any more who leaves, and when (5.3, 5.6).
    """
    fight = position.battle
    if fight is None:
        return None
    return {
        "area": fight.area,
        "number": fight.number,
        "round": fight.round,
        "attacker": fight.attacker,
        "defender": fight.defender,
        **(stood_up(position, fight, viewer) if fight.upright else lines_of_battle(fight)),
    }


def lines_of_battle(fight: Battle) -> dict[str, Any]:
    """5.32: return the blocks that fight in a battle, and how many of each side fight or are in reserve."""
    return {
        "fighting": [block.name for block in fight.fighting] if fight.round else [],
        "numbers": {side: len(fight.of(side)) for side in SIDES},
        "reserves": {side: sum(block.side == side for block in fight.reserves) for side in SIDES},
    }


def stood_up(position: Position, fight: Battle, viewer: str) -> dict[str, Any]:
    """5.3, 5.6: return how many blocks still stand in a battle's area, as far as the viewer can tell (R79).

    The viewer's own blocks are returned by name.
    """
    at = position.at
    return {
        "fighting": [
            block.name for side in SIDES if viewer in ("gm", side) for block in at[side][fight.area]
        ],
        "numbers": areas(position, viewer)[fight.area],
        "reserves": dict.fromkeys(SIDES, 0),
    }


def attacks(position: Position, viewer: str) -> dict[str, dict[str, Any]]:
    """5.32: return, for each contested area, the attacker, the start of its main attack, and the numbers."""
    found = {}
    for area, attack in position.attacks.items():
        reserves = [position.blocks[name].side for name in attack.reserves]
        entry: dict[str, Any] = {
            "attacker": attack.attacker,
            "origin": attack.origin,
            "border": attack.border,
            "main": len(attack.main),
            "reserves": numbers(reserves.count(ENGLAND), reserves.count(SCOTLAND)),
        }
        if viewer == "gm":
            entry["main_blocks"] = list(attack.main)
            entry["reserve_blocks"] = list(attack.reserves)
        elif viewer in SIDES:
            entry["reserve_blocks"] = [
                name for name, side in zip(attack.reserves, reserves, strict=True) if side == viewer
            ]
        found[area] = entry
    return found


def judge_only(position: Position) -> dict[str, Any]:
    """Return what the judge alone sees besides all blocks and hands: the blocks that have left unseen."""
    leaving = sorted(position.hidden, key=list_order)
    return {"hidden_retreats": {block.name: position.hidden[block] for block in leaving}}
