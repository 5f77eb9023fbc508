"""The answers that lines of orders propose, best first, and lists of steps, each of which is done once.

A step that has become impossible is left out, and the reason is kept for its writer. A list that has come to
its end means `done`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pbem.orders.base import Answer, Dropped, Reply, Stop
from pbem.orders.kit.conditions import holds
from pbem.orders.kit.parsed_orders import ASK, DONE, FULL, Line, Order
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.vocabulary import FOR_ALL, Occasion, Proposes, Step
from pbem.rules.base import Ask, IllegalAnswer


def subject(text: str) -> str:
    """Return the name of what an answer is about, such as "Tom" in "retreat Tom to Moor"."""
    return text.split(" ", 1)[-1].partition(" to ")[0]


def by_name(occasion: Occasion) -> Iterator[str]:
    """Yield `VERB NAME` for each name of an order in turn, or the verb alone without names.

    `rest` stands for whatever else is possible.
    """
    return _names_of(occasion.order.verb, occasion)


def named(verb: str, nobody: str = "") -> Proposes:
    """Return a function that proposes answers as `by_name` does, but with another verb than the order's.

    `nobody` is the answer to `none`.
    """

    def proposes(occasion: Occasion) -> Iterator[str]:
        return iter((nobody,)) if occasion.order.nobody and nobody else _names_of(verb, occasion)

    return proposes


def word(text: str) -> Proposes:
    """Return a function that always proposes this answer."""
    return lambda _: iter((text,))


def _names_of(verb: str, occasion: Occasion) -> Iterator[str]:
    order, ask = occasion.order, occasion.ask
    if not order.picks or verb == DONE:
        yield verb
        return
    for name in order.names:
        if name in FOR_ALL:
            named_here = {f"{verb} {other}" for other in (*order.names, *order.left_out)}
            left = [text for text in ask.legal if text.startswith(f"{verb} ") and text not in named_here]
            yield from (ask.default, *left) if ask.default in left else left
        else:
            yield f"{verb} {name}"


def picked(
    order: Order,
    candidates: Sequence[str],
    named_elsewhere: Iterable[str] = (),
    of_group: Callable[[str, str], bool] | None = None,
) -> list[str]:
    """Return the names of `candidates` that the order's list means, in the order of that list.

    A group or `all` stands for its members in the order of `candidates`; `rest` for those that neither
    this list nor another names. `of_group(name, group)`: is the name one of the group?
    """
    named_ = {*order.names, *named_elsewhere}
    chosen: dict[str, None] = {}
    for name in order.names or ("all",):
        if name == "rest":
            found = [one for one in candidates if one not in named_]
        elif name == "all":
            found = list(candidates)
        elif name in candidates:
            found = [name]
        else:
            found = [one for one in candidates if of_group and of_group(one, name)]
        chosen.update(dict.fromkeys(found))
    left_out = order.left_out
    return [one for one in chosen if one not in left_out] if left_out else list(chosen)


Drop = Callable[[Dropped], None]


@dataclass(slots=True)
class StepList:
    """The steps of one kind in one file that are not done yet."""

    kind: str
    steps: deque[Step]
    covers: bool = False  # some line of it has applied
    judged: bool = False  # the conditions were judged when it was made
    others: list[Order] = field(default_factory=list)  # lines about it that are no steps

    def copy(self) -> StepList:
        """Return a copy of the list, with the same steps left."""
        return replace(self, steps=self.steps.copy())

    def left_over(self, rows: Rows) -> list[Dropped]:
        """Remove the steps left when the rules had nothing more to ask, and return them as dropped."""
        over = rows.by_steps[self.kind].over
        left = [step for step in self.steps if step.named and step.name and not step.used and self.covers]
        self.steps.clear()
        return [Dropped(step.order.line, plain(step, rows), over.reason, over.rule) for step in left]


def refusal(ask: Ask, text: str) -> IllegalAnswer | None:
    """Return why the rules refuse an answer now; None if they accept it."""
    try:
        ask.read(text)
    except IllegalAnswer as refused:
        return refused
    return None


def plain(step: Step, rows: Rows) -> str:
    """Return a step as an answer, with the clauses that its verb needs: `move Tom to Hill, Mill`."""
    needed = rows.by_verb[step.order.verb].needs_one_of
    said = (f" {word} {', '.join(names)}" for word, names in step.order.clauses if word in needed and names)
    return f"{step.order.verb} {step.name}{''.join(said)}"


def make_list(kind: str, found: Sequence[Line], sight: Any, rows: Rows, drop: Drop) -> StepList:
    """Return the list of steps that the lines of a file give for this kind of question."""
    if arrange := rows.by_steps[kind].arrange:
        orders = [line.order for line in found if holds(line.order.when, sight, rows)]
        covers = any(order.verb != ASK for order in orders)
        return StepList(kind, deque(arrange(orders, rows, sight, drop)), covers=covers, judged=True)
    doing = [line.order for line in found if rows.makes_steps(line.order, kind)]
    made = StepList(kind, deque())
    for line in found:
        order, verb = line.order, rows.by_verb[line.order.verb]
        if verb.as_step.ranks:
            made.others.append(order)
        elif order.nobody or order.verb in (ASK, DONE):
            made.steps.append(Step(order))
        elif verb.as_step.made:
            made.steps += verb.as_step.made(order, sight, doing)
        else:
            made.steps += [
                Step(order, pick.name, pick.count, pick.name not in rows.whole) for pick in order.picks
            ]
    return made


def next_step(made: StepList, ask: Ask, sight: Any, rows: Rows, drop: Drop) -> Reply | None:
    """Return the next step that can be done; `done` at the end of the list, if any of its lines applied."""
    failed = _Failed()
    while made.steps:
        step = made.steps[0]
        order = step.order
        if not made.judged and not step.used and not holds(order.when, sight, rows):
            made.steps.popleft()
            continue
        if order.verb == ASK:  # by itself it covers nothing, should the judge not stop
            made.steps.popleft()
            return Stop(order.line)
        made.covers = True
        if order.verb == DONE:
            made.steps.clear()
            break
        known = step in failed
        text = next(_propose(step, ask, sight, rows), None) if step.name and not known else None
        if text is None:
            made.steps.popleft()
            if not known:
                failed.add(step)
            if step.named and not step.used and step.name:
                drop(failed.why(step, ask, rows))
            continue
        if step.left == 1:
            made.steps.popleft()
        else:
            left = FULL if step.left == FULL else step.left - 1
            made.steps[0] = replace(step, used=True, left=left)
        return Answer(text, order.line)
    if rest := rows.by_steps[ask.kind].rest:
        others = [order for order in made.others if holds(order.when, sight, rows)]
        text = rest(others, ask, sight) if made.covers or others else ""
        return Answer(text) if text else None
    return Answer(DONE) if made.covers and refusal(ask, DONE) is None else None


class _Failed:
    """The steps that could not be done just now; steps of equal lines are then not tried."""

    def __init__(self) -> None:
        self._alike: dict[Order, int] = {}
        self._numbers: dict[int, int] = {}  # an order, by its identity -> the first that is equal to it
        self._failed: dict[tuple[int, str, int], Dropped | None] = {}

    def _key(self, step: Step) -> tuple[int, str, int]:
        number = self._numbers.get(id(step.order))
        if number is None:
            number = self._alike.setdefault(step.order, len(self._alike))
            self._numbers[id(step.order)] = number
        return number, step.name, step.left

    def __contains__(self, step: Step) -> bool:
        return bool(self._failed) and self._key(step) in self._failed

    def add(self, step: Step) -> None:
        self._failed[self._key(step)] = None

    def why(self, step: Step, ask: Ask, rows: Rows) -> Dropped:
        """Return what was left out of a step's line, and why."""
        known = self._failed[self._key(step)] or _why(step, ask, rows)
        self._failed[self._key(step)] = known
        return replace(known, line=step.order.line)


def _why(step: Step, ask: Ask, rows: Rows) -> Dropped:
    """Return what was left out of a step's line, in the line's words, with the rules' reason."""
    text = plain(step, rows)
    refused = refusal(ask, text)
    reason, rule = (refused.reason, refused.rule) if refused else ("it was not possible", "")
    return Dropped(step.order.line, text, reason, rule)


def _propose(step: Step, ask: Ask, sight: Any, rows: Rows) -> Iterator[str]:
    """Yield the legal answers that a step may mean, the best first."""
    verb = rows.by_verb[step.order.verb]
    if verb.as_step.proposes:
        yield from verb.as_step.proposes(Occasion(step.order, ask, sight, step=step))
    elif refusal(ask, text := plain(step, rows)) is None:
        yield text
