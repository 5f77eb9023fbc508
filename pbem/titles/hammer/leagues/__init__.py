"""The numbers that leagues count of a game of Hammer of the Scots, from what all can see."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.rules.base import View
from pbem.rules.hammer.facts import SIDES


def nobles(view: View) -> Mapping[str, int]:
    """9.0: return how many nobles each side holds."""
    held = list(view["nobles"].values()) if "nobles" in view else []
    return {side: held.count(side) for side in SIDES}


def automatic_victory(view: View) -> Mapping[str, int]:
    """9.1: return 1 for a side that holds every noble in play, else 0."""
    held = nobles(view)
    return {side: int(held[side] > 0 and sum(held.values()) == held[side]) for side in SIDES}


COUNTS = {"nobles": nobles, "automatic-victory": automatic_victory}
