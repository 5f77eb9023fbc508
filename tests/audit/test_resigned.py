"""Audit and script say the same of games in which one thing was changed and all was signed anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.audit.replay import ALIKE
from tests.audit.attack import Scene
from tests.audit.stage import write
from tests.audit.workshop import Workshop
from tests.tools.resign_bundles import AWKS, CANNOT_BEGIN, GAMES, NO_END, Verdicts, judge

pytestmark = pytest.mark.ci


@pytest.mark.parametrize("seed", range(12))
def test_both_verifiers_say_the_same(scene: Scene, tmp_path: Path, seed: int) -> None:
    verdicts = judge(scene, seed, tmp_path)
    assert verdicts.agree, verdicts.text


@pytest.mark.parametrize("game", GAMES)
def test_of_what_all_have_signed_anew_only_the_play_is_refuted(
    scene: Scene, folder: Callable[[], Path], game: str
) -> None:
    """A line that means nothing changes all heads; whoever signed what follows signs it again."""
    shop = Workshop(getattr(scene, game))
    shop.find("open 2").text += "remark  of ours\n"
    everybody = ("alice", "bob", "carol")
    rows = audit(write(shop.bind(everybody), folder())).rows
    assert {row.claim for row in rows if row.state is State.REFUTED} <= {ALIKE}  # reports name the old heads


@pytest.mark.parametrize(
    ("status", "refuted", "script", "agree"),
    [
        (0, (), 0, True),
        (0, (), 3, False),
        (0, (), 4, False),
        (5, (), 0, True),
        (5, (), 3, False),
        (4, (), 4, True),
        (4, (), 0, False),
        (3, (ALIKE,), 0, True),
        (3, (ALIKE,), 4, False),
        (3, (ALIKE, "another claim"), 0, False),
        (3, ("another claim",), 3, True),
        (3, ("another claim",), NO_END, False),
        (CANNOT_BEGIN, (), 2, True),
    ],
)
def test_the_script_may_only_say_less_of_what_is_left_to_the_audit(
    status: int, refuted: tuple[str, ...], script: int, agree: bool
) -> None:
    first, *others = AWKS
    verdicts = Verdicts(1, "", status, refuted, {first: script, **dict.fromkeys(others, script)})
    assert verdicts.agree is agree
