"""Rows: what a game supplies. Each verb, fact, measure, noun, topic and heading is one row in one place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Protocol, TypeAlias

from pbem.orders.base import Dropped, Standing
from pbem.orders.kit.phrases import Phrase, phrase
from pbem.orders.kit.tree import ASK, DONE, EVERYTHING, Comparison, Condition, Order, Orders, Parts, Term
from pbem.orders.kit.walk import Line, terms
from pbem.orders.names import Names
from pbem.records import dataclass
from pbem.rules.base import Ask, View

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
        """The names that a side may write."""
        return self.names if isinstance(self.names, Names) else self.names(side)


# -- verbs


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """`from AREA`, `to AREA, AREA`, `max 2`, or a flag such as `stay` (then there is no noun)."""

    word: str
    noun: str = ""
    many: bool = False
    way: bool = False  # a wrong name leaves nothing that could be done
    number: str = ""  # what is counted: the clause takes a number
    most: int = 99
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
        """The legal answers with this verb, by subject: where each may go (or one empty text)."""
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
class Verb:
    """One verb: how a line with it reads, what it answers, and how it is said back."""

    name: str
    form: str  # how a line reads, for people: "move BLOCKS from AREA to AREA, AREA"
    rule: str = ""
    example: str  # a line that is right for one side at least
    takes: str = ""  # the noun of its list
    many: bool = True
    counted: str = ""  # entries have a count: of what ("steps")
    most: int = 60
    bare: bool = False  # may stand alone
    none: bool = False  # `move none`: no answer of this kind is wanted
    clauses: tuple[Clause, ...] = ()
    needs_one_of: tuple[str, ...] = ()  # of these clauses one is enough; none is needed if it is `none`
    missing: str = ""  # what is said if it is not; {form} stands for the form
    kinds: tuple[str, ...] = ()  # the kinds of Ask that it answers
    kinds_after: tuple[str, ...] = ()  # those of them that are asked once the verb itself is done
    bare_kinds: tuple[str, ...] = ()  # those that it answers only without a list
    where: tuple[str, ...] = ()  # the sections where it may stand, and "plan"; () is what `stands` says
    topic: str = ""  # what `or ask` after it is about
    in_list: bool = False  # its lines are steps of one list: a bare `ask` or `done` after them is about it
    once: tuple[str, ...] = ()  # Asks of these kinds are answered once by a line outside plans
    one_affair: bool = False  # outside plans it serves the one affair (a battle) in which it is first used
    other_words: tuple[str, ...] = ()
    prefilled: bool = False  # a form fills in its list, so a blank anywhere means that nothing was written
    settles: str = ""  # what a line for all has settled, so that no later one about it counts
    settles_each: bool = False  # but one that names somebody does
    in_form: bool = True  # forms show it; else say why not in a comment
    says: Says = ""
    about: Callable[[Order, Ask, Any], bool] | None = None  # does a line speak to this very question?
    proposes: Proposes | None = None  # without it: `VERB NAME`, name by name
    otherwise: str = ""
    """The answer where a file speaks of a question and nothing that it says can be done; then no line is
    reported as left out. For what is asked of whoever has no card for it: a pause would tell that."""
    passed_over: Callable[[Order, Any], Iterator[Dropped]] | None = None
    """Order, sight -> what of such a line its writer had, and why it could not be done."""
    no_step: bool = False  # in a list it only says what becomes of the rest
    steps: Callable[[Order, Any, Sequence[Order]], Iterator[Step]] | None = None
    """The steps of a line in a list, among the list's orders; without it: one for each entry."""
    proposes_step: Proposes | None = None  # without it: `VERB NAME to ...`
    checks: Callable[[Order, Any], None] | None = None  # notes what is wrong or doubtful, by a Checker

    @property
    def words(self) -> tuple[str, ...]:
        """The words it begins with."""
        return tuple(self.name.split())


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
        """The phrases that may begin with this word, in the order of the rows."""
        return self._by_word.get(word, self._others)


