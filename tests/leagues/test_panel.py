"""A panel decides with more than half of those who may vote."""

from __future__ import annotations

from pbem.leagues.due import panel_says
from tests.refusals.league_ledger import season


def test_exactly_half_of_a_panel_decides_nothing() -> None:
    """Paul and Ann may vote on a game of others, on hers Paul alone."""
    found = season()
    state = found.rounds[0]
    hers, others = state.made.pairs
    for voters, decides in ((("paul",), False), (("paul", "ann"), True)):
        found.votes[1, 2] = dict.fromkeys(voters, (("cat", 1), ("dan", 2)))
        said = panel_says(found, state, others)
        assert said == ((("cat", 1), ("dan", 2)) if decides else None)
    found.votes[1, 1] = {"paul": (("ann", 2), ("ben", 1)), "ann": (("ann", 1), ("ben", 2))}
    assert panel_says(found, state, hers) == (("ann", 2), ("ben", 1))
