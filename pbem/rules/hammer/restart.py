"""Positions from outside: a game that begins at a turn's start, a move, a battle or a step of winter.

Used by the cases, by leak tests and by a player's program that checks orders against a report. A
position is shaped like `view("gm")`; what it leaves out is as at the start of a turn.
"""

from __future__ import annotations

from typing import Any

from pbem.rules.base import UnknownOption, View
from pbem.rules.hammer.cards_3 import player_1
from pbem.rules.hammer.facts import AREAS, ENGLAND_AREA, OFF_MAP, POOL, SCENARIOS, SIDES
from pbem.rules.hammer.options import Options
from pbem.rules.hammer.position import Attack, Position
from pbem.rules.hammer.sequence import PHASES
from pbem.rules.hammer.views import WINTER_TURN
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
        position.first = player_1(english, scottish)
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
