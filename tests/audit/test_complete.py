"""`pbem complete` without a command line: what it restores, and what it says when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pbem.audit.complete import complete
from pbem.errors import AuditFault, ConfigError
from tests.audit.attack import ATTACKS, Scene
from tests.audit.stage import GAME, Files, Stage
from tests.audit.test_attacks import ENDED
from tests.audit.test_missing import without

ROOTS = "keys/roots"
Change = Callable[[Files], Files]


@pytest.mark.ci(but=("finished-public",))
@pytest.mark.parametrize("sources", [("public",), ("england", "scotland")], ids="+".join)
@pytest.mark.parametrize("game", ["skirmish", *ENDED])
def test_bundles_give_what_the_judge_would_have_written(
    scene: Scene, game: str, sources: tuple[str, ...]
) -> None:
    stage: Stage = getattr(scene, game)
    made = complete([stage.bundle(one) for one in sources], stage.club.roots(GAME))
    assert made == stage.bundle()


@pytest.mark.ci(but=("dice/",))
@pytest.mark.parametrize(
    "lost",
    [
        "mix/",
        "dice/",
        "reports/",
        "keys/allowed_signers",
        "keys/exchange-",
        "log/0012",
        "log/0013.salt",
        ROOTS,
    ],
)
def test_what_follows_from_the_rest_may_be_lost(scene: Scene, lost: str) -> None:
    whole = scene.finished.bundle()
    left = without(whole, *(name for name in whole if name.startswith(lost)))
    assert complete([left], scene.finished.club.roots(GAME)) == whole


def test_an_older_bundle_adds_what_the_newer_lacks(scene: Scene) -> None:
    newer = without(scene.skirmish.bundle(), "log/0005.entry", "log/0005.salt")
    made = complete([newer, scene.earlier], scene.skirmish.club.roots(GAME))
    assert made == scene.skirmish.bundle()


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ("log/leaves", "log/leaves is missing"),
        ("log/0001.entry", "log/0001.entry is missing"),
        ("log/0005.entry", "log/0005.entry is missing"),
        ("sealed/", "is missing"),
    ],
)
def test_what_nobody_has_cannot_be_restored(scene: Scene, lost: str, told: str) -> None:
    whole = scene.finished.bundle()
    first = next(name for name in sorted(whole) if name.startswith(lost))
    with pytest.raises(ConfigError, match=told) as caught:
        complete([without(whole, first)], scene.finished.club.roots(GAME))
    assert first in str(caught.value)


def test_a_key_that_has_signed_nothing_is_asked_for(scene: Scene) -> None:
    """Papers hold no list of keys: each key must have signed something in them."""
    public = scene.skirmish.bundle("public")
    papers = without(public, *(name for name in public if name.startswith(("keys/", "checkpoints/"))))
    with pytest.raises(ConfigError, match="nothing here is signed by gm: add a bundle"):
        complete([papers], scene.skirmish.club.roots(GAME))


def _another_leaf(files: Files) -> Files:
    rest = files["log/leaves"].partition(b"\n")[2]
    return files | {"log/leaves": b"1 " + b"a" * 64 + b"\n" + rest}


def _another_report(files: Files) -> Files:
    return files | {"reports/public/0002.txt": b"All is well.\n"}


@pytest.mark.parametrize("change", [_another_leaf, _another_report])
def test_sources_that_differ_are_refused(scene: Scene, change: Change) -> None:
    public = scene.finished.bundle("public")
    with pytest.raises(AuditFault, match=r"two of the sources have a file .*, and the files differ"):
        complete([public, change(public)], scene.finished.club.roots(GAME))


@pytest.mark.parametrize("which", ["chain", "secret_chain", "salt", "seal"])
def test_each_secret_must_be_the_one_of_the_genesis(scene: Scene, which: str) -> None:
    roots = replace(scene.finished.club.roots(GAME), **{which: bytes(32)})
    with pytest.raises(AuditFault, match="the secrets are those that the judge fixed in the genesis"):
        complete([scene.finished.bundle("public")], roots)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a card is dealt on purpose", "is not what the game gives when this release plays it again"),
        ("an order is not followed", "is not what the game gives"),
        ("orders forged by the judge", "was made with the key"),
        ("an entry is changed", "the leaf of entry 31"),
    ],
)
def test_what_a_cheat_has_written_is_not_completed(scene: Scene, name: str, told: str) -> None:
    files = ATTACKS[name].make(scene).files
    with pytest.raises(AuditFault, match=told):
        complete([files], scene.finished.club.roots(GAME))
