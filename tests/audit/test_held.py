"""What people kept: it can convict a judge, and nobody can frame him with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit.bundle import Files as Read
from pbem.audit.check import audit_files
from pbem.audit.findings import Finding, State
from pbem.trust import signature
from pbem.trust.ledger import Checkpoint
from pbem.trust.namespaces import Namespace
from pbem.trust.orderfile import seal_orders
from pbem.trust.sealing import sealed_name
from tests.audit.attack import Scene
from tests.audit.script import verify_sh
from tests.audit.stage import GAME, Files, key_of, write

AGREES = "the bundle agrees with what players kept"
NAME = "checkpoint-0050.txt"


def kept(scene: Scene, held: Files, folder: Path, *, pinned: bool = True) -> Finding:
    """What the audit of an honest bundle says to these papers."""
    genesis = scene.skirmish.genesis if pinned else None
    findings = audit_files(Read(scene.skirmish.bundle(), ()), genesis, write(held, folder))
    return next(row for row in findings.rows if row.claim == AGREES)


def signed_by(name: str, head: str) -> Files:
    """A checkpoint of another head, signed by somebody."""
    text = Checkpoint(game=GAME, size=50, head=head).text
    return {NAME: text, f"{NAME}.sig": signature.sign(key_of(name), Namespace.CHECKPOINT, text)}


def test_all_papers_of_an_honest_game_agree(scene: Scene, folder: Callable[[], Path]) -> None:
    assert kept(scene, scene.skirmish.held, folder()).state == State.PROVEN
    nested = {f"alice/{name}": data for name, data in scene.skirmish.held.items()}
    assert kept(scene, nested, folder()).state == State.PROVEN


@pytest.mark.parametrize("pinned", [True, False])
def test_two_signed_heads_convict_the_judge(scene: Scene, folder: Callable[[], Path], pinned: bool) -> None:
    row = kept(scene, signed_by("gm", "a" * 64), folder(), pinned=pinned)
    assert row.state == State.REFUTED
    assert f"two histories: the judge signed another head at entry 50: expected {'a' * 64}" in row.detail


@pytest.mark.parametrize("name", ["alice", "mallory"])
def test_nobody_else_can_convict_him(scene: Scene, folder: Callable[[], Path], name: str) -> None:
    row = kept(scene, scene.skirmish.held | signed_by(name, "a" * 64), folder())
    assert row.state == State.OPEN
    assert NAME in row.detail
    status, printed = verify_sh(
        write(scene.skirmish.bundle("public"), folder()),
        scene.skirmish.genesis,
        write(signed_by(name, "a" * 64), folder()),
    )
    assert status == 0
    assert "proves nothing: the judge has not signed it" in printed


def test_a_changed_receipt_proves_nothing(scene: Scene, folder: Callable[[], Path]) -> None:
    held = dict(scene.skirmish.held)
    name = "receipt-bob-0001.txt"
    held[name] = held[name].replace(b"rev 1", b"rev 7")
    row = kept(scene, held, folder())
    assert row.state == State.OPEN
    assert f"{name} proves nothing: the judge has not signed it" in row.detail


def test_worthless_papers_do_not_hide_good_ones(scene: Scene, folder: Callable[[], Path]) -> None:
    forged = {f"a-{name}": data for name, data in signed_by("mallory", "b" * 64).items()}
    row = kept(scene, forged | signed_by("gm", "a" * 64), folder())
    assert row.state == State.REFUTED
    assert "two histories" in row.detail


def test_papers_of_another_game_say_nothing(scene: Scene, folder: Callable[[], Path]) -> None:
    text = Checkpoint(game="other", size=50, head="a" * 64).text
    held = {NAME: text, f"{NAME}.sig": signature.sign(key_of("gm"), Namespace.CHECKPOINT, text)}
    row = kept(scene, held, folder())
    assert row.state == State.OPEN
    assert "holds no receipt or checkpoint of hearth" in row.detail


@pytest.mark.parametrize("held", [{}, {"notes.txt": b"pbem1 checkpoint\n"}, {"big.txt": bytes(20_000)}])
def test_a_folder_with_nothing_in_it(scene: Scene, folder: Callable[[], Path], held: Files) -> None:
    assert kept(scene, held, folder()).state == State.OPEN


def test_a_copy_that_was_sent_to_everybody(scene: Scene, folder: Callable[[], Path]) -> None:
    """It proves that it was sent, not that it arrived: the audit names it and refutes nothing."""
    known = scene.skirmish.book.history.exchanges[0].received[0].sealed
    there = scene.skirmish.bundle()[f"sealed/{known}.age"]
    lost = seal_orders(scene.skirmish.order_file("bob"), key_of("bob"))
    for copies, state in (([there], State.PROVEN), ([there, lost], State.OPEN)):
        held = {f"sealed/{sealed_name(copy)}.age": copy for copy in copies}
        findings = audit_files(Read(scene.skirmish.bundle(), ()), held=write(held, folder()))
        row = next(row for row in findings.rows if "sent to everybody" in row.claim)
        assert row.state == state
        assert (sealed_name(lost) in row.detail) == (state == State.OPEN)
        assert not findings.refuted
