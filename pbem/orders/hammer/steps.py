"""Lists of steps: moves, sea moves, builds and draws, disbanding. Each step is done once, in turn.

A step that has become impossible is left out, and the reason is kept for its writer (R113). A list that
has come to its end means `done`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pbem.orders.base import Answer, Dropped, Reply, Stop, Uncovered
from pbem.orders.hammer.select import Line, by_block, picked
from pbem.orders.hammer.sight import Sight
from pbem.orders.hammer.tree import FULL, Order
from pbem.orders.hammer.truth import Memory, holds
from pbem.orders.hammer.vocabulary import GROUPS
from pbem.orders.hammer.write import WHOLE_LISTS, write_order
from pbem.rules.base import Ask, IllegalAnswer
from pbem.rules.hammer.facts import AREAS, BLOCKS

OVER: Mapping[str, tuple[str, str]] = {
    "move": ("your moves were over: no group was left, or nothing more could move", "4.2"),
    "sail": ("the sea move was over", "3.12"),
    "victuals": ("no step was left to give", "3.12"),
    "pillage-build": ("no step was left to give", "3.12"),
    "build": ("no replacement point was left, or no block could take one", "7.6"),
    "disband": ("every castle limit was kept without it", "7.32"),
}
"""What is said of a step that is left when its list is not asked for any more, with the section."""
KINDS = frozenset(OVER)


@dataclass(slots=True)
class Step:
    """One entry of a list: a block (or area, or group) and how often; `named`: its writer named the block."""

    order: Order
    name: str = ""
    left: int = 1
    named: bool = True
    used: bool = False


@dataclass(slots=True)
class StepList:
    """The steps of one kind in one file, as far as they are not done yet."""

    steps: list[Step]
    covers: bool = False  # some line of it has applied
    keep: list[Order] = field(default_factory=list)

    def copy(self) -> StepList:
        """The same list, done as far."""
        return replace(self, steps=[replace(step) for step in self.steps])

    def left_over(self, kind: str) -> list[Dropped]:
        """The steps that were still to come when the rules had nothing more to ask; forgets them."""
        reason, rule = OVER[kind]
        left = [step for step in self.steps if step.named and step.name and not step.used and self.covers]
        self.steps.clear()
        return [Dropped(step.order.line, _plain(step), reason, rule) for step in left]


Drop = Callable[[Dropped], None]


def refusal(ask: Ask, text: str) -> IllegalAnswer | None:
    """Why the rules refuse an answer now; None if they accept it."""
    try:
        ask.read(text)
    except IllegalAnswer as refused:
        return refused
    return None


def make_list(kind: str, found: Sequence[Line], sight: Sight, memory: Memory, drop: Drop) -> StepList:
    """The steps that a file's lines for this kind of question come to."""
    if kind == "move":
        orders = [line.order for line in found if holds(line.order.when, sight, memory)]
        return StepList(_move_steps(orders, sight, drop), covers=bool(orders))
    steps: list[Step] = []
    for line in found:
        order = line.order
        if order.names == ("none",):
            steps.append(Step(order))
        elif order.verb in ("sail", "disband"):
            chosen = _block_steps(order, _standing(order, sight), [line.order for line in found])
            steps += [step for step in chosen if (order.verb, step.name) != ("disband", "Edward")]
        elif order.verb in ("build", "draw"):
            steps += [
                Step(order, pick.name, pick.count, pick.name not in WHOLE_LISTS) for pick in order.picks
            ]
        elif order.verb != "keep":
            steps.append(Step(order))
    return StepList(steps, keep=[line.order for line in found if line.order.verb == "keep"])


# -- moves


def _move_steps(orders: Sequence[Order], sight: Sight, drop: Drop) -> list[Step]:
    steps: list[Step] = []
    for order in orders:
        if order.verb in ("ask", "done"):
            steps.append(Step(order))
        elif order.verb == "move" and order.names != ("none",):
            for step in _block_steps(order, _standing(order, sight), orders):
                block = sight.own(step.name)
                if step.named and order.start and (block is None or block.area != order.start):
                    where = f"is in {block.area}" if block else "is not on the map"
                    drop(Dropped(order.line, write_order(order), f"{step.name} {where}", "4.2"))
                else:
                    steps.append(step)
    for order in orders:
        if order.verb == "main attack":
            steps = _main_attack_first(order, steps, sight)
    return steps


