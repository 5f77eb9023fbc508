"""What fails can be played again from the file that it leaves."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pbem.titles.hammer.testing import twin_of
from tests.hammer.lockstep import record_of
from tests.hammer.phases import random_game
from tests.hammer.play import option_mix
from tests.properties.random_play import kept_on_failure
from tests.running import python

pytestmark = pytest.mark.ci


def test_two_worlds_are_compared_again(project: Path) -> None:
    options = option_mix("the-bruce", "4", 5)
    _, starts = random_game(options, 5)
    twin = twin_of(starts[9].position, "england", random.Random(5))
    record = record_of(options, starts[9].position, twin, 5)
    with pytest.raises(AssertionError) as failed, kept_on_failure("example-worlds", record):
        raise AssertionError("the dice are round")
    path = "\n".join(failed.value.__notes__).rpartition(" ")[2]
    said = python("-m", "tests.tools.replay_failure", path, cwd=project).stdout
    assert "the dice are round" in said
    assert said.endswith("it does not fail here\n")
    Path(path).unlink()
