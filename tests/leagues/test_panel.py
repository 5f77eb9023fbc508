"""What hangs on a number: more than half of a panel, the days of a seat, the size of a block."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.leagues.formats import swiss
from pbem.leagues.model import UNDECIDED, Entrant
from pbem.leagues.scheduler import panel_verdict
from tests.refusals.league_ledger import season


def test_exactly_half_of_a_panel_decides_nothing() -> None:
    """Paul and Ann may vote on a game of others, on hers Paul alone."""
    found = season()
    state = found.rounds[0]
    hers, others = state.pairings.pairs
    for voters, decides in ((("paul",), False), (("paul", "ann"), True)):
        found.votes[1, 2] = dict.fromkeys(voters, (("cat", 1), ("dan", 2)))
        said = panel_verdict(found, state, others)
        assert said == ((("cat", 1), ("dan", 2)) if decides else None)
    found.votes[1, 1] = {"paul": (("ann", 2), ("ben", 1)), "ann": (("ann", 1), ("ben", 2))}
    assert panel_verdict(found, state, hers) == (("ann", 2), ("ben", 1))


def test_after_a_block_that_went_together_with_the_next_they_are_as_small_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first four have met: they are matched with the next four, and the others by fours again."""
    sizes: list[int] = []
    best = swiss._best

    def counted(block: list[str], field: swiss.Field) -> list[tuple[str, str]]:
        sizes.append(len(block))
        return best(block, field)

    monkeypatch.setattr(swiss, "BLOCK", 4)
    monkeypatch.setattr(swiss, "_best", counted)
    names = [f"p{number:02}" for number in range(16)]
    field = swiss._field(
        swiss.PairingOptions(),
        dict.fromkeys(names, ()),
        [Entrant(name=name) for name in names],
        [],
        UNDECIDED,
        names,
    )
    top = swiss._interleave(names, field)[:4]
    met = {name: {other: (1, 1) for other in top if name in top and other != name} for name in names}
    swiss._match_players(names, replace(field, met=met), strict=True)
    assert sizes == [4, 8, 4, 4]
