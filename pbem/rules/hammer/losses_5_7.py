"""5.7, 5.8 Losses: captured nobles, dead blocks, blocks that go back to the pool; dead kings (9.1)."""

from __future__ import annotations

from pbem.rules.flow import GameOver
from pbem.rules.hammer.facts import ENGLAND, OFF_MAP, SCOTLAND, enemy_of
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.position import Battle, Block

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
