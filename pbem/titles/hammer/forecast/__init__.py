"""The forecasts for Hammer of the Scots.

expectations: what a side must reckon with, and who may stand unseen; trial: the orders played in a world
that fits a view; words: all of it for a person, with odds as far as blocks are seen; worlds: positions that
a view leaves possible.
"""

from __future__ import annotations

from pbem.forecast import Budget, Forecaster
from pbem.orders.base import Follower
from pbem.orders.hammer import LANGUAGE
from pbem.orders.kit.parsed_orders import Orders, every_order
from pbem.rules.base import View
from pbem.titles.hammer.forecast.trial import trials
from pbem.titles.hammer.forecast.words import describe_outcome, lines

ALONE = "This looks at this file alone. Your earlier orders and your standing ones may answer more."


class HammerForecast:
    """The forecaster of the game "hammer"."""

    def forecast(self, orders: Orders, view: View, follower: Follower | None = None) -> tuple[str, ...]:
        """Return what these orders will do, as far as the view shows it."""
        if view["outcome"] is not None:
            return ()
        trial_follower = LANGUAGE.follower(view["viewer"]) if follower is None else follower.copy()
        trial_follower.receive(orders, view)
        faulty = {fault.line for fault in LANGUAGE.check(orders, view) if not fault.remark}
        budget = Budget(sum(1 for _, parts in orders.sections for _ in every_order(parts, into_plans=True)))
        played = list(trials(trial_follower, view, budget))
        found = (*describe_outcome(played, view, trial_follower, faulty, budget), *lines(budget.said))
        return found if follower is not None or not found else (*lines(ALONE), *found)


FORECAST: Forecaster = HammerForecast()
