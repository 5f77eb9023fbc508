"""Every attack of the list is caught, by the verifier that can, with the evidence that it takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tests.audit.attacks_acts
import tests.audit.attacks_dice
import tests.audit.attacks_history
import tests.audit.attacks_keys
import tests.audit.attacks_orders
import tests.audit.attacks_play
import tests.audit.attacks_reveals  # noqa: F401 - each module adds its attacks to the list
from pbem.audit import audit
from pbem.audit.findings import Findings, State
from pbem.audit.replay import ALIKE
from pbem.trust.entries import AFTER_CLOSE, WITH_ORDERS
from tests.audit.attack import ATTACKS, Attack, Exhibit, Scene
from tests.audit.script import ALONE, verify_sh
from tests.audit.stage import herald, key_of, write

ENDED = ("finished", "late", "interrupted", "corrected")
AUDIENCES = ("public", "scotland", "england", "all")
QUICK = {
    "an entry is changed",
    "history is rewritten",
    "the last entry is rewritten",
    "a forged game with invented players",
    "the judge loses a mail",
    "anybody may sign",
    "an early close",
    "loaded dice",
    "the better of two labels",
    "the judge chooses a seed",
    "a line too many in the mix",
    "a secret mix off the chain",
    "a forged consent",
    "a new key forged by the judge",
    "a reveal that was not waited for",
    "orders forged by the judge",
    "a seal key is exchanged",
    "a report is changed",
}
"""The attacks that the script is tried on whenever the heavier tests run; it takes half a second for each."""

FORESEEN = {
    "finished": ["only the judge revealed for exchange 5, 9, and could know its dice before"],
    "late": ["only the judge revealed for exchange 5, 9, and could know its dice before"],
    "interrupted": [],
    "corrected": [],
}
"""What not even a whole game proves: that the judge did not foresee dice in which he alone had a share."""

OTHERWISE = {
    "a second anchor in the genesis": "the audit reads all of the genesis before it looks at a leaf",
    "a close without a date": "the script asks for the date where an entry is written as its kind demands",
}
"""Where another claim is refuted by the script than by the audit, and why."""

each_attack = pytest.mark.parametrize("attack", ATTACKS.values(), ids=lambda attack: attack.name)


def said(findings: Findings) -> str:
    """What an auditor reads."""
    return "\n".join(str(row) for row in findings.rows)


def refutations(findings: Findings) -> list[str]:
    """The refuted claims."""
    return [str(row) for row in findings.rows if row.state == State.REFUTED]


@pytest.fixture(scope="module")
def exhibits(scene: Scene) -> Callable[[Attack], Exhibit]:
    """Each attack is carried out once."""
    made: dict[str, Exhibit] = {}

    def exhibit(attack: Attack) -> Exhibit:
        if attack.name not in made:
            made[attack.name] = attack.make(scene)
        return made[attack.name]

    return exhibit


@pytest.mark.ci(but=("finished-public",))
@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("game", ["skirmish", *ENDED])
def test_untouched_bundles_pass(scene: Scene, folder: Callable[[], Path], game: str, audience: str) -> None:
    stage = getattr(scene, game)
    bundle, held = write(stage.bundle(audience), folder()), write(stage.held, folder())
    assert refutations(audit(bundle, stage.genesis, held)) == []
    if audience == "all" and game != "skirmish":
        rows = audit(bundle, stage.genesis, held).rows
        assert [row.detail for row in rows if row.state != State.PROVEN] == FORESEEN[game]


@pytest.mark.parametrize("game", ["skirmish", "late", "interrupted", "corrected"])
@pytest.mark.ci
def test_verify_sh_passes_untouched_bundles(scene: Scene, folder: Callable[[], Path], game: str) -> None:
    stage = getattr(scene, game)
    bundle, held = write(stage.bundle("scotland"), folder()), write(stage.held, folder())
    status, printed = verify_sh(bundle, stage.genesis, held)
    assert status == 0, printed
    assert "nothing is refuted" in printed


@pytest.mark.ci
@pytest.mark.parametrize(
    "game",
    [
        "skirmish",
        pytest.param("corrected", marks=pytest.mark.ci),
        *(pytest.param(game, marks=pytest.mark.slow) for game in ENDED if game != "corrected"),
    ],
)
def test_verify_sh_proves_all_that_a_bundle_of_everything_can_show(
    scene: Scene, folder: Callable[[], Path], game: str
) -> None:
    stage = getattr(scene, game)
    status, printed = verify_sh(write(stage.bundle(), folder()), stage.genesis, write(stage.held, folder()))
    assert status == 0, printed
    left = [line for line in printed.splitlines() if line.startswith("open ") and "foresee" not in line]
    assert left.pop().startswith(f"open     {ALIKE}: nothing is played here")
    assert bool(left) == (game == "skirmish")


@pytest.mark.ci(but=("with-orders",))
@pytest.mark.parametrize("mode", [AFTER_CLOSE, WITH_ORDERS])
def test_a_correction_may_come_at_any_time(scene: Scene, folder: Callable[[], Path], mode: str) -> None:
    """While reveals are awaited, or the game is on hold with all orders in."""
    stage = scene.fresh(mode=mode, herald_order="name_then_roll")
    herald(stage)
    stage.send("alice")
    stage.send("bob")
    if mode == AFTER_CLOSE:
        stage.close()
        stage.reveal("alice")
    else:
        stage.act("hold")
    stage.act("correct", "2", "herald_order=roll_then_name", alice=key_of("alice"), bob=key_of("bob"))
    stage.go()
    rows = audit(write(stage.bundle(), folder()), stage.genesis, write(stage.held, folder())).rows
    assert not [row for row in rows if row.state == State.REFUTED]
    assert "played again, every exchange is as the ledger says" in [
        row.claim for row in rows if row.state == State.PROVEN
    ]


@pytest.mark.ci
def test_a_hold_while_reveals_are_awaited_convicts_nobody(scene: Scene, folder: Callable[[], Path]) -> None:
    """It comes after the close, and does not move the deadline by which that was right."""
    stage = scene.fresh(mode=AFTER_CLOSE)
    stage.go()
    stage.send("alice")
    stage.wait(8)
    stage.close()
    stage.act("hold")
    stage.wait(3)
    stage.act("resume")
    stage.reveal("alice")
    stage.wait(8)
    stage.resolve()
    bundle = write(stage.bundle(), folder())
    assert refutations(audit(bundle, stage.genesis)) == []
    assert verify_sh(bundle, stage.genesis)[0] == 0


@pytest.mark.ci(
    but=(
        "a checkpoint signed by a player",
        "a deadline is moved forward",
        "a report is missing",
        "a seal key is exchanged",
        "a sealed file is exchanged",
        "a sealed file is missing",
        "a sealed file is slipped in",
        "an entry is changed",
        "an exchange is left out",
        "an option is changed after the start",
        "entries are reordered",
    )
)
@each_attack
def test_pbem_audit_catches_it(
    attack: Attack, exhibits: Callable[[Attack], Exhibit], folder: Callable[[], Path]
) -> None:
    exhibit = exhibits(attack)
    bundle, held = write(exhibit.files, folder()), write(exhibit.held, folder()) if exhibit.held else None
    findings = audit(bundle, exhibit.genesis or None, held)
    told = [str(row) for row in findings.rows if row.state == attack.state]
    assert any(attack.audit in line for line in told), said(findings)
    if attack.state != State.REFUTED:
        assert refutations(findings) == []
    if attack.evidence != "bundle":
        alone = audit(bundle)
        assert refutations(alone) == []
        assert (
            "open     the bundle agrees with what players kept: no folder of kept papers was given"
            in said(alone)
        )


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(attack, marks=pytest.mark.ci if attack.name in QUICK else pytest.mark.slow)
        for attack in ATTACKS.values()
    ],
    ids=lambda attack: attack.name,
)
def test_verify_sh_catches_what_stock_tools_can(
    attack: Attack, exhibits: Callable[[Attack], Exhibit], folder: Callable[[], Path]
) -> None:
    exhibit = exhibits(attack)
    bundle, held = write(exhibit.files, folder()), write(exhibit.held, folder()) if exhibit.held else None
    status, printed = verify_sh(bundle, exhibit.genesis, held)
    if attack.script:
        assert status == {State.REFUTED: 3, State.MISSING: 4}.get(attack.state, 0), printed
        told = [line for line in printed.splitlines() if line.startswith(attack.state)]
        assert any(attack.script in line for line in told), printed
        if attack.state != State.OPEN and attack.name not in OTHERWISE:
            rows = audit(bundle, exhibit.genesis or None, held).rows
            theirs = [f"{row.state:<8} {row.claim}" for row in rows if row.state == attack.state]
            assert any(
                line.startswith((*theirs, *(f"{attack.state:<8} {one}" for one in ALONE))) for line in told
            )
    else:
        assert status == 0, printed
