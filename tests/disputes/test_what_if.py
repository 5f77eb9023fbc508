"""`had I retreated, I would have won`: pbem what-if shows it, and foretells nothing."""

from __future__ import annotations

import pytest

from tests.disputes.story import GAME, WHY, Story

pytestmark = pytest.mark.ci


FIRE_ALL = 12  # the line of alice's orders for exchange 3, below ---


def test_a_bundle_of_everything_will_do_and_no_other(played: Story) -> None:
    change = ("--side", "scotland", "--replace", FIRE_ALL, "--line", "pass all")
    told = played.pbem("what-if", played.bundle("all"), 3, *change).out
    assert told == played.pbem("what-if", GAME, *WHY, 3, *change).out
    refused = played.pbem("what-if", played.bundle("scotland"), 3, *change, status=1)
    assert "does not open every order file" in refused.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((3, "--side", "scotland", "--line", "done", "--replace", 0), "0"),
        ((3, "--option", "bid=S9"), "S9"),
        ((3, "--option", "bid"), "bid"),
        ((99, "--side", "scotland", "--line", "done"), "99"),
        ((0, "--side", "scotland", "--line", "done"), "0"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused_with_the_reason(
    played: Story, words: tuple[object, ...], told: str
) -> None:
    """And nothing is played: no line of an answer is printed."""
    where, *change = words
    run = played.pbem("what-if", GAME, *WHY, where, *change, status=None)
    assert run.status in (1, 2)
    assert told in run.err
    assert run.out == ""
