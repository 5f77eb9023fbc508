"""What people kept: it can convict a judge, and nobody can frame him with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit.bundle import Files as Read
from pbem.audit.bundle import read_bundle
from pbem.audit.findings import Finding, State
from pbem.audit.game import audit_files
from pbem.trust import signature
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint, Receipt, sign_statement
from pbem.trust.sealing import sealed_name, to_armor
from tests.audit.attack import Scene
from tests.audit.script import verify_sh
from tests.audit.stage import GAME, Files, Stage, key_of, write
from tests.kept import as_kept, plain
from tests.trust.sealed import seal_orders

pytestmark = pytest.mark.ci


AGREES = "the bundle agrees with what players kept"
NAME = "checkpoint-0050.txt"


def kept(scene: Scene, held: Files, folder: Path, *, pinned: bool = True) -> Finding:
    """What the audit of an honest bundle says to these papers."""
    genesis = scene.skirmish.genesis if pinned else None
    findings = audit_files(Read(scene.skirmish.bundle(), ()), genesis, write(held, folder))
    return next(row for row in findings.rows if row.claim == AGREES)


def script(scene: Scene, held: Files, folder: Callable[[], Path], *, pinned: bool = True) -> tuple[int, str]:
    """What the script says to these papers and the public bundle."""
    genesis = scene.skirmish.genesis if pinned else ""
    return verify_sh(write(scene.skirmish.bundle("public"), folder()), genesis, write(held, folder()))


def signed_by(name: str, head: str, game: str = GAME) -> Files:
    """A checkpoint of another head, signed by somebody."""
    text = Checkpoint(game=game, size=50, head=head).text
    return {NAME: text, f"{NAME}.sig": signature.sign(key_of(name), Namespace.CHECKPOINT, text)}


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
    why = "the judge has not signed it" if name == "alice" else "its key SHA256:"
    assert f"proves nothing: {why}" in printed


def spoilt(scene: Scene) -> Files:
    """A receipt that somebody has changed since the judge signed it."""
    name = "receipt-bob-0001.txt"
    return {
        f"a-{name}": scene.skirmish.held[name].replace(b"rev 1", b"rev 7"),
        f"a-{name}.sig": scene.skirmish.held[f"{name}.sig"],
    }


def test_a_paper_of_another_key_proves_nothing(scene: Scene, folder: Callable[[], Path]) -> None:
    """Anybody can make a key, and sign with it what no judge ever said."""
    paper = signed_by("mallory", "a" * 64)
    told = f"its key {key_of('mallory').public.fingerprint} is not that of this bundle's judge"
    row = kept(scene, paper, folder(), pinned=False)
    assert row.state == State.OPEN
    assert told in row.detail
    status, printed = script(scene, paper, folder, pinned=False)
    assert status == 0, printed
    assert told in printed


def test_what_is_said_of_papers_is_as_it_was(scene: Scene, folder: Callable[[], Path]) -> None:
    """Of good ones, of worthless ones and of both, whether or not it is known which game is meant."""
    honest, convicts, bad = scene.skirmish.held, signed_by("gm", "a" * 64), spoilt(scene)
    forged = {f"a-{name}": data for name, data in signed_by("mallory", "b" * 64).items()}
    lines = list[str]()
    for name, held in {
        "honest": honest,
        "in folders": {f"alice/{name}": data for name, data in honest.items()},
        "two histories": convicts,
        "a changed receipt": honest | bad,
        "a changed receipt and two histories": bad | convicts,
        "a stranger's and two histories": forged | convicts,
        "nothing": {},
        "notes": {"notes.txt": b"pbem1 checkpoint\n"},
        "a big file": {"big.txt": bytes(20_000)},
        "another game": signed_by("gm", "a" * 64, game="other"),
        "no sealed file": honest | {"sealed/note.age": b"see you on Monday"},
    }.items():
        rows = [str(kept(scene, held, folder(), pinned=pinned)) for pinned in (True, False)]
        status, printed = script(scene, held, folder, pinned=len(lines) % 2 == 0)
        said = [line for line in printed.splitlines() if AGREES in line or "proves nothing" in line]
        lines += [f"== {name}: {status}", *dict.fromkeys(rows), *said]
    text = re.sub(r"/\S+/bundle\d+", "(a folder)", "\n".join([*lines, ""]))
    as_kept(Path(__file__).parent / "golden/papers.txt", plain(text))


@pytest.mark.parametrize("armored", [False, True])
def test_a_copy_that_was_sent_to_everybody(scene: Scene, folder: Callable[[], Path], armored: bool) -> None:
    """It proves that it was sent, not that it arrived: the audit names it and refutes nothing."""
    known = scene.skirmish.book.history.exchanges[0].received[0].sealed
    there = scene.skirmish.bundle()[f"sealed/{known}.age"]
    lost = seal_orders(scene.skirmish.order_file("bob"), key_of("bob"))
    for copies, state in (([there], State.PROVEN), ([there, lost], State.OPEN)):
        held = {
            f"sealed/copy-{number}.age": to_armor(copy).encode() if armored else copy
            for number, copy in enumerate(copies)
        }
        findings = audit_files(Read(scene.skirmish.bundle(), ()), held=write(held, folder()))
        row = next(row for row in findings.rows if "sent to everybody" in row.claim)
        assert row.state == state
        assert (f"{sealed_name(lost)} (copy-1.age)" in row.detail) == (state == State.OPEN)
        assert not findings.is_refuted


# Papers that are newer than the bundle


def both(files: Files, held: Files, folder: Callable[[], Path]) -> tuple[Finding, int, str]:
    """What the audit says to these papers; status and words of the script."""
    bundle, papers = write(files, folder()), write(held, folder())
    findings = audit_files(read_bundle(bundle), held=papers)
    status, printed = verify_sh(bundle, held=papers)
    return next(row for row in findings.rows if row.claim == AGREES), status, printed


@pytest.mark.parametrize("later", [False, True])
def test_a_receipt_that_is_newer_than_the_bundle(
    fresh: Callable[..., Stage], folder: Callable[[], Path], later: bool
) -> None:
    """She has sent her orders since the bundle was written: nobody has cheated."""
    stage = fresh()
    stage.go()
    files = stage.bundle("public")
    if later:
        stage.go()
    stage.send("alice")
    name = f"receipt-alice-{stage.receipts['alice']:04d}.txt"
    held = {name: stage.held[name], f"{name}.sig": stage.held[f"{name}.sig"]}
    row, status, printed = both(files, held, folder)
    assert row.state == State.OPEN
    assert status == 0, printed
    told = (
        f"receipt {stage.receipts['alice']} of alice is newer than this bundle: ask the judge for a later one"
    )
    assert told in row.detail
    assert told in printed


@pytest.mark.parametrize("what", ["number taken", "closed", "over"])
def test_a_receipt_that_cannot_be_newer(
    scene: Scene, fresh: Callable[..., Stage], folder: Callable[[], Path], what: str
) -> None:
    """The ledger has given its number to another file, or takes nothing more for its exchange."""
    stage = scene.finished if what == "over" else fresh()
    if what != "over":
        stage.go()
        if what == "closed":
            stage.send("bob")
            stage.wait(8)
            stage.close()
        else:
            stage.send("alice")
    exchange = {"over": len(stage.book.history.exchanges) + 1}.get(what, 2)
    receipt = Receipt(
        game=GAME,
        exchange=exchange,
        player="alice",
        rev=9,
        sealed="5" * 64,
        number={"number taken": 2, "over": 99}.get(what, 2),
        echo="0" * 64,
    )
    held = {"it.txt": receipt.text, "it.txt.sig": sign_statement(receipt, stage.club.key)}
    row, status, printed = both(stage.bundle("public"), held, folder)
    assert row.state == State.REFUTED
    assert "the ledger has not received them" in row.detail
    assert status == 3
    assert "the ledger has not received them" in printed


def test_a_checkpoint_that_is_newer_than_the_bundle(scene: Scene, folder: Callable[[], Path]) -> None:
    """A bundle of Monday is not all that there is on Tuesday; nobody is accused for that."""
    _, status, printed = both(scene.earlier, scene.skirmish.held, folder)
    findings = audit_files(Read(scene.earlier, ()), held=write(scene.skirmish.held, folder()))
    (row,) = (row for row in findings.rows if "is as new as" in row.claim)
    told = "stale: this bundle is older than what was signed: it ends at entry 42, and the judge signed a"
    assert row.state == State.MISSING
    assert not findings.is_refuted
    assert (findings.status, status) == (4, 4), printed
    for said in (row.detail, printed):
        assert told in said
        assert "ask the judge for a newer one that continues it; without one, something is hidden" in said
    assert "refuted  the bundle agrees" not in printed


def test_a_newer_checkpoint_does_not_hide_two_histories(scene: Scene, folder: Callable[[], Path]) -> None:
    forged = Checkpoint(game=GAME, size=9, head="a" * 64)
    held = {"z.txt": forged.text, "z.txt.sig": sign_statement(forged, scene.skirmish.club.key)}
    row, status, printed = both(scene.earlier, scene.skirmish.held | held, folder)
    assert row.state == State.REFUTED
    assert "two histories" in row.detail
    assert status == 3
    assert "two histories" in printed