def _standing(order: Order, sight: Sight) -> tuple[str, ...]:
    """The blocks among which a list chooses: all on the map, or those of the area it names."""
    return sight.mine(order.start or order.within)


def _block_steps(order: Order, standing: Sequence[str], orders: Iterable[Order]) -> list[Step]:
    """A step for each block that the order's list means; a named one even if it is not there."""
    elsewhere = [
        name for other in orders if other is not order and other.verb == order.verb for name in other.names
    ]
    chosen = dict.fromkeys(picked(order, standing, elsewhere))
    named = [name for name in order.names if name in BLOCKS and name not in order.but]
    if not all(name in chosen for name in named):
        chosen = dict.fromkeys((*named, *chosen))
    return [Step(order, name, named=name in named) for name in chosen]


def _main_attack_first(main: Order, steps: Sequence[Step], sight: Sight) -> list[Step]:
    """5.32, R42: the first group to enter is the main attack, so the one that is named goes first."""
    area = main.names[0]
    into = [index for index, step in enumerate(steps) if step.name and step.order.areas[-1:] == (area,)]
    chosen = [index for index in into if _begins(steps[index], main, sight)]
    if not chosen or chosen[0] == into[0]:
        return list(steps)
    first = [steps[index] for index in chosen]
    others = [step for index, step in enumerate(steps) if index not in chosen]
    place = into[0]
    return [*others[:place], *first, *others[place:]]


def _begins(step: Step, main: Order, sight: Sight) -> bool:
    """Is this one of the blocks that shall make the main attack?"""
    if main.by:
        leader, block = sight.own(main.by), sight.own(step.name)
        return step.name == main.by or (
            leader is not None and block is not None and leader.area == block.area
        )
    block = sight.own(step.name)
    return block is not None and block.area == main.start


def _is_whole_way(order: Order, name: str, sight: Sight) -> bool:
    """Do the areas follow each other over borders? Then this way is meant, and no other."""
    block = sight.own(name)
    return block is not None and all(
        two in AREAS[one].neighbours for one, two in pairwise((block.area, *order.areas))
    )


def ways(order: Order, name: str, ask: Ask) -> list[str]:
    """The legal moves of a block that pass the order's areas and end at its last, the best first."""
    wanted = order.areas
    found = []
    for text in by_block(ask.legal, "move").get(name, ()):
        path = tuple(text.split(", "))
        if path[-1] == wanted[-1] and _passes(path, wanted):
            found.append(path)
    found.sort(key=lambda path: (len(path), path))
    return [f"move {name} to {', '.join(path)}" for path in found]


def _passes(path: Sequence[str], wanted: Sequence[str]) -> bool:
    """Do the wanted areas stand in the path, in their order?"""
    places = iter(path)
    return all(area in places for area in wanted)


# -- the next step


def next_step(steps: StepList, ask: Ask, sight: Sight, memory: Memory, drop: Drop) -> Reply:
    """The next step that can be done; `done` at the end of the list, if anything in it applied."""
    while steps.steps:
        step = steps.steps[0]
        order = step.order
        if ask.kind != "move" and not step.used and not holds(order.when, sight, memory):
            steps.steps.pop(0)
            continue
        steps.covers = True
        if order.verb == "ask":
            steps.steps.pop(0)
            return Stop(order.line)
        if order.verb == "done":
            steps.steps.clear()
            break
        text = next(_proposed(step, ask, sight, memory), None) if step.name else None
        if text is None:
            steps.steps.pop(0)
            if step.named and not step.used and step.name:
                drop(_why(step, ask))
            continue
        step.used = True
        if step.left != FULL:
            step.left -= 1
            if step.left == 0:
                steps.steps.pop(0)
        return Answer(text, order.line)
    if ask.kind == "disband":
        return _rest_of_disbanding(steps, ask, sight)
    return Answer("done") if steps.covers and refusal(ask, "done") is None else Uncovered()


