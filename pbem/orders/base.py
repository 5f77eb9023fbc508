"""The interface that a game's order language offers to the rest of the program, with the state that is saved.

A language reads order files (`parse`), checks them against what their writer may see (`check`), says
in plain words what it understood (`say`), prints the form of a report (`form`) and answers a game's
questions for a side (`follower`). Orders, a side's own view and the question itself are all that an
answer may depend on. A fault in a line is worded so that the player can correct it:

    line 4: no area called 'Garmoron' (1.1); did you mean Garmoran?
        move Wallace to Garmoron
                        ~~~~~~~^

The line, or the smallest part of it that is wrong, does not count. A remark means that it counts, and
probably not as its writer thinks. `QuestionsPut` tells what silence means: the judge's play and a
forecast's trials stop by it.

The state of a follower or a memory is saved as JSON, made only of kinds of value that are known here. Text,
numbers, truth values and None stand for themselves. All else is a list that begins with what it is: a kind
of collection, or one of the frozen classes that the reader names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import islice
from typing import Any, Protocol, TypeAlias, runtime_checkable

from pbem.characters import BLANKS, plain
from pbem.rules.base import Ask, Game, Shared, View

MAX_SHOWN = 40
"""Maximum number of faults told at once; a text with more of them is something else than orders."""

MAX_ANSWERS = 6
"""Maximum number of possible answers listed in the reason why an order was left out."""

WIDTH = 70
"""Maximum width in columns of a quoted source line; of a longer one the part around the fault is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong (or, if `remark`, doubtful) in one place of an order file."""

    line: int
    column: int  # place of the first character, counted from 1
    end: int  # place of the last character
    source: str  # the line as it was written
    message: str
    rule: str = ""  # the rulebook's section, or a ruling
    meant: tuple[str, ...] = ()  # names for "did you mean"
    legal: tuple[str, ...] = ()  # what would be right here
    remark: bool = False
    pause: bool = False
    """Whether the game may stop because of the line; the message of the remark says how to avoid that."""

    def __str__(self) -> str:
        place = f"line {self.line}, a remark" if self.remark else f"line {self.line}"
        rule = f" ({self.rule})" if self.rule else ""
        meant = f"; did you mean {listed(self.meant, 'or')}?" if self.meant else ""
        parts = [f"{place}: {self.message}{rule}{meant}", *self._marked_lines()]
        if self.legal:
            parts.append(f"    possible: {', '.join(self.legal)}")
        return "\n".join(parts)

    def _marked_lines(self) -> list[str]:
        """Return the source line of the fault and below it the marks under the wrong words."""
        source = plain(self.source[: self.end + WIDTH])
        first, last = self.column - 1, max(self.end - 1, self.column - 1)
        cut = len(source) - len(source.lstrip(BLANKS))
        if last - cut >= WIDTH:
            cut = min(first, max(cut, last - WIDTH + 1))
        source = source[cut : cut + WIDTH].rstrip(BLANKS)
        if not source:
            return []
        first, last = first - cut, min(last - cut, WIDTH - 1)
        return [f"    {source}", f"    {' ' * first}{'~' * (last - first)}^"]


def listed(names: Iterable[str], last: str = "and") -> str:
    """Return names as a person lists them: "Fife, Mar and Ross"."""
    *head, tail = names
    return f"{', '.join(head)} {last} {tail}" if head else tail


def faults_in_words(faults: Iterable[Fault]) -> str:
    """Return all faults as one text, faults before remarks, with the number of those left out at the end."""
    ordered = sorted(faults, key=lambda fault: (fault.remark, fault.line, fault.column))
    shown = [str(fault) for fault in ordered[:MAX_SHOWN]]
    if more := len(ordered) - len(shown):
        shown.append(f"and {more} more")
    return "\n".join(shown)


def possible_was(answers: Iterable[str]) -> str:
    """Return the reason told for an order left out: the first answers that were possible in its place."""
    found = list(islice(answers, MAX_ANSWERS + 1))
    more = " and more" if len(found) > MAX_ANSWERS else ""
    return f"you could choose {', '.join(found[:MAX_ANSWERS])}{more}"


Orders: TypeAlias = Any
"""A parsed order file: frozen, comparable, and true if it says anything. Each language has its own type."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The orders that were understood of a text, and the faults and remarks about it."""

    orders: Orders
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply that answers a question, with the line and file of the orders that say it."""

    text: str
    line: int = field(default=0, compare=False)  # 0 where no single line says it
    file: int = field(default=-1, compare=False)  # number of files before its own; -1: not known


@dataclass(frozen=True, slots=True)
class Uncovered:
    """The reply that no line of the orders covers the question."""

    unasked: tuple[Dropped, ...] = ()
    """The lines for which nobody may be asked, since the pause would show what only their writer sees."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The reply that the player is to be asked, because they wrote `ask` and its condition holds.

    See `reply_of`.
    """

    line: int  # the number of the `ask` line


Reply: TypeAlias = Answer | Uncovered | Stop


@dataclass(frozen=True, slots=True)
class Dropped:
    """An order that could not be carried out when its turn came. Only its writer is told of it."""

    line: int
    text: str
    reason: str
    rule: str = ""
    file: int = field(default=-1, compare=False)
    """Number of its writer's files that came before the file of this line; -1 if no single file holds it."""
    exchange: int = field(default=0, compare=False)
    """The exchange that the line's file was sent for, if that is an older one; 0 for the file that came
    last."""

    def __str__(self) -> str:
        rule = f" ({self.rule})" if self.rule else ""
        of = f" of what you sent for exchange {self.exchange}" if self.exchange else ""
        return f"line {self.line}{of}: '{self.text}' was left out: {self.reason}{rule}"


