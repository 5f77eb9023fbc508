"""What fails can be played again from the file that it leaves."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from pbem.titles.hammer.testing import twin_of
from tests.hammer.lockstep import record_of
from tests.hammer.phases import random_game
from tests.hammer.play import option_mix
from tests.properties.random_play import kept_on_failure
from tests.running import python

pytestmark = pytest.mark.ci


def kept(name: str, record: dict[str, Any]) -> str:
    """The file that a failure leaves, as the failure itself names it."""
    with pytest.raises(AssertionError) as failed, kept_on_failure(name, record):
        raise AssertionError("the dice are round")
    found = re.search(r"replay_failure (\S+)", "\n".join(failed.value.__notes__))
    assert found
    return found[1]


def replayed(path: str, project: Path) -> str:
    """What the tool says of it."""
    return python("-m", "tests.tools.replay_failure", path, cwd=project).stdout


def test_a_failed_game_is_played_again(project: Path) -> None:
    play, _ = random_game(option_mix("campaign", "3", 5), 5)
    path = kept("example-game", play.record())
    said = replayed(path, project)
    assert "the dice are round" in said
    assert f"{len(play.answers):5} {play.answers[-1][0]}: {play.answers[-1][1]}" in said
    assert said.endswith("it does not fail here\n")
    Path(path).unlink()


def test_two_worlds_are_compared_again(project: Path) -> None:
    options = option_mix("the-bruce", "4", 5)
    _, starts = random_game(options, 5)
    twin = twin_of(starts[9].position, "england", random.Random(5))
    path = kept("example-worlds", record_of(options, starts[9].position, twin, 5))
    assert replayed(path, project).endswith("it does not fail here\n")
    Path(path).unlink()
