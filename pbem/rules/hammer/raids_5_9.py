"""5.9 Border raids: Scots in England cost the English a block at the end of every Game Turn."""

from __future__ import annotations

from pbem.rules.base import Ask
from pbem.rules.hammer.facts import AREAS, ENGLAND, ENGLAND_AREA, SCOTLAND
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.losses_5_7 import worth
from pbem.rules.hammer.position import Block, neighbours


async def border_raid(game: Hammer) -> None:
    """5.9, R86: let England disband one block other than a noble, unseen, while any Scots are in England."""
    position = game.position
    if not position.at[SCOTLAND][ENGLAND_AREA]:
        return
    if position.truce and not game.options.truce_raid_loss:
        return  # R26 as a house rule: raiders do nothing during a truce
    victims = {block.name: block for block in position.on_map(ENGLAND) if not block.noble}
    if not victims:
        return
    ask = Ask(
        ENGLAND,
        "raid",
        "5.9",
        lambda: [f"disband {name}" for name in victims],
        public=len(victims) > 1,
        preferred=lambda: f"disband {least(game, list(victims.values())).name}",
    )
    answer: str = await ask
    block = victims[answer.removeprefix("disband ")]
    area = block.area
    position.to_pool(block)
    game.tell("raid", area=area, secret={"block": block.name}, owner=ENGLAND)


def least(game: Hammer, blocks: list[Block]) -> Block:
    """5.9: return the block that a silent player disbands.

    It is the weakest infantry, the farthest from any enemy.
    """
    return min(
        blocks, key=lambda block: (worth(block)[0], block.strength, -distance(game, block), block.fact.order)
    )


def distance(game: Hammer, block: Block) -> int:
    """Return how many borders lie between a block and the nearest enemy."""
    seen, ring, steps = {block.area}, [block.area], 0
    while ring and steps < len(AREAS):
        if any(game.position.at[SCOTLAND][area] for area in ring):
            return steps
        ring = sorted({near for area in ring for near in neighbours(area)} - seen)
        seen.update(ring)
        steps += 1
    return steps
