"""The plainest order language: each line is one answer, as the rules write it, used once and in its turn.

It serves every game whose questions need no conditions and no plans. All it has to be told are the words
that answers to each kind of question begin with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pbem.characters import nearest, split_lines, split_words
from pbem.orders.base import (
    NOTHING_ON_FILE,
    Answer,
    Asked,
    Dropped,
    Fault,
    Offer,
    OnFile,
    Parsed,
    Reply,
    Standing,
    Uncovered,
    pack,
    possible_was,
    unpack,
)
from pbem.orders.cursor import MAX_COMPARED
from pbem.orders.kit.text import notes
from pbem.orders.lines import BLANK, read_text, surplus_in_words, unknown_signs
from pbem.rules.base import Ask, View


@dataclass(frozen=True, slots=True)
class PlainOrder:
    """One line of plain orders: the text compared with answers, and the words told to its writer."""

    text: str
    line: int
    said: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class PlainOrders:
    """The plain orders of one file."""

    lines: tuple[PlainOrder, ...]

    def __bool__(self) -> bool:
        return bool(self.lines)


@lru_cache(maxsize=4096)
def plain_words(answer: str) -> str:
    """Return an answer as it is read from a mail: without the marks that carry no meaning there."""
    return " ".join(word for statement in read_text(answer).statements for word in statement.words)


def begins(order: str, verbs: Sequence[str]) -> bool:
    """Tell whether a line, as it is read from a mail, begins with one of these verbs."""
    return any(f"{order} ".startswith(f"{plain_words(verb)} ") for verb in verbs)


class PlainLanguage:
    """An order language whose lines are the rules' own answers.

    `verbs`: kind of Ask -> the words that an answer to it may begin with.
    """

    def __init__(self, verbs: Mapping[str, Sequence[str]]) -> None:
        self.verbs = verbs

    def parse(self, text: str, side: str) -> Parsed:
        """Read the text of an order file; wrong lines become faults, and the good lines count."""
        read = read_text(text)
        known = sorted({verb for verbs in self.verbs.values() for verb in verbs})
        orders, faults = [], []
        for statement in read.statements:
            words = statement.words
            if words[-1] == BLANK:
                continue  # of a form, and not filled in
            if begins(said := " ".join(words), known):
                orders.append(PlainOrder(said, statement.line, read.hyphened(statement.tokens)))
                continue
            written = read.written(statement.tokens[:1])
            faults.append(
                read.fault(
                    statement.tokens[:1],
                    f"no order begins with '{written}'",
                    meant=nearest(words[0][:MAX_COMPARED], known, 1, 0.6),
                    legal=known,
                )
            )
        faults += [read.fault(tokens, said) for tokens, said in surplus_in_words(read)]
        faults += [read.fault((token,), said, remark=True) for token, said in unknown_signs(read)]
        return Parsed(PlainOrders(tuple(orders)), tuple(faults))

    def check(self, orders: PlainOrders, view: View) -> tuple[Fault, ...]:
        """Return no faults: a view shows none, and what proves impossible is told with the next report."""
        return ()

    def write(self, orders: PlainOrders) -> str:
        """Return the orders as text, one on each line."""
        return "".join(f"{order.said}\n" for order in orders.lines)

    def say(self, orders: PlainOrders) -> str:
        """Return the orders that were understood, one on each line."""
        return self.write(orders)

    def form(self, view: View, asks: Sequence[Ask], answered: Standing = NOTHING_ON_FILE) -> str:
        """Return a blank for each question, with what may stand there and what silence means."""
        lines = ["begin orders"]
        for ask in asks:
            lines += notes(f"One of these ({ask.rule}): {' / '.join(ask.legal)}")
            lines += notes(answered.silence_now(ask, ask.default))
            begun = {split_words(answer)[0] for answer in ask.legal}
            lines.append(f"{begun.pop()} {BLANK}" if len(begun) == 1 else BLANK)
        return "\n".join([*lines, "end orders", ""])

    def asked(self, form: str) -> tuple[str, ...]:
        """Return the words with which the lines of a form begin.

        If the form leaves a word to the player, return every word that may begin a line.
        """
        known = [verb for verbs in self.verbs.values() for verb in verbs]
        first = [words[0] for line in split_lines(form) if (words := split_words(line))]
        return tuple(known) if BLANK in first else tuple(word for word in first if word in known)

    def offers(
        self, line: str, view: View, verbs: Sequence[str], above: str = "", asks: Sequence[Asked] = ()
    ) -> tuple[Offer, ...]:
        """Return the legal answers to what is asked now that a line may still become."""
        so_far = " ".join(split_words(line))
        return tuple(
            Offer(answer.partition(" ")[0], "", answer.partition(" ")[2], answer)
            for ask in asks
            for answer in ask.legal
            if answer != so_far and answer.startswith(so_far)
        )

    def spoken(self, ask: Ask, answer: str) -> str:
        """Return an answer as it is, since order lines are the rules' own answers."""
        return answer

    def follower(self, side: str) -> PlainFollower:
        """Return a follower without orders for one side."""
        return PlainFollower(self.verbs)


class PlainFollower:
    """A follower that answers from the lines of the newest file, each of which is used once."""

    def __init__(self, verbs: Mapping[str, Sequence[str]]) -> None:
        self.verbs = verbs
        self.dropped: list[Dropped] = []
        self.files = 0
        self.waiting: deque[PlainOrder] = deque()

    def receive(self, orders: PlainOrders, view: View) -> None:
        """Put a new file in the place of the one before."""
        self.files += 1
        self.waiting = deque(orders.lines)

    def reply(self, ask: Ask, view: View) -> Reply:
        """Return the answer of the first legal line for this kind of question; earlier ones are dropped."""
        for order in list(self.waiting):
            if not begins(order.text, self.verbs[ask.kind]):
                continue
            self.waiting.remove(order)
            answer = next((one for one in ask.legal if plain_words(one) == order.text), None)
            if answer is not None:
                return Answer(answer, order.line, self.files - 1)
            self.dropped.append(Dropped(order.line, order.said, possible_was(ask.legal), ask.rule))
        return Uncovered()

    def covers(self, kinds: frozenset[str], view: View) -> bool:
        """Tell whether there is a line for each of these kinds of question."""
        return all(any(begins(order.text, self.verbs[kind]) for order in self.waiting) for kind in kinds)

    def on_file(self, view: View) -> tuple[OnFile, ...]:
        """Return the lines that have not been used yet."""
        lines = tuple(order.said for order in self.waiting)
        kinds = frozenset(
            kind
            for kind, verbs in self.verbs.items()
            if any(begins(order.text, verbs) for order in self.waiting)
        )
        return (OnFile(self.files - 1, lines, kinds),) if lines else ()

    def save(self) -> Any:
        """Return all of the follower's state, JSON-able."""
        return [pack(self.dropped), self.files, pack(list(self.waiting))]

    def load(self, data: Any) -> None:
        """Take over the state of a follower that was saved."""
        dropped, self.files, waiting = data
        self.dropped = unpack(dropped, (Dropped,))
        self.waiting = deque(unpack(waiting, (PlainOrder,)))

    def copy(self) -> PlainFollower:
        """Return another follower in the same state."""
        other = PlainFollower(self.verbs)
        other.dropped, other.files, other.waiting = list(self.dropped), self.files, deque(self.waiting)
        return other
