"""The state of a `KitFollower` as JSON and back: its files in force, what was used, what was left out.

What was used is known by the identity of a line; saved, it is the line's place in its file.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from pbem.orders.base import Dropped
from pbem.orders.kit.orders_in_force import File
from pbem.orders.kit.parsed_orders import (
    Both,
    Case,
    Choice,
    Compare,
    Either,
    Not,
    Order,
    Orders,
    Pick,
    Plan,
    Term,
)
from pbem.orders.kit.step_lists import StepList
from pbem.orders.kit.traversal import every_order
from pbem.orders.kit.vocabulary import Step
from pbem.orders.saving import NotSaved, pack, unpack

TREE = (Both, Case, Choice, Compare, Either, Not, Order, Orders, Pick, Plan, Term)


def save(follower: Any) -> Any:
    """Return all of a follower's state, JSON-able.

    Raises:
        NotSaved: it holds a line that stands in none of its files, or the same one twice.
    """
    files = (*follower._files, follower._standing)
    trees = {file.number: file.orders for file in files}
    if any(trees[file.number] is not file.orders for file in files):
        raise NotSaved("two files have one number")
    places: dict[int, int] = {}
    for orders in trees.values():
        for place, order in enumerate(_lines(orders)):
            if places.setdefault(id(order), place) != place:
                raise NotSaved("a line stands twice in a file")
    try:
        rows = [_save_file(file, places) for file in files]
    except KeyError:
        raise NotSaved("something was used that stands in no file") from None
    return [
        [[number, pack(orders)] for number, orders in trees.items()],
        rows,
        pack(follower.dropped),
        pack(follower._memory),
        pack(follower._moment),
        follower._received,
    ]


def load(follower: Any, data: Any) -> None:
    """Give a new follower the state of the one that was saved."""
    found, rows, dropped, memory, moment, received = data
    trees = {number: unpack(orders, TREE) for number, orders in found}
    lines = {number: list(_lines(orders)) for number, orders in trees.items()}
    *files, standing = (_load_file(row, trees, lines) for row in rows)
    follower._files, follower._standing = files, standing
    follower.dropped = unpack(dropped, (Dropped,))
    follower._memory = unpack(memory, (type(follower._memory),))
    follower._moment, follower._received = unpack(moment), received


def _lines(orders: Orders) -> Iterator[Order]:
    """Yield every line of a file, always in the same order."""
    for _, parts in orders.sections:
        yield from every_order(parts, into_plans=True)


def _save_file(file: File, places: dict[int, int]) -> Any:
    return [
        file.number,
        pack(file.moment),
        [[kind, made and _save_list(made, places)] for kind, made in file.lists.items()],
        sorted([places[line], name] for line, name in file.spent),
        [[places[line], pack(to)] for line, to in file.bound.items()],
        sorted(([places[line], pack(when)] for line, when in file.stopped), key=repr),
    ]


def _load_file(data: Any, trees: dict[int, Orders], lines: dict[int, list[Order]]) -> File:
    number, moment, lists, spent, bound, stopped = data
    own = lines[number]
    return File(
        trees[number],
        unpack(moment),
        number,
        {kind: made and _load_list(made, own) for kind, made in lists},
        {(id(own[place]), name) for place, name in spent},
        {id(own[place]): unpack(to) for place, to in bound},
        {(id(own[place]), unpack(when)) for place, when in stopped},
    )


def _save_list(made: StepList, places: dict[int, int]) -> Any:
    steps = [[places[id(one.order)], one.name, one.left, one.named, one.used] for one in made.steps]
    return [made.kind, steps, made.covers, made.judged, [places[id(order)] for order in made.others]]


def _load_list(data: Any, own: list[Order]) -> StepList:
    kind, steps, covers, judged, others = data
    waiting = deque(Step(own[place], *rest) for place, *rest in steps)
    return StepList(kind, waiting, covers, judged, [own[place] for place in others])
