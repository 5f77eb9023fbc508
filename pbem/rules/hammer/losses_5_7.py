"""5.7, 5.8 Losses: captured nobles, dead blocks, blocks that go back to the pool; dead kings (9.1)."""

from __future__ import annotations

from pbem.rules.flow import GameOver
from pbem.rules.hammer.facts import ENGLAND, OFF_MAP, SCOTLAND, enemy_of
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.position import Battle, Block

_CHEAP_FIRST = ("infantry", "cavalry", "archers", "knights", "hobelars", "norse", "noble", "leader")


def worth(block: Block) -> tuple[int, int, int]:
    """Return how much an owner who says nothing minds losing a block: the least is lost first (5.41)."""
    return _CHEAP_FIRST.index(block.fact.kind), block.max, block.fact.order


def leave(fight: Battle, block: Block) -> None:
    """Take a block out of a battle, wherever in it it stands."""
    (fight.fighting if block in fight.fighting else fight.reserves).remove(block)


def eliminate(game: Hammer, fight: Battle, block: Block) -> None:
    """5.7, 5.8: eliminated in combat, or unable to retreat when required (R70, R71, R73); kings (R110)."""
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
    """5.7, R67, R69: an eliminated noble changes side at once, at strength 1, as often as it happens."""
    side = enemy_of(noble.side)
    game.position.convert(noble, side)
    noble.strength = 1
    game.tell("captured", noble=noble.name, side=side, area=noble.area)


def fall(game: Hammer, block: Block) -> None:
    """5.8: a block with a black cross, or a king, is permanently eliminated."""
    game.position.place(block, OFF_MAP)
    game.tell("dead", block=block.name, side=block.side)


def lose_edward(game: Hammer, block: Block) -> None:
    """6.1, R72: Edward I becomes Edward II, in the pool; with Edward II the Scots win at once (9.1)."""
    if game.position.edward == 2:
        fall(game, block)
        raise GameOver(SCOTLAND, "Edward II was eliminated in battle (9.1)")
    game.position.edward = 2
    game.position.to_pool(block)
    game.tell("edward ii", reason="killed")


def to_pool(game: Hammer, block: Block) -> None:
    """5.8: eliminated blocks without a black cross may return from the pool."""
    area = block.area
    game.position.to_pool(block)
    game.tell("to pool", side=block.side, area=area, secret={"block": block.name}, owner=block.side)
