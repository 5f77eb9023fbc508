"""The rows of a whole order language, which a game supplies, with the tables made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from pbem.characters import split_words
from pbem.orders.base import Dropped, Standing
from pbem.orders.kit.parsed_orders import ASK, DONE, EVERYTHING, Condition, Order, Orders, Parts, Term, terms
from pbem.orders.kit.vocabulary import (
    FOR_ALL,
    Fact,
    Fallback,
    Measure,
    Noun,
    Openings,
    Problem,
    Step,
    Verb,
    Written,
)
from pbem.rules.base import Ask, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """A kind of Ask that is put again and again until `done`; its lines are one list, done entry by entry."""

    kind: str
    over: Problem  # why a step was left when nothing more was asked
    arrange: Callable[[Sequence[Order], Rows, Any, Callable[[Dropped], None]], list[Step]] | None = None
    """Function that makes the whole list at its beginning, of the orders whose conditions hold then."""
    rest: Callable[[Sequence[Order], Ask, Any], str] | None = None
    """Function that returns the answer when all steps are done, from the lines that are no steps; empty if
    none."""
    beside: frozenset[str] = frozenset()  # kinds of Ask that do not end the list when they come in between


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A subject that `ask` can be about, with the kinds of Ask that it stands for."""

    name: str
    kinds: tuple[str, ...]
    said: str = ""
    other_words: tuple[str, ...] = ()
    refused: str = ""  # why nobody may ask for it: the pause would tell what others must not know


