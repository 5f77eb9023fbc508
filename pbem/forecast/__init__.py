"""Forecasts of what orders will do, as far as their writer can see, before anybody resolves them.

A forecast knows a side's view and that side's orders, nothing else; two worlds that look the same to the side
give the same forecast. A game's title brings them.

A forecast's questions to orders have a budget, so that no receipt waits for orders of a thousand lines. What
a question costs grows with the lines that it is asked of, so both are counted: no clock decides, and the same
orders give the same forecast on every machine. What is left out is told.
"""

from __future__ import annotations

from typing import Protocol

from pbem.orders.base import Follower, Orders, listed
from pbem.rules.base import View

MAX_BUDGET = 1_000_000
"""Budget of one forecast; whole turns that bots write, of up to forty lines, cost half of it at most."""
EACH = 20
"""Price of a question besides that of its lines, counted in lines."""
LISTED = 30
"""Price of a trial for each line of the orders, before it asks anything: all lines are put into lists."""


class Forecaster(Protocol):
    """The maker of forecasts for one game."""

    def forecast(self, orders: Orders, view: View, follower: Follower | None = None) -> tuple[str, ...]:
        """Return the forecast of what a side's orders will do, in lines.

        `follower`: has received the side's earlier orders, but not `orders`; it is not changed. Without it
        nothing is known of earlier orders.
        """


def forecast_of(
    forecaster: Forecaster | None, orders: Orders, view: View, follower: Follower | None = None
) -> tuple[str, ...]:
    """Return the forecast of a side's orders, in lines; nothing if the game has no forecasts.

    `follower`: see `Forecaster.forecast`.
    """
    if forecaster is None:
        return ()
    try:
        return forecaster.forecast(orders, view, follower)
    except Exception:  # noqa: BLE001 - orders are received, and receipts leave, even if a forecast is broken
        return (
            "No forecast could be made of these orders; that is a fault of the program, not of the orders.",
        )


class Spent(Exception):
    """Raised if the budget of a forecast is spent, so that nothing more may be asked of the orders."""


class Budget:
    """The budget that one forecast has left for questions to orders of a given number of lines."""

    def __init__(self, lines: int, most: int = MAX_BUDGET) -> None:
        self.left = most
        self.lines = lines
        self.price = lines + EACH
        self.left_out: list[str] = []
        """Words for the questions that the forecast left out because the budget was spent."""

    @property
    def is_spent(self) -> bool:
        """Whether the forecast has used up its budget."""
        return self.left <= 0

    def ask(self) -> None:
        """Count a question to the orders. Raises Spent if nothing of the budget is left."""
        if self.is_spent:
            raise Spent
        self.left -= self.price

    def begin(self) -> None:
        """Count the beginning of a trial of the orders against the forecast's budget."""
        self.left -= LISTED * self.lines

    def leave_out(self, what: str) -> None:
        """Note words for questions that the forecast leaves out because the budget is spent."""
        if what not in self.left_out:
            self.left_out.append(what)

    @property
    def said(self) -> str:
        """The sentence that says what the forecast leaves out; empty if it leaves out nothing."""
        if not self.left_out:
            return ""
        return f"These orders are long, so the forecast leaves out: {listed(self.left_out)}."
