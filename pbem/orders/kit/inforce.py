"""An order file that is in force, and what of it has been used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pbem.orders.kit.steps import StepList
from pbem.orders.kit.tree import Order, Orders


@dataclass(slots=True)
class File:
    """One order file in force (or the standing section), and what of it has been used."""

    orders: Orders
    moment: Any  # when it came
    number: int = -1  # how many came before it
    lists: dict[str, StepList | None] = field(default_factory=dict)
    spent: set[tuple[int, str]] = field(default_factory=set)  # one-time answers: (order, name)
    bound: dict[int, object] = field(default_factory=dict)  # orders for one affair or pace: which
    stopped: set[tuple[int, object]] = field(
        default_factory=set
    )  # `ask` lines, and when they stopped the judge

    @property
    def finished(self) -> set[str]:
        """The kinds of lists of which nothing is left to do."""
        return {kind for kind, made in self.lists.items() if made is None or not made.steps}

    def copy(self) -> File:
        """The same file, used as far."""
        lists = {kind: made and made.copy() for kind, made in self.lists.items()}
        used = self.spent.copy(), self.bound.copy(), self.stopped.copy()
        return File(self.orders, self.moment, self.number, lists, *used)

    def first_stop(self, order: Order, moment: object) -> bool:
        """Is this the first stop of this line at this moment?"""
        key = (id(order), moment)
        if key in self.stopped:
            return False
        self.stopped.add(key)
        return True

    def is_bound_elsewhere(self, order: Order, to: object) -> bool:
        """Does the order serve something else already? If it serves nothing yet, it serves this."""
        return self.bound.setdefault(id(order), to) != to
