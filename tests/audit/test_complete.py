"""`pbem complete` without a command line: what it restores, and what it says when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pbem.audit.restoration import complete
from pbem.errors import AuditFault
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
