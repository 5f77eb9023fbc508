"""What stands in a league's ledger is read as it was written, and as nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pbem.leagues.entries import Paired, Pairings, parse_league_entry
from pbem.leagues.model import Seat

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
