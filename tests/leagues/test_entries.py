"""What stands in a league's ledger is read as it was written, and as nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pbem.leagues.entries import Paired, Pairings, parse_league_entry
from pbem.leagues.model import Seat
from pbem.leagues.statements import parse_lines
from pbem.trust.faults import OrderFileFault

AT = datetime(2026, 5, 3, tzinfo=UTC)
DRAWN = Pairings(
    round=2,
    at=AT,
    until=AT + timedelta(days=60),
    pairs=(
        Paired(
            number=1,
            division="a",
            game="x-1",
            seats=(Seat(player="alice", side="scotland"), Seat(player="bob", side="england")),
        ),
        Paired(
            number=2,
            division="",
            game="x-2",
            seats=(Seat(player="carol", side=""), Seat(player="dave", side="")),
        ),
    ),
    byes=(("a", "erin"), ("", "frank")),
)


def test_a_round_is_read_as_it_was_drawn() -> None:
    assert "bye a erin\nbye - frank\n" in DRAWN.text.decode()
    assert parse_league_entry(DRAWN.text) == DRAWN


@pytest.mark.parametrize("about", ["x 1", "1 x", "0 1", "1 0", "1", "1 2 3", "-1 2", "01 2", "1 ²"])
def test_a_vote_is_about_a_round_and_a_pairing(about: str) -> None:
    lines = [
        "say vote",
        f"judge SHA256:{'a' * 43}",
        f"genesis {'c' * 64}",
        "about 2 13",
        "places alice=1,bob=2",
        "made 2026-05-03T00:00:00Z",
    ]
    assert parse_lines("spring", "carol", lines).about == (2, 13)
    with pytest.raises(OrderFileFault, match="is not a round and pairing"):
        parse_lines("spring", "carol", [*lines[:3], f"about {about}", *lines[4:]])
