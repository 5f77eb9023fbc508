"""Hands of worlds that look the same: other cards, as many, and none that the deck does not have."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pbem.rules.hammer.facts import DECK
from pbem.titles.hammer.testing import deal_again


@pytest.mark.parametrize("viewer", ["england", "scotland", "public"])
def test_hidden_hands_are_dealt_anew_from_what_nobody_has_seen(viewer: str) -> None:
    cards = list(DECK)
    Random(2).shuffle(cards)
    played = {"england": cards[:2], "scotland": cards[2:4]}
    hands = {"england": sorted(cards[4:7], key=DECK.index), "scotland": sorted(cards[7:10], key=DECK.index)}
    found = []
    for seed in range(150):
        twin = {"played": played, "hands": dict(hands)}
        deal_again(twin, viewer, Random(seed))
        dealt = twin["hands"]
        assert {side: len(hand) for side, hand in dealt.items()} == {"england": 3, "scotland": 3}
        assert not Counter(
            card for part in (dealt, played) for hand in part.values() for card in hand
        ) - Counter(DECK)
        assert dealt.get(viewer) == hands.get(viewer)
        found += [tuple(hand) for side, hand in dealt.items() if side != viewer]
    assert sum(len(set(hand)) == 1 for hand in found) > len(found) / 5, "hands that leave no choice"
    assert len(set(found)) > 20
