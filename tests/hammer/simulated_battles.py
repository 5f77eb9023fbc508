"""Many battles fought by the real rules with seeded dice, to hold the computed odds against."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from pbem.orders.base import Answer
from pbem.orders.hammer import LANGUAGE
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import AREAS, SIDES, enemy_of
from pbem.titles.hammer.odds.states import Fighter, read_force


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """A battle to be computed and simulated."""

    area: str
    attacker: str
    attackers: str
    defenders: str
    plans: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    edward: str = "I"

    @property
    def fighters(self) -> tuple[Fighter, ...]:
        """Everybody who fights."""
        return (
            *read_force(self.attackers, self.attacker, self.area),
            *read_force(self.defenders, enemy_of(self.attacker), self.area),
        )


class SeededChance:
    """Dice from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def roll(self, label: str, sides: int = 6) -> int:
        """One die."""
        return self.random.randint(1, sides)

    def draw(self, label: str, choices: tuple[str, ...]) -> str:
        """One of `choices`."""
        return self.random.choice(choices)


@dataclass(frozen=True, slots=True)
class Fought:
    """One battle as it was fought: who holds the area, each block's side and strength (0: gone)."""

    holder: str | None
    blocks: dict[str, tuple[str, int]]
    over: bool


def fought(meeting: Meeting, seed: int) -> Fought:
    """One battle by the rules; whoever has no plan answers as a silent player does."""
    fighters = meeting.fighters
    rows: dict[str, dict[str, Any]] = {
        one.name: {"side": one.side, "area": meeting.area, "strength": one.strength} for one in fighters
    }
    # a noble a side, far away, and cards in hand: nothing happens between the battle and the next question
    rows["Comyn"] = {"side": "england", "area": "Ross"}
    rows["Moray"] = {"side": "scotland", "area": "Galloway"}
    position = {
        "phase": "battles",
        "hands": {side: ["1", "2"] for side in SIDES},
        "first": meeting.attacker,
        "edward": meeting.edward,
        "blocks": rows,
        "attacks": {
            meeting.area: {
                "attacker": meeting.attacker,
                "origin": next(iter(AREAS[meeting.area].neighbours)),
                "border": "a border",
                "reserve_blocks": [one.name for one in fighters if one.reserve],
            }
        },
    }
    game = RULES.start(meeting.options, SeededChance(seed), position)
    followers = {}
    for side, text in meeting.plans.items():
        parsed = LANGUAGE.parse(f"plan any:\n{text}", side)
        orders, faults = parsed.orders, parsed.faults
        assert not faults
        followers[side] = LANGUAGE.follower(side)
        followers[side].receive(orders, game.view(side))
    while game.asks and not _is_over(game.told("gm")):
        ask = game.asks[0]
        reply = (
            followers[ask.side].reply(ask, game.view(ask.side))
            if ask.side in followers and ask.kind in ("combat", "hit")
            else None
        )
        game.answer(ask.side, reply.text if isinstance(reply, Answer) else ask.default)
    return _result(meeting, game.told("gm"), game.view("gm"))


def _is_over(told: list[dict[str, Any]]) -> bool:
    return any(event["event"] == "battle over" for event in told)


def _result(meeting: Meeting, told: list[dict[str, Any]], view: dict[str, Any]) -> Fought:
    over = [event for event in told if event["event"] == "battle over"]
    gone = {event["block"] for event in told if event["event"] in ("dead", "to pool") and "block" in event}
    gone |= {event["block"] for event in told if event["event"] == "unity" and event["leaves"]}
    gone |= {"Edward"} if any(event["event"] == "edward ii" for event in told) else set()
    blocks = {
        one.name: (
            view["blocks"][one.name]["side"],
            0 if one.name in gone else view["blocks"][one.name]["strength"],
        )
        for one in meeting.fighters
    }
    return Fought(over[0]["holder"] if over else None, blocks, not over)


def within_bounds(count: int, trials: int, chance: float) -> bool:
    """Is a count within five standard deviations of what is expected?"""
    return abs(count - trials * chance) <= 5 * sqrt(trials * chance * (1 - chance)) + 1e-6


__all__ = ["SIDES", "Fought", "Meeting", "fought", "within_bounds"]
