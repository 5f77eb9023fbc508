"""What a report says of its reader's earlier orders: those that may still answer something, and no others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pbem.orders.hammer import LANGUAGE
from pbem.practice.table import Table
from pbem.titles import load
from tests.hammer.order_table import situation

FIRST = """\
card 2
move Wallace to Mar
plan Fife:
    fire
end
winter:
    home Bruce to Annan
doctrine:
    hits infantry, rest
end
"""


def lines(text: str, phase: str, newer: str = "", **given: Any) -> list[str]:
    """What of some orders that came at the turn's beginning still rules in a phase."""
    scots = {"Fife": "Wallace, Douglas", "Annan": "Bruce"}
    hands = {"scotland": ["1", "2"], "england": ["1", "2"]}
    start = situation("cards", scotland=scots, england={"Mar": "Mar"}, hands=hands)
    follower = LANGUAGE.follower("scotland")
    for one in filter(None, (text, newer)):
        follower.receive(LANGUAGE.parse(one, "scotland").orders, start.view("scotland"))
    now = situation(phase, scotland=scots, england={"Mar": "Mar"}, hands=hands, **given)
    return [line for one in follower.on_file(now.view("scotland")) for line in one.lines]


def test_at_the_beginning_everything_rules() -> None:
    found = lines(FIRST, "cards")
    assert found == [
        "You play the card 2.",
        "Wallace moves to Mar.",
        "In a battle for Fife:",
        "    All fight.",
        "In the winter:",
        "    Bruce winters in Annan.",
        "From now on, if no other order answers:",
        "    If several blocks are equally strong, a hit falls on the infantry, else the rest.",
    ]


def test_what_cannot_be_asked_any_more_is_left_out() -> None:
    played: dict[str, Any] = {"first": "scotland", "cards": {"scotland": "2", "england": "1"}}
    assert lines(FIRST, "second move", **played)[:3] == [
        "In a battle for Fife:",
        "    All fight.",
        "In the winter:",
    ]
    assert lines(FIRST, "second move", **(played | {"first": "england"}))[0] == "Wallace moves to Mar."


def test_a_later_turn_keeps_the_winter_and_the_doctrine_alone() -> None:
    found = lines(FIRST, "cards", turn=3)
    assert [line for line in found if not line.startswith(" ")] == [
        "In the winter:",
        "From now on, if no other order answers:",
    ]


def test_the_newest_file_stands_first_and_its_doctrine_replaces_the_older() -> None:
    found = lines(FIRST, "cards", newer="plan any:\npass\nend\ndoctrine:\nend\n")
    assert found[:2] == ["In any battle:", "    You pass."]
    assert not any("hit falls" in line for line in found)


def test_a_report_shows_its_reader_s_orders_and_nobody_else_s() -> None:
    table = Table("hammer", {}, 3, {"scotland": "alice", "england": "bob"})
    table.exchange(
        {
            "scotland": "card 2\nplan any:\nretreat all if round 3\n",
            "england": "card 1\ndoctrine:\nhits rest\n",
        }
    )
    own, other, public = (table.report(reader) for reader in ("scotland", "england", "public"))
    assert "\nYOUR EARLIER ORDERS THAT STILL COUNT\n\nSent for exchange 2:\n  In any battle:" in own
    assert "If round 3: all retreat" in own
    assert "From now on, if no other order answers:\n      If several" in other
    assert "If round 3" not in other
    assert "hit falls" not in own
    assert "YOUR EARLIER ORDERS THAT STILL COUNT" not in public


@pytest.mark.parametrize("name", [pytest.param("hammer", marks=pytest.mark.ci), "lords", "first-war"])
def test_the_kinds_of_a_group_have_the_same_lines_in_force(name: str) -> None:
    """What rows declare as `apart` only saves looking: each kind by itself gives the same orders on file."""
    table, bots = Table(name, {}, 7), load(name).bots
    players = {side: next(iter(bots.values()))(side) for side in table.sides}
    compared = 0
    for _ in range(12):
        table.exchange(
            {side: one.write(table.view(side), table.open_asks(side)) for side, one in players.items()}
        )
        for side in table.sides:
            follower: Any = table.play.follower(side)
            if table.outcome is None and follower.rows.in_force.apart:
                alone: Any = follower.copy()
                alone.rows = replace(follower.rows, in_force=replace(follower.rows.in_force, apart=()))
                assert follower.on_file(table.view(side)) == alone.on_file(table.view(side))
                compared += 1
    assert compared or table.outcome
