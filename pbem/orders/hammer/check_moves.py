"""4.0: the check whether a file's moves are possible, by the rules, in a world that fits its writer's view.

What is refused even if no enemy stands on the map is a fault. A move that only the enemy's blocks prevent is
a fault if it is the writer's turn to move, else a remark: these may move before the order is carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from pbem.characters import is_decimal
from pbem.orders.base import listed
from pbem.orders.hammer import answers
from pbem.orders.hammer.vocabulary import Sight
from pbem.orders.kit.checker import Checker
from pbem.orders.kit.parsed_orders import Order
from pbem.orders.kit.proposals import refusal
from pbem.orders.kit.vocabulary import FOR_ALL, Occasion, Step
from pbem.rules.base import Ask, IllegalAnswer
from pbem.rules.hammer.facts import AREAS, BLOCKS, MOVE_CARDS, POOL
from pbem.rules.hammer.movement_4 import Movement

Path = tuple[str, ...]
Refused = Callable[[Step, IllegalAnswer, Ask], None]


def check_moves(orders: Sequence[Order], card: str, checker: Checker) -> None:
    """Check the move lines of one case, as the moves of one Movement Phase."""
    sight: Sight = checker.sight
    moves = [order for order in orders if checker.rows.makes_steps(order, "move")]
    if card and not is_decimal(card):
        for order in moves:
            checker.note(order, order.verb, f"the card {card} is played instead of your moves", "3.12")
        return
    groups = int(card or max(MOVE_CARDS))
    standing = [order for order in moves if _stand_there(order, moves, checker)]
    mains = [order for order in orders if order.verb == "main attack"]
    steps = answers.arrange_moves([*standing, *mains], checker.rows, sight, lambda _: None)
    steps = [step for step in steps if sight.own(step.name)]
    wrong: set[int] = set()

    def fault(step: Step, refused: IllegalAnswer, ask: Ask) -> None:
        wrong.add(id(step))
        _note(step, refused, ask, checker, remark=False)

    def as_things_stand(step: Step, refused: IllegalAnswer, ask: Ask) -> None:
        if id(step) not in wrong:
            now = sight.phase == ("first move" if sight.is_first else "second move")
            _note(step, refused, ask, checker, remark=not now)

    made = _make(steps, sight.movement(groups, enemies=False), checker, fault)
    _make(steps, sight.movement(groups, enemies=True), None, as_things_stand)
    for order in mains:
        _check_main_attack(order, made, checker)


def _make(
    steps: Sequence[Step], phase: Movement, checker: Checker | None, refused: Refused
) -> list[tuple[str, str, Path]]:
    """Make the moves that can be made, and return block, start and way of each.

    With a checker, doubtful ways get a remark.
    """
    made = []
    for step in steps:
        ask = phase.ask()
        start = phase.position.blocks[step.name].area
        text = answers.written_way(step)
        why = refusal(ask, text)
        if why and not answers.is_whole_way((start, *step.order.all("to"))):
            able = Occasion(step.order, ask, None).able("move").get(step.name, ())
            found = answers.ways(step.order.all("to"), able)
            if found:
                text, why = f"move {step.name} to {', '.join(found[0])}", None
                if checker and len(found) > 1 and len(found[0]) == len(found[1]):
                    _remark_on_ways(step, found, checker)
            else:
                why = _nearest_refusal(step, start, ask)
        if why:
            refused(step, why, ask)
        elif (read := phase.read(text)) is not None:
            made.append((step.name, start, read[1]))
            phase.move(*read)
    return made


def _nearest_refusal(step: Step, start: str, ask: Ask) -> IllegalAnswer:
    """Return why the rules refuse a move: on its shortest ways, or on the way that the order writes."""
    wanted = step.order.all("to")
    if start == wanted[-1]:
        return IllegalAnswer("4.0", f"{step.name} is in {start} already")
    far = len(wanted) == 1 and bool(BLOCKS[step.name].move)
    ways = _shortest(start, wanted[0]) if far else [wanted]
    each = [(way, why) for way in ways if (why := refusal(ask, f"move {step.name} to {', '.join(way)}"))]
    if not each:
        return IllegalAnswer("4.2", f"{step.name} cannot reach {wanted[-1]} that way")
    why = each[0][1]
    if not far:
        return IllegalAnswer(why.rule, why.reason + _hint_of_ways((start, *wanted)) * (why.rule == "1.1"))
    reasons = {why.reason: f"by {listed(way[:-1])}: {why.reason}" for way, why in reversed(each)}
    said = "; ".join(reversed(reasons.values())) if len(reasons) > 1 else why.reason
    return IllegalAnswer(why.rule, f"{step.name} cannot reach {wanted[-1]}: {said}")


def _hint_of_ways(way: Path) -> str:
    """Return a hint which areas lie between two that follow each other in a way and are not neighbours.

    The hint is empty if there are none.
    """
    for area, to in pairwise(way):
        if to not in AREAS[area].neighbours:
            between = [path[0] for path in _shortest(area, to) if len(path) == 2]
            return f"; between them is {listed(between, 'or')}" if between else ""
    return ""


def _shortest(start: str, to: str) -> list[Path]:
    """Return the shortest ways by land between two areas, whatever stands in them."""
    ring: list[Path] = [()]
    seen = {start}
    while ring:
        grown = [
            (*path, near)
            for path in ring
            for near in AREAS[path[-1] if path else start].neighbours
            if near not in seen
        ]
        if found := [path for path in grown if path[-1] == to]:
            return found
        seen |= {path[-1] for path in grown}
        ring = grown
    return [(to,)]


def _note(step: Step, refused: IllegalAnswer, ask: Ask, checker: Checker, *, remark: bool) -> None:
    """Note why the rules refuse a move, at the area that the reason names or at the block."""
    order = step.order
    about = next((area for area in reversed(order.all("to")) if area in refused.reason), step.name)
    reach = {text.split(", ")[-1] for text in Occasion(order, ask, None).able("move").get(step.name, ())}
    legal = sorted(reach, key=lambda area: AREAS[area].order)
    reason = f"at the moment, {refused.reason}" if remark else refused.reason
    checker.note(order, about, reason, refused.rule, legal=legal, remark=remark)


def _remark_on_ways(step: Step, found: Sequence[Path], checker: Checker) -> None:
    """Remark that several ways are equally short: which one is tried first, and how to choose."""
    between = [listed(path[:-1]) for path in found if len(path) == len(found[0])]
    to = found[0][-1]
    ways = f"{step.name} can go to {to} by {listed(between, 'or')}"
    message = f"{ways}; write which way, or the judge tries the way by {between[0]} first"
    checker.note(step.order, to, message, "4.2", remark=True)


# -- who is there to move


def _stand_there(order: Order, moves: Sequence[Order], checker: Checker) -> bool:
    """Tell whether any blocks of a line stand where it says; note those that do not."""
    sight: Sight = checker.sight
    start = order.one("from")
    if not start and (of_which := next((name for name in order.names if name in FOR_ALL), "")):
        checker.note(order, of_which, f"'{of_which}' of which area? write 'from' and the area", "4.2")
        return False
    for name in (name for name in order.names if name in BLOCKS):
        block = sight.own(name)
        if block is None:
            checker.note(order, name, absence(name, sight), "2.22" if BLOCKS[name].noble else "4.2")
        elif start and block.area != start:
            checker.note(order, name, f"{name} is in {block.area}, not in {start}", "4.2")
    steps = list(answers.block_steps(order, sight, moves))
    if not steps:
        checker.note(order, start, f"you have no such blocks in {start or 'play'}", "4.2")
    return bool(steps)


def absence(name: str, sight: Sight) -> str:
    """Return the reason why a block cannot be given orders."""
    if BLOCKS[name].noble and sight.holds_noble(name) is False:
        return f"{name} is the enemy's now"
    if sight.is_out(name):
        return f"{name} is dead" if BLOCKS[name].noble else f"{name} is out of the game"
    block = sight.block(name)
    return f"{name} is in your draw pool" if block and block.area == POOL else f"{name} is not on the map"


def _check_main_attack(order: Order, made: Sequence[tuple[str, str, Path]], checker: Checker) -> None:
    """5.32: note a fault if a main attack is none of the moves."""
    area, start, by = order.names[0], order.one("from"), order.one("by")
    if not any(path[-1] == area and (block == by if by else begun == start) for block, begun, path in made):
        message = f"no move goes to {area} {'with' if by else 'from'} {by or start}"
        checker.note(order, by or start or area, message, "5.32")
