"""Whoever falls may change what the others of a Combat Turn hit with (2.12)."""

from __future__ import annotations

from dataclasses import replace

from pbem.rules.hammer.facts import SIDES
from pbem.titles.hammer.odds.battle import fight
from tests.hammer.simulated_battles import Meeting
from tests.odds.test_battle import field_of, tactics_of

MEETING = Meeting(
    area="Lennox",
    attacker="england",
    attackers="Lancaster Archers 1, Durham Knights 1",
    defenders="Graham 3, Campbell 3",
    options={"schiltroms": True},
)


def test_two_who_fire_together_are_reckoned_as_two_who_are_asked_in_turn() -> None:
    """The first may kill the last archers, and the second then stands in a schiltrom."""
    where = field_of(MEETING)
    asked = tactics_of(replace(MEETING, plans=dict.fromkeys(SIDES, "if round 1: fire\nfire")), where)
    outcome = fight(where, {})
    assert (found := outcome.chances()) == fight(where, asked).chances()
    assert (len(outcome.endings), len(found), sum(found.values())) == (90, 19, 1), "each ending once"


def test_a_plan_is_asked_anew_in_each_round() -> None:
    plan = {"scotland": "if round 3: retreat all\nfire"}
    meeting = replace(MEETING, attackers="York Infantry 1", defenders="Campbell 1", plans=plan, options={})
    where = field_of(meeting)
    assert fight(where, tactics_of(meeting, where)).chances() != fight(where).chances()
