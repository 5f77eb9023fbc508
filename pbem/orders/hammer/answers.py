"""The answers that Hammer's verbs propose, best first, and the steps that its lists are made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pbem.orders.base import Dropped
from pbem.orders.hammer.vocabulary import GROUPS, Sight, is_of_group
from pbem.orders.kit import proposals
from pbem.orders.kit.parsed_orders import ASK, DONE, Order
from pbem.orders.kit.proposals import refusal
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.vocabulary import FOR_ALL, Occasion, Proposes, Step
from pbem.rules.base import Ask
from pbem.rules.hammer.facts import AREAS, BLOCKS


def picked(order: Order, candidates: Sequence[str], named_elsewhere: Collection[str] = ()) -> list[str]:
    """Return the blocks among `candidates` that an order's list means, in the order of that list."""
    return proposals.picked(order, candidates, named_elsewhere, is_of_group)


# -- battles


def fight(occasion: Occasion) -> Iterator[str]:
    """5.31: yield answers to fire or pass. R63: with nobody to fire at, a plan to fight waits."""
    order, others = occasion.order, occasion.others
    if order.verb == "pass" and occasion.ask.kind != "combat":
        yield "pass"  # an event is passed up
        return
    verb = "pass" if others and not occasion.able("fire") else order.verb
    named = [
        name
        for other in (line.order for line in others if not line.conditional)
        if other is not order and other.verb in ("fire", "pass", "retreat")
        for name in other.names
        if name not in FOR_ALL | GROUPS.keys()
    ]
    yield from (f"{verb} {name}" for name in picked(order, list(occasion.able(verb)), named))


def retreat(occasion: Occasion) -> Iterator[str]:
    """5.5: yield answers for `retreat Wallace to Selkirk`.

    If the order names no areas, those where most of the side's blocks are come first.
    """
    return _going("retreat", occasion)


def _going(verb: str, occasion: Occasion) -> Iterator[str]:
    order, sight, ways_ = occasion.order, occasion.sight, occasion.able(verb)

    def fewest(area: str) -> tuple[int, str]:
        return -sight.blocks_in(area, sight.side), area

    for name in picked(order, list(ways_)):
        areas = order.all("to") or sorted(ways_[name], key=fewest)
        yield from (f"{verb} {name} to {area}" for area in areas if area in ways_[name])


def regroup(occasion: Occasion) -> Iterator[str]:
    """5.6: yield the answers of a regroup order, without the blocks that another line keeps in place."""
    if occasion.order.has("stay") or occasion.order.nobody:
        return
    staying = {name for line in occasion.others if line.order.has("stay") for name in line.order.names}
    for text in _going("regroup", occasion):
        if proposals.subject(text) not in staying:
            yield text


def preferring(verb: str) -> Proposes:
    """Return a function that proposes a preference list: names first.

    `rest` begins with the rules' default.
    """

    def proposes(occasion: Occasion) -> Iterator[str]:
        able, default = list(occasion.able(verb)), occasion.ask.default
        for pick in occasion.order.picks:
            if pick.name in FOR_ALL:
                yield default
                yield from (f"{verb} {block}" for block in able)
            elif pick.name in GROUPS:
                members = picked(replace(occasion.order, picks=(pick,)), able)
                if default.removeprefix(f"{verb} ") in members:
                    yield default
                yield from (f"{verb} {block}" for block in members)
            else:
                yield f"{verb} {pick.name}"

    return proposes


# -- winter


def home(occasion: Occasion) -> Iterator[str]:
    """7.1, 7.2: yield answers that send a block to the order's areas in turn, or keep it where it stands."""
    order = occasion.order
    for name in order.names:
        block = occasion.sight.block(name)
        areas = (block.area,) if order.has("stay") and block else order.all("to")
        yield from (f"home {name} to {area}" for area in areas)


def is_home_of(order: Order, ask: Ask, _: Sight) -> bool:
    """7.1: tell whether an order names the block whose home is asked about."""
    return any(text.startswith(f"home {name} to ") for name in order.names for text in ask.legal)


def is_about_edward(order: Order, ask: Ask, _: Sight) -> bool:
    """7.4: tell whether an order may answer a question about a block's winter quarters.

    A question about Edward's quarters needs an order that names Edward.
    """
    return ask.kind != "edward" or "Edward" in order.names


def disband_steps(order: Order, sight: Sight, orders: Sequence[Order]) -> Iterator[Step]:
    """7.3: yield a step for each block that disbands; Edward is asked about alone (7.4)."""
    return (step for step in block_steps(order, sight, orders) if step.name != "Edward")


def rest_of_disbanding(keep: Sequence[Order], ask: Ask, sight: Sight) -> str:
    """7.3, 7.5: return `done` if that is legal; else who goes is the block that `keep` names last."""
    if DONE in ask.legal:
        return DONE
    crowded = sight.own(ask.default.removeprefix("disband "))
    if not keep or crowded is None:
        return ""
    able = Occasion(keep[0], ask, sight).able("disband")
    here = [name for name in able if name in sight.mine(crowded.area)]
    wanted = [order for order in keep if order.one("in") in ("", crowded.area)]
    ranks = {name: _rank(name, wanted) for name in here}
    last = max(ranks.values())
    going_ = [name for name, rank in ranks.items() if rank == last]
    return ask.default if crowded.name in going_ else f"disband {going_[-1]}"


def _rank(name: str, keep: Sequence[Order]) -> int:
    """Return how early the `keep` lines name a block: 0 for the block that is kept longest."""
    entries = [(entry, order) for order in keep for entry in order.names]
    named = {entry for entry, _ in entries}
    for rank, (entry, order) in enumerate(entries):
        if name not in order.left_out and (
            entry in (name, "all") or (entry == "rest" and name not in named) or is_of_group(name, entry)
        ):
            return rank
    return len(entries)


