"""Orders of any length are forecast: what would cost too much is left out, and told."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pbem.forecast import forecast_of
from pbem.orders import lines
from pbem.orders.kit import follow, proposals
from pbem.orders.kit.follow import KitFollower
from pbem.practice.table import Table
from pbem.rules.base import Ask, View
from pbem.titles import load
from pbem.titles.hammer.forecast.expectations import likely_targets
from pbem.titles.hammer.forecast.trial import ENEMY_CARDS, TRIALS, Trial, _Run
from pbem.titles.hammer.odds.plans import PlanTactics

LINE = "move all to Fife\n"
DECIDES = "if against 2: move none\nplan any:\n    if we have Edward: retreat all\n    fire\nend\n"
"""Orders that make a world of each card of the enemy's, and are asked in each state of a battle."""


@pytest.fixture(autouse=True)
def files_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file has 400 orders at most; the budget of a forecast holds whatever that limit is."""
    monkeypatch.setattr(lines, "MAX_STATEMENTS", 10_000)


class Counted:
    """How often orders were asked, and made into lists."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = self.listed = 0
        reply, make_list = KitFollower.reply, proposals.make_list

        def counting(follower: KitFollower, ask: Ask, view: View) -> object:
            self.asked += 1
            return reply(follower, ask, view)

        def listing(*given: object) -> object:
            self.listed += 1
            return make_list(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(KitFollower, "reply", counting)
        monkeypatch.setattr(follow, "make_list", listing)


def forecast(count: int, *, more: str = "") -> str:
    title = load("hammer")
    table = Table("hammer", {}, 3)
    side = table.sides[0]
    orders = title.language.parse(f"card 2\n{DECIDES}{count * LINE}{more}", side).orders
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
def test_the_lines_of_plans_count() -> None:
    plan = "plan Mentieth:\n" + 1_600 * "if our strength less than 2: retreat all\n" + "fire\nend\n"
    assert "These orders are long, so the forecast leaves out" in forecast(1, more=plan)


@pytest.mark.ci
def test_what_is_left_out_follows_from_the_orders_alone() -> None:
    assert forecast(500) == forecast(500)


MOVES = "card 3\nmove all from Fife to Angus\nmove Douglas from Selkirk to Lothian\n"
ELSEWHERE = "plan Buchan:\n    if our strength less than their strength: retreat all\n    fire\nend\n"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("more", "worlds"),
    [
        ("", 2),  # who moves first, and who moves second
        ("if second and their strength more than 1: ask\n", 2),
        ("if against 2: move none\n", len(ENEMY_CARDS)),
    ],
    ids=("moves", "a condition", "the enemy's card"),
)
def test_cards_that_change_nothing_have_one_trial_for_all(
    more: str, worlds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three times each, and three times the attack that is told; every other attack once."""
    played: list[str] = []
    run = _Run.run

    def counting(one: _Run) -> Trial:
        played.append(one.trial.attacked)
        return run(one)

    monkeypatch.setattr(_Run, "run", counting)
    view = Table("hammer", {}, 3).view("scotland")
    title = load("hammer")
    found = forecast_of(title.forecast, title.language.parse(MOVES + more, "scotland").orders, view)
    attacks = [area for area in played if area]
    assert played.count("") == TRIALS * worlds
    assert len(attacks) == len(set(attacks)) + TRIALS - 1 == len(likely_targets(view)) + TRIALS - 1
    told = " ".join(" ".join(found).split())
    assert all(re.search(rf"Against the card [^:]*\b{card}\b", told) for card in ENEMY_CARDS)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("more", "decides"),
    [
        ("", False),
        ("ask everything\n", False),
        (ELSEWHERE, False),
        (ELSEWHERE.replace("Buchan", "any"), True),
    ],
    ids=("moves", "asking", "a plan for elsewhere", "a plan for any"),
)
def test_a_battle_of_which_no_line_speaks_asks_nothing(
    more: str, decides: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its writer fights to the end, with the odds that asking in every state would find."""
    asked: list[str] = []
    reply = PlanTactics._reply

    def counting(tactics: PlanTactics, kind: str, *given: Any) -> str:
        asked.append(kind)
        return reply(tactics, kind, *given)

    monkeypatch.setattr(PlanTactics, "_reply", counting)
    title, view = load("hammer"), Table("hammer", {}, 3).view("scotland")
    orders = title.language.parse(MOVES + more, "scotland").orders
    found = forecast_of(title.forecast, orders, view)
    assert set(asked) == ({"combat"} if decides else set())  # nor does any line say who is to be hit
    assert any("You hold the area" in line for line in found)
    monkeypatch.setattr("pbem.titles.hammer.forecast.may_decide", lambda *_: True)
    assert forecast_of(title.forecast, orders, view) == found
    assert asked
