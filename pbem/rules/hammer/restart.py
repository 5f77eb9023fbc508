"""Positions from outside, for a game that begins at any phase, and positions that fit a side's view.

Used by the cases, by leak tests and by a player's program that checks orders against a report. A
position is shaped like `view("gm")`; what it leaves out is as at the start of a turn.

What a side may do depends on what it sees alone, so the legal moves of an imagined world are those of the
real one. Who the enemy's blocks really are is not known here and cannot be.
"""

from __future__ import annotations

from typing import Any, NoReturn

from pbem.rules.base import UnknownOption, View
from pbem.rules.hammer.cards_3 import decide_player_1
from pbem.rules.hammer.facts import (
    AREAS,
    BLOCKS,
    ENGLAND_AREA,
    OFF_MAP,
    POOL,
    SCENARIOS,
    SIDES,
    WINTER_TURN,
    Options,
    enemy_of,
    read_options,
)
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.movement_4 import Movement
from pbem.rules.hammer.position import Attack, Position
from pbem.rules.hammer.sequence import PHASES
from pbem.rules.hammer.winter_7 import WINTER


def restore(options: Options, given: View) -> Position:
    """Return the position that `given` describes.

    Blocks that are not named lie in their owner's pool, unnamed nobles of no side likewise off the map.

    Raises:
        UnknownOption: a phase, block, area or strength that the game does not have; cards are missing.
    """
    position = Position(given.get("year", SCENARIOS[options.scenario].first_year), dict(options.moves))
    phase = given.get("phase", next(iter(WINTER)) if given.get("turn") == WINTER_TURN else "cards")
    if phase not in PHASES or phase == "set-up":
        raise UnknownOption(f"no phase called {phase!r}; there are {', '.join(PHASES[1:])}")
    position.phase = phase
    position.turn = given.get("turn", 1)
    position.first = given.get("first")
    position.crowned = given.get("crowned")
    position.edward = 2 if given.get("edward") == "II" else 1
    for flag in ("edward_wintered", "edward_winters", "french"):
        setattr(position, flag, bool(given.get(flag, False)))
    position.truce = list(given.get("truce", ()))
    position.entered = [(border, area, side) for border, area, side in given.get("entered", ())]
    position.battles = given.get("battles", 0)
    position.settled = list(given.get("settled", ()))
    for side in SIDES:
        position.hands[side] = list(given.get("hands", {}).get(side, ()))
        position.played[side] = list(given.get("played", {}).get(side, ()))
        position.cards[side] = given.get("cards", {}).get(side)
    _check_table(position)
    _place_blocks(position, given.get("blocks", {}))
    for area, entry in given.get("attacks", {}).items():
        position.attacks[area] = _attack(position, area, entry)
    if phase == "battles":
        for area in position.contested():
            position.attacks.setdefault(area, _attack(position, area, {"attacker": position.first}))
    return position


def _check_table(position: Position) -> None:
    """3.1: check the cards: a turn begins with cards in both hands, and after that somebody is Player 1."""
    english, scottish = (position.cards[side] for side in SIDES)
    if position.first is None and english and scottish:
        position.first = decide_player_1(english, scottish)
    if position.phase == "cards" and not all(position.hands.values()):
        raise UnknownOption("a turn begins with cards in both hands; the position lacks some")
    if position.phase in ("events", "first move", "second move", "battles") and position.first is None:
        raise UnknownOption(f"the phase {position.phase} needs the cards played, or who is Player 1")


def _place_blocks(position: Position, given: dict[str, dict[str, Any]]) -> None:
    for block in position.blocks.values():
        position.place(block, OFF_MAP if block.noble or block.name in ("King", "French Knights") else POOL)
    for name, row in given.items():
        if name not in position.blocks:
            raise UnknownOption(f"no block called {name!r}")
        block = position.blocks[name]
        area, strength, side = row["area"], row.get("strength", block.max), row.get("side", block.side)
        if area not in AREAS and area not in (POOL, OFF_MAP):
            raise UnknownOption(f"{name} stands in {area!r}, which is not an area")
        if area in AREAS and not 1 <= strength <= block.max:
            raise UnknownOption(f"{name} cannot have strength {strength}; its maximum is {block.max}")
        if side not in SIDES or (not block.noble and side != block.side):
            raise UnknownOption(f"{name} cannot belong to {side}")
        position.convert(block, side)
        position.place(block, area)
        block.strength = strength


