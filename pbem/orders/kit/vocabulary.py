"""Rows that define the words of order lines: nouns, verbs, clauses, facts and measures, one row each.

A phrase defines how a fact or a measure reads:

    Ford is attacked          "{area} is|are attacked"
    they have Edward          "they have {block+}"
    at most 2 reinforce       "at most {#blocks} [block|blocks] reinforce|reinforces"

`{noun}` is a name; `{noun+}` a list of names joined by `or`, `{noun,}` one with commas; `{#blocks}` a number
of blocks. `a|b` is either word, the first is written back; `[a|b]` may be left out, and is. `not` may follow
`is` and `are`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

from pbem.characters import split_words
from pbem.orders.base import Dropped
from pbem.orders.cursor import Names
from pbem.orders.kit.parsed_orders import Comparison, Line, Order, Term, Values
from pbem.rules.base import Ask

_PIECE = re.compile(r"\{(#?)([^}+,]+)([+,]?)\}|\[([^\]]+)\]|([^ ]+)")
_IS = frozenset(("is", "are"))


@dataclass(frozen=True, slots=True)
class Word:
    """A place in a phrase for one of some words, or for none of them if it is `optional`."""

    words: tuple[str, ...]
    optional: bool = False

    @property
    def says_is(self) -> bool:
        """Whether `not` may follow the word, since it is `is` or `are`."""
        return bool(_IS & set(self.words))


@dataclass(frozen=True, slots=True)
class Blank:
    """The place in a phrase for a name, a list of names, or a number."""

    noun: str
    joint: str = ""  # what joins a list: " or " or ", "
    number: bool = False

    @property
    def separators(self) -> tuple[str, ...]:
        """The words that may stand between the names of a list in the blank."""
        return {" or ": ("or", ","), ", ": (",", "and")}.get(self.joint, ())


@dataclass(frozen=True)
class Phrase:
    """One way to say a fact or measure. `preset`: the values that are meant without being written."""

    text: str
    pieces: tuple[Word | Blank, ...]
    preset: Values | None = None

    @cached_property
    def first(self) -> str:
        """The word with which the phrase begins; empty if it begins with a blank."""
        piece = self.pieces[0]
        return piece.words[0] if isinstance(piece, Word) else ""

    @cached_property
    def begins(self) -> frozenset[str] | None:
        """The words with which the phrase may begin.

        They are None if the phrase begins with a blank, so that any word may begin it.
        """
        words: set[str] = set()
        for piece in self.pieces:
            if isinstance(piece, Blank):
                return None
            if piece.words != ("the",):  # which nobody needs to write
                words.update(piece.words)
                if not piece.optional:
                    return frozenset(words)
        return None

    @cached_property
    def blanks(self) -> int:
        """The number of blanks in the phrase."""
        return sum(isinstance(piece, Blank) for piece in self.pieces)

    def written(self, values: Values) -> str:
        """Return the phrase with its blanks filled in."""
        left = iter(values)
        return " ".join(
            piece.joint.join(next(left)) if isinstance(piece, Blank) else piece.words[0]
            for piece in self.pieces
            if isinstance(piece, Blank) or not piece.optional
        )


def phrase(text: str | tuple[str, Values]) -> Phrase:
    """Return the phrase that a text such as "{area} is|are attacked" describes."""
    preset = None
    if not isinstance(text, str):
        text, preset = text
    return Phrase(text, tuple(_pieces(text)), preset)


def _pieces(text: str) -> Iterator[Word | Blank]:
    for found in _PIECE.finditer(text):
        number, noun, many, optional, word = found.groups()
        if noun:
            yield Blank(noun, {"+": " or ", ",": ", "}.get(many, ""), bool(number))
        else:
            yield Word(tuple((optional or word).split("|")), bool(optional))


def written(phrases: Sequence[Phrase], values: Values) -> str:
    """Return the first phrase that has blanks for these values, filled in with them."""
    fitting = (one for one in phrases if one.preset is None and one.blanks == len(values))
    return next(fitting).written(values)


EVERYBODY: Mapping[str, str] = {
    "all": "all",
    "everyone": "all",
    "everybody": "all",
    "rest": "rest",
    "others": "rest",
    "any": "rest",
}
"""Words that may stand in a list in place of names; `rest` means everybody whom no other line names."""

FOR_ALL = frozenset(("all", "rest"))


class Sight(Protocol):
    """A side's view of the game, with a name for each thing that its orders speak of.

    Conditions can know no more than a sight shows.
    """

    side: str

    @property
    def moment(self) -> Hashable:
        """The turn, season or round for which a file sent now is meant."""

    @property
    def here(self) -> str:
        """The name for which a plan counts now, such as the area of a battle or the turn of a round.

        It is empty if there is none.
        """

    @property
    def pace(self) -> Hashable:
        """The period (such as a battle's round) in which an `ask` of a plan stops the judge at most once."""

    @property
    def affair(self) -> Hashable:
        """The affair that a plan is about now (such as one battle), distinct from others of the moment."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason why something cannot be written, with the rulebook's section."""

    reason: str
    rule: str = ""


# -- nouns


@dataclass(frozen=True, slots=True, kw_only=True)
class Noun:
    """A kind of name that orders may write: areas, cards, one's own blocks.

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
    """Function of the order so far, its clause ("" for the verb's list) and the sight that yields the names
    to offer to a player composing a line; None offers all."""

    def of(self, side: str) -> Names:
        """Return the names that a side may write."""
        return self.names if isinstance(self.names, Names) else self.names(side)


# -- verbs


@dataclass(frozen=True, slots=True)
class Count:
    """A number that orders may write: what it counts ("steps"), and the highest value that is read."""

    of: str
    most: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause of a line: `from AREA`, `to AREA, AREA`, `max 2`, or a flag without a noun such as `stay`."""

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
    """One step of an order's list: a name (or group) and how often.

    `named`: whether its writer named just this one.
    """

    order: Order
    name: str = ""
    left: int = 1
    named: bool = True
    used: bool = False


@dataclass(frozen=True, slots=True)
class Occasion:
    """An order together with the question that it meets; the argument of a verb's `proposes`."""

    order: Order
    ask: Ask
    sight: Any
    others: Sequence[Line] = ()  # the lines among which it stands
    step: Step = field(default_factory=lambda: Step(Order(verb="")))  # the list entry that is due

    def able(self, verb: str) -> dict[str, list[str]]:
        """Return the legal answers with this verb: for each subject its places (or one empty text)."""
        found: dict[str, list[str]] = {}
        for text in self.ask.legal:
            said, _, rest = text.partition(" ")
            if said == verb:
                name, _, to = rest.partition(" to ")
                found.setdefault(name, []).append(to)
        return found


Proposes: TypeAlias = Callable[[Occasion], Iterator[str]]
"""Function of an occasion that yields the answers that a line proposes, best first; not all need be legal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsStep:
    """The meaning of an order line that stands in a list of a kind with a row in `Rows.steps`."""

    ranks: bool = False  # it is no step, and only says what becomes of the others
    made: Callable[[Order, Any, Sequence[Order]], Iterator[Step]] | None = None
    """Function of an order, the sight and the list's step orders that yields the order's steps; None makes
    one step of each entry."""
    proposes: Proposes | None = None  # without it: the name, with the clauses that the verb needs


@dataclass(frozen=True, slots=True, kw_only=True)
class BesidePlans:
    """The meaning outside plans, or without a list, of a verb that may stand both in plans and outside."""

    once: tuple[str, ...] = ()  # Asks of these kinds are answered once by a line outside plans
    one_affair: bool = False  # outside plans it serves the one affair (a battle) in which it is first used
    bare_kinds: tuple[str, ...] = ()  # the kinds of Ask that it answers only without a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """The answer that a file gives to a question of which it speaks, if none of its lines can be carried out.

    It serves questions that are put to players who have no card for them: a pause would tell that.
    """

    answer: str
    passed_over: Callable[[Order, Any], Iterator[Dropped]] | None = None
    """Function of an order and the sight that yields the parts of a passed-over line its writer had and why
    they failed; nothing else of it is reported."""


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
    """The way in which order forms show the verb's list; if "filled in", a blank elsewhere means that nothing
    was written. If forms do not show it, a comment says why not."""
    about: Callable[[Order, Ask, Any], bool] | None = None  # tells if a line speaks to a question
    settles: Literal["", "all", "each"] = ""
    """Whether a line for all settles its question, so that later ones do not count; with "each", later lines
    that give a name still count."""

    as_step: AsStep = AsStep()
    beside_plans: BesidePlans = BesidePlans()
    fallback: Fallback | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words with which a line of the verb begins."""
        return tuple(split_words(self.name))

    @property
    def all_kinds(self) -> tuple[str, ...]:
        """The kinds of Ask that any line of the verb may answer."""
        return (*self.kinds, *self.beside_plans.bare_kinds, *self.beside_plans.once)

    @property
    def kinds_after(self) -> frozenset[str]:
        """The kinds of Ask that are put once the rest of a line of the verb is done."""
        return frozenset(kind for clause in self.clauses for kind in clause.answers)


# -- conditions


@dataclass(frozen=True, slots=True)
class Written:
    """A fact or number as a side wrote it, with whether it stands inside a plan."""

    term: Term
    side: str
    in_plan: bool
    topic: str = ""  # the topic of the `ask` that depends on it


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """The fields that facts and measures share."""

    name: str
    phrases: tuple[Phrase, ...]
    scope: str = ""  # "plan": seen only while a plan counts; "outside": of what comes before any plan
    refuse: Callable[[Written], Problem | None] | None = None  # for instance: the side does not see it
    secret: Callable[[Written], bool] | None = None
    """Whether only the writer of a term can judge it; if so no `ask` may depend on it, since everybody sees a
    pause."""
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(_Judged):
    """A condition that is either true or false."""

    holds: Callable[[Term, Any], bool]
    in_world: Callable[[Term, Any], bool | None] | None = None
    """Function that tells whether the fact is true in one of the `worlds`; None if that depends on something
    else too."""
    settled: Callable[[Any], bool] | None = None
    """Function that tells whether the fact, which everybody must see, can no longer change in the rest of a
    moment."""
    joins: bool = False  # it needs no `and` before it: `first against 2`


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(_Judged):
    """A number that conditions compare.

    It is None where the side does not see it, and then every comparison with it is false.
    """

    value: Callable[[Term, Any], int | None]
    bounds: Callable[[Comparison, int], Problem | None] | None = None
    """Function that returns why a comparison of the measure with this number cannot be intended; None if it
    can."""


def phrases(*texts: str | tuple[str, tuple[tuple[str, ...], ...]]) -> tuple[Phrase, ...]:
    """Return a row's phrases made from texts; the first is the one in which the row is written back."""
    return tuple(phrase(text) for text in texts)


class Openings:
    """The phrases of some rows, by the word that each begins with, so that few of them need to be tried."""

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
