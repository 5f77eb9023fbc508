"""Beside an action of a battle: the line of the player's own orders that decided it; why others did not."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from pbem.moments.own_lines import Answered, Plans
from pbem.playback import Decision
from pbem.reports.packing import unpack, unpack_view
from pbem.rules.base import Event, View
from pbem.rules.hammer.facts import SIDES
from pbem.titles import load
from pbem.titles.hammer.playback import PLAYBACK
from pbem.web.reading import lines_beside
from tests.properties.random_play import LabelledChance

GAME = Path(__file__).parents[2] / "games/campaign-to-1298"
TITLE = load("hammer")
IN_BATTLE = ("battle", "blocks", "attacks")


def before_ross() -> View:
    """What the Scots see when Moray and Fraser have come to Ross."""
    view = dict(
        TITLE.rules.start(options={"scenario": "braveheart"}, chance=LabelledChance(1)).view("scotland")
    )
    view["blocks"] = {
        **view["blocks"],
        "Wallace": {"side": "scotland", "area": "Moray", "strength": 4},
    }
    return view


def fight(wallace: int, *after: Event) -> list[Event]:
    return [
        {"event": "move", "side": "scotland", "path": ["Moray", "Ross"], "role": "main", "block": "Wallace"},
        {"event": "moves over", "side": "scotland", "blocks": 1, "used": 1, "allowed": 1},
        {
            "event": "battle",
            "number": 1,
            "area": "Ross",
            "attacker": "scotland",
            "blocks": {"scotland": 1, "england": 1},
            "reserves": {"england": 0, "scotland": 0},
        },
        {"event": "round", "area": "Ross", "round": 1},
        {
            "event": "revealed",
            "area": "Ross",
            "round": 1,
            "blocks": {
                "Wallace": {"side": "scotland", "strength": wallace},
                "Ross": {"side": "england", "strength": 3},
            },
        },
        *after,
    ]


FIRES: Event = {
    "event": "fire",
    "block": "Wallace",
    "side": "scotland",
    "dice": [6, 6],
    "rating": 3,
    "hits": 0,
    "label": "1297.1/battle-1/ross/round-1/wallace",
}
LEAVES: Event = {
    "event": "retreat",
    "side": "scotland",
    "area": "Ross",
    "round": 1,
    "blocks": ["Wallace"],
    "to": {"Moray": 1},
    "who": {"Wallace": "Moray"},
}
ORDERS = "card 3\nplan any:\nif Wallace strength at most 1: retreat Wallace to Moray\nfire\nend\n"


def decided(text: str, told: list[Event], view: View | None = None) -> list[tuple[Answered, ...]]:
    view = view or before_ross()
    plans = Plans(TITLE.language, "scotland")
    plans.receive(3, text, view)
    steps = PLAYBACK.steps(view, told, view)
    return [plans.explain(one) for step in steps for one in step.decisions]


def strong(strength: int) -> View:
    view = before_ross()
    view["blocks"] = {
        **view["blocks"],
        "Wallace": {"side": "scotland", "area": "Moray", "strength": strength},
    }
    return view


def test_the_line_that_applied_is_named_and_why_another_did_not() -> None:
    ((applied, stood_down),) = decided(ORDERS, fight(2, FIRES), strong(2))
    assert (applied.said, applied.exchange, applied.line, applied.why) == ("fire", 3, 4, "")
    assert stood_down.said == "if Wallace strength at most 1: retreat Wallace to Moray"
    assert stood_down.why == "Wallace's strength is 2, not at most 1"
    assert (applied.applied, stood_down.applied) == (True, False)


def test_a_retreat_by_plan() -> None:
    ((applied,),) = decided(ORDERS, fight(1, LEAVES), strong(1))
    assert applied.applied
    assert applied.said == "if Wallace strength at most 1: retreat Wallace to Moray"


def test_a_line_that_could_not_be_done() -> None:
    """The way was closed, or the area was the enemy's: Wallace fires."""
    ((applied, other),) = decided(ORDERS, fight(1, FIRES), strong(1))
    assert applied.said == "fire"
    assert (other.applied, other.why) == (False, "it was not possible")


