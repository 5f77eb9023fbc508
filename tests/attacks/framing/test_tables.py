"""Tables of three and four: players leave, come back by a roll-back, vanish; nobody is accused for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.judge.export import export
from pbem.play.history import History
from pbem.trust.entries import AFTER_CLOSE, WITH_ORDERS
from tests.attacks.framing.arena import Arena, make_arena
from tests.audit.script import verify_sh
from tests.judge.table import GAME

pytestmark = pytest.mark.ci
SIDES = {"alice": "red", "bob": "blue", "carol": "green", "dave": "gold"}
OTHERS = ("alice", "carol", "dave")


@pytest.fixture
def mode() -> str:
    """How the game reveals."""
    return WITH_ORDERS


@pytest.fixture
def table(tmp_path: Path, mode: str) -> Arena:
    """Exchange 2 is open."""
    table = make_arena(tmp_path, Random(1), mode, 40, "lords", SIDES, players=4)
    play(table)
    return table


def play(table: Arena, *absent: str) -> None:
    """An exchange; a day passes, or the deadlines if somebody is absent."""
    number = table.exchange
    here = [name for name in table.book.history.playing if name not in absent]
    for name in here:
        table.send_honestly(name)
    table.clock.pass_days(60 if absent else 1)
    table.run()
    if table.mode == AFTER_CLOSE:
        for name in here:
            table.reveal_honestly(name)
        table.clock.pass_days(60 if absent else 1)
        table.run()
    assert table.over or table.exchange == number + 1, "a game does not stand still"


def stands(table: Arena, folder: Callable[[], Path]) -> None:
    """Both verifiers find nothing wrong; the script is shown the smallest bundle."""
    for audience in ("all", "blue", "public"):
        bundle = folder() / audience
        export(table.club, GAME, audience, bundle, "a test")
        findings = audit(bundle)
        assert not findings.is_refuted, [str(row) for row in findings.rows]
    status, printed = verify_sh(bundle)
    assert status == 0, printed


@pytest.mark.parametrize("mode", [WITH_ORDERS, AFTER_CLOSE])
def test_one_of_four_concedes_and_the_others_play_on(table: Arena, folder: Callable[[], Path]) -> None:
    table.act("concede", "bob", consents=("bob",))
    play(table)
    play(table)
    stands(table, folder)


@pytest.mark.parametrize("mode", [AFTER_CLOSE])
def test_two_concede_and_a_third_claims_the_rest(table: Arena, folder: Callable[[], Path]) -> None:
    table.send_honestly("bob")
    table.act("concede", "bob", consents=("bob",))
    play(table)
    for _ in range(2):
        play(table, "dave")
    table.act("claim", "dave", consents=("alice", "carol"))
    play(table)
    table.act("concede", "alice", consents=("alice",))
    assert table.over
    stands(table, folder)


def test_a_judge_who_leaves_somebody_out_is_refuted(
    table: Arena, folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob has conceded; the judge opens the next exchange without dave, who has not."""
    table.act("concede", "bob", consents=("bob",))
    playing = vars(History)["playing"].__get__
    left_out = property(
        lambda game: [one for one in playing(game) if one != "dave" or len(game.exchanges) < 2]
    )
    monkeypatch.setattr(History, "playing", left_out)
    play(table, "dave")
    bundle = folder() / "public"
    export(table.club, GAME, "public", bundle, "a test")
    monkeypatch.undo()
    found = [str(row) for row in audit(bundle).rows if row.state is State.REFUTED]
    assert "opened for everybody who plays" in found[0]
    status, printed = verify_sh(bundle)
    assert (status, "opened for everybody who plays" in printed) == (3, True), printed
