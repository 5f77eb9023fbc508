"""Answers to the questions of a battle: combat turns, hits, retreats and regroups, from plans.

Plans are asked from the newest file to the oldest, in a file the one for this area before the one for
any; then the doctrine. In a plan a combat turn goes to

1. the first line with a condition that holds, in the order written
2. then a line that names the block
3. then a line for all, or for a kind of block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pbem.orders.base import Answer, Reply, Stop
from pbem.orders.hammer.select import Line, by_block, going, picked, speaks_to
from pbem.orders.hammer.sight import Sight
from pbem.orders.hammer.tree import Order
from pbem.orders.hammer.truth import Memory, holds
from pbem.orders.hammer.vocabulary import GROUPS
from pbem.rules.base import Ask

KINDS = frozenset(("combat", "hit", "retreat", "regroup"))
FOR_ALL = frozenset(("all", "rest", *GROUPS))


class Stops:
    """Which `ask` lines have stopped the judge already, and when: none does so twice in one round."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, object]] = set()

    def copy(self) -> Stops:
        """The same stops."""
        other = Stops()
        other._seen = set(self._seen)
        return other

    def first(self, order: Order, moment: object) -> bool:
        """Is this the first stop of this line at this moment?"""
        key = (id(order), moment)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True


def reply_from_plan(
    plan: Sequence[Line], ask: Ask, sight: Sight, memory: Memory, stops: Stops
) -> Reply | None:
    """What one plan says to a question of a battle; None if it says nothing."""
    relevant = [
        line for line in plan if speaks_to(line.order, ask.kind) and holds(line.order.when, sight, memory)
    ]
    if ask.kind == "combat":
        relevant = [line for line in relevant if line.order.verb != "forced retreat"]
        relevant.sort(key=lambda line: 0 if line.conditional else 2 if _is_for_all(line.order) else 1)
    elif ask.kind == "retreat":
        relevant = [line for line in relevant if line.order.verb != "retreat"]
    legal = ask.legal
    for line in relevant:
        if line.order.verb == "ask":
            if stops.first(line.order, sight.battle_moment):
                return Stop(line.order.line)
            continue
        for text in proposals(line.order, ask, legal, sight, plan):
            if text in legal:
                return Answer(text, line.order.line)
    if ask.kind == "regroup" and any(line.order.verb in ("regroup", "done") for line in relevant):
        return Answer("done")
    return None


def _is_for_all(order: Order) -> bool:
    return order.verb == "ask" or not order.picks or any(name in FOR_ALL for name in order.names)


def proposals(
    order: Order, ask: Ask, legal: Iterable[str], sight: Sight, plan: Sequence[Line] = ()
) -> Iterator[str]:
    """The answers that one line proposes, best first."""
    match order.verb:
        case "fire" | "pass":
            waits = plan and not by_block(legal, "fire")  # R63: nobody to fire at, so a plan to fight waits
            verb = "pass" if waits else order.verb
            for name in picked(order, list(by_block(legal, verb)), _named(order, plan)):
                yield f"{verb} {name}"
        case "retreat" | "forced retreat":
            yield from going("retreat", order, legal, sight)
        case "regroup":
            if not order.stay and order.names != ("none",):
                staying = {name for other in plan if other.order.stay for name in other.order.names}
                for text in going("regroup", order, legal, sight):
                    if text.split(" ", 1)[1].partition(" to ")[0] not in staying:
                        yield text
        case "hits" | "hit":
            yield from preferred(order, "hit", ask, legal)
        case "done":
            yield "done"


def _named(order: Order, plan: Sequence[Line]) -> Iterator[str]:
    """Blocks that other lines of the plan name for their combat turns without a condition."""
    for line in plan:
        other = line.order
        if other is not order and other.verb in ("fire", "pass", "retreat") and not line.conditional:
            yield from (name for name in other.names if name not in FOR_ALL)


def preferred(order: Order, verb: str, ask: Ask, legal: Iterable[str]) -> Iterator[str]:
    """A list of preference: names first come first; `rest` is left to the rules' own order."""
    able = list(by_block(legal, verb))
    for name in order.names:
        if name in ("rest", "all"):
            yield ask.default
            yield from (f"{verb} {block}" for block in able)
        elif name in GROUPS:
            alone = Order(
                verb=order.verb, picks=tuple(pick for pick in order.picks if pick.name == name), but=order.but
            )
            members = picked(alone, able)
            if ask.default.removeprefix(f"{verb} ") in members:
                yield ask.default
            yield from (f"{verb} {block}" for block in members)
        else:
            yield f"{verb} {name}"
