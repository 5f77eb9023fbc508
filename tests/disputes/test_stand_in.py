"""A bot in a missing player's seat writes what the judge takes, by his report alone."""

from __future__ import annotations

import pytest

from pbem.reports.packing import unpack_view
from tests.disputes.story import GAME, Story


@pytest.mark.ci
@pytest.mark.parametrize("name", ["captain", "random"])
def test_a_bot_plays_a_seat_through_the_same_door_as_people(fresh: Story, name: str) -> None:
    fresh.begin("--option", "scenario=braveheart")
    fresh.exchange()
    for _ in range(3):
        for player in ("alice", "bob"):
            shown = fresh.receive(player)
            report = fresh.folder / f"{player}.report"
            if unpack_view(shown) is not None:
                report.write_text(shown, encoding="utf-8")
            orders = fresh.folder / f"{player}.orders"
            orders.write_text(fresh.pbem("bot", report, "--as", name).out, encoding="utf-8")
            sealed = fresh.folder / f"{player}.age"
            fresh.pbem("seal", orders, "--out", sealed, home=player)
            assert "received" in fresh.pbem("submit", sealed).out
        assert f"{GAME}: exchange" in fresh.pbem("run").out