def test_without_a_line_the_rules_decide() -> None:
    ((none,),) = decided("card 3\n", fight(2, FIRES), strong(2))
    assert (none.said, none.applied, none.why) == ("", False, "none of your lines answers this")


def test_what_does_not_fit_what_happened_is_not_told() -> None:
    assert decided("card 3\nplan any:\npass\nend\n", fight(2, FIRES), strong(2)) == [()]


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("they have archers", "not so: they have archers"),
        ("round 2", "the round is 1, not 2"),
        ("not attacking", "it is so: attacking"),
        (
            "our strength less than half their strength",
            "our strength is 2, not less than half their strength of 3",
        ),
        ("round 2 or round 3", "the round is 1, not 2, and the round is 1, not 3"),
        ("Wallace strength 2 and round 2", "the round is 1, not 2"),
    ],
)
def test_why_a_condition_did_not_hold(condition: str, why: str) -> None:
    text = f"plan Ross:\nif {condition}: retreat Wallace to Moray\nfire\nend\n"
    ((_, stood_down),) = decided(text, fight(2, FIRES), strong(2))
    assert stood_down.why == why


def test_a_case_of_several_lines() -> None:
    text = "plan any:\nif round 2:\n  retreat Wallace to Moray\notherwise:\n  fire Wallace\nend\nend\n"
    ((applied, stood_down),) = decided(text, fight(2, FIRES), strong(2))
    assert applied.said == "otherwise: fire Wallace"
    assert stood_down.said == "if round 2: retreat Wallace to Moray"
    assert stood_down.why == "the round is 1, not 2"


@pytest.mark.parametrize("side", SIDES)
def test_the_lines_of_a_recorded_game(side: str) -> None:
    """Everything that a side decided in the battles of a campaign is told, by its own orders."""
    found: list[tuple[Decision, tuple[Answered, ...]]] = []
    plans = Plans(TITLE.language, side)
    before: View | None = None
    for path in sorted((GAME / "reports" / side).glob("*.txt")):
        number = int(path.stem[-4:])
        view = unpack_view(path.read_text())
        told = unpack(path.read_text())
        orders = GAME / "orders" / side / f"{number:04}.txt"
        if before is not None and told:
            if orders.exists():
                plans.receive(number, orders.read_text().partition("\n---\n")[2], before)
            for step in PLAYBACK.steps(before, told[1], told[0]):
                found += ((one, plans.explain(one)) for one in step.decisions)
        before = view
    assert len(found) > 20
    known = [lines for _, lines in found if lines and lines[0].applied]
    assert len(known) > 0.9 * len(found)
    for decision, lines in found:
        assert len([one for one in lines if one.applied]) <= 1, decision
        assert all(one.why for one in lines if not one.applied)


def kept(side: str) -> tuple[dict[int, str], dict[int, str]]:
    """Reports and orders of a side of a campaign, by exchange."""
    return tuple(  # type: ignore[return-value]
        {
            int(path.stem[-4:]): path.read_text(encoding="utf-8")
            for path in sorted((GAME / folder / side).glob("*.txt"))
        }
        for folder in ("reports", "orders")
    )


def beside(
    side: str, exchange: int, other: Mapping[int, str | None] = MappingProxyType({})
) -> tuple[tuple[Answered, ...], ...]:
    reports, orders = kept(side)
    texts: dict[int, str | None] = {n: text.partition("\n---\n")[2] for n, text in orders.items()}
    texts |= other
    before, now = unpack(reports[exchange - 1]), unpack(reports[exchange])
    assert before
    assert now
    steps = PLAYBACK.steps(before[0], now[1], now[0])
    return lines_beside(reports, lambda number: texts.get(number, ""), exchange, steps)


def fought() -> list[int]:
    """Return the exchanges in whose battles an order decided that the Scots had sent for them."""
    return [
        number
        for number in sorted(kept("scotland")[0])[2:]
        if any(line.applied and line.exchange == number for own in beside("scotland", number) for line in own)
    ]


