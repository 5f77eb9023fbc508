"""Rows of what a line says: nouns, verbs, facts and numbers. Each is one row in one place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from pbem.characters import split_words
from pbem.orders.base import Dropped
from pbem.orders.kit.parsed_orders import Comparison, Order, Term
from pbem.orders.kit.phrases import Phrase, phrase
from pbem.orders.kit.traversal import Line
from pbem.orders.names import Names
from pbem.rules.base import Ask

EVERYBODY: Mapping[str, str] = {
    "all": "all",
    "everyone": "all",
    "everybody": "all",
    "rest": "rest",
    "others": "rest",
    "any": "rest",
}
"""Words of a list that are no names; `rest` is whoever no other line names."""

FOR_ALL = frozenset(("all", "rest"))


class Sight(Protocol):
    """A side's view, with a name for each thing that its orders speak of. Conditions may know no more."""

    side: str

    @property
    def moment(self) -> Hashable:
        """The turn, season or round for which a file sent now is meant."""

    @property
    def here(self) -> str:
        """The name for which a plan counts now (the area of a battle, the turn of a round); or empty."""

    @property
    def pace(self) -> Hashable:
        """Within one value of this an `ask` line of a plan stops the judge once: the round of a battle."""

    @property
    def affair(self) -> Hashable:
        """What a plan is about now, told from others of the moment: which battle it is."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something cannot be written: the reason, and the rulebook's section."""

    reason: str
    rule: str = ""


# -- nouns


@dataclass(frozen=True, slots=True, kw_only=True)
class Noun:
    """A kind of name: areas, cards, one's own blocks.

    `names`: the names, or a function of the side that gives them. `groups`: the word by which a list names
    all of one sort. `mistaken`: what to say of a name that is one of another noun, with {name} in it.
    """

    name: str
    what: str  # "an area", as in "an area is missing here"
    names: Names | Callable[[str], Names]
    rule: str = ""
    groups: tuple[str, ...] = ()
    sorts: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # a word in a condition for several names
    everybody: Mapping[str, str] = field(default_factory=lambda: EVERYBODY)
    mistaken: Mapping[str, str] = field(default_factory=dict)
    offers: Callable[[Order, str, Any], Iterator[str]] | None = None
    """The order so far, the clause ("" for its list), sight -> the names that are worth offering to whoever
    composes a line by hand. Without it: all."""

    def of(self, side: str) -> Names:
        """Return the names that a side may write."""
        return self.names if isinstance(self.names, Names) else self.names(side)


# -- verbs


@dataclass(frozen=True, slots=True)
class Count:
    """A number that may be written: of what ("steps"), and the highest that is read."""

    of: str
    most: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """`from AREA`, `to AREA, AREA`, `max 2`, or a flag such as `stay` (then there is no noun)."""

    word: str
    noun: str = ""
    many: bool = False
    way: bool = False  # a wrong name leaves nothing that could be done
    number: Count | None = None  # the clause takes a number
    answers: tuple[str, ...] = ()  # the kinds of Ask that it answers once the rest of the line is done
    other_words: tuple[str, ...] = ()
    none: str = ""  # a word for "no name here": `to anywhere`
    bare: bool = False  # may stand without a name: `use`


Says: TypeAlias = str | Callable[[Order], str]


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a list: a name (or group) and how often; `named`: its writer named just this."""

    order: Order
    name: str = ""
    left: int = 1
    named: bool = True
    used: bool = False


@dataclass(frozen=True, slots=True)
class Occasion:
    """An order that meets a question: what its verb's `proposes` answers from."""

    order: Order
    ask: Ask
    sight: Any
    others: Sequence[Line] = ()  # the lines among which it stands
    step: Step = field(default_factory=lambda: Step(Order(verb="")))  # of a list: the entry that is due

    def able(self, verb: str) -> dict[str, list[str]]:
        """Return the legal answers with this verb, by subject: where each may go (or one empty text)."""
        found: dict[str, list[str]] = {}
        for text in self.ask.legal:
            said, _, rest = text.partition(" ")
            if said == verb:
                name, _, to = rest.partition(" to ")
                found.setdefault(name, []).append(to)
        return found


