"""Bids for the sides, each against each: who gets which side, and what bid is in force."""

from __future__ import annotations

from itertools import product

import pytest

from pbem.titles.hammer.leagues import BIDS, WORDS


def for_england(word: str) -> int:
    """A bid as points for England; 0 for what is none."""
    return {"e": 1, "s": -1}[word[0].lower()] * int(word[1]) if word.lower() in WORDS else 0


@pytest.mark.parametrize("eyes", [1, 2])
@pytest.mark.parametrize(("one", "other"), [*product((*WORDS, "E2", "", "e4", "none"), repeat=2)])
def test_each_bid_against_each(one: str, other: str, eyes: int) -> None:
    """Opposite bids are balanced; of two for one side the higher has it; the die parts what is equal."""
    ann, ben = for_england(one), for_england(other)
    rolled: list[tuple[int, str]] = []

    def die(sides: int, label: str) -> int:
        rolled.append((sides, label))
        return eyes

    sides, options = BIDS.decide(("ann", "ben"), {"ann": one, "ben": other}, die, "game-1/side")
    assert rolled == ([(2, "game-1/side")] if ann == ben else [])
    ann_chooses = abs(ann) > abs(ben) if ann * ben > 0 and ann != ben else bool(ann)
    chosen = ann if ann_chooses else ben
    ann_has = (chosen >= 0) == ann_chooses if ann != ben else (chosen >= 0) == (eyes == 1)
    assert sides == {"ann": "england" if ann_has else "scotland", "ben": "scotland" if ann_has else "england"}
    net = ann + ben if ann * ben < 0 else chosen
    assert options == (("bid", f"{'E' if net > 0 else 'S'}{abs(net)}" if net else "none"),)
