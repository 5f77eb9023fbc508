"""A year of Braveheart in the page: two profiles, and a judge at the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.rules.base import read_head
from tests.web.table import Judge, PagePlayer, begin, bundle_of, exchange, pbem

pytestmark = pytest.mark.slow

Arrive = Callable[..., PagePlayer]


def test_two_play_a_year_by_drops_and_downloads(judge: Judge, arrive: Arrive, tmp_path: Path) -> None:
    players, sides = (
        [arrive("alice"), arrive("bob", viewport={"width": 360, "height": 740})],
        ["scotland", "england"],
    )
    begin(judge, players, "hearth", "hammer", sides, scenario="braveheart")
    for player in players:
        player.save_home()
        player.page.locator("#seal").wait_for()
    years = set[str]()
    while len(years) < 2 and not any(player.page.locator(".banner.over").count() for player in players):
        exchange(judge, players, "hearth", "hammer", sides)
        view = players[0].view("hearth")
        years |= {read_head(view).moment[0]} if view else set()
    assert "refuted" not in pbem("audit", bundle_of(judge, "hearth", tmp_path))
