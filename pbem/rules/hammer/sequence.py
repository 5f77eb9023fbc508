"""Introduction, 8.0, 3.0-7.0: the sequence of play, set-up, then years of up to five Game Turns and a winter.

A phase's name in `Position.phase` is where a game stands, and where one may be started.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from pbem.rules.base import Outcome
from pbem.rules.hammer.battles_5 import battle_phase
from pbem.rules.hammer.builds_7_6 import levy
from pbem.rules.hammer.cards_3 import both_events, card_phase, deal, event_phase
from pbem.rules.hammer.facts import POOL, SCENARIOS, SCOTLAND, SIDES, WINTER_TURN, Options
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.losses_5_7 import border_raid
from pbem.rules.hammer.movement_4 import first_move, second_move
from pbem.rules.hammer.position import Position
from pbem.rules.hammer.victory_9 import check_all_nobles
from pbem.rules.hammer.winter_7 import WINTER


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


Phase = Callable[[Hammer], Awaitable[None]]


async def turn_end(game: Hammer) -> None:
    """5.9, 9.1, R9, R87: end a turn: the border raid comes, then sudden death.

    After that the table is cleared for the next turn.
    """
    await border_raid(game)
    check_all_nobles(game)
    position = game.position
    position.attacks.clear()
    position.entered.clear()
    position.battles = 0


TURN: dict[str, Phase] = {
    "cards": card_phase,
    "events": event_phase,
    "first move": first_move,
    "second move": second_move,
    "battles": battle_phase,
    "turn end": turn_end,
}
TURN_PHASES = ("set-up", *TURN)
PHASES = (*TURN_PHASES, *WINTER)


async def play(game: Hammer) -> Outcome:
    """Introduction: play turns until the cards are played or both sides play an event (3.12), then winter."""
    position = game.position
    if position.phase == "set-up":
        await set_up(game)
        position.phase = "cards"
    while True:
        if position.phase in TURN:
            await run(game, TURN)
            year_ends = both_events(position.cards) or not position.hands[SIDES[0]]
            position.cards = dict.fromkeys(SIDES)
            position.first = None
            position.turn += 1
            position.phase = next(iter(WINTER)) if year_ends else "cards"
            if year_ends:
                for side in SIDES:
                    position.hands[side] = []  # R4: cards unplayed when a year ends early are never shown
        else:
            position.turn = WINTER_TURN
            await run(game, WINTER)
            position.phase = "cards"


async def run(game: Hammer, phases: dict[str, Phase]) -> None:
    """Play these phases in order, beginning with the one that the position is in."""
    names = list(phases)
    for name in names[names.index(game.position.phase) :]:
        game.position.phase = name
        await phases[name](game)