def _attack(position: Position, area: str, entry: dict[str, Any]) -> Attack:
    attacker = entry["attacker"] or SIDES[0]
    reserves = list(entry.get("reserve_blocks", ()))
    own = [block.name for block in position.at[attacker][area]]
    return Attack(
        attacker,
        entry.get("origin", ENGLAND_AREA if attacker == SIDES[0] else ""),
        entry.get("border", ""),
        main=list(entry.get("main_blocks", [name for name in own if name not in reserves])),
        reserves=reserves,
    )


class NoChance:
    """The chance of imagined games, in which nothing is ever rolled or drawn."""

    def roll(self, label: str, sides: int = 6) -> NoReturn:
        """Raise an error, since nothing is rolled in an imagined game."""
        raise AssertionError(label)

    def draw(self, label: str, choices: tuple[str, ...]) -> NoReturn:
        """Raise an error, since nothing is drawn in an imagined game."""
        raise AssertionError(label)


def imagined(view: View, **changes: Any) -> View:
    """Return a position shaped like the judge's, with `changes`, that fits what the viewer sees."""
    side = view["viewer"]
    blocks = {name: dict(row) for name, row in view["blocks"].items()}
    blocks |= _enemies(view, enemy_of(side))
    given = {name: value for name, value in view.items() if name not in ("battle", "attacks", "outcome")}
    attacks = {
        area: {key: value for key, value in entry.items() if key not in ("main", "reserves")}
        for area, entry in view["attacks"].items()
    }
    hands = {one: ["1"] * size for one, size in view["hand_sizes"].items()} | {side: view.get("hand", [])}
    return {**given, "attacks": attacks, "hands": hands, "blocks": blocks, **changes}


def _enemies(view: View, enemy: str) -> dict[str, dict[str, Any]]:
    """Return the enemy's blocks: nobles at home where that may be, other blocks wherever some are seen."""
    slots = {area: counts[enemy] for area, counts in view["areas"].items() if counts[enemy]}
    for row in view["blocks"].values():
        if row["side"] == enemy and row["area"] in slots:
            slots[row["area"]] -= 1
    nobles = [name for name, owner in view["nobles"].items() if owner == enemy and name not in view["blocks"]]
    others = [
        name
        for name, fact in BLOCKS.items()
        if fact.side == enemy and name not in view["out"] and name not in view["blocks"]
    ]
    last = [name for name in nobles if BLOCKS[name].black_cross]  # it may lie in the pool
    placed = {}
    for name in (*[name for name in nobles if name not in last], *others, *last):
        area = next((home for home in BLOCKS[name].homes if slots.get(home)), None)
        area = area or next((area for area, room in slots.items() if room), POOL)
        if area in slots:
            slots[area] -= 1
        placed[name] = {"side": enemy, "area": area}
    return placed


def without_enemies(view: View) -> View:
    """Return the view as it would be if no enemy block stood on the map."""
    enemy = enemy_of(view["viewer"])
    areas = {area: {**counts, enemy: 0} for area, counts in view["areas"].items()}
    blocks = {name: row for name, row in view["blocks"].items() if row["side"] != enemy}
    return {**view, "areas": areas, "blocks": blocks, "attacks": {}, "entered": []}


def movement(view: View, phase: str, card: str) -> Movement:
    """4.0: return the Movement Phase of a side in the imagined position, where moves can be tried."""
    side = view["viewer"]
    first = side if phase == "first move" else enemy_of(side)
    options = read_options(view["options"])
    position = restore(options, imagined(view, phase=phase, first=first))
    return Movement(Hammer(options, NoChance(), position, stops=False), side, int(card))
