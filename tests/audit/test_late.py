"""Orders that come too late leave a trace in the ledger, and both verifiers check it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.judge.export import export
from pbem.judge.intake import desk
from pbem.trust.entries import Refused
from pbem.trust.formats import MAX_IN_EXCHANGE
from pbem.trust.identifiers import Namespace
from pbem.trust.sealing import seal_signed
from tests.audit.script import verify_sh
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, SEATS, Table, make_table

pytestmark = pytest.mark.ci


OPENED = "every opened order file is its player's, and was rightly received or refused"
ALL_OPENED = "every order file is opened"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Exchange 3 is open, and nobody was late yet."""
    table = make_table(tmp_path)
    table.go()
    table.late = {name: table.sealed(name, "move none\n", rev=2) for name in SEATS}
    table.go()
    return table


def refused(table: Table) -> list[tuple[int, str]]:
    """Exchange and reason of every refused file."""
    entries = table.club.book(GAME).entries
    return [(entry.exchange, entry.reason) for entry in entries if isinstance(entry, Refused)]


def told(table: Table, raw: bytes) -> str:
    """What the judge answers to a file that he does not accept."""
    (verdict,) = desk.submit(table.club, raw)
    assert not verdict.is_accepted
    return verdict.text


def test_a_late_file_is_entered_once(table: Table) -> None:
    assert told(table, table.late["alice"]) == "exchange 2 of demo is closed; exchange 3 is open"
    before = "this file of alice was refused before: exchange 2 of demo is closed; exchange"
    assert told(table, table.late["alice"]) == f"{before} 3 is open"
    assert refused(table) == [(3, "late")]
    table.go()
    assert told(table, table.late["alice"]) == f"{before} 4 is open"
    assert refused(table) == [(3, "late")]


def test_a_file_received_in_time_is_not_late(table: Table) -> None:
    raw = table.sealed("alice")
    desk.submit(table.club, raw)
    table.send("bob")
    run_pass(table.club)
    (verdict,) = desk.submit(table.club, raw)
    assert verdict.is_accepted
    assert verdict.text == "these orders of alice were received before"
    assert refused(table) == []


def test_what_the_player_did_not_sign_is_not_called_late(table: Table) -> None:
    orders = table.order_file("alice", exchange=2, seal=table.club.seal(GAME, 2, "alice").recipient)
    forged = seal_signed(orders.text, table.people["bob"].key, Namespace.ORDERS, [orders.seal], 8192)
    assert "was made with the key" in told(table, forged)
    assert refused(table) == []


def test_nobody_can_bloat_the_ledger(table: Table) -> None:
    for rev in range(2, MAX_IN_EXCHANGE + 10):
        last = told(table, table.sealed("alice", rev=rev, reveal=None))
    assert len(refused(table)) == MAX_IN_EXCHANGE - 1, "one is kept for a file that counts"
    assert last.endswith("it is not entered, because too many of alice were")
    assert "it is not entered" in told(table, table.late["alice"])
    assert told(table, table.late["bob"]) == "exchange 2 of demo is closed; exchange 3 is open"
    assert refused(table)[-1] == (3, "late")
    assert table.send("alice")[0].is_accepted, "what is good is taken all the same"


@pytest.mark.parametrize("audience", ["public", "scotland", "england", "all"])
def test_the_verifiers_look_at_it(table: Table, folder: Callable[[], Path], audience: str) -> None:
    for raw in table.late.values():
        told(table, raw)
    for _ in range(2):
        bundle = folder() / "bundle"
        export(table.club, GAME, audience, bundle, "a test")
        findings = audit(bundle)
        assert not findings.is_refuted, [str(row) for row in findings.rows]
        assert next(row for row in findings.rows if row.claim == OPENED).state == State.PROVEN
        status, printed = verify_sh(bundle)
        assert status == 0, printed
        assert f"proven   {OPENED}" in printed
        opened = next(row for row in findings.rows if row.claim == ALL_OPENED)
        assert (opened.state == State.PROVEN) == (audience == "all")
        assert str(opened) in printed
        names = {entry.sealed for one in table.club.book(GAME).history.exchanges for entry in one.refused}
        assert all((bundle / f"sealed/{name}.age").is_file() for name in names)
        table.go()


def test_late_for_an_exchange_that_waits_for_reveals(tmp_path: Path, folder: Callable[[], Path]) -> None:
    table = make_table(tmp_path, mode="after-close")
    late = table.sealed("alice", "note late\n", rev=2, reveal=None)
    for name in SEATS:
        assert table.send(name, reveal=None)[0].is_accepted
    run_pass(table.club)
    assert "exchange 1 of demo is closed" in told(table, late)
    assert refused(table) == [(1, "late")]
    table.clock.pass_days(30)
    run_pass(table.club)
    bundle = folder() / "bundle"
    export(table.club, GAME, "all", bundle, "a test")
    assert not audit(bundle).is_refuted
    status, printed = verify_sh(bundle)
    assert status == 0, printed
    assert f"proven   {OPENED}" in printed
