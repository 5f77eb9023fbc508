"""6.0 Kings: the coronation of Bruce or Comyn, the return of Balliol; 2.22, 5.7 Defections and their battles.

Edward's two lives (6.1) are in losses_5_7.py and winter_7.py, where they end.
"""

from __future__ import annotations

from pbem.rules.base import Ask
from pbem.rules.hammer.battles_5 import battle, next_battle
from pbem.rules.hammer.facts import AREAS, ENGLAND, EVENTS, SCOTLAND, SIDES
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.position import Attack, Block


async def coronation(game: Hammer) -> bool:
    """6.2, R29-R31: let the Scots crown a king with any event card, once in a game.

    Return whether they do.
    """
    candidates = [name for name in ("Bruce", "Comyn", "Balliol") if may_crown(game, name)]
    ask = Ask(
        SCOTLAND,
        "king",
        "6.2",
        lambda: ["event", *(f"crown {name}" for name in candidates)],
        public=lambda: "Balliol" in candidates and french_surely_on_map(game),
        preferred=lambda: "event",
    )
    answer: str = await ask
    if answer == "event":
        return False
    await crown(game, answer.removeprefix("crown "))
    return True


def may_crown(game: Hammer, name: str) -> bool:
    """6.21, 6.22: tell whether this candidate may be crowned now."""
    position = game.position
    if position.crowned:
        return False
    if name == "Balliol":
        return position.year >= EVENTS.balliol_from_year and seat(game, name) is not None
    candidate = position.blocks[name]
    return position.dead("Wallace") and candidate.side == SCOTLAND and candidate.area == EVENTS.crown_area


def seat(game: Hammer, name: str) -> str | None:
    """6.21, 6.22, R31: return where the King appears: in Fife, or with the French, even in England."""
    if name != "Balliol":
        return EVENTS.crown_area
    french = game.position.blocks["French Knights"]
    return french.area if french in game.position.on_map(SCOTLAND) else None


def french_surely_on_map(game: Hammer) -> bool:
    """Tell whether England can be sure that the French are on the map: only if the Scottish pool is empty."""
    return game.position.french and not game.position.pools[SCOTLAND]


async def crown(game: Hammer, name: str) -> None:
    """6.21, 6.22, R32: put the King on the map; then the other faction changes side, except for Moray."""
    position = game.position
    area = seat(game, name)
    assert area is not None
    position.crowned = name
    king = position.blocks["King"]
    king.strength = king.max
    position.place(king, area)
    game.tell("crowned", king=name, area=area)
    defectors = [block for block in position.nobles(SCOTLAND) if deserts(block, name)]
    for block in defectors:
        defect(game, block, ENGLAND)
    await defection_battles(game, defectors, ENGLAND, position.first or ENGLAND)


def deserts(noble: Block, king: str) -> bool:
    """6.21, 6.22: tell whether a noble deserts a king.

    Bruce's men desert Comyn and Balliol, Comyn's men desert Bruce. Moray deserts nobody.
    """
    faction = "Comyn" if king == "Bruce" else "Bruce"
    return noble.fact.faction == faction and not noble.fact.black_cross


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
