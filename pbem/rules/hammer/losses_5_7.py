"""5.7-5.9 Losses: captured nobles, dead blocks and kings (9.1), blocks for the pool, border raids."""

from __future__ import annotations

from pbem.rules.base import Ask
from pbem.rules.flow import GameOver
from pbem.rules.hammer.facts import AREAS, ENGLAND, ENGLAND_AREA, OFF_MAP, SCOTLAND, enemy_of
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.position import Battle, Block, neighbours

_CHEAP_FIRST = ("infantry", "cavalry", "archers", "knights", "hobelars", "norse", "noble", "leader")


def worth(block: Block) -> tuple[int, int, int]:
    """Return how much a silent owner minds losing a block; the least is lost first (5.41)."""
    return _CHEAP_FIRST.index(block.fact.kind), block.max, block.fact.order


def leave(fight: Battle, block: Block) -> None:
    """Take a block out of a battle, whether it fights or is in reserve."""
    (fight.fighting if block in fight.fighting else fight.reserves).remove(block)


def eliminate(game: Hammer, fight: Battle, block: Block) -> None:
    """5.7, 5.8: eliminate a block, in combat or since it cannot retreat when required (R70, R71, R73).

    With a king the game ends (R110).
    """
    leave(fight, block)
    fight.eliminated.add(block.name)
    if block.noble and not block.fact.black_cross:
        capture(game, block)
        fight.reserves.append(block)
    elif block.name == "King":
        fall(game, block)
        raise GameOver(ENGLAND, "the King of the Scots was eliminated in battle (9.1)")
    elif block.name == "Edward":
        lose_edward(game, block)
    elif block.fact.black_cross:
        fall(game, block)
    else:
        to_pool(game, block)


def capture(game: Hammer, noble: Block) -> None:
    """5.7, R67, R69: let an eliminated noble change side at once, at strength 1, as often as it happens."""
    side = enemy_of(noble.side)
    game.position.convert(noble, side)
    noble.strength = 1
    game.tell("captured", noble=noble.name, side=side, area=noble.area)


def fall(game: Hammer, block: Block) -> None:
    """5.8: eliminate for good a block with a black cross, or a king."""
    game.position.place(block, OFF_MAP)
    game.tell("dead", block=block.name, side=block.side)


def lose_edward(game: Hammer, block: Block) -> None:
    """6.1, R72: put Edward II, in the pool, in the place of Edward I.

    If it is Edward II who dies, the Scots win at once (9.1).
    """
    if game.position.edward == 2:
        fall(game, block)
        raise GameOver(SCOTLAND, "Edward II was eliminated in battle (9.1)")
    game.position.edward = 2
    game.position.to_pool(block)
    game.tell("edward ii", reason="killed")


def to_pool(game: Hammer, block: Block) -> None:
    """5.8: put an eliminated block without a black cross into the pool, from which it may return."""
    area = block.area
    game.position.to_pool(block)
    game.tell("to pool", side=block.side, area=area, secret={"block": block.name}, owner=block.side)


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
