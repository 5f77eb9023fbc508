"""A call lives as a game's exchange does: one guard for judge, entrant and audit."""

# ruff: noqa: F811 - the fixture `table`
from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest

from pbem.player.faults import Contradiction
from pbem.trust.entries import Refused
from pbem.trust.faults import LedgerFault
from tests.leagues.test_player import Table, table  # noqa: F401 - a fixture

LATE = Refused(exchange=1, player="ben", of=1, sealed="5" * 64, reason="late")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (replace(LATE, of=2), "it is for call 2, which is none of the last"),
        (replace(LATE, of=900), "it is for call 900, which is none of the last"),
        (replace(LATE, player="cat"), "call 1 waited for nothing of cat"),
    ],
)
def test_a_file_is_refused_for_a_call_that_asked_for_it(table: Table, entry: Refused, told: str) -> None:
    """Once any call and any name stood there: the judge could use up somebody's room with nothing."""
    with pytest.raises(LedgerFault, match=told):
        deepcopy(table.world.book.season).add(replace(entry, at=table.world.clock()))
    with pytest.raises(Contradiction, match=told):
        table.home.receive(table.lie(entry))
