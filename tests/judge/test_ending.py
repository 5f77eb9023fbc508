"""A game that is over: nothing more is taken or done, and everything is disclosed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.judge import export
from pbem.judge.intake import desk
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, SEATS, Table, make_table

pytestmark = pytest.mark.ci


@pytest.fixture
def ended(tmp_path: Path) -> Table:
    """A Campaign of one year, played to its end by players who leave everything to the defaults."""
    table = make_table(tmp_path, scenario="campaign", last_year=1297)
    while not table.club.book(GAME).history.over:
        table.late = {name: table.sealed(name, "card 3\n", rev=2) for name in SEATS}
        table.go()
        assert table.club.book(GAME).history.size < 1000
    return table


def test_a_finished_game_takes_no_orders(ended: Table) -> None:
    before = ended.ledger()
    assert before[-1].startswith(b"over ")
    for sealed in ended.late.values():
        (verdict,) = desk.submit(ended.club, sealed)
        assert not verdict.is_accepted
        assert verdict.text.endswith("is closed; the game is over")
    ended.clock.pass_days(30)
    assert run_pass(ended.club) == []
    assert ended.ledger() == before


def test_a_finished_game_proves_everything(ended: Table, tmp_path: Path) -> None:
    export.export(ended.club, GAME, "all", tmp_path / "bundle")
    head = ended.club.book(GAME).head_at(1)
    findings = audit(tmp_path / "bundle", head)
    still_open = [row.claim for row in findings.rows if row.state is not State.PROVEN]
    assert still_open == ["the bundle agrees with what players kept"]