def openly_asked(topics: Iterable[Topic]) -> frozenset[str]:
    """Return the kinds of Asks of these topics for which somebody may be waited."""
    return frozenset(kind for topic in topics if not topic.refused for kind in topic.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of an order file. The first has no heading; a standing one holds until another is sent."""

    name: str
    heading: str = ""  # the words with which `say` announces it
    standing: bool = False
    empty: str = ""  # the words of `say` for one without lines
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
    """The kinds of Ask in which each name is asked about alone: a line whose condition holds comes first,
    then one that names it, then one for all."""
    done: frozenset[str] = frozenset()  # kinds that end when no line about them applies any more
    topic: str = EVERYTHING  # what a bare `ask` in a plan is about
    sections: tuple[str, ...] = ()  # where it may stand; () is the first section
    other_words: tuple[str, ...] = ()  # other headings, if a colon follows: `battle Ford:`
    missing: str = ""  # "a plan for which battle? ..."
    rule: str = ""
    only_here: str = "{said} has a meaning only in a plan"
    asked_in: str = ""  # " in {here}": how a form says where a question is asked


NO_PAUSE = "the pause would show everybody whether your condition is true"
"""The reason why nobody is asked (protocol 13), told of a refused `ask` and of a line that lets nobody
wait."""

ASKED_THEN = "you are asked later"


@dataclass(frozen=True, slots=True)
class Question:
    """The question that a kind of Ask puts: its text in a form, lines that answer it, and a short name."""

    text: str
    about: str
    """The question in a few words, as reports and forecasts call it."""
    lines: tuple[str, ...] | Callable[[Ask], Sequence[str]] = ()
    silence: str = ASKED_THEN
    """The meaning of no answer, as a form says it in advance."""
    example: str = ""


Lines: TypeAlias = Callable[[Orders, Any, Any, frozenset[str]], Parts | None]
"""Function of a file, the moment in which it came, the sight and kinds of Ask that returns the lines that may
answer these; None once the file is over for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """The time for which a file holds.

    Without this row the first section of a file holds for the moment in which it came.
    """

    now: Lines
    later: Lines | None = None  # the lines that may answer now or later, if more
    apart: tuple[frozenset[str], ...] = ()
    """Groups of kinds of Ask for which other lines are in force than for the rest, the same for each kind of
    a group; if empty, every kind is looked at by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The particular ways in which some kinds of Ask are treated."""

    covering: frozenset[str] = frozenset()  # kinds that alone count at a stop where they are asked
    alternatives: frozenset[str] = frozenset()  # kinds of which the first possible line counts
    may_come: Callable[[Any, str], bool] = lambda _sight, _kind: True
    """Function of the sight and a kind of Ask that tells whether it may still be asked in this moment, or
    later by a file that is in force now."""
    implied: Callable[[Ask, Iterable[Order]], str] = lambda _ask, _given: ""
    """Function of an Ask and the orders given that returns the answer that the orders imply; empty if
    none."""
    waited_for: Callable[[Mapping[str, Any]], frozenset[str]] = lambda _: frozenset()
    """Function of a game's options that returns the kinds of Asks that are always seen by all and never put
    in advance: one of which no line speaks stops the judge. Lines of which that pause would tell are refused
    beforehand."""
    spoken: Callable[[Ask, str], str] = lambda _, answer: answer
    """Function of an Ask and an answer of the rules that returns the answer as an order line says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Additional lines of a form, beside the open questions and all that may still come."""

    in_advance: Callable[[Any, set[str], Standing], Iterator[str]] | None = None
    """Function that yields lines about what may be asked before the next stop; the set holds the kinds that
    are asked now."""
    asked_now: Callable[[Any, Sequence[Ask]], Iterator[str]] = lambda _sight, _asks: iter(())
    """Function that yields lines about what is asked now, beside the open Asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """The help that tells a player what to write in place of a word that is not known."""

    conditions: tuple[str, ...] = ()  # examples, told where no condition is known
    hints: Mapping[str, str] = field(default_factory=dict)  # the advice for a word in a condition
    instead: Mapping[str, str] = field(default_factory=dict)
    """The advice what to write in place of words with which people begin lines, though no order does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """The means of finding lines that can never apply."""

    worlds: Callable[[Any], Sequence[Any]]
    """Function of a Checker that returns each state that can be, as far as facts' `in_world` tells them
    apart."""
    why: Callable[[Any], Problem] = lambda _: Problem("this condition can never be true")


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows of a whole order language. Only `sight` looks into a view."""

    name: str
    sight: Callable[[View, str, Any], Any]  # view, side, memory -> Sight
    memory: Callable[[], Any] = lambda: None
    """Function that makes a memory of what a side saw and its view no longer shows: an object with
    `look(sight, ask)` and `copy()`."""
    nouns: tuple[Noun, ...] = ()
    verbs: tuple[Verb, ...] = ()
    facts: tuple[Fact, ...] = ()
    measures: tuple[Measure, ...] = ()
    topics: tuple[Topic, ...] = ()
    questions: Mapping[str, Question] = field(default_factory=dict)
    steps: tuple[Steps, ...] = ()
    sections: tuple[Section, ...] = (Section(name="turn"),)
    plan: PlanHeading | None = None
    in_force: InForce | None = None
    asking: Asking = Asking()
    form: Form = Form()
    help: Help = Help()
    check: Callable[[Any], None] | None = None  # a Checker -> what is wrong with a file as a whole
    never: Never | None = None

    # -- tables made of the rows

    @cached_property
    def by_verb(self) -> dict[str, Verb]:
        """The language's verbs by name, with `ask` and `done`, which every language has."""
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
        """The words that people write for a verb, each with the verb's name."""
        return {word: verb.name for verb in self.verbs for word in verb.other_words}

    @cached_property
    def by_noun(self) -> dict[str, Noun]:
        """The language's nouns by name."""
        return {noun.name: noun for noun in self.nouns}

    @cached_property
    def by_term(self) -> dict[str, Fact | Measure]:
        """The language's facts and measures by name."""
        rows: tuple[Fact | Measure, ...] = (*self.facts, *self.measures)
        return {row.name: row for row in rows}

    @cached_property
    def openings(self) -> Openings:
        """The phrases of all facts and measures, by the word that they begin with."""
        return Openings((*self.facts, *self.measures))

    @cached_property
    def measured(self) -> Openings:
        """The phrases of measures alone, by the word that they begin with."""
        return Openings(self.measures)

    @cached_property
    def by_topic(self) -> dict[str, Topic]:
        """The language's topics by name, with `everything`, which every language has."""
        every = Topic(name=EVERYTHING, kinds=(), said=" about everything that no line answers")
        return {topic.name: topic for topic in (*self.topics, every)}

    @cached_property
    def other_topics(self) -> dict[str, str]:
        """The words that people write for a topic, each with the topic's name."""
        found = {word: topic.name for topic in self.topics for word in topic.other_words}
        return {**found, "anything": EVERYTHING, "all": EVERYTHING}

    @cached_property
    def by_section(self) -> dict[str, Section]:
        """The language's sections by name."""
        return {section.name: section for section in self.sections}

    @cached_property
    def standing(self) -> Section | None:
        """The section that holds until another one of it is sent; None if the language has none."""
        return next((section for section in self.sections if section.standing), None)

    @cached_property
    def by_steps(self) -> dict[str, Steps]:
        """The rows of step lists by kind of Ask."""
        return {steps.kind: steps for steps in self.steps}

    @cached_property
    def headings(self) -> frozenset[str]:
        """The words that open a section or a plan in an order file."""
        plan = (self.plan.word,) if self.plan else ()
        return frozenset((*(section.name for section in self.sections[1:]), *plan))

    @cached_property
    def openers(self) -> frozenset[str]:
        """The words that open or close a case, a section or a plan."""
        return frozenset(("if", "when", "otherwise", "else", "end", *self.headings))

    @cached_property
    def verb_words(self) -> frozenset[str]:
        """Every word that an order can begin with."""
        return frozenset((*(verb.words[0] for verb in self.by_verb.values()), *self.other_verbs))

    @cached_property
    def clause_words(self) -> frozenset[str]:
        """The words at which a list ends."""
        words = {
            split_words(said)[0]
            for verb in self.verbs
            for clause in verb.clauses
            for said in (clause.word, *clause.other_words)
        }
        return frozenset(words | {"except", "but", "if", "when", ":"})

    @cached_property
    def groups(self) -> frozenset[str]:
        """The words that stand in lists for all names of one sort."""
        return frozenset(group for noun in self.nouns for group in noun.groups)

    @cached_property
    def whole(self) -> frozenset[str]:
        """The list entries that mean several names: `all`, `rest` and groups."""
        return FOR_ALL | self.groups

    @cached_property
    def joining(self) -> frozenset[str]:
        """The first words of facts that need no `and` before them."""
        return frozenset(one.first for fact in self.facts if fact.joins for one in fact.phrases)

    @cached_property
    def all_kinds(self) -> frozenset[str]:
        """The kinds of Ask that any verb answers."""
        return frozenset(kind for verb in self.verbs for kind in verb.all_kinds)

    @cached_property
    def _speaking(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for verb in self.verbs:
            for kind in verb.all_kinds:
                found.setdefault(kind, set()).add(verb.name)
        return {kind: frozenset((*verbs, ASK, DONE)) for kind, verbs in found.items()}

    def speaking(self, kind: str) -> frozenset[str]:
        """Return the verbs whose lines may answer a kind of Ask; `ask` and `done` may stand for each kind."""
        return self._speaking.get(kind, frozenset((ASK, DONE)))

    @cached_property
    def _fallbacks(self) -> dict[str, dict[str, Fallback]]:
        found: dict[str, dict[str, Fallback]] = {}
        for verb in self.verbs:
            if verb.fallback:
                for kind in verb.kinds:
                    found.setdefault(kind, {})[verb.name] = verb.fallback
        return found

    def fallbacks(self, kind: str) -> Mapping[str, Fallback]:
        """Return, for a kind of Ask, the fallbacks of verbs, by the verb's name."""
        return self._fallbacks.get(kind, {})

    def where(self, verb: Verb) -> tuple[str, ...]:
        """Return the sections where a verb may stand, with "plan" if it may stand in plans."""
        return verb.where or (*self.by_section, "plan")

    def topic(self, order: Order) -> Topic:
        """Return the topic of an `ask` or `done` order.

        An order that gives no topic stands in a plan, and is about the topic of plans.
        """
        bare = self.plan.topic if self.plan else EVERYTHING
        return self.by_topic[order.names[0] if order.picks else bare]

    def kinds(self, order: Order) -> tuple[str, ...]:
        """Return the kinds of Ask that an order is about."""
        if order.verb in (ASK, DONE):
            return self.topic(order).kinds
        verb = self.by_verb[order.verb]
        bare = () if order.picks and not order.nobody else verb.beside_plans.bare_kinds
        return (*verb.kinds, *bare)

    def makes_steps(self, order: Order, kind: str) -> bool:
        """Tell whether what an order names is done step by step in the list of this kind.

        It is not if the order only ranks the other steps.
        """
        verb = self.by_verb[order.verb]
        return kind in verb.kinds and not verb.as_step.ranks and not order.nobody

    def in_list(self, verb: Verb) -> bool:
        """Tell whether a verb's lines are steps of one list.

        A bare `ask` or `done` after them is about that list.
        """
        lists = {*self.by_steps, *(self.plan.done if self.plan else ())}
        return bool(verb.topic) and not lists.isdisjoint(verb.kinds)

    def is_secret(self, condition: Condition | None, written: Callable[[Term], Written]) -> bool:
        """Tell whether a condition, or a part of it, can be judged by its writer alone.

        A pause must not depend on such a condition.
        """
        rows = ((self.by_term.get(term.what), term) for term in terms(condition))
        return any(row and row.secret and row.secret(written(term)) for row, term in rows)

    def is_for_all(self, order: Order) -> bool:
        """Tell whether an order is about everybody, or about all of a sort."""
        return not order.picks or any(name in self.whole for name in order.names)
