"""What was understood, in plain words, for the receipt and for `pbem check`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pbem.orders.faults import listed
from pbem.orders.hammer.conditions import write_condition
from pbem.orders.hammer.tree import FULL, Choice, Order, Orders, Part, Pick, Plan
from pbem.orders.hammer.vocabulary import GROUPS
from pbem.orders.hammer.write import INDENT

MOST = " to where most of your blocks are"


def say_orders(orders: Orders) -> str:
    """Every line, case, plan and section in words; a sentence a line."""
    text = list(_parts(orders.turn, ""))
    if orders.winter:
        text += ["In the winter:", *_parts(orders.winter, INDENT)]
    if orders.doctrine is not None:
        text.append("From now on, where no order says otherwise:")
        text += _parts(orders.doctrine, INDENT)
        if not orders.doctrine:
            text.append(f"{INDENT}nothing; the doctrine is empty.")
    return "".join(f"{line}\n" for line in text) or "Nothing was ordered.\n"


def _parts(parts: Sequence[Part], indent: str) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Order):
            condition = "" if part.when is None else f"If {write_condition(part.when)}: "
            sentence = say_order(part)
            yield (
                indent
                + condition
                + (sentence[:1].lower() + sentence[1:] if _may_lower(condition, part) else sentence)
            )
        elif isinstance(part, Plan):
            which = f"a battle for {listed(part.areas, 'or')}" if part.areas else "any battle"
            yield f"{indent}In {which}:"
            yield from _parts(part.parts, indent + INDENT)
        else:
            yield from _choice(part, indent)


def _may_lower(condition: str, order: Order) -> bool:
    """After a condition a sentence goes on in lower case, unless it begins with a name."""
    return bool(condition) and not say_order(order).startswith(order.names[:1] or ("\0",))


def _choice(choice: Choice, indent: str) -> Iterator[str]:
    for number, case in enumerate(choice.cases):
        if case.when is None:
            yield f"{indent}Otherwise:"
        else:
            yield f"{indent}{'If' if number == 0 else 'Else, if'} {write_condition(case.when)}:"
        yield from _parts(case.parts, indent + INDENT)
        if not case.parts:
            yield f"{indent}{INDENT}no orders."


def say_order(order: Order) -> str:
    """One order as a sentence, its condition left out."""
    return f"{_SENTENCES[order.verb](order)}."


# -- phrases


def _entry(name: str) -> str:
    return {"all": "all", "rest": "the rest", "none": "nobody", "drawn": "the block just drawn"}.get(
        name, f"the {name}" if name in GROUPS else name
    )


def _else(names: Sequence[str]) -> str:
    """A preference: "Fife, else Mar"."""
    return ", else ".join(_entry(name) for name in names)


def _then(names: Sequence[str]) -> str:
    """A sequence: "Fife, then Mar"."""
    return ", then ".join(_entry(name) for name in names)


def _blocks(order: Order) -> str:
    """Who: "Wallace and Douglas", "all of Fife except Wallace"."""
    who = listed([_entry(name) for name in order.names]) if order.names else "all"
    area = order.start or order.within
    if area and any(name in ("all", "rest") or name in GROUPS for name in order.names):
        who += f" in {area}"
    if order.but:
        who += f" except {listed(order.but)}"
    return who


def _does(order: Order, one: str, many: str) -> str:
    """Who does something: "Wallace moves", "Wallace and Keith move"."""
    names = order.names
    single = len(names) == 1 and (names[0] == "none" or names[0] not in ("all", "rest", *GROUPS))
    who = _blocks(order)
    return f"{who[:1].upper()}{who[1:]} {one if single else many}"


def _to(order: Order, nowhere: str) -> str:
    return f" to {_else(order.areas)}" if order.areas else nowhere


def _move(order: Order) -> str:
    if order.names == ("none",):
        return "Nobody moves"
    start = f" from {order.start}" if order.start and f" in {order.start}" not in _blocks(order) else ""
    *through, last = order.areas
    way = f" through {listed(through)}" if through else ""
    return f"{_does(order, 'moves', 'move')}{start}{way} to {last}"


def _main_attack(order: Order) -> str:
    origin = f"from {order.start}" if order.start else f"with {order.by}" if order.by else "first"
    return f"The main attack on {order.names[0]} comes {origin}"


def _event(said: Callable[[Order], str], nobody: str) -> Callable[[Order], str]:
    return lambda order: nobody if order.names == ("none",) else said(order)


def _regroup(order: Order) -> str:
    if order.names == ("none",):
        return "Nobody regroups"
    if order.stay:
        return f"After the battle {_lower(_does(order, 'stays', 'stay'), order)}"
    return f"After the battle {_lower(_does(order, 'regroups', 'regroup'), order)}{_to(order, '')}"


def _lower(text: str, order: Order) -> str:
    """A phrase in the middle of a sentence; names keep their capital."""
    return text if order.names and text.startswith(order.names[0]) else text[:1].lower() + text[1:]


def _home(order: Order) -> str:
    if order.stay:
        return f"{_does(order, 'winters', 'winter')} where he stands"
    return f"{_does(order, 'winters', 'winter')} in {_else(order.areas)}"


def _steps(pick: Pick) -> str:
    name = _entry(pick.name)
    if pick.count == FULL:
        return f"{name} as far as possible"
    return f"{name} by {pick.count} step{'s' if pick.count > 1 else ''}"


def _build(order: Order) -> str:
    if order.names == ("none",):
        return "Nobody is built up"
    where = f" in {order.within}" if order.within else ""
    return f"You build up {', then '.join(_steps(pick) for pick in order.picks)}{where}"


def _draw(order: Order) -> str:
    if order.names == ("none",):
        return "No blocks are drawn"
    return f"You draw {', then '.join(f'{_count(pick)} in {pick.name}' for pick in order.picks)}"


def _count(pick: Pick) -> str:
    if pick.count == FULL:
        return "as many blocks as possible"
    return f"{pick.count} block{'s' if pick.count > 1 else ''}"


def _topic(order: Order) -> str:
    if not order.picks:
        return ""
    name = order.names[0]
    return {
        "everything": " whatever no line answers",
        "edward": " about Edward's quarters",
        "home": " where blocks winter",
        "raid": " whom a raid costs",
        "moves": " about further moves",
        "combat": " at every combat turn",
        "hits": " who takes a hit",
    }.get(name, f" about {name}")


_SENTENCES: dict[str, Callable[[Order], str]] = {
    "card": lambda order: f"You play the card {_else(order.names)}",
    "crown": lambda order: f"You crown {_else(order.names)} in place of the event",
    "event": lambda _: "You use the event and crown nobody",
    "herald": _event(lambda order: f"The herald calls {_else(order.names)}", "The herald calls nobody"),
    "pillage": _event(lambda order: f"You pillage {_else(order.names)}", "You pillage nobody"),
    "sail": _event(lambda order: f"{_does(order, 'sails', 'sail')}{_to(order, '')}", "Nobody sails"),
    "truce": lambda _: "You declare the truce",
    "move": _move,
    "main attack": _main_attack,
    "battles": lambda order: f"Battles are fought in this order: {_then(order.names)}",
    "battle": lambda order: f"The next battle is for {order.names[0]}",
    "fire": lambda order: _does(order, "fights", "fight"),
    "pass": lambda order: _does(order, "passes", "pass") if order.picks else "You pass",
    "retreat": lambda order: f"{_does(order, 'retreats', 'retreat')}{_to(order, MOST)}",
    "forced retreat": lambda order: (
        f"Forced to go, {_lower(_does(order, 'retreats', 'retreat'), order)}{_to(order, MOST)}"
    ),
    "hits": lambda order: f"Among equals a hit falls on {_else(order.names)}",
    "hit": lambda order: f"The hit falls on {_else(order.names)}",
    "regroup": _regroup,
    "raid": lambda order: f"A border raid costs you {_else(order.names)}",
    "home": _home,
    "winter": lambda order: f"{order.names[0]} winters in Scotland",
    "disband": lambda order: _does(order, "disbands", "disband"),
    "keep": lambda order: f"If blocks must disband, the last to go are {_then(order.names)}",
    "build": _build,
    "draw": _draw,
    "ask": lambda order: f"You want to be asked{_topic(order)}",
    "done": lambda _: "That is all",
}
