"""How the bots of Hammer are measured."""

from __future__ import annotations

from functools import partial

from pbem.titles.hammer.bots.captain import Captain
from tests.bots.matches import Matches

SCENARIOS = ("braveheart", "the-bruce")

MATCHES = Matches(
    tables={scenario: {"scenario": scenario} for scenario in SCENARIOS},
    seatings={
        "both with plans": ("asked captain",),
        "both with guards": ("captain",),
        "one with plans": ("random", "asked captain"),
        "one with guards": ("random", "captain"),
    },
    players={"asked captain": partial(Captain, ahead=False)},
    words=2,
    learns=lambda answer: answer.text.startswith("draw "),
)
"""The asked captain writes for what it is asked and for no other case."""
