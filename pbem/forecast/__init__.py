"""Forecasts of what orders will do, as far as their writer can see, before anybody resolves them.

A forecast knows a side's view and that side's orders, nothing else; two worlds that look the same to the
side give the same forecast. A game's title brings them.
"""

from __future__ import annotations

from typing import Protocol

from pbem.orders.base import Follower, Orders
from pbem.rules.base import View


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
