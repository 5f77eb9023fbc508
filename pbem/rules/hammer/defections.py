"""2.22, 5.7, sidebar Defection Battles: nobles who change side, and the battles that follow at once."""

from __future__ import annotations

from pbem.rules.hammer.battles_5 import battle, next_battle
from pbem.rules.hammer.facts import AREAS, SIDES
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.position import Attack, Block


def defect(game: Hammer, noble: Block, side: str, strength: int | None = None) -> None:
    """2.22: let a noble change side where it stands and keep its strength.

    `strength` is told where it is known.
    """
    game.position.convert(noble, side)
    game.tell("defects", noble=noble.name, side=side, area=noble.area, strength=strength)


async def defection_battles(game: Hammer, defectors: list[Block], attacker: str, chooser: str) -> None:
    """Sidebar Defection Battles, R13: fight the battles of defectors at once, without reserves.

    The defectors attack. `chooser`, Player 1, names each next battle (R33). `attacker` is the defectors' side
    except under the house rule of R19.
    """
    position = game.position
    areas = sorted({block.area for block in defectors}, key=lambda area: AREAS[area].order)
    waiting = [area for area in areas if all(position.at[side][area] for side in SIDES)]
    for area in waiting:
        main = [block.name for block in position.at[attacker][area]]
        position.attacks[area] = Attack(attacker, area, "", main=sorted(main))
    while waiting:
        area = await next_battle(chooser, waiting)
        waiting.remove(area)
        await battle(game, area)
