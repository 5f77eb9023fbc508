"""7.61 The French Knights: when they come into the Scottish pool."""

from __future__ import annotations

from pbem.rules.hammer.facts import EVENTS, POOL, SCOTLAND
from pbem.rules.hammer.game import Hammer


async def french_knights(game: Hammer) -> None:
    """7.61, R105: before the Scottish builds of a winter."""
    french_join(game)


def noble_changed_side(game: Hammer) -> None:
    """7.62 of the German rules, R105: at once, with the noble who is their eighth."""
    if game.options.french_join == "at_once":
        french_join(game)


def french_join(game: Hammer) -> None:
    """7.61, R105: if the Scots hold eight nobles the French Knights come into their pool, once in a game."""
    position = game.position
    if not position.french and len(position.nobles(SCOTLAND)) >= EVENTS.french_from_nobles:
        position.french = True
        position.place(position.blocks["French Knights"], POOL)
        game.tell("french")
