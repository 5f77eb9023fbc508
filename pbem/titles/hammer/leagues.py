"""Hammer of the Scots in leagues: counts that decide an unfinished game, and bids (E1 to S3) for its sides.

Opposite bids cancel each other out, and the net effect is that of the higher one: E2 against S1 is E1 in
play. Who bids higher for the same side has it, with that bid in force; between equal ones the joint die
decides. Who has not bid takes what is left; if neither has, the die gives the sides and no bid is in force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.rules.base import View
from pbem.rules.hammer.facts import ENGLAND, SCOTLAND, SIDES, enemy_of


def nobles(view: View) -> Mapping[str, int]:
    """9.0: return how many nobles each side holds."""
    held = list(view["nobles"].values()) if "nobles" in view else []
    return {side: held.count(side) for side in SIDES}


def automatic_victory(view: View) -> Mapping[str, int]:
    """9.1: return 1 for a side that holds every noble in play, else 0."""
    held = nobles(view)
    return {side: int(held[side] > 0 and sum(held.values()) == held[side]) for side in SIDES}


COUNTS = {"nobles": nobles, "automatic-victory": automatic_victory}

WORDS = ("e1", "e2", "e3", "s1", "s2", "s3")
NONE = "none"


class Bids:
    """The bids for a side that players of a league may make, and the rule that turns two bids into sides."""

    words = WORDS

    def decide(
        self, players: tuple[str, str], bids: Mapping[str, str], die: Callable[[int, str], int], label: str
    ) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
        """Return each player's side, and the options of the game that follow.

        What is no bid counts as none.
        """
        first, second = players
        one, other = _read(bids.get(first, "")), _read(bids.get(second, ""))
        if one is None and other is None:
            if die(2, label) == 2:
                first, second = second, first
            return {first: ENGLAND, second: SCOTLAND}, _option(0)
        if one is None or (other is not None and _same(one, other) and abs(other) > abs(one)):
            first, second, one, other = second, first, other, one
        assert one is not None
        if other is not None and one == other and die(2, label) == 2:
            first, second = second, first
        side = ENGLAND if one > 0 else SCOTLAND
        net = one + other if other is not None and not _same(one, other) else one
        return {first: side, second: enemy_of(side)}, _option(net)


def _read(word: str) -> int | None:
    """Return a bid as a number: E above 0, S below; None if it is none."""
    if word.lower() not in WORDS:
        return None
    return int(word[1]) * (1 if word[0].lower() == "e" else -1)


def _same(one: int, other: int) -> bool:
    return (one > 0) == (other > 0)


def _option(net: int) -> tuple[tuple[str, str], ...]:
    return (("bid", f"{'E' if net > 0 else 'S'}{abs(net)}" if net else NONE),)


BIDS = Bids()
