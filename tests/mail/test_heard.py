"""Nothing that a person writes is lost in silence: they hear of it, or the director does."""

from __future__ import annotations

import pytest

from tests.mail.postal import Postal
from tests.mail.test_passes import body

GM = "gm@club.example"
ALICE = "alice@example.org"


@pytest.fixture
def watched(postal: Postal) -> Postal:
    """A game in its second exchange, with a director who does not play."""
    postal.settle(watch={"address": GM, "summary": "", "waiting": ""})
    postal.run()
    postal.go()
    for name in ("alice", "bob", "gm"):
        postal.mails(name)
    return postal


def told(postal: Postal, name: str = "alice") -> list[str]:
    """What has come for somebody, on one line each."""
    return [" ".join(body(one).split()) for one in postal.mails(name)]


def test_orders_that_come_three_exchanges_late_are_answered_with_game_and_exchange(watched: Postal) -> None:
    late = watched.table.sealed("alice", rev=7)
    watched.go(3)
    told(watched)
    before = watched.table.ledger()
    watched.deliver(late, ALICE)
    (text,) = told(watched)
    assert "Orders of alice for demo do not count: exchange 2 of demo is closed; exchange 5 is open." in text
    assert watched.table.ledger() == before, "no ledger has an entry for an exchange so long ago"


def test_a_stranger_learns_nothing_of_orders_that_come_late(watched: Postal) -> None:
    late = watched.table.sealed("alice", rev=7)
    watched.go(3)
    told(watched)
    watched.deliver(late, "eve@elsewhere.example", Subject="demo")
    assert all("exchange" not in text for text in told(watched, "eve"))
    assert any("exchange 2 of demo is closed" in text for text in told(watched))
