"""A game that a league has drawn begins with the chains that were sent before, and with no others."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.audit.bundle import read_bundle
from pbem.audit.leagues import audit_league
from pbem.judge import newgame
from pbem.judge.leagues.export import export
from pbem.judge.newgame import Brought
from pbem.leagues import drawing
from pbem.leagues.entries import Opened
from pbem.leagues.replies import Reply, Sent, parse_reply
from pbem.leagues.seating import Seating, seating_of
from pbem.leagues.statements import CHALLENGE
from pbem.player.faults import NotOurs
from pbem.trust.armor import find_sealed
from pbem.trust.entries import Genesis
from pbem.trust.faults import LedgerFault
from tests.leagues.test_player import Table, table  # noqa: F401 - a fixture
from tests.leagues.world import NAME, file_of, make_world, sent_chain, take_reply


def answered(table: Table) -> None:  # noqa: F811
    """Both have answered; the call is not closed yet."""
    (sealed,) = find_sealed(table.league.reply())
    with table.world.club.store.step():
        assert take_reply(table.world.club, sealed).accepted
    receipt = [one.data for one in table.world.club.store.letters() if "-receipt-" in one.name]
    table.home.receive(receipt[0])
    table.world.answer(["ben"])


def game_letter(table: Table) -> bytes:  # noqa: F811
    (letter,) = (
        one.data
        for one in table.world.club.store.letters()
        if one.player == "ann" and one.name.startswith("cup-r1-1-")
    )
    return letter


def test_a_home_finds_its_chain_when_the_game_begins(table: Table) -> None:  # noqa: F811
    """Its first letter is the first report; the same letter again changes nothing."""
    answered(table)
    table.world.run()
    (arrival,) = table.home.receive(game_letter(table))
    assert (arrival.kind, arrival.exchange, arrival.new) == ("report", 1, True)
    assert not table.home.receive(game_letter(table))[0].new
    assert table.home.folder("cup-r1-1").chain("ann.1") is not None
    assert "exchange 2" in table.home.form("cup-r1-1")


LIES = {
    "own anchor": "the judge's anchors in the genesis of cup-r1-1 are not those that call 1",
    "left out": "leaves out the chain of ann, for which the judge has given a receipt in call 1",
    "another chain": "genesis anchors another chain for ann",
}


@pytest.mark.parametrize("lie", LIES)
def test_a_home_refuses_a_game_that_is_not_what_it_accepted(
    table: Table,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    lie: str,
) -> None:
    answered(table)
    honest = newgame._drawn

    def drawn(genesis: Genesis, brought: Brought) -> Genesis:
        return replace(honest(genesis, brought), secret_anchor="0" * 64)

    def chains(*_: object) -> Mapping[str, Sent]:
        chain = sent_chain("league.cup", 1, "ann")
        return {} if lie == "left out" else {"ann": Sent(1, chain.anchor, chain.reveal(1))}

    if lie == "own anchor":
        monkeypatch.setattr(newgame, "_drawn", drawn)
    else:
        monkeypatch.setattr(drawing, "chains_for", chains)
    table.world.run()
    assert any(isinstance(one, Opened) for one in table.world.book.entries)
    with pytest.raises(NotOurs, match=LIES[lie]):
        table.home.receive(game_letter(table))


def test_a_chain_whose_step_does_not_lead_to_its_anchor_counts_for_nothing() -> None:
    chain = sent_chain("league.cup", 1, "ann")
    good = Sent(1, chain.anchor, chain.reveal(1))
    body = Reply((good, good._replace(number=2))).body
    read = parse_reply(body, "league.cup", 1, "ann")
    assert read.chains == (good,)
    assert read.faults == ("line 2: the step of chain 2 does not lead to its anchor",)
    assert parse_reply(body, "league.cup", 2, "ann").chains == (), "a chain is for one call"
    assert parse_reply(body, "league.cup", 1, "ben").chains == (), "and its player's own"


def test_no_more_games_are_drawn_than_the_call_has_fixed(table: Table) -> None:  # noqa: F811
    call = table.world.book.season.calls[0]
    assert call.seating is not None
    assert (call.seating.chains, len(call.seating.games)) == (1, 1)
    call.seating = Seating(1, ())
    answered(table)
    (done,) = table.world.run()
    assert done.stopped
    assert "fixes the judge's part in 0 games" in done.text
    with pytest.raises(LedgerFault, match="does not fix the games"):
        seating_of(replace(call.opened, extra=("for draw 1", "chains 1", "game 2 x y")))


def test_a_challenge_that_comes_while_a_round_is_drawn_finds_its_game_fixed(tmp_path: Path) -> None:
    """It counts in that round; the call has fixed as many games as may come of it."""
    world = make_world(tmp_path, file_of("ladder", rounds="count = 1\ndays = 100"))
    with closing(world.club.store):
        world.enter("ann", "ben", "cat", "dan")
        world.later(31)
        world.run()
        for player, of in (("ann", "ben"), ("cat", "dan"), ("ben", "ann"), ("dan", "cat")):
            world.say(player, CHALLENGE, of=of)
        world.seat()
        assert world.open_pairs()
        export(world.club, NAME, tmp_path / "bundle")
    assert audit_league(read_bundle(tmp_path / "bundle")).status == 0