@dataclass(frozen=True, slots=True)
class OnFile:
    """The lines of one file that may still answer something, in plain words.

    Only their writer is told of them.
    """

    file: int
    """Number of the writer's files that came before this file."""
    lines: tuple[str, ...]
    kinds: frozenset[str] = frozenset()
    """The kinds of Ask that the lines may answer."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The content of one side's orders on file for the questions of a form.

    Only their writer is told of it.
    """

    answers: tuple[tuple[Ask, str], ...] = ()
    """Each question asked now with the answer, in words, that it gets if nothing more is sent."""
    kinds: frozenset[str] = frozenset()
    """The kinds of question that may still come and that the orders on file may answer."""

    def silence(self, kind: str, said: str) -> str:
        """Return in a sentence what silence means for a kind of question that may still come.

        `said`: what silence means if the orders on file do not answer either.
        """
        if kind in self.kinds:
            return f"Your earlier orders answer this if they can. If they cannot: {said}."
        return f"If you say nothing: {said}."

    def silence_now(self, ask: Ask, said: str) -> str:
        """Return what it means to say nothing to a question that is asked now."""
        for one, answer in self.answers:
            if one is ask:
                return f"Your earlier orders answer: {answer}."
        return f"If you say nothing: {said}."


NOTHING_ON_FILE = Standing()


@dataclass(frozen=True, slots=True)
class Asked:
    """An Ask in the form in which the report to its side carries it."""

    kind: str
    rule: str
    legal: tuple[str, ...]
    """Every legal answer to the question; empty if there are too many to list."""
    default: str


@dataclass(frozen=True, slots=True)
class Offer:
    """One way in which a line of orders may begin or go on."""

    verb: str
    clause: str
    """The word of the clause that the offered name stands in, such as `to`; "" in the verb's own list."""
    name: str
    """The name that the offer adds to the line, spelled as pictures spell it; "" if the offer is only a
    word."""
    line: str
    """The order line as it reads once the offer is taken."""


