"""How much a forecast may ask of orders: a receipt must not wait for orders of a thousand lines.

What a question costs grows with the lines that it is asked of, so both are counted: no clock decides, and the
same orders give the same forecast on every machine. What is left out is told.
"""

from __future__ import annotations

from pbem.orders.faults import listed

MOST = 1_000_000
"""Whole turns that bots write, of up to forty lines, come to half of it at most."""

EACH = 20
"""What a question costs besides, in lines."""

LISTED = 30
"""What a trial costs for each line before it asks anything: all of them are put into lists."""


class Spent(Exception):
    """Nothing more may be asked of these orders."""


class Budget:
    """What is left to ask of orders of so many lines."""

    def __init__(self, lines: int, most: int = MOST) -> None:
        self.left = most
        self.lines = lines
        self.price = lines + EACH
        self.left_out: list[str] = []
        """What was not looked at, in words."""

    @property
    def is_spent(self) -> bool:
        """Is nothing left?"""
        return self.left <= 0

    def ask(self) -> None:
        """Count a question. Raises Spent if nothing is left."""
        if self.is_spent:
            raise Spent
        self.left -= self.price

    def begin(self) -> None:
        """Begin a trial."""
        self.left -= LISTED * self.lines

    def leave_out(self, what: str) -> None:
        """Note what is not looked at."""
        if what not in self.left_out:
            self.left_out.append(what)

    @property
    def said(self) -> str:
        """What is left out, in words; empty if all was looked at."""
        if not self.left_out:
            return ""
        return f"These orders are long, so the forecast leaves out: {listed(self.left_out)}."
