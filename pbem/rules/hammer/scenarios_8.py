"""8.0 Scenarios: the places of blocks when the game begins, the first levy, and the first hands."""

from __future__ import annotations

from pbem.rules.hammer.builds_7_6 import levy
from pbem.rules.hammer.cards_3 import deal
from pbem.rules.hammer.facts import POOL, SCENARIOS, SCOTLAND, SIDES
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.options import Options
from pbem.rules.hammer.position import Position


def deployment(options: Options) -> Position:
    """8.1-8.3, R6: return the position in which a scenario begins, with the listed blocks at full strength.

    Dead blocks and those that come later are off the map, all others in the pools.
    """
    scenario = SCENARIOS[options.scenario]
    position = Position(scenario.first_year, dict(options.moves))
    position.crowned = "Bruce" if scenario.crowned else None
    for block in position.blocks.values():
        if block.name in scenario.dead:
            position.convert(block, SCOTLAND)
        elif block.name not in scenario.off_map:
            position.place(block, POOL)
    for side in SIDES:
        for area, names in scenario.set_up[side].items():
            for name in names:
                block = position.blocks[name]
                position.convert(block, side)
                position.place(block, area)
    return position


async def set_up(game: Hammer) -> None:
    """8.1, 8.2: draw the first levy into England, then deal five cards to each side."""
    scenario = SCENARIOS[game.options.scenario]
    game.tell("set-up", scenario=scenario.title, year=scenario.first_year)
    levy(game, scenario.levy + game.options.extra_levy, 0)
    deal(game)
