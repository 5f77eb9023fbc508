"""How much a league asks of a player, and writes to them: acts of theirs and letters to them, counted."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from pbem.judge.intake import desk
from pbem.leagues.entries import DRAW, SEATS
from pbem.trust.chains import Reveal, make_chain
from pbem.trust.entries import Received
from pbem.trust.orderfile import OrderFile, Seen
from pbem.trust.sealing import to_armor
from tests.leagues.world import World, by_name, file_of, key_of, make_world, secret
from tests.trust.sealed import seal_orders

ROUNDS = 3
PLAYERS = ("ann", "ben", "cat", "dan")


def accept(world: World, game: str) -> None:
    """Everybody sends the ready of a game."""
    book = world.club.book(game)
    sides = {one.name: one.side for one in book.history.genesis.players}
    exchange = book.history.current
    assert exchange is not None
    for player, seal in exchange.seals.items():
        ready = OrderFile(
            game=game,
            exchange=1,
            player=player,
            side=sides[player],
            rev=1,
            seal=seal,
            seen=Seen(book.size, book.head),
            reveal=Reveal(f"{player}.1", 1, make_chain(game, f"{player}.1", secret(player)).reveal(1)),
            body="",
        )
        (verdict,) = desk.submit(world.club, to_armor(seal_orders(ready, key_of(player))).encode())
        assert verdict.accepted, verdict.text


@pytest.mark.parametrize("sides", ["balanced", "bids"])
def test_what_three_rounds_ask_of_a_player_and_write_to_them(tmp_path: Path, sides: str) -> None:
    """Up to the first move of each game; a game ends as soon as it may begin."""
    world = make_world(
        tmp_path, file_of("swiss", rounds=f"count = {ROUNDS}\ndays = 100", more=f'[sides]\nby = "{sides}"')
    )
    acts = Counter[str]()
    with closing(world.club.store):
        world.enter(*PLAYERS)
        world.later(31)
        world.run()
        while not world.book.season.over:
            while (call := world.book.season.call) is not None:
                acts[call.purpose.what] += "ann" in call.asked
                world.answer()
                world.run()
            for pair in world.open_pairs():
                accept(world, pair.game)
                acts["ready"] += "ann" in pair.players
            world.play(world.open_pairs(), by_name)
            world.later(8)
            world.run()
        files = [one for one in world.book.entries if isinstance(one, Received) and one.player == "ann"]
        assert len(files) == acts[DRAW] + acts[SEATS]
        assert acts == {DRAW: ROUNDS, SEATS: ROUNDS, "ready": ROUNDS}
        letters = [one.name for one in world.club.store.letters() if one.player == "ann"]
        assert sum("-receipt-" in name for name in letters) == sum(acts.values())
        assert len(letters) == 1 + 8 * ROUNDS + 1, "the receipt of her entry, eight a round, the end"
