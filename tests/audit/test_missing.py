"""A file is left out: it is derived, or named as missing; and no honest judge is refuted."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit.bundle import Files as Read
from pbem.audit.findings import Findings
from pbem.audit.game import audit_files
from tests.audit.attack import ATTACKS, Attack, Scene
from tests.audit.attacks_play import adjudicator_with
from tests.audit.script import verify_sh
from tests.audit.stage import Files, finish, skirmish, write
from tests.audit.test_attacks import AUDIENCES, ENDED, QUICK

pytestmark = pytest.mark.ci


REFUTED, MISSING = 3, 4
AGREED = ((0, 0), (MISSING, MISSING), (REFUTED, REFUTED), (MISSING, REFUTED), (REFUTED, MISSING))
"""What both verifiers may say: what rests on what is missing the one may still look at, and the other not."""
PROOFS = [attack for attack in ATTACKS.values() if attack.evidence == "bundle"]
"""The attacks that the bundle itself convicts."""


def audited(files: Files) -> Findings:
    """What pbem audit finds."""
    return audit_files(Read(files, ()))


def without(files: Files, *names: str) -> Files:
    """The bundle, these files left out."""
    return {name: data for name, data in files.items() if name not in names}


def derivable(files: Files, name: str) -> bool:
    """Does it follow from the other files by hashing alone?"""
    folder, _, rest = name.partition("/")
    if folder in ("mix", "dice") and ".secret" not in name:
        return True
    if folder in ("checkpoints", "consents", "rotations") and name.endswith(".txt"):
        return True
    if name.startswith("keys/allowed_signers.from-"):
        return True
    secret = name.endswith((".agekey", ".secret.txt", ".salt"))
    return secret and "keys/roots" in files and rest != "leaves"


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("game", ["skirmish", *ENDED])
def test_an_honest_bundle_without_one_file(scene: Scene, game: str, audience: str) -> None:
    files = getattr(scene, game).bundle(audience)
    whole = audited(files)
    assert whole.status == 0
    kinds: dict[str, list[str]] = {}
    for name in files:
        kinds.setdefault(f"{name.split('/')[0]} {Path(name).suffix} {'secret' in name}", []).append(name)
    chooser = random.Random(f"{game} {audience}")
    for names in kinds.values():
        for name in chooser.sample(names, min(len(names), 3)):
            found = audited(without(files, name))
            assert not found.is_refuted, (name, [str(row) for row in found.rows])
            is_draw = name.startswith("log/") and files[name.replace(".salt", ".entry")].startswith(b"draw")
            if derivable(files, name):
                assert found.status == 0, name
                assert any(f"follows from what it holds: {name}" in row.claim for row in found.rows), name
            else:
                assert found.status == MISSING, (name, is_draw, [str(row) for row in found.rows])
                assert found.shown.startswith("this shows that ")


@pytest.mark.parametrize(
    ("game", "audience", "start"),
    [
        ("skirmish", "all", "log/0002.salt"),
        ("skirmish", "all", "keys/exchange-2.alice"),
        ("skirmish", "all", "mix/2.secret"),
        ("skirmish", "public", "checkpoints/0024.sig"),
        ("skirmish", "scotland", "keys/exchange-2.alice"),
        ("skirmish", "scotland", "sealed/"),
        ("finished", "all", "keys/roots"),
        ("finished", "all", "keys/exchange-2.alice"),
        ("finished", "all", "log/0002.salt"),
        ("finished", "all", "mix/2.secret"),
        ("finished", "all", "mix/2.txt"),
        ("finished", "all", "log/leaves"),
        ("finished", "all", "keys/allowed_signers"),
        ("interrupted", "all", "keys/allowed_signers.from"),
        ("interrupted", "all", "consents/"),
        ("interrupted", "all", "rotations/"),
        ("late", "all", "dice/all.txt"),
    ],
)
def test_the_script_says_the_same(
    scene: Scene, folder: Callable[[], Path], game: str, audience: str, start: str
) -> None:
    files = getattr(scene, game).bundle(audience)
    for name in [name for name in sorted(files) if name.startswith(start)][:2]:
        left = without(files, name)
        status, printed = verify_sh(write(left, folder()))
        assert status == audited(left).status, (name, printed)
        assert status == (0 if derivable(files, name) else MISSING), name
        assert printed.splitlines()[-1].startswith("this shows that ")


@pytest.mark.parametrize("start", ["checkpoints/", "consents/", "rotations/", "mix/", "sealed/"])
def test_a_whole_folder_is_left_out(scene: Scene, folder: Callable[[], Path], start: str) -> None:
    """Without any signed head the script found nothing missing."""
    files = scene.interrupted.bundle("scotland")
    left = without(files, *(name for name in files if name.startswith(start)))
    expected = 0 if start == "mix/" else MISSING
    assert audited(left).status == expected
    status, printed = verify_sh(write(left, folder()))
    assert status == expected, printed


def left_out(attack: Attack, scene: Scene, every: bool) -> list[tuple[str, Files]]:
    """What the attack makes, each time another file left out; one of them unless `every` is asked for."""
    files = attack.make(scene).files
    names = sorted(files)
    chosen = names if every else random.Random(attack.name).sample(names, 1)
    return [(name, without(files, name)) for name in chosen]


def is_honest(scene: Scene, files: Files) -> bool:
    """Is nothing in it but what an honest judge has written? What was left out was all that was wrong."""
    return any(
        files.items() <= getattr(scene, game).bundle(audience).items()
        for game in ("skirmish", *ENDED)
        for audience in AUDIENCES
    )


def check_left_out(attack: Attack, scene: Scene, every: bool) -> None:
    """Guilty still: refuted or incomplete."""
    for name, left in left_out(attack, scene, every):
        found = audited(left)
        guilty = found.status in (REFUTED, MISSING)
        assert guilty or is_honest(scene, left), (name, [str(row) for row in found.rows])


@pytest.mark.parametrize("attack", PROOFS, ids=lambda attack: attack.name)
def test_no_cheat_hides_by_leaving_a_file_out(attack: Attack, scene: Scene) -> None:
    check_left_out(attack, scene, every=False)


@pytest.mark.slow
@pytest.mark.parametrize("attack", PROOFS, ids=lambda attack: attack.name)
def test_no_cheat_hides_by_leaving_any_file_out(attack: Attack, scene: Scene) -> None:
    check_left_out(attack, scene, every=True)


SOONER = [pytest.param(one, 1, marks=pytest.mark.ci, id=one.name) for one in PROOFS if one.name in QUICK]
LATER = [pytest.param(one, 2, marks=pytest.mark.slow, id=one.name) for one in PROOFS if one.name not in QUICK]


@pytest.mark.parametrize(("attack", "count"), SOONER + LATER)
def test_both_verifiers_agree_on_a_cheat_with_a_file_left_out(
    attack: Attack, count: int, scene: Scene, folder: Callable[[], Path]
) -> None:
    """Neither proves what the other convicts; where only a replay does, the script tells what is missing."""
    files = attack.make(scene).files
    for name in random.Random(f"{attack.name} twice").sample(sorted(files), count):
        left = without(files, name)
        found = audited(left).status
        status, printed = verify_sh(write(left, folder()))
        told = (name, found, status, printed)
        if attack.script or status == REFUTED:
            assert (status, found) in AGREED, told
        else:
            assert status == (0 if derivable(files, name) and found != MISSING else MISSING), told


def test_a_seal_key_that_is_left_out_hides_no_order_that_was_not_followed(scene: Scene) -> None:
    body = "card 3\nmove Douglas, Barclay from Fife to Mentieth\nplan any:\n  fire\n  regroup none\n"
    stage = scene.fresh(adjudicator=adjudicator_with({(2, "alice"): body}))
    skirmish(stage)
    finish(stage)
    files, key = stage.bundle(), "keys/exchange-2.alice.agekey"
    assert audited(files).status == REFUTED
    assert audited(without(files, key)).status == REFUTED
    left = audited(without(files, key, "keys/roots"))
    assert left.status == MISSING
    assert "the claims that need the missing files" in left.shown
