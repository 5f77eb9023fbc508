"""9.0 Victory: a majority of the nobles when the last year is over, or sudden death before.

Kings who fall in battle end the game in losses_5_7.py (9.1).
"""

from __future__ import annotations

from pbem.characters import capitalize
from pbem.rules.flow import GameOver
from pbem.rules.hammer.facts import AREAS, ENGLAND, SCOTLAND, SIDES, enemy_of
from pbem.rules.hammer.game import Hammer


def check_all_nobles(game: Hammer) -> None:
    """9.1, R109: end the game if a side holds every noble in play.

    A dead or pooled Moray is not in play.
    """
    for side in SIDES:
        if not game.position.nobles(enemy_of(side)):
            raise GameOver(side, f"{capitalize(side)} holds every noble in play (9.1)")


def in_last_year(game: Hammer) -> bool:
    """8.1-8.3, R112: tell whether this is the scenario's last year."""
    last = game.options.last_year
    return last is not None and game.position.year >= last


def check_settled(game: Hammer) -> None:
    """R108: end the game in the last winter, with nobles home, if Moray cannot change the majority any more.

    Only that block still can: it may disband, and may be drawn again.
    """
    position = game.position
    moray = position.blocks["Moray"]
    english = len(position.nobles(ENGLAND))
    others = len(position.nobles(SCOTLAND)) - (moray.area in AREAS)
    best_for_scots = others + (not position.dead("Moray"))
    if others > english or best_for_scots < english:
        count_nobles(game)


def count_nobles(game: Hammer) -> None:
    """9.0, R111: end the game; the side with the majority of nobles wins.

    With as many on each side the Scots win if Wallace is on the map, else the English.
    """
    position = game.position
    scottish, english = (len(position.nobles(side)) for side in (SCOTLAND, ENGLAND))
    if scottish == english:
        if position.blocks["Wallace"].area in AREAS:
            raise GameOver(SCOTLAND, f"{scottish} nobles each, and Wallace is on the map (9.0)")
        raise GameOver(ENGLAND, f"{english} nobles each, and Wallace is not on the map (9.0)")
    winner = SCOTLAND if scottish > english else ENGLAND
    most, fewest = max(scottish, english), min(scottish, english)
    raise GameOver(winner, f"{capitalize(winner)} holds {most} nobles against {fewest} (9.0)")
