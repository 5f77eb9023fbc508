"""The mode after-close (protocol 20): orders first, then the signed close, then everybody's reveal."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.judge import export
from pbem.judge.acts import act
from pbem.judge.agenda import read_agendas
from pbem.judge.intake import desk
from pbem.judge.intake.player_files import Verdict
from pbem.trust.chance import Reveal
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, SEATS, Table, make_table


@pytest.fixture
def late_table(tmp_path: Path) -> Table:
    """A game whose players reveal after the close."""
    return make_table(tmp_path, mode="after-close")


def reveal(table: Table, name: str, step: int = 0) -> Verdict:
    """Hand in a player's reveal of the exchange that was closed."""
    (verdict,) = desk.submit(table.club, table.sealed_reveal(name, step))
    return verdict


def play(table: Table, exchanges: int = 1) -> None:
    for _ in range(exchanges):
        for name in SEATS:
            (verdict,) = table.send(name)
            assert verdict.is_accepted, verdict.text
        run_pass(table.club)
        for name in SEATS:
            assert reveal(table, name).is_accepted
        run_pass(table.club)


@pytest.mark.ci
def test_reveals_come_after_the_close(late_table: Table, tmp_path: Path) -> None:
    play(late_table, 3)
    kinds = [text.split(b" ")[0].decode() for text in late_table.ledger()]
    first = kinds[2:8]
    assert first == ["received", "received", "close", "revealed", "revealed", "resolve"]
    assert late_table.exchange == 4
    export.export(late_table.club, GAME, "all", tmp_path / "bundle", "a test")
    findings = audit(tmp_path / "bundle")
    assert not findings.is_refuted, [str(row) for row in findings.rows]


def test_orders_that_reveal_early_are_refused(late_table: Table) -> None:
    (verdict,) = late_table.send(
        "alice", reveal=Reveal("alice.1", 1, late_table.people["alice"].chain.reveal(1))
    )
    assert verdict.text == "in this game orders carry no reveal: it is sent after the close"
    assert not verdict.is_accepted


def test_nobody_waits_for_the_reveal_of_who_concedes_after_the_close(tmp_path: Path) -> None:
    three = make_table(tmp_path, title="lords", players=3, mode="after-close")
    for name in three.people:
        three.send(name)
    run_pass(three.club)
    act(three.club, GAME, "concede", "carol", reason="x", consents=[three.consent("concede carol", "carol")])
    assert read_agendas(three.club)[GAME].waiting == tuple(sorted(SEATS))
    for name in SEATS:
        assert reveal(three, name).is_accepted
    assert ["resolved" in done.text for done in run_pass(three.club)] == [True]


@pytest.mark.ci
def test_who_does_not_reveal_is_absent_and_his_orders_count(late_table: Table) -> None:
    play(late_table)
    for name in SEATS:
        late_table.send(name, "card 1\n")
    assert [done.text for done in run_pass(late_table.club)] == ["exchange 2 closed; reveals are awaited"]
    assert run_pass(late_table.club) == []
    assert reveal(late_table, "alice").is_accepted
    assert run_pass(late_table.club) == []
    late_table.clock.pass_days(7)
    assert len(run_pass(late_table.club)) == 1
    exchange = late_table.club.book(GAME).history.exchanges[1]
    assert exchange.resolved is not None
    assert exchange.resolved.absent == ("bob.1",)
    assert set(exchange.counted()) == {"alice", "bob"}