def _why(step: Step, ask: Ask) -> Dropped:
    """What was left out, in the words of the line, and the rules' reason."""
    text = _plain(step)
    refused = refusal(ask, text)
    reason, rule = (refused.reason, refused.rule) if refused else ("it was not possible", "")
    return Dropped(step.order.line, text, reason, rule)


def _plain(step: Step) -> str:
    order = step.order
    to = f" to {', '.join(order.areas)}" if order.areas else ""
    return f"{order.verb} {step.name}{to}"


def _proposed(step: Step, ask: Ask, sight: Sight, memory: Memory) -> Iterator[str]:
    """The legal answers that a step may mean, the best first."""
    order = step.order
    if order.verb == "move":
        text = _plain(step)
        if refusal(ask, text) is None:
            yield text
        elif not _is_whole_way(order, step.name, sight):
            yield from ways(order, step.name, ask)
    elif order.verb == "sail":
        yield from (text for area in order.areas if (text := f"sail {step.name} to {area}") in ask.legal)
    elif order.verb == "build":
        yield from _builds(step, ask, sight, memory)
    elif refusal(ask, text := _plain(step)) is None:
        yield text


def _builds(step: Step, ask: Ask, sight: Sight, memory: Memory) -> Iterator[str]:
    """`build Wallace`, `build nobles`, `build drawn`, `build rest`: the next block of it that can grow."""
    able = list(by_block(ask.legal, "build"))
    if step.order.within:
        able = [name for name in able if name in sight.mine(step.order.within)]
    if step.name == "drawn":
        names = [name for name in reversed(memory.drawn) if name in able]
    elif step.name in BLOCKS:
        names = [step.name] if step.name in able else []
    else:
        alone = Order(verb="build", picks=tuple(pick for pick in step.order.picks if pick.name == step.name))
        elsewhere = () if step.name != "rest" else [name for name in step.order.names if name in BLOCKS]
        names = sorted(picked(alone, able, elsewhere), key=_dearest)
        names = [name for name in names if name not in step.order.but]
        if ask.default.removeprefix("build ") in names:
            yield ask.default
    yield from (f"build {name}" for name in names)


def _dearest(name: str) -> tuple[int, int]:
    """7.62, 7.63, if nothing is said: leaders before nobles before all others."""
    fact = BLOCKS[name]
    return {"leader": 0, "noble": 1}.get(fact.kind, 2), fact.order


# -- disbanding


def _rest_of_disbanding(steps: StepList, ask: Ask, sight: Sight) -> Reply:
    """7.3, 7.5: done if that is legal; else the one that `keep` names last goes from the crowded area."""
    if not steps.covers and not steps.keep:
        return Uncovered()
    if "done" in ask.legal:
        return Answer("done")
    crowded = sight.own(ask.default.removeprefix("disband "))
    if not steps.keep or crowded is None:
        return Uncovered()
    able = [name for name in by_block(ask.legal, "disband") if name in sight.mine(crowded.area)]
    wanted = [order for order in steps.keep if order.within in ("", crowded.area)]
    ranks = {name: _rank(name, wanted) for name in able}
    last = max(ranks.values())
    going = [name for name, rank in ranks.items() if rank == last]
    return Answer(ask.default if crowded.name in going else f"disband {going[-1]}")


def _rank(name: str, keep: Sequence[Order]) -> int:
    """How early the `keep` lines name a block: 0 is kept longest."""
    entries = [(entry, order) for order in keep for entry in order.names]
    named = {entry for entry, _ in entries}
    for rank, (entry, order) in enumerate(entries):
        if name in order.but:
            continue
        if entry in (name, "all"):
            return rank
        if entry == "rest" and name not in named:
            return rank
        if entry in GROUPS and BLOCKS[name].kind == GROUPS[entry]:
            return rank
    return len(entries)
