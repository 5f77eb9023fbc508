"""Of lines that could not be understood an explanation tells what is wrong, and no remark."""

from __future__ import annotations

from dataclasses import replace

from pbem.disputes.steps import faults
from tests.refusals.disputes import record


def test_what_is_wrong_is_told_and_a_remark_is_not() -> None:
    one = record()
    wrong = replace(one.files[1, "alice"], body="unless first:\nend\n")
    told = list(faults(replace(one, files={**one.files, (1, "alice"): wrong})))
    assert [(number, player) for number, player, _ in told] == [(1, "alice")]
    assert told[0][2].startswith("line 1: no order begins with 'unless'")
