"""6.0 Kings: the coronation of Bruce or Comyn, the return of Balliol, and who defects.

Edward's two lives (6.1) are in losses_5_7.py and winter_7.py, where they end.
"""

from __future__ import annotations

from pbem.rules.base import Ask
from pbem.rules.hammer.defections import defect, defection_battles
from pbem.rules.hammer.facts import ENGLAND, EVENTS, SCOTLAND
from pbem.rules.hammer.game import Hammer
from pbem.rules.hammer.position import Block


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
    """Tell whether England can tell that the French are on the map: only if the Scottish pool is empty."""
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
