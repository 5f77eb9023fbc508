"""Orders of any length are forecast: what would cost too much is left out, and told."""

from __future__ import annotations

import pytest

from pbem.forecast import forecast_of
from pbem.orders.kit import follow, steps
from pbem.orders.kit.follow import KitFollower
from pbem.practice.table import Table
from pbem.rules.base import Ask, View
from pbem.titles import load

LINE = "move all to Fife\n"


class Counted:
    """How often orders were asked, and made into lists."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = self.listed = 0
        reply, make_list = KitFollower.reply, steps.make_list

        def counting(follower: KitFollower, ask: Ask, view: View) -> object:
            self.asked += 1
            return reply(follower, ask, view)

        def listing(*given: object) -> object:
            self.listed += 1
            return make_list(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(KitFollower, "reply", counting)
        monkeypatch.setattr(follow, "make_list", listing)


def forecast(lines: int) -> str:
    title = load("hammer")
    table = Table("hammer", {}, 3)
    side = table.sides[0]
    orders = title.language.parse("card 2\n" + lines * LINE, side).orders
    found = forecast_of(title.forecast, orders, table.view(side), table.play.follower(side))
    return " ".join(" ".join(found).split())


@pytest.mark.ci
def test_orders_of_many_lines_are_tried_as_far_as_the_budget_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    usual = forecast(20)
    asked, listed = counted.asked, counted.listed
    found = forecast(1_600)
    assert "leaves out" not in usual
    assert "These orders are long, so the forecast leaves out: the enemy's card" in found
    assert "odds for Fife" in found
    assert "Against the card 1" in found  # the first world is played whatever it costs
    assert counted.listed - listed < listed
    assert (counted.asked - asked) * 3 < asked


@pytest.mark.ci
def test_what_is_left_out_follows_from_the_orders_alone() -> None:
    assert forecast(500) == forecast(500)
