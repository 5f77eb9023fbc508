"""The order language of Hammer of the Scots; pbem/docs/orders.md is its page for players.

vocabulary (names), verbs (the grammar of a line), condition_reader, reader (one line), parse (sections,
cases and plans) make the tree; check, say, write and form show it; follow, select, choices, steps, fights and
truth answer the game's questions from it. sight is all that they may know.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.orders.base import Language, Parsed
from pbem.orders.faults import Fault
from pbem.orders.hammer.check import check_orders
from pbem.orders.hammer.follow import HammerFollower
from pbem.orders.hammer.form import order_form
from pbem.orders.hammer.parse import parse
from pbem.orders.hammer.say import say_orders
from pbem.orders.hammer.tree import Orders
from pbem.orders.hammer.write import write_orders
from pbem.rules.base import Ask, View


class HammerLanguage:
    """The order language "hammer"."""

    name = "hammer"

    def parse(self, text: str, side: str) -> Parsed:
        """Read a text; wrong lines are faults, and the good ones stand."""
        orders, faults = parse(text, side)
        return Parsed(orders, faults)

    def check(self, orders: Orders, view: View) -> tuple[Fault, ...]:
        """What is wrong or doubtful about orders, as far as their writer's view shows it."""
        return check_orders(orders, view)

    def say(self, orders: Orders) -> str:
        """What was understood, in plain words."""
        return say_orders(orders)

    def write(self, orders: Orders) -> str:
        """The orders in the language's own layout."""
        return write_orders(orders)

    def form(self, view: View, asks: Sequence[Ask]) -> str:
        """The order form of a report: what is asked now and what may be put in advance."""
        return order_form(view, asks)

    def follower(self, side: str) -> HammerFollower:
        """An empty follower."""
        return HammerFollower(side)

    def follow(self, side: str, files: Sequence[Orders], doctrine: Orders | None = None) -> HammerFollower:
        """A follower that has received these files, the newest of them first."""
        follower = HammerFollower(side)
        for orders in (*([doctrine] if doctrine is not None else []), *reversed(files)):
            follower.receive(orders, None)
        return follower


LANGUAGE: Language = HammerLanguage()
