"""Which cases can ever apply: judged for every card that the enemy may hold, from one's own card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.orders.hammer.tree import Both, Choice, Condition, Either, Fact, Not, Order, Part
from pbem.rules.hammer.cards_3 import player_1
from pbem.rules.hammer.facts import DECK, SIDES

CARDS: tuple[str, ...] = tuple(dict.fromkeys(DECK))


def judged(condition: Condition | None, side: str, own: str, enemy: str) -> bool | None:
    """Does the condition hold with these two cards? None if that depends on something else as well."""
    if condition is None:
        return True
    if isinstance(condition, Not):
        inner = judged(condition.what, side, own, enemy)
        return None if inner is None else not inner
    if isinstance(condition, Both | Either):
        parts = [judged(part, side, own, enemy) for part in condition.parts]
        decisive = isinstance(condition, Either)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(condition, Fact):
        first = player_1(*(own if of == side else enemy for of in SIDES)) == side
        return {"first": first, "second": not first, "against": enemy in condition.names}.get(condition.what)
    return None


def never(parts: Sequence[Part], side: str, own: str, enemy: str) -> Iterator[tuple[int, str]]:
    """Lines of cases and orders that cannot apply, and why. `own`, `enemy`: a card, or empty if unknown."""
    pairs = [
        (mine, theirs) for mine in ((own,) if own else CARDS) for theirs in ((enemy,) if enemy else CARDS)
    ]
    for part in parts:
        if isinstance(part, Order):
            if all(judged(part.when, side, *pair) is False for pair in pairs):
                yield part.line, _why(own, enemy)
        elif isinstance(part, Choice):
            left = pairs
            for case in part.cases:
                if all(judged(case.when, side, *pair) is False for pair in pairs):
                    yield case.line, _why(own, enemy)
                elif all(judged(case.when, side, *pair) is False for pair in left):
                    yield case.line, "this can never apply: an earlier case comes before it"
                else:
                    inside = [pair for pair in left if judged(case.when, side, *pair) is not False]
                    for order in case.parts:
                        if isinstance(order, Order) and all(
                            judged(order.when, side, *pair) is False for pair in inside
                        ):
                            yield order.line, "this can never apply in its case"
                left = [pair for pair in left if judged(case.when, side, *pair) is not True]


def _why(own: str, enemy: str) -> str:
    if enemy:
        return f"this cannot apply: the cards are {own} against {enemy}"
    return f"this can never apply with the card {own}" if own else "this can never apply"