# -- the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """A kind of Ask that is put again and again until `done`: its lines are one list, done entry by entry."""

    kind: str
    over: Problem  # why a step was left when nothing more was asked
    arrange: Callable[[Sequence[Order], Rows, Any, Callable[[Dropped], None]], list[Step]] | None = None
    """Makes the whole list at its beginning, of the orders whose conditions hold then."""
    rest: Callable[[Sequence[Order], Ask, Any], str] | None = None
    """The answer when all steps are done, from the lines that are no steps; empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What `ask` can be about, and the kinds of Ask that it stands for."""

    name: str
    kinds: tuple[str, ...]
    said: str = ""
    other_words: tuple[str, ...] = ()
    refused: str = ""  # why nobody may ask for it: the pause would tell what others must not know


def openly_asked(topics: Iterable[Topic]) -> frozenset[str]:
    """The kinds of Asks of these topics for which somebody may be waited."""
    return frozenset(kind for topic in topics if not topic.refused for kind in topic.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a file. The first one has no heading; a standing one holds until another is sent."""

    name: str
    heading: str = ""  # how `say` announces it
    standing: bool = False
    empty: str = ""  # what `say` says of one without lines
    not_for: frozenset[str] = frozenset()  # kinds of Ask that a standing section never answers
    is_plan: bool = False  # its lines are a plan for everything: conditions may speak of what plans speak of


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanHeading:
    """The heading of lines that count for some names only: `plan Ford:`, `turn 3:`."""

    word: str
    noun: str
    said: str  # "In a battle for {names}:"
    said_any: str  # "In any battle:"
    kinds: frozenset[str]  # the Asks that plans answer
    each: frozenset[str] = frozenset()
    """Those where each name is asked about alone: a line whose condition holds comes first, then one that
    names it, then one for all."""
    done: frozenset[str] = frozenset()  # those that are over when no line about them applies any more
    topic: str = EVERYTHING  # what a bare `ask` in a plan is about
    sections: tuple[str, ...] = ()  # where it may stand; () is the first section
    other_words: tuple[str, ...] = ()  # headings too, if a colon follows: `battle Ford:`
    missing: str = ""  # "a plan for which battle? ..."
    rule: str = ""
    only_here: str = "{said} can be judged only in a plan"
    asked_in: str = ""  # " in {here}": how a form says where a question is asked


NO_PAUSE = "this pause would show whether the condition holds, and only you can see that"
"""Why nobody is asked (protocol 13): said of a refused `ask`, and of a line that lets nobody wait."""

ASKED_THEN = "you are asked when the time comes"


@dataclass(frozen=True, slots=True)
class Question:
    """What a kind of Ask asks: in the form, with the lines that answer it; and in a few words elsewhere."""

    text: str
    about: str
    """As reports and forecasts call it."""
    lines: tuple[str, ...] | Callable[[Ask], Sequence[str]] = ()
    silence: str = ASKED_THEN
    """What no answer means, as a form says it in advance."""
    example: str = ""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """A whole language. Only `sight` looks into a view."""

    name: str
    sight: Callable[[View, str, Any], Any]  # view, side, memory -> Sight
    memory: Callable[[], Any] = lambda: None
    """What a side has seen and its view no longer shows: an object with `look(sight, ask)` and `copy()`."""
    nouns: tuple[Noun, ...] = ()
    verbs: tuple[Verb, ...] = ()
    facts: tuple[Fact, ...] = ()
    measures: tuple[Measure, ...] = ()
    topics: tuple[Topic, ...] = ()
    sections: tuple[Section, ...] = (Section(name="turn"),)
    stands: tuple[str, ...] = ()  # where verbs may stand that do not say it; () is the first section
    plan: PlanHeading | None = None
    hints: Mapping[str, str] = field(default_factory=dict)
    """A word that people write in conditions -> what to write for it."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """A word with which people begin lines, though no order does -> what to write for it."""
    conditions: tuple[str, ...] = ()  # examples, for whoever writes none that is known
    questions: Mapping[str, Question] = field(default_factory=dict)
    spoken: Callable[[Ask, str], str] = lambda _, answer: answer
    """An answer of the rules as an order line says it, where that is not the same."""
    in_advance: Callable[[Any, set[str], Standing], Iterator[str]] | None = None
    """The lines of a form about what may be asked before the next stop; the set: kinds that are asked now."""
    asked_now: Callable[[Any, Sequence[Ask]], Iterator[str]] | None = None
    """More lines of a form about what is asked now, beside the open Asks."""
    steps: tuple[Steps, ...] = ()
    in_force: Callable[[Orders, Any, Any, frozenset[str]], Parts | None] | None = None
    """The lines of a file (which came at a moment) that may answer these kinds now; None once it is over for
    good. Without it: those of the first section, at the moment in which it came."""
    apart: tuple[frozenset[str], ...] = ()
    """Kinds of Ask for which other lines are in force than for the rest; of a group alike for each. Without
    it every kind is looked at by itself."""
    still_in_force: Callable[[Orders, Any, Any, frozenset[str]], Parts | None] | None = None
    """The same with what they may answer later, if that is more."""
    may_come: Callable[[Any, str], bool] | None = None
    """Sight, kind of Ask -> may it still be asked in this moment, or later by a file that rules now?"""
    together: frozenset[str] = frozenset()  # lists of these kinds are asked by turns, so none ends another
    covering: frozenset[str] = frozenset()  # kinds that alone count at a public stop where they are asked
    alternatives: frozenset[str] = frozenset()  # kinds of which the first line counts that is possible
    implied: Callable[[Ask, Iterable[Order]], str] | None = None  # what orders answer without saying so
    waited_for: Callable[[Mapping[str, Any]], frozenset[str]] = lambda _: frozenset()
    """Options of a game -> the kinds of Asks that are always seen by all and never put in advance: one of
    which no line speaks stops the judge. Lines of which that pause would tell are refused beforehand."""
    check: Callable[[Any], None] | None = None  # a Checker -> what is wrong with a file as a whole
    worlds: Callable[[Any], Sequence[Any]] | None = None
    """A Checker -> each state that can be, as far as facts' `in_world` tells them apart."""
    why_never: Callable[[Any], Problem] = lambda _: Problem("this can never apply")

    # -- tables made of the rows

    @cached_property
    def by_verb(self) -> dict[str, Verb]:
        """The verbs by name, with `ask` and `done`, which every language has."""
        everywhere = tuple(section.name for section in self.sections)
        once = tuple(section.name for section in self.sections if not section.standing)
        own = {verb.name: verb for verb in self.verbs}
        asking = Verb(
            name=ASK,
            form="ask, or ask TOPIC",
            example="ask",
            takes="topic",
            bare=True,
            where=(*everywhere, "plan"),
            says=self._asking,
        )
        done = Verb(
            name=DONE,
            form="done",
            example="done",
            takes="topic",
            bare=True,
            where=(*once, "plan"),
            says="That is all",
        )
        return {**own, ASK: asking, DONE: done}

    def _asking(self, order: Order) -> str:
        topic = self.by_topic[order.names[0]] if order.names else None
        return f"You want to be asked{(topic.said or f' about {topic.name}') if topic else ''}"

    @cached_property
    def other_verbs(self) -> dict[str, str]:
        """Words that people write for a verb."""
        return {word: verb.name for verb in self.verbs for word in verb.other_words}

    @cached_property
    def by_noun(self) -> dict[str, Noun]:
        """The nouns by name."""
        return {noun.name: noun for noun in self.nouns}

    @cached_property
    def by_term(self) -> dict[str, Fact | Measure]:
        """Facts and measures by name."""
        rows: tuple[Fact | Measure, ...] = (*self.facts, *self.measures)
        return {row.name: row for row in rows}

    @cached_property
    def openings(self) -> Openings:
        """All phrases of conditions."""
        return Openings((*self.facts, *self.measures))

    @cached_property
    def measured(self) -> Openings:
        """The phrases of numbers alone."""
        return Openings(self.measures)

    @cached_property
    def by_topic(self) -> dict[str, Topic]:
        """The topics by name; everything is one of all languages."""
        every = Topic(name=EVERYTHING, kinds=(), said=" whatever no line answers")
        return {topic.name: topic for topic in (*self.topics, every)}

    @cached_property
    def other_topics(self) -> dict[str, str]:
        """Words that people write for a topic."""
        found = {word: topic.name for topic in self.topics for word in topic.other_words}
        return {**found, "anything": EVERYTHING, "all": EVERYTHING}

    @cached_property
    def by_section(self) -> dict[str, Section]:
        """The sections by name."""
        return {section.name: section for section in self.sections}

    @cached_property
    def standing(self) -> Section | None:
        """The section that holds until another is sent."""
        return next((section for section in self.sections if section.standing), None)

    @cached_property
    def by_steps(self) -> dict[str, Steps]:
        """The lists by kind of Ask."""
        return {steps.kind: steps for steps in self.steps}

    @cached_property
    def headings(self) -> frozenset[str]:
        """The words that open a section or a plan."""
        plan = (self.plan.word,) if self.plan else ()
        return frozenset((*(section.name for section in self.sections[1:]), *plan))

    @cached_property
    def openers(self) -> frozenset[str]:
        """The words that open or close something."""
        return frozenset(("if", "when", "otherwise", "else", "end", *self.headings))

    @cached_property
    def verb_words(self) -> frozenset[str]:
        """Every word that an order can begin with."""
        return frozenset((*(verb.words[0] for verb in self.by_verb.values()), *self.other_verbs))

    @cached_property
    def clause_words(self) -> frozenset[str]:
        """Words at which a list ends."""
        words = {
            said.split()[0]
            for verb in self.verbs
            for clause in verb.clauses
            for said in (clause.word, *clause.other_words)
        }
        return frozenset(words | {"except", "but", "if", "when", ":"})

    @cached_property
    def groups(self) -> frozenset[str]:
        """Words that name all of one sort."""
        return frozenset(group for noun in self.nouns for group in noun.groups)

    @cached_property
    def whole(self) -> frozenset[str]:
        """List entries that mean several: `all`, `rest` and groups."""
        return FOR_ALL | self.groups

    @cached_property
    def joining(self) -> frozenset[str]:
        """First words of facts that need no `and` before them."""
        return frozenset(one.first for fact in self.facts if fact.joins for one in fact.phrases)

    @cached_property
    def all_kinds(self) -> frozenset[str]:
        """Every kind of Ask that some verb answers."""
        return frozenset(kind for verb in self.verbs for kind in (*verb.kinds, *verb.once, *verb.bare_kinds))

    @cached_property
    def _speaking(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for verb in self.verbs:
            for kind in (*verb.kinds, *verb.bare_kinds, *verb.once):
                found.setdefault(kind, set()).add(verb.name)
        return {kind: frozenset((*verbs, ASK, DONE)) for kind, verbs in found.items()}

    def speaking(self, kind: str) -> frozenset[str]:
        """The verbs whose lines may speak to a kind of Ask; `ask` and `done` may to each."""
        return self._speaking.get(kind, frozenset((ASK, DONE)))

    @cached_property
    def falling_back(self) -> dict[str, frozenset[str]]:
        """Kind of Ask -> the verbs that mean something even where none of their lines can be done."""
        kinds = {kind for verb in self.verbs if verb.otherwise for kind in verb.kinds}
        return {
            kind: frozenset(verb.name for verb in self.verbs if verb.otherwise and kind in verb.kinds)
            for kind in kinds
        }

    def where(self, verb: Verb) -> tuple[str, ...]:
        """Where a verb may stand."""
        return verb.where or self.stands or (self.sections[0].name,)

    def topic(self, order: Order) -> Topic:
        """What an `ask` or `done` is about; a bare one is left in plans alone."""
        bare = self.plan.topic if self.plan else EVERYTHING
        return self.by_topic[order.names[0] if order.picks else bare]

    def kinds(self, order: Order) -> tuple[str, ...]:
        """The kinds of Ask that an order is about."""
        if order.verb in (ASK, DONE):
            return self.topic(order).kinds
        verb = self.by_verb[order.verb]
        return verb.kinds if order.picks and not order.nobody else (*verb.kinds, *verb.bare_kinds)

    def makes_steps(self, order: Order, kind: str) -> bool:
        """Is what it names done step by step in the list of this kind? Not if it only orders the others."""
        verb = self.by_verb[order.verb]
        return kind in verb.kinds and not verb.no_step and not order.nobody

    def is_secret(self, condition: Condition | None, written: Callable[[Term], Written]) -> bool:
        """Can its writer alone judge a condition, or a part of it? Then a pause must not hang on it."""
        rows = ((self.by_term.get(term.what), term) for term in terms(condition))
        return any(row and row.secret and row.secret(written(term)) for row, term in rows)

    def is_for_all(self, order: Order) -> bool:
        """Is it about everybody, or all of a sort?"""
        return not order.picks or any(name in self.whole for name in order.names)
