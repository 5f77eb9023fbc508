"""What a game's order language offers to the rest of the program.

A language reads order files (`parse`), checks them against what their writer may see (`check`), says
in plain words what it understood (`say`), prints the form of a report (`form`) and answers a game's
questions for a side (`follower`). Orders, a side's own view and the question itself are all that an
answer may depend on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from pbem.orders.faults import Fault
from pbem.rules.base import Ask, View

Orders: TypeAlias = Any
"""A parsed order file: frozen, comparable, and true if it says anything. Each language has its own."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was understood of a text, and what is wrong or doubtful about it."""

    orders: Orders
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The orders answer the question: by which line of which file."""

    text: str
    line: int = field(default=0, compare=False)  # 0 where no single line says it
    file: int = field(default=-1, compare=False)  # how many files came before its own; -1: not known


@dataclass(frozen=True, slots=True)
class Uncovered:
    """No line covers the question."""

    unasked: tuple[Dropped, ...] = ()
    """The lines for which nobody may be asked: the pause would show what only their writer sees."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The player wants to be asked: they wrote `ask`, and its condition holds. See `reply_of`."""

    line: int  # of the `ask`


Reply: TypeAlias = Answer | Uncovered | Stop


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that was ordered and could not be done when its turn came. For its writer alone."""

    line: int
    text: str
    reason: str
    rule: str = ""
    file: int = field(default=-1, compare=False)
    """How many files of its writer came before its own; -1 if it stands in no single one."""
    exchange: int = field(default=0, compare=False)
    """The exchange that an older file was sent for; 0 for the file that came last."""

    def __str__(self) -> str:
        rule = f" ({self.rule})" if self.rule else ""
        of = f" of what you sent for exchange {self.exchange}" if self.exchange else ""
        return f"line {self.line}{of}: '{self.text}' was left out: {self.reason}{rule}"


@dataclass(frozen=True, slots=True)
class OnFile:
    """Lines of one file that may still answer something, in plain words. For its writer alone."""

    file: int
    """How many files came before it."""
    lines: tuple[str, ...]
    kinds: frozenset[str] = frozenset()
    """The kinds of Ask that they may answer."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What one side's orders on file say to the questions of a form. For their writer alone."""

    answers: tuple[tuple[Ask, str], ...] = ()
    """To what is asked now, in words, should nothing more be sent."""
    kinds: frozenset[str] = frozenset()
    """Of questions that may still come, and that they may answer."""

    def silence(self, kind: str, said: str) -> str:
        """Return what it means to say nothing to a question that may come.

        `said`: to say nothing anywhere.
        """
        if kind in self.kinds:
            return f"Your earlier orders answer this if they can. If they cannot: {said}."
        return f"If you say nothing: {said}."

    def silence_now(self, ask: Ask, said: str) -> str:
        """Return the same of a question that is asked now."""
        for one, answer in self.answers:
            if one is ask:
                return f"Your earlier orders answer: {answer}."
        return f"If you say nothing: {said}."


NOTHING_ON_FILE = Standing()


@dataclass(frozen=True, slots=True)
class Asked:
    """An Ask as the report to its side carries it."""

    kind: str
    rule: str
    legal: tuple[str, ...]
    """Every legal answer; none if they are too many to list."""
    default: str


@dataclass(frozen=True, slots=True)
class Offer:
    """One way in which a line of orders may begin or go on."""

    verb: str
    clause: str
    """The word before the name, such as `to`; "" in the verb's own list."""
    name: str
    """What is named, as pictures call it too; "" if it is a word alone."""
    line: str
    """The line, if this is taken."""


class Follower(Protocol):
    """Answers one side's questions from that side's orders, for as long as they are in force."""

    dropped: list[Dropped]

    def receive(self, orders: Orders, view: View) -> None:
        """A new order file is in force from now on; `view` is the side's, at this moment."""

    def reply(self, ask: Ask, view: View) -> Reply:
        """Return what the orders say to this question; `view` is the side's, at this moment."""

    def covers(self, kinds: frozenset[str], view: View) -> bool:
        """Were orders given in advance for the questions of these kinds that a public stop is for?"""

    def on_file(self, view: View) -> tuple[OnFile, ...]:
        """Return the orders that still rule, the newest file first."""

    def copy(self) -> Follower:
        """Another follower that stands where this one does, for trying something out."""


def reply_of(follower: Follower, ask: Ask, view: View, *, just_put: bool) -> Reply:
    """Return what a follower says to a question, with a Stop only where the judge may stop.

    They may not where the other sides cannot see that this is asked, for the pause would show it; nor for a
    question that was put to the player when this exchange began (`just_put`). The `ask` is then passed over
    for the lines after it, and its writer is told.
    """
    passed: set[int] = set()
    while isinstance(reply := follower.reply(ask, view), Stop) and (just_put or not ask.public):
        if reply.line in passed:
            return Uncovered()
        passed.add(reply.line)
        reason = (
            f"the judge has already asked you '{ask.kind}' for this exchange"
            if ask.public
            else f"only you may know that '{ask.kind}' is asked, and a pause would tell everybody"
        )
        dropped = Dropped(reply.line, "ask", reason)
        if dropped not in follower.dropped:
            follower.dropped.append(dropped)
    return reply


class Language(Protocol):
    """The order language of one game."""

    def parse(self, text: str, side: str) -> Parsed:
        """Read a text. Never raises: wrong lines are faults, and the good ones stand."""

    def check(self, orders: Orders, view: View) -> tuple[Fault, ...]:
        """Return what is wrong or doubtful about orders, as far as their writer's view shows it."""

    def write(self, orders: Orders) -> str:
        """Return the orders in the language's own layout; parsed again they are the same."""

    def say(self, orders: Orders) -> str:
        """Return what was understood, in plain words."""

    def form(self, view: View, asks: Sequence[Ask], answered: Standing = NOTHING_ON_FILE) -> str:
        """Return the order form of a report: what is asked now and what may be put in advance."""

    def asked(self, form: str) -> tuple[str, ...]:
        """Return the verbs of the lines that a form asks for; for whoever composes orders by hand."""

    def offers(
        self, line: str, view: View, verbs: Sequence[str], above: str = "", asks: Sequence[Asked] = ()
    ) -> tuple[Offer, ...]:
        """Return how a line may begin (with one of `verbs`) or go on, as far as its writer's view allows it.

        `above`: the lines before it, for a line in a plan is another than one outside. `asks`: what is asked
        now, as the report says it.
        """

    def spoken(self, ask: Ask, answer: str) -> str:
        """Return an answer of the rules as an order line says it, for people; read back it is that answer."""

    def follower(self, side: str) -> Follower:
        """Return an empty follower; keep one for each side as long as the game goes on."""