def build(occasion: Occasion) -> Iterator[str]:
    """Yield the next block that can grow for an entry such as `build Wallace` or `build rest`."""
    order, step, sight, default = occasion.order, occasion.step, occasion.sight, occasion.ask.default
    able = list(occasion.able("build"))
    if within := order.one("in"):
        able = [name for name in able if name in sight.mine(within)]
    if step.name == "drawn":
        names = [name for name in reversed(sight.memory.drawn) if name in able]
    elif step.name in BLOCKS:
        names = [step.name] if step.name in able else []
    else:
        alone = replace(order, picks=tuple(pick for pick in order.picks if pick.name == step.name))
        elsewhere = [name for name in order.names if name in BLOCKS] if step.name == "rest" else []
        names = sorted(picked(alone, able, elsewhere), key=_dearest)
        if default.removeprefix("build ") in names:
            yield default
    yield from (f"build {name}" for name in names)


def _dearest(name: str) -> tuple[int, int]:
    """7.62, 7.63: return a sort key by which leaders grow before nobles before all others."""
    fact = BLOCKS[name]
    return {"leader": 0, "noble": 1}.get(fact.kind, 2), fact.order


# -- moves


def block_steps(order: Order, sight: Sight, orders: Sequence[Order]) -> Iterator[Step]:
    """Yield the named blocks in their order, then those that `all`, `rest` and groups mean.

    `orders`: the lines of the list that are steps; `rest` is nobody whom one of them names.
    """
    elsewhere = {name for other in orders for name in other.names} if "rest" in order.names else ()
    standing = sight.mine(order.one("from") or order.one("in"))
    named = [name for name in order.names if name in BLOCKS and name not in order.left_out]
    chosen = picked(order, standing, elsewhere)
    if not all(name in chosen for name in named):
        chosen = list(dict.fromkeys((*named, *chosen)))
    return (Step(order, name, named=name in named) for name in chosen)


def sail(occasion: Occasion) -> Iterator[str]:
    """3.12: yield the legal sea moves of a step, in the order in which the order names the areas."""
    texts = (f"sail {occasion.step.name} to {area}" for area in occasion.order.all("to"))
    return (text for text in texts if text in occasion.ask.legal)


def arrange_moves(
    orders: Sequence[Order], rows: Rows, sight: Sight, drop: Callable[[Dropped], None]
) -> list[Step]:
    """4.2: return the steps of moves in the order written, but the blocks of a main attack first."""
    steps: list[Step] = []
    moves = [order for order in orders if rows.makes_steps(order, "move")]
    for order in orders:
        if order.verb in (ASK, DONE):
            steps.append(Step(order))
        elif rows.makes_steps(order, "move"):
            for step in block_steps(order, sight, moves):
                block, start = sight.own(step.name), order.one("from")
                if step.named and start and (block is None or block.area != start):
                    where = f"is in {block.area}" if block else "is not on the map"
                    text = (
                        f"{order.verb} {', '.join(order.names)} from {start} to {', '.join(order.all('to'))}"
                    )
                    drop(Dropped(order.line, text, f"{step.name} {where}", "4.2"))
                else:
                    steps.append(step)
    for order in orders:
        if order.verb == "main attack":
            steps = _main_attack_first(order, steps, sight)
    return steps


def _main_attack_first(main: Order, steps: Sequence[Step], sight: Sight) -> list[Step]:
    """5.32, R42: put the group that shall make the main attack first, since the first to enter makes it."""
    area = main.names[0]
    into = [index for index, step in enumerate(steps) if step.name and step.order.all("to")[-1:] == (area,)]
    chosen = [index for index in into if _begins(steps[index], main, sight)]
    if not chosen or chosen[0] == into[0]:
        return list(steps)
    first = [steps[index] for index in chosen]
    others = [step for index, step in enumerate(steps) if index not in chosen]
    place = into[0]
    return [*others[:place], *first, *others[place:]]


def _begins(step: Step, main: Order, sight: Sight) -> bool:
    """Tell whether a step's block is one of those that shall make the main attack."""
    block = sight.own(step.name)
    if by := main.one("by"):
        leader = sight.own(by)
        return step.name == by or (leader is not None and block is not None and leader.area == block.area)
    return block is not None and block.area == main.one("from")


def move(occasion: Occasion) -> Iterator[str]:
    """4.2: yield the way as it is written; if it cannot be gone, the shortest ways that pass its areas."""
    text, name, to = written_way(occasion.step), occasion.step.name, occasion.order.all("to")
    block = occasion.sight.own(name)
    if refusal(occasion.ask, text) is None:
        yield text
    elif block is None or not is_whole_way((block.area, *to)):
        paths = ways(to, occasion.able("move").get(name, ()))
        yield from (f"move {name} to {', '.join(path)}" for path in paths)


def written_way(step: Step) -> str:
    """4.2: return a move along the way that is written, in the words of the rules."""
    return f"move {step.name} to {', '.join(step.order.all('to'))}"


def is_whole_way(way: Sequence[str]) -> bool:
    """Tell whether each area of a way borders the next, so that this way is meant and no other."""
    return all(two in AREAS[one].neighbours for one, two in pairwise(way))


def ways(wanted: Sequence[str], paths: Iterable[str]) -> list[tuple[str, ...]]:
    """Return those of some paths that pass the wanted areas and end at the last of them, the best first."""
    split = (tuple(text.split(", ")) for text in paths)
    found = [path for path in split if path[-1] == wanted[-1] and passes(path, wanted)]
    return sorted(found, key=lambda path: (len(path), path))


def passes(path: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether the wanted areas stand in a path, in their order."""
    places = iter(path)
    return all(area in places for area in wanted)
