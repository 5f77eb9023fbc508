"""A game's order language, made of its rows."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.orders.base import NOTHING_ON_FILE, Asked, Fault, Offer, Parsed, Standing
from pbem.orders.kit.checker import Checker
from pbem.orders.kit.follow import KitFollower
from pbem.orders.kit.offering import asked_verbs, offers
from pbem.orders.kit.parse import parse
from pbem.orders.kit.parsed_orders import Orders
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.text import Speaker, Writer, order_form
from pbem.rules.base import Ask, View


class KitLanguage:
    """The order language that some rows describe."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.name = rows.name

    def parse(self, text: str, side: str) -> Parsed:
        """Read the text of an order file; wrong lines become faults, and the good lines count."""
        orders, faults = parse(text, self.rows, side)
        return Parsed(orders, faults)

    def check(self, orders: Orders, view: View) -> tuple[Fault, ...]:
        """Return what is wrong or doubtful about orders, as far as their writer's view shows it."""
        return Checker(orders, self.rows, view).check()

    def say(self, orders: Orders) -> str:
        """Return in plain words what was understood of an order file."""
        return Speaker(self.rows).orders(orders)

    def write(self, orders: Orders) -> str:
        """Return the orders in the language's own layout."""
        return Writer(self.rows).orders(orders)

    def form(self, view: View, asks: Sequence[Ask], answered: Standing = NOTHING_ON_FILE) -> str:
        """Return the order form of a report: what is asked now and what may be answered in advance."""
        return order_form(view, asks, self.rows, answered)

    def asked(self, form: str) -> tuple[str, ...]:
        """Return the verbs of the lines that a form asks for."""
        return asked_verbs(form, self.rows)

    def offers(
        self, line: str, view: View, verbs: Sequence[str], above: str = "", asks: Sequence[Asked] = ()
    ) -> tuple[Offer, ...]:
        """Return how a line may begin (with one of `verbs`) or go on; `above`: the lines before it."""
        return offers(line, view, verbs, self.rows, above, asks)

    def spoken(self, ask: Ask, answer: str) -> str:
        """Return an answer of the rules as an order line says it."""
        return self.rows.asking.spoken(ask, answer)

    def follower(self, side: str) -> KitFollower:
        """Return a follower without orders for one side."""
        return KitFollower(self.rows, side)
