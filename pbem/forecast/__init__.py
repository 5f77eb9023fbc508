"""Forecasts: what orders will do as far as their writer can see, before anybody resolves them.

A forecast knows a side's view and that side's orders, nothing else; two worlds that look the same to the
side give the same forecast. `load_forecast("hammer")` gives a game's (entry point "pbem.forecast").
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Protocol

from pbem.orders.base import Follower, Orders
from pbem.rules.base import View

GROUP = "pbem.forecast"


class Forecaster(Protocol):
    """Forecasts for one game."""

    def forecast(self, orders: Orders, view: View, follower: Follower | None = None) -> tuple[str, ...]:
        """What these orders will do, in lines.

        `follower`: has received the side's earlier orders, but not these; it is not changed. Without it
        nothing is known of earlier orders.
        """


def load_forecast(game: str) -> Forecaster | None:
    """The forecasts of the game called `game`; None if there are none."""
    for found in entry_points(group=GROUP, name=game):
        forecaster: Forecaster = found.load()
        return forecaster
    return None


def forecast_of(game: str, orders: Orders, view: View) -> tuple[str, ...]:
    """The forecast of these orders alone, in lines; nothing if the game offers none."""
    forecaster = load_forecast(game)
    if forecaster is None:
        return ()
    try:
        return forecaster.forecast(orders, view)
    except Exception:  # noqa: BLE001 - orders are received, and receipts leave, even if a forecast is broken
        return ("No forecast could be made of these orders; that is a fault of the program, not of theirs.",)
