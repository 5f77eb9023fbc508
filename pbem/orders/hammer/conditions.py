"""Conditions as they are written back, and what kind of thing each of them speaks of.

condition_reader.py reads them, truth.py judges them.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.orders.hammer.tree import Both, Compare, Condition, Either, Fact, Not, Quantity

TURN_FACTS = frozenset(("first", "second", "against", "attacked only", "reinforced"))
"""Facts that belong to the moves of a turn, not to one battle."""

BATTLE_FACTS = frozenset(("attacking", "defending", "event battle", "they have", "we have"))
"""Facts that only a battle in progress has."""


def singles(condition: Condition) -> Iterator[Fact | Compare]:
    """The facts and comparisons that a condition is made of."""
    if isinstance(condition, Both | Either):
        for part in condition.parts:
            yield from singles(part)
    elif isinstance(condition, Not):
        yield from singles(condition.what)
    else:
        yield condition


def speaks_of_turn(condition: Condition) -> bool:
    """Is this about who moves when and what was attacked?"""
    return any(isinstance(single, Fact) and single.what in TURN_FACTS for single in singles(condition))


def speaks_of_battle(condition: Condition) -> bool:
    """Does this use something that only a battle in progress has?"""
    return any(
        single.what in BATTLE_FACTS
        if isinstance(single, Fact)
        else any(_in_battle_only(quantity) for quantity in (single.left, single.right))
        for single in singles(condition)
    )


def _in_battle_only(quantity: Quantity) -> bool:
    return quantity.what == "round" or (
        bool(quantity.whose) and quantity.what != "nobles" and not quantity.area
    )


# -- writing


def write_condition(condition: Condition) -> str:
    """The condition in words that are read as the same condition again."""
    if isinstance(condition, Either):
        return " or ".join(write_condition(part) for part in condition.parts)
    if isinstance(condition, Both):
        text = write_condition(condition.parts[0])
        for part in condition.parts[1:]:
            joint = " " if isinstance(part, Fact) and part.what == "against" else " and "
            text += joint + write_condition(part)
        return text
    if isinstance(condition, Not):
        return f"not {write_condition(condition.what)}"
    if isinstance(condition, Compare):
        how = "" if condition.how == "is" else f"{condition.how} "
        return f"{write_quantity(condition.left)} {how}{write_quantity(condition.right)}"
    return _write_fact(condition)


def _write_fact(fact: Fact) -> str:
    names, areas = " or ".join(fact.names), ", ".join(fact.areas)
    match fact.what:
        case "against" | "they have" | "we have" | "drawn":
            return f"{fact.what} {names}"
        case "attacked only":
            return f"only {areas} attacked" if areas else "none of my areas is attacked"
        case "reinforced":
            return f"at most {fact.number} reinforce" if fact.number else "none of my battles is reinforced"
        case "noble mine" | "noble theirs":
            return f"noble {names} is {fact.what.removeprefix('noble ')}"
        case "winters":
            return f"{names} winters in {areas}" if areas else f"{names} winters"
        case "in":
            return f"{names} in {areas}"
        case "on map":
            return f"{names} on the map"
        case "attacked" | "mine" | "theirs" | "empty" | "contested":
            return f"{areas} is {fact.what}"
        case _:
            return fact.what


def write_quantity(quantity: Quantity) -> str:
    """The quantity in words."""
    if quantity.what == "number":
        return str(quantity.number)
    if quantity.what == "round":
        return "round"
    if quantity.block:
        return f"{quantity.block} strength"
    factor = f"{quantity.factor} " if quantity.factor else ""
    where = f" in {quantity.area}" if quantity.area else ""
    return f"{factor}{quantity.whose} {quantity.what}{where}"