def fires(number: int) -> bool:
    """Tell whether an order of the Scots to fire decided something in an exchange."""
    return any(line.applied and line.said == "fire" for own in beside("scotland", number) for line in own)


def test_beside_each_step_stand_the_lines_of_the_orders_that_counted() -> None:
    whys = [line.why for number in fought() for own in beside("scotland", number) for line in own]
    assert any(re.fullmatch(r"[A-Z][a-z]+'s strength is [1-4], not [1-4]", why) for why in whys)


def test_orders_that_stand_count_until_others_are_sent() -> None:
    number = next(number for number in fought() if number > 4 and fires(number))
    sent = {3: "doctrine:\nfire\nend\n", **dict.fromkeys(range(4, number), ""), number: "card 3\n"}
    found = beside("scotland", number, sent)
    exchanges = {line.exchange for lines in found for line in lines if line.applied}
    assert exchanges == {3}


def test_nothing_is_told_where_the_orders_that_counted_are_not_here() -> None:
    number = fought()[0]
    found = beside("scotland", number, {number: None})
    assert found
    assert not any(found)


def test_a_report_that_stands_for_nothing_is_told_without_lines() -> None:
    reports, _ = kept("scotland")
    number = max(reports)
    now = unpack(reports[number])
    assert now
    steps = PLAYBACK.steps(now[0], now[1], now[0])
    assert not any(lines_beside({number - 1: "no report"}, lambda _: "fire", number, steps))


def turns(seed: int) -> Iterator[tuple[str, View, list[Event], View, list[tuple[str, str, View]]]]:
    """Play a year at random: each exchange of a side, with what it answered in battles and saw then."""
    dice = random.Random(seed)
    game = TITLE.rules.start(options={"scenario": "braveheart"}, chance=LabelledChance(seed))
    views = {one: game.view(one) for one in SIDES}
    heard = {one: len(game.told(one)) for one in SIDES}
    answers: dict[str, list[tuple[str, str, View]]] = {one: [] for one in SIDES}
    turn: Any = None
    for _ in range(2_000):
        if game.outcome or not game.asks:
            return
        ask = game.asks[0]
        if ask.kind == "card" and turn != (now := (game.view("public")["year"], game.view("public")["turn"])):
            for one in SIDES:
                view, told = game.view(one), game.told(one)
                if turn is not None:
                    yield one, views[one], told[heard[one] :], view, answers[one]
                views[one], heard[one], answers[one] = view, len(told), []
            turn = now
        answer = dice.choice([text for text in ask.legal if not text.startswith("pass")] or ask.legal)
        if ask.kind == "combat":
            answers[ask.side].append((ask.kind, answer, game.view(ask.side)))
        game.answer(ask.side, answer)


@pytest.mark.parametrize("seed", range(3))
def test_what_a_side_saw_when_it_fired_is_what_the_steps_show(seed: int) -> None:
    looked = 0
    for side, before, told, after, answers in turns(seed):
        if any(event["event"] == "winter" for event in told):
            continue
        fired = [(text, view) for _, text, view in answers if text.startswith("fire ")]
        steps = PLAYBACK.steps(before, told, after)
        decisions = [
            one
            for step in steps
            for one in step.decisions
            if one.kind == "combat" and one.answer[:5] == "fire "
        ]
        assert [one.answer for one in decisions] == [text for text, _ in fired], side
        for decision, (text, view) in zip(decisions, fired, strict=True):
            fight = view["battle"]
            assert decision.view["battle"]["number"] == fight["number"]
            for name in ("area", "round", "attacker", "defender", "reserves"):
                assert decision.view["battle"][name] == fight[name], (text, name)
            assert set(decision.view["battle"]["fighting"]) == set(fight["fighting"]), text
            for name in fight["fighting"]:
                assert decision.view["blocks"][name] == view["blocks"][name], text
            looked += 1
    assert looked > 3
