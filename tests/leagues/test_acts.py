"""How much a league asks of a player, and writes to them: acts of theirs and letters to them, counted."""

from __future__ import annotations

from collections import Counter

import pytest

from pbem.leagues.entries import DRAW, SEATS
from pbem.trust.entries import Received
from tests.leagues.world import Called, by_name, file_of

ROUNDS = 3
PLAYERS = ("ann", "ben", "cat", "dan")


@pytest.mark.ci
@pytest.mark.parametrize(("sides", "calls"), [("balanced", [DRAW]), ("bids", [DRAW, SEATS])])
def test_what_three_rounds_ask_of_a_player_and_write_to_them(
    called: Called, sides: str, calls: list[str]
) -> None:
    """One act a round before the first move of its game, and two where sides are bid for."""
    world = called(file_of("swiss", count=ROUNDS, more=f'[sides]\nby = "{sides}"'), *PLAYERS)
    acts = Counter[str]()
    while not world.book.season.is_over:
        while (call := world.book.season.call) is not None:
            acts[call.purpose.what] += "ann" in call.asked
            world.answer()
            world.run()
        for pair in world.open_pairs():
            exchange = world.club.book(pair.game).history.current
            assert exchange is not None
            assert exchange.number == 2, "what is asked next is the first move"
        world.play(world.open_pairs(), by_name)
        world.after(8)
    files = [one for one in world.book.entries if isinstance(one, Received) and one.player == "ann"]
    assert len(files) == acts.total()
    assert acts == dict.fromkeys(calls, ROUNDS)
    letters = [one.name for one in world.club.store.letters() if one.player == "ann"]
    assert sum("-receipt-" in name for name in letters) == acts.total()
    each = 2 * len(calls) + 2
    assert len(letters) == 1 + each * ROUNDS + 1, (
        "the receipt of her entry; a round call, receipt, game and its end; the end"
    )
