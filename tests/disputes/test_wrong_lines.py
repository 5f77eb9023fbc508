"""Of lines that could not be understood an explanation tells what is wrong, and no remark."""

from __future__ import annotations

from dataclasses import replace

from pbem.disputes.record import faults
from tests.refusals.disputes import record


def test_all_that_is_wrong_is_told_and_a_remark_is_not() -> None:
    """Of every line of every file, exchange by exchange."""
    one = record()
    bodies = {
        (2, "alice"): "dance\nmove none\n",
        (1, "bob"): "sing\nunless first:\nend\nfly Ross\n",
        (1, "alice"): "unless first:\nend\n",
    }
    files = {place: replace(one.files[place], body=body) for place, body in bodies.items()}
    told = [(*place, said.partition("\n")[0]) for *place, said in faults(replace(one, files=files))]
    begins = "no order begins with"
    assert told == [
        (1, "alice", f"line 1: {begins} 'unless'"),
        (1, "bob", f"line 1: {begins} 'sing'"),
        (1, "bob", f"line 2: {begins} 'unless'"),
        (1, "bob", f"line 4: {begins} 'fly'"),
        (2, "alice", f"line 1: {begins} 'dance'"),
    ]