Proposes: TypeAlias = Callable[[Occasion], Iterator[str]]
"""The answers that a line proposes, best first; not all need be legal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsStep:
    """What a line is in a list: of a kind with a row in `Rows.steps`."""

    ranks: bool = False  # it is no step, and only says what becomes of the others
    made: Callable[[Order, Any, Sequence[Order]], Iterator[Step]] | None = None
    """Order, sight, the orders of the list that are steps -> its steps; without it: one for each entry."""
    proposes: Proposes | None = None  # without it: the name, with the clauses that the verb needs


@dataclass(frozen=True, slots=True, kw_only=True)
class BesidePlans:
    """Of a verb that may stand in plans and outside them: what it means outside, or without a list."""

    once: tuple[str, ...] = ()  # Asks of these kinds are answered once by a line outside plans
    one_affair: bool = False  # outside plans it serves the one affair (a battle) in which it is first used
    bare_kinds: tuple[str, ...] = ()  # the kinds of Ask that it answers only without a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """What a file means that speaks of a question where nothing that it says can be done.

    For what is asked of whoever has no card for it: a pause would tell that.
    """

    answer: str
    passed_over: Callable[[Order, Any], Iterator[Dropped]] | None = None
    """Order, sight -> what of such a line its writer had, and why it could not be done; nothing else of it
    is reported as left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One verb: how a line with it reads, what it answers, and how it is said back.

    Most verbs need no more than the first twelve lines. `as_step` is for lists, `beside_plans` for languages
    with plans, `fallback` for hands that nobody sees.
    """

    name: str
    form: str  # how a line reads, for people: "move BLOCKS from AREA to AREA, AREA"
    rule: str = ""
    example: str  # a line that is right for one side at least
    takes: str = ""  # the noun of its list
    kinds: tuple[str, ...] = ()  # the kinds of Ask that it answers
    where: tuple[str, ...] = ()  # the sections where it may stand, and "plan"; () is everywhere
    proposes: Proposes | None = None  # without it: `VERB NAME`, name by name
    says: Says = ""
    other_words: tuple[str, ...] = ()
    topic: str = ""  # what `or ask` after it is about
    checks: Callable[[Order, Any], None] | None = None  # notes what is wrong or doubtful, by a Checker

    many: bool = True
    none: bool = False  # `move none`: no answer of this kind is wanted
    bare: bool = False  # may stand alone
    counted: Count | None = None  # the entries of its list have a count
    clauses: tuple[Clause, ...] = ()
    needs_one_of: tuple[str, ...] = ()  # of these clauses one is enough; none is needed if it is `none`
    missing: str = ""  # what is said if it is not; {form} stands for the form
    in_form: Literal["blank", "filled in", ""] = "blank"
    """How forms show its list: if filled in, a blank elsewhere means that nothing was written. If they do not
    show it, say why not in a comment."""
    about: Callable[[Order, Ask, Any], bool] | None = None  # does a line speak to this very question?
    settles: Literal["", "all", "each"] = ""
    """A line for all settles its question, so that no later one for all counts; `each`: but one that names
    somebody does."""

    as_step: AsStep = AsStep()
    beside_plans: BesidePlans = BesidePlans()
    fallback: Fallback | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words it begins with."""
        return tuple(split_words(self.name))

    @property
    def all_kinds(self) -> tuple[str, ...]:
        """The kinds of Ask that some line of it may answer."""
        return (*self.kinds, *self.beside_plans.bare_kinds, *self.beside_plans.once)

    @property
    def kinds_after(self) -> frozenset[str]:
        """The kinds of Ask that are put once the rest of a line is done."""
        return frozenset(kind for clause in self.clauses for kind in clause.answers)


# -- conditions


@dataclass(frozen=True, slots=True)
class Written:
    """A term as a side wrote it: inside a plan, or outside."""

    term: Term
    side: str
    in_plan: bool
    topic: str = ""  # of the `ask` that depends on it


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """What facts and measures share."""

    name: str
    phrases: tuple[Phrase, ...]
    scope: str = ""  # "plan": seen only while a plan counts; "outside": of what comes before any plan
    refuse: Callable[[Written], Problem | None] | None = None  # for instance: the side does not see it
    secret: Callable[[Written], bool] | None = None
    """Can its writer alone judge it? Everybody sees a pause, so no `ask` may depend on it."""
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(_Judged):
    """Something that is so or is not."""

    holds: Callable[[Term, Any], bool]
    in_world: Callable[[Term, Any], bool | None] | None = None
    """Is it so in one of the `worlds`? None if that depends on something else as well."""
    settled: Callable[[Any], bool] | None = None
    """Can it not change any more in what is left of a moment? It must be what everybody sees."""
    joins: bool = False  # it needs no `and` before it: `first against 2`


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(_Judged):
    """A number; None where the side does not see it, and then no comparison with it holds."""

    value: Callable[[Term, Any], int | None]
    bounds: Callable[[Comparison, int], Problem | None] | None = None
    """Why a comparison with this number can never be meant."""


def phrases(*texts: str | tuple[str, tuple[tuple[str, ...], ...]]) -> tuple[Phrase, ...]:
    """Phrases of a row, the one in which it is written back first."""
    return tuple(phrase(text) for text in texts)


class Openings:
    """The phrases of some rows by the word that they begin with, so that few need to be tried."""

    def __init__(self, rows: Iterable[Fact | Measure]) -> None:
        self._phrases = [(row, one) for row in rows for one in row.phrases]
        words = {word for _, one in self._phrases for word in one.begins or ()}
        self._by_word = {word: self._of(word) for word in words}
        self._others = self._of("")

    def _of(self, word: str) -> tuple[tuple[Fact | Measure, Phrase], ...]:
        return tuple((row, one) for row, one in self._phrases if one.begins is None or word in one.begins)

    def at(self, word: str) -> tuple[tuple[Fact | Measure, Phrase], ...]:
        """Return the phrases that may begin with this word, in the order of the rows."""
        return self._by_word.get(word, self._others)
