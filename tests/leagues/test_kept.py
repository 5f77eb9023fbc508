"""What an entrant's program keeps, refuses and holds against the judge: all that a player's does."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree

import pytest

from pbem.audit.bundle import Files
from pbem.audit.findings import State
from pbem.audit.leagues import audit_league
from pbem.audit.papers import KEPT
from pbem.errors import PbemError
from pbem.judge.leagues.desk import take_statement
from pbem.judge.leagues.export import bundle
from pbem.leagues.entries import Said
from pbem.player.faults import Contradiction, NotOurs, Refused
from pbem.trust import entries, ledger
from pbem.trust.armor import find_sealed
from pbem.trust.entries import Entry
from pbem.trust.faults import LedgerFault
from pbem.trust.ledger import Receipt
from pbem.trust.sealing import open_orders_with, sealed_name
from tests.leagues.forging import rewritten
from tests.leagues.test_player import LEDGER, Table, judges_letter, table  # noqa: F401 - a fixture
from tests.leagues.world import take_reply

# ruff: noqa: F811 - the fixture
SEALED = "5" * 64


def evidence(table: Table) -> list[str]:
    """The kinds of evidence in ann's home."""
    return [path.name.partition("-")[0] for path in (table.league.path / "held").iterdir() if path.is_dir()]


def test_a_longer_ledger_that_is_another_is_a_fork(table: Table) -> None:
    """It was refused as a letter that does not fit, and nothing was kept of it: she signed on."""
    first, second, *more = table.world.book.entries
    assert isinstance(second, Said)
    later = replace(second, at=datetime(2027, 1, 2, tzinfo=UTC))
    with pytest.raises(Contradiction, match="has signed two histories"):
        table.home.receive(judges_letter(table, [first, later, *more, second]))
    assert evidence(table) == ["fork"]
    with pytest.raises(Refused, match="nothing more is signed"):
        table.league.reply()


def test_an_entry_that_is_not_its_leaf_is_kept_as_evidence(table: Table) -> None:
    """The judge has signed both."""
    entries = list(table.world.book.entries)
    (table.league.path / "ledger.txt").unlink()
    rmtree(table.league.path / "held")
    with pytest.raises(Contradiction, match="entry 4 does not fit its leaf"):
        table.home.receive(judges_letter(table, entries, torn=True))
    assert evidence(table) == ["fault"]


def receipt(table: Table, **changed: object) -> bytes:
    """A receipt that the judge has signed."""
    parts = {"player": "ann", "exchange": 1, "rev": 1, "number": 1, "sealed": SEALED, "echo": "0" * 64}
    made = Receipt(game=LEDGER, **(parts | changed))  # type: ignore[arg-type]
    return made.text + ledger.sign_statement(made, table.world.club.key)


def test_a_receipt_for_what_was_never_sent_is_told(table: Table) -> None:
    (arrival,) = table.home.receive(receipt(table))
    (remark,) = arrival.remarks
    assert "If you have sent nothing elsewhere, this is evidence" in remark


def test_two_receipts_of_one_number_convict_the_judge(table: Table) -> None:
    (sealed,) = find_sealed(table.league.reply())
    assert table.home.receive(receipt(table, sealed=sealed_name(sealed)))
    with pytest.raises(Contradiction, match="receipt 1 was given twice, for different things"):
        table.home.receive(receipt(table))
    assert evidence(table) == ["fault"]


def test_a_gap_in_the_receipts_is_told(table: Table) -> None:
    (sealed,) = find_sealed(table.league.reply())
    (arrival,) = table.home.receive(receipt(table, sealed=sealed_name(sealed), number=2))
    assert "receipt 1 did not come" in " ".join(arrival.remarks)


def test_what_was_receipted_stands_in_the_ledger_when_the_call_is_closed(table: Table) -> None:
    """The judge gives a receipt, and closes the call without the file."""
    (sealed,) = find_sealed(table.league.reply())
    table.home.receive(receipt(table, sealed=sealed_name(sealed)))
    table.world.answer(["ben"])
    table.world.after(6)
    with pytest.raises(NotOurs, match="leaves out the chain of ann, for which the judge has given a receipt"):
        table.receive()
    (pair,) = table.world.open_pairs()
    table.world.concede(pair.game, "ben")
    table.world.run()
    letter = table.world.club.store.letters_to(LEDGER, "ann")[-1]
    with pytest.raises(Contradiction, match="the ledger does not name them"):
        table.home.receive(letter.data)


def test_the_secret_of_a_chain_is_its_owners_alone(table: Table) -> None:
    (table.league.path / "chain-secret").chmod(0o644)
    with pytest.raises(PbemError, match="chain-secret"):
        table.league.reply()


def test_the_same_answer_is_the_same_file(table: Table) -> None:
    """Nothing new is signed for it, as for orders."""
    first = table.league.reply()
    assert table.league.reply() == first


def test_a_revision_goes_on_where_what_was_sent_is_lost(table: Table) -> None:
    """A home that was restored without `sent` once began at revision 1, and its file did not count."""
    (sealed,) = find_sealed(table.league.reply())
    assert take_reply(table.world.club, sealed).is_accepted
    table.receive()
    for path in sorted((table.league.path / "sent").iterdir()):
        path.unlink()
    (again,) = find_sealed(table.league.reply())
    key = table.world.club.seal(LEDGER, 1, "ann")
    assert b"\nrev 2\n" in open_orders_with(again, key)


def test_the_heads_in_an_entrants_home_refute_another_history(table: Table) -> None:
    """The audit read her receipts, and passed over every head that the judge had signed to her."""
    true = dict(bundle(table.world.book))

    def later(entry: Entry) -> Entry:
        if not isinstance(entry, Said) or entry.player != "ben":
            return entry
        return replace(entry, at=entry.at + timedelta(days=1))

    held: Path = table.league.path
    rows = {row.claim: row for row in audit_league(Files(true, ()), None, held).rows}
    assert rows[KEPT].state is State.PROVEN, rows[KEPT].detail
    forged = rewritten(true, table.world.club.key, later)
    rows = {row.claim: row for row in audit_league(forged, None, held).rows}
    assert rows[KEPT].state is State.REFUTED
    assert "two histories" in rows[KEPT].detail


def test_with_a_new_key_the_answer_is_signed_anew(table: Table) -> None:
    """The file of before is one that the judge refuses by now."""
    table.league.reply()
    table.home.keygen("ann2")
    now = table.world.clock()
    take_statement(table.world.club, table.league.new_key("ann", "ann2", now=now))
    table.receive()
    (sealed,) = find_sealed(table.league.reply())
    assert take_reply(table.world.club, sealed).is_accepted


LATE = entries.Refused(exchange=1, player="ben", of=1, sealed="5" * 64, reason="late")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (replace(LATE, of=2), "it is for call 2, which is none of the last"),
        (replace(LATE, of=900), "it is for call 900, which is none of the last"),
        (replace(LATE, player="cat"), "call 1 waited for nothing of cat"),
    ],
)
def test_a_file_is_refused_for_a_call_that_asked_for_it(
    table: Table, entry: entries.Refused, told: str
) -> None:
    """Once any call and any name stood there: the judge could use up somebody's room with nothing."""
    with pytest.raises(LedgerFault, match=told):
        deepcopy(table.world.book.season).add(replace(entry, at=table.world.clock()))
    with pytest.raises(Contradiction, match=told):
        table.home.receive(table.lie(entry))
