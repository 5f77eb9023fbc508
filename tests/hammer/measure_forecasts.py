"""How good the estimates of the forecast of Hammer are: what it says of battles, and how they ended.

    python -m tests.hammer.measure_forecasts --games 100

The captain plays both sides. When a battle begins, and before a block is turned up, the forecast of each side
is taken: the average over what may stand there, with the side's own orders, its reports and nothing else. In
the table the battles of which about so much was said, and in how many of them the side held the area.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from pbem.orders.base import Answer
from pbem.orders.hammer import LANGUAGE
from pbem.rules.base import Event, View
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import SIDES, enemy_of
from pbem.rules.hammer.sightings import LAST_SEEN, Watcher
from pbem.titles.hammer.bots.captain import Captain
from pbem.titles.hammer.forecast import Seen, prospects
from pbem.titles.hammer.odds.states import fighter
from tests.hammer.matches import SCENARIOS
from tests.hammer.simulated_battles import SeededChance
from tests.tools.in_processes import results

STEPS = 10
FOUGHT = frozenset({"fire", "pass", "hit", "retreat", "battle over"})
"""After these a battle is no longer as it began."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of a battle, and what came of it."""

    likely: float
    least: float
    most: float
    held: bool


class _Game:
    """One game between two captains."""

    def __init__(self, seed: int) -> None:
        self.game = RULES.start({"scenario": SCENARIOS[seed % 2]}, SeededChance(seed))
        self.bots = {side: Captain(side) for side in SIDES}
        self.followers = {side: LANGUAGE.follower(side) for side in SIDES}
        self.watchers = {side: Watcher(side) for side in SIDES}
        self.heard = dict.fromkeys(SIDES, 0)
        self.open: dict[str, Any] = {}

    def run(self) -> Iterator[Said]:
        """Every battle of the game, once for each side."""
        while self.game.outcome is None:
            for side in SIDES:
                yield from self._listen(side)
            ask = self.game.asks[0]
            view = self._view(ask.side)
            reply = self.followers[ask.side].reply(ask, view)
            if not isinstance(reply, Answer):
                text = self.bots[ask.side].write(view, [ask])
                self.followers[ask.side].receive(LANGUAGE.parse(text, ask.side).orders, view)
                reply = self.followers[ask.side].reply(ask, view)
            legal = isinstance(reply, Answer) and reply.text in ask.legal
            self.game.answer(ask.side, reply.text if isinstance(reply, Answer) and legal else ask.default)

    def _view(self, side: str) -> View:
        view = self.game.view(side)
        seen = self.watchers[side].seen(view)
        return {**view, LAST_SEEN: [_row(one) for one in seen]}

    def _listen(self, side: str) -> Iterator[Said]:
        told = self.game.told(side)[self.heard[side] :]
        self.heard[side] += len(told)
        before = None
        for event in told:
            if event["event"] == "battle":
                before = deepcopy(self.watchers[side])
            elif event["event"] in FOUGHT:
                before = None
            self.watchers[side].hear([event])
            if event["event"] == "battle over" and (known := self.open.pop(side, None)) is not None:
                likely, least, most = known
                yield Said(likely, least, most, held=event["holder"] == side)
        if before is not None:
            battle = next(event for event in reversed(told) if event["event"] == "battle")
            self.open.pop(side, None)
            if (found := self._foretold(side, battle, before)) is not None:
                self.open[side] = found

    def _foretold(self, side: str, battle: Event, watcher: Watcher) -> tuple[float, float, float] | None:
        """What a forecast says of a battle before anybody is turned up."""
        view, enemy = self.game.view(side), enemy_of(side)
        own = {name: row for name, row in view["blocks"].items() if row["side"] == side}
        hidden = {**view, "blocks": own, "battle": None}
        hidden[LAST_SEEN] = [_row(one) for one in watcher.seen(hidden)]
        fighting = view["battle"]["fighting"] if view["battle"] else ()
        known = tuple(
            fighter(name, side, row["strength"], battle["area"], reserve=name not in fighting)
            for name, row in own.items()
            if row["area"] == battle["area"]
        )
        seen = Seen(
            area=battle["area"],
            attacker=battle["attacker"],
            known=known,
            hidden=battle["blocks"][enemy],
            hidden_reserves=battle["reserves"][enemy],
        )
        found = prospects(seen, hidden, self.followers[side])
        return None if found is None else (float(found.likely), float(found.least), float(found.most))


def _row(one: Any) -> dict[str, Any]:
    names = ("block", "side", "strength", "area", "year", "turn")
    return {**{name: getattr(one, name) for name in names}, "may_be": list(one.may_be)}


def measure(seed: int) -> list[Said]:
    """What was said of the battles of one game."""
    return list(_Game(seed).run())


def table(said: list[Said]) -> Iterator[str]:
    """Said and held, by tens of percent."""
    yield "| said | battles | said on average | held |"
    yield "|---|---|---|---|"
    for step in range(STEPS):
        some = [one for one in said if step <= one.likely * STEPS < step + 1 + (step == STEPS - 1)]
        if some:
            average, held = (
                sum(one.likely for one in some) / len(some),
                sum(one.held for one in some) / len(some),
            )
            yield f"| {step * 10} to {step * 10 + 10} % | {len(some)} | {average:.0%} | {held:.0%} |"
    brier = sum((one.likely - one.held) ** 2 for one in said) / len(said)
    share = sum(one.held for one in said) / len(said)
    yield f"Brier score {brier:.3f}; who says {share:.0%} of every battle has {share * (1 - share):.3f}."
    inside = [one for one in said if one.most - one.least > 0.99]
    yield f"From under 1 to over 99 %: {len(inside) / len(said):.0%} of the ranges."


def main() -> None:
    """Measure, and print."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--games", type=int, default=100)
    given.add_argument("--processes", type=int, default=1)
    asked = given.parse_args()
    games = [(seed,) for seed in range(asked.games)]
    said = [one for found in results(measure, games, asked.processes) for one in found]
    sys.stdout.writelines(f"{line}\n" for line in table(said))


if __name__ == "__main__":
    main()