class Follower(Protocol):
    """The object that answers one side's questions from that side's orders, as long as they are in force."""

    dropped: list[Dropped]

    def receive(self, orders: Orders, view: View) -> None:
        """Put a new order file in force from now on; `view` is the side's view at this moment."""

    def reply(self, ask: Ask, view: View) -> Reply:
        """Return what the orders say to this question; `view` is the side's view at this moment."""

    def covers(self, kinds: frozenset[str], view: View) -> bool:
        """Tell whether orders were given in advance for these kinds of question of a public stop."""

    def on_file(self, view: View) -> tuple[OnFile, ...]:
        """Return the orders that still rule, the newest file first."""

    def copy(self) -> Follower:
        """Return another follower in the same state as this one, for trying something out."""


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
        """Read the text of an order file.

        Never raises: wrong lines become faults, and the good lines count.
        """

    def check(self, orders: Orders, view: View) -> tuple[Fault, ...]:
        """Return what is wrong or doubtful about orders, as far as their writer's view shows it."""

    def write(self, orders: Orders) -> str:
        """Return the orders as text in the language's own layout; parsed again it gives the same orders."""

    def say(self, orders: Orders) -> str:
        """Return in plain words what was understood of an order file."""

    def form(self, view: View, asks: Sequence[Ask], answered: Standing = NOTHING_ON_FILE) -> str:
        """Return the order form of a report: what is asked now and what may be answered in advance."""

    def asked(self, form: str) -> tuple[str, ...]:
        """Return the verbs of the lines that a form asks for, for players who compose orders by hand."""

    def offers(
        self, line: str, view: View, verbs: Sequence[str], above: str = "", asks: Sequence[Asked] = ()
    ) -> tuple[Offer, ...]:
        """Return how a line may begin (with one of `verbs`) or go on, as far as its writer's view allows it.

        `above`: the lines before it, since a line in a plan differs from one outside. `asks`: what is asked
        now, as the report says it.
        """

    def spoken(self, ask: Ask, answer: str) -> str:
        """Return an answer of the rules as the order line for people that reads back as that answer."""

    def follower(self, side: str) -> Follower:
        """Return a follower without orders.

        The caller keeps one for each side as long as the game goes on.
        """


class QuestionsPut:
    """A record of the questions that players had before them; silence about these means the default."""

    def __init__(self, game: Game, stops: Mapping[str, frozenset[str]]) -> None:
        self.game = game
        self.stops = stops
        self.asks = list(game.asks)
        self.kinds: frozenset[str] = frozenset()

    def leave_first_stop(self) -> None:
        """Leave the public stop at which the exchange began.

        What is asked before anything happens counts as put to the players.
        """
        told = len(self.game.told("public"))
        self.leave_stop()
        if len(self.game.told("public")) == told:
            self.asks += self.game.asks

    def leave_stop(self) -> None:
        """Leave a public stop; questions of its kinds count as put in advance from now on."""
        stop = self.game.at_stop
        self.kinds = self.stops[stop] if stop is not None else frozenset()
        self.game.go_on()

    def takes_default(self, ask: Ask) -> bool:
        """Tell whether a question that no line covers gets its default; if not, the judge stops and asks."""
        return not ask.public or ask in self.asks or ask.kind in self.kinds


_PLAIN = (str, int, bool, type(None))
_ROWS: Mapping[str, type] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}


class NotSaved(Exception):
    """Raised for a state that cannot be saved.

    The game is then played from its beginning whenever it is needed.
    """


@runtime_checkable
class Saved(Protocol):
    """An object whose state can be written down, and read again into a new object."""

    def save(self) -> Any:
        """Return all of the object's state, JSON-able.

        Raises NotSaved if it holds what cannot be written down.
        """

    def load(self, data: Any) -> None:
        """Take over the state of an object that was saved."""


def pack(value: Any) -> Any:
    """Return a value in a form that JSON can hold. Raises NotSaved for a value of an unknown kind."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in (dict, Shared):
        return ["dict", *([pack(key), pack(inner)] for key, inner in value.items())]
    if kind in (set, frozenset):
        return [kind.__name__, *sorted(map(pack, value), key=json.dumps)]
    if kind in (list, tuple):
        return [kind.__name__, *map(pack, value)]
    if is_dataclass(value):
        return [kind.__name__, *(pack(getattr(value, one.name)) for one in fields(kind) if one.init)]
    raise NotSaved(f"a {kind.__name__} cannot be saved")


def unpack(data: Any, classes: Iterable[type] = ()) -> Any:
    """Return the value that `pack` made ready for JSON; `classes`: the dataclasses that may be in it."""
    return _unpack(data, {one.__name__: one for one in classes})


def _unpack(data: Any, known: Mapping[str, type]) -> Any:
    if not isinstance(data, list):
        return data
    kind, inner = data[0], data[1:]
    if kind == "dict":
        return {_unpack(key, known): _unpack(value, known) for key, value in inner}
    if kind in _ROWS:
        return _ROWS[kind](_unpack(one, known) for one in inner)
    names = [one.name for one in fields(known[kind]) if one.init]
    return known[kind](**dict(zip(names, (_unpack(one, known) for one in inner), strict=True)))
