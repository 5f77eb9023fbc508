"""The ways in which a line of orders may begin or go on, for players who compose orders by hand.

What a noun `offers` to an order so far is all that is offered of it; without such a row, the names in the
legal answers to what is asked now. A line that is whole is offered only if `check` finds no fault in it where
it stands: so nothing that the writer's own view forbids. What the view does not show may forbid it all the
same.
Conditions, plans and sections are sentences to complete:

    if ____:   ->  if Fife is attacked: , if our strength ____: , ...   ->  if Fife is attacked: move Wallace
    plan ____:  ->  plan any:, plan Fife:, with a line to be written in it

A condition is made of the rows' phrases (`goes_on`):

    ____  ->  red has ____, army ____ ____, ...  ->  army red ____  ->  army red at least ____  ->  ... 20

A sentence is offered as long as some way to fill its blanks is left that its row does not refuse. A text with
a blank in it is no condition yet: whoever seals it is told so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from pbem.characters import BLANKS, split_lines, strip_blanks
from pbem.orders.base import Asked, Fault, Offer
from pbem.orders.kit.checker import Checker
from pbem.orders.kit.nesting import Nesting
from pbem.orders.kit.parse import open_after, parse
from pbem.orders.kit.parsed_orders import Comparison, Order, Pick, Term
from pbem.orders.kit.rows import PlanHeading, Rows
from pbem.orders.kit.text import INDENT
from pbem.orders.kit.vocabulary import Blank, Clause, Fact, Measure, Phrase, Verb, Written
from pbem.orders.lines import BLANK
from pbem.rules.base import View

MAX_NAMES = 80
"""Maximum number of names of one noun that are offered at a time."""
_OTHERWISE = "otherwise"


def asked_verbs(form: str, rows: Rows) -> tuple[str, ...]:
    """Return the verbs of the lines that a form holds, in the order of the form."""
    found: dict[str, None] = {}
    for line in split_lines(form):
        words = f"{strip_blanks(line)} "
        fitting = [verb.name for verb in rows.verbs if words.startswith(f"{verb.name} ")]
        if fitting:
            found[max(fitting, key=len)] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a line: what is open above it, and the condition before its order."""

    rows: Rows
    view: View
    sight: Any
    nest: Nesting
    heads: tuple[str, ...]
    """The headings that are open above the line."""
    asks: Sequence[Asked]
    before: str = ""
    """The condition that stands before the line's order, as text."""

    @property
    def for_conditions(self) -> Place:
        nest = self.nest
        return Place(self.rows, self.sight.side, nest.in_plan, nest.like_plan)

    def whole(self, line: str) -> str:
        """Return a text of its own that holds the line, with its condition and the headings above it."""
        return "\n".join((*self.heads, self.before + line, *("end" for _ in self.heads)))


def offers(
    line: str, view: View, verbs: Sequence[str], rows: Rows, above: str = "", asks: Sequence[Asked] = ()
) -> tuple[Offer, ...]:
    """Return how `line` may go on; an empty one may begin with `verbs`. `above`: the lines before it."""
    side = view["viewer"]
    nest = open_after(above, rows, side)
    written = above.split("\n")
    numbers = dict.fromkeys(opened.tokens[0].line for opened in nest.open if opened.tokens)
    heads = tuple(strip_blanks(written[number - 1]) for number in numbers)
    heads = tuple(head for head in heads if not head.startswith(_OTHERWISE))
    place = _Place(rows, view, rows.sight(view, side, rows.memory()), nest, heads, asks)
    said = strip_blanks(line)
    if not said:
        return (*_beginnings(_verbs(verbs, place), place), *_headings(above, place))
    if rows.plan and said.startswith(f"{rows.plan.word} {BLANK}"):
        return tuple(_plans(rows.plan, place))
    if not said.startswith("if "):
        return _going_on(said, place)
    condition, _, rest = (strip_blanks(part) for part in said.removeprefix("if ").partition(":"))
    found = goes_on(condition, place.for_conditions)
    conditions = [Offer("if", "", name, f"if {text}: {rest}") for name, text in found]
    if BLANK in condition:
        return tuple(conditions)
    place = replace(place, before=f"if {condition}: ")
    if rest:
        return _going_on(rest, place)
    block = Offer("if", "", "", f"if {condition}:\n{INDENT}\nend")
    return (*_after_condition(_beginnings(_verbs(verbs, place), place), place), *conditions, block)


def _verbs(asked: Sequence[str], place: _Place) -> list[Verb]:
    """Return the verbs with which a line may begin.

    They are those asked for, or, where a case, plan or section is open, those that fit there.
    """
    rows, nest = place.rows, place.nest
    if len(nest.open) == 1:
        return [rows.by_verb[name] for name in asked]
    where = "plan" if nest.in_plan else nest.section
    return [verb for verb in rows.verbs if verb.in_form and where in rows.where(verb)]


def _headings(above: str, place: _Place) -> Iterator[Offer]:
    """Yield the conditions, plans and sections that may begin at this place."""
    rows, nest = place.rows, place.nest
    if rows.facts or rows.measures:
        yield Offer("if", "", "", f"if {BLANK}: ")
    if nest.top.what == "case" and not any(
        strip_blanks(line).startswith(_OTHERWISE) for line in above.split("\n")
    ):
        yield Offer(_OTHERWISE, "", "", f"{_OTHERWISE}:\n{INDENT}")
    if rows.plan and not nest.in_plan and nest.section in (rows.plan.sections or (nest.first.section,)):
        yield Offer(rows.plan.word, "", "", f"{rows.plan.word} {BLANK}:")
    if len(nest.open) == 1:
        for section in rows.sections[1:]:
            if section.name not in nest.found:
                yield Offer(section.name, "", "", f"{section.name}:\n{INDENT}\nend")


def _plans(plan: PlanHeading, place: _Place) -> Iterator[Offer]:
    """Yield the plan headings that may be written, one for each name."""
    for name in ("any", *place.rows.by_noun[plan.noun].of(place.sight.side).names):
        yield Offer(plan.word, "", "" if name == "any" else name, f"{plan.word} {name}:\n{INDENT}\nend")


def _going_on(said: str, place: _Place) -> tuple[Offer, ...]:
    order = started(said, place.rows)
    return () if order is None else _after_condition(_ways_to_go_on(order, place), place)


def _after_condition(found: Iterator[Offer], place: _Place) -> tuple[Offer, ...]:
    return tuple(replace(offer, line=place.before + offer.line) for offer in found)


def started(line: str, rows: Rows) -> Order | None:
    """Return the order of a line that this module wrote, whole or not; None for any other line."""
    words = f"{strip_blanks(line)} "
    verb = max(
        (verb for verb in rows.verbs if words.startswith(f"{verb.name} ")),
        key=lambda one: len(one.name),
        default=None,
    )
    if verb is None or ":" in line:
        return None
    rest = strip_blanks(words[len(verb.name) :])
    marks = "|".join(re.escape(clause.word) for clause in verb.clauses)
    parts = re.split(rf"(?:^| +)({marks})(?= |$)", rest) if marks else [rest]
    picks = tuple(Pick(name) for name in _names(parts[0]))
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return Order(verb=verb.name, picks=picks, clauses=tuple((word, _names(names)) for word, names in pairs))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in (strip_blanks(part) for part in text.split(",")) if name)


def _beginnings(verbs: Sequence[Verb], place: _Place) -> Iterator[Offer]:
    for verb in verbs:
        order = Order(verb=verb.name)
        if verb.bare or not verb.takes:
            yield from _if_right(Offer(verb.name, "", "", verb.name), place)
        yield from _list(order, verb, place)
        if verb.none:
            yield from _if_right(Offer(verb.name, "", "none", f"{verb.name} none"), place)


def _ways_to_go_on(order: Order, place: _Place) -> Iterator[Offer]:
    verb = place.rows.by_verb[order.verb]
    if order.nobody:
        return
    if not order.clauses and (verb.many or not order.picks):
        yield from _list(order, verb, place)
    last = order.clauses[-1][0] if order.clauses else ""
    for clause in verb.clauses:
        if clause.number or (order.has(clause.word) and clause.word != last):
            continue
        yield from _clause(order, clause, place)


def _list(order: Order, verb: Verb, place: _Place) -> Iterator[Offer]:
    """Yield the line with one more entry of its list, for each name that is offered."""
    for name in _names_offered(order, verb.takes, place):
        names = ", ".join((*order.names, name))
        offer = Offer(verb.name, "", name, f"{verb.name} {names}")
        yield from (offer,) if verb.needs_one_of else _if_right(offer, place)


def _clause(order: Order, clause: Clause, place: _Place) -> Iterator[Offer]:
    """Yield the line with this clause, or with another name in it if it is the last one."""
    before = text_of(order)
    if not clause.noun or (clause.bare and not order.has(clause.word)):
        if not order.has(clause.word):
            yield from _if_right(Offer(order.verb, clause.word, "", f"{before} {clause.word}"), place)
        if not clause.noun:
            return
    known = order.all(clause.word)
    if known and not (clause.many or clause.way):
        return
    for name in _names_offered(order, clause.noun, place, clause.word):
        line = (
            f"{before}, {name}"
            if known
            else f"{before} {'' if order.has(clause.word) else clause.word + ' '}{name}"
        )
        needs = place.rows.by_verb[order.verb].needs_one_of
        offer = Offer(order.verb, clause.word, name, line)
        whole = not needs or clause.word in needs or any(order.has(word) for word in needs)
        yield from _if_right(offer, place) if whole else (offer,)


def _names_offered(order: Order, noun: str, place: _Place, clause: str = "") -> Iterator[str]:
    if not noun:
        return
    row, sight = place.rows.by_noun[noun], place.sight
    names = row.offers(order, clause, sight) if row.offers else _legal(order, row.of(sight.side).names, place)
    there = {*order.names} if not clause else {*order.all(clause)}
    yield from [name for name in dict.fromkeys(names) if name not in there][:MAX_NAMES]


def _legal(order: Order, names: Iterable[str], place: _Place) -> Iterable[str]:
    """Return those of some names that stand in a legal answer, if one is due; else all of them."""
    kinds = place.rows.by_verb[order.verb].kinds
    legal = [f" {answer} " for ask in place.asks if ask.kind in kinds for answer in ask.legal]
    return [name for name in names if any(f" {name} " in answer for answer in legal)] if legal else names


def _if_right(offer: Offer, place: _Place) -> Iterator[Offer]:
    """Yield the offer, unless a fault would be found in its line."""
    orders, faults = parse(place.whole(offer.line), place.rows, place.sight.side)
    found: tuple[Fault, ...] = (*faults, *Checker(orders, place.rows, place.view).check())
    if all(fault.remark for fault in found):
        yield offer


def text_of(order: Order) -> str:
    """Return an order as a line of text."""
    clauses = "".join(f" {word} {', '.join(names)}".rstrip(BLANKS) for word, names in order.clauses)
    return f"{order.verb} {', '.join(order.names)}".rstrip(BLANKS) + clauses


JOINTS = ("and", "or")
HOW: tuple[Comparison, ...] = ("at least", "at most", "more than", "less than", "is")
"""The comparisons of a number, as a sentence offers them."""
MAX_NUMBER = 20
"""The highest number that a sentence offers; players write higher ones by hand."""
MAX_COUNTED = 9
FEW = 8
"""Maximum number of versions of a quantity (ours, theirs; of each side) that are all offered to compare
with."""

_START = re.compile(rf"(?:^| (?:{'|'.join(JOINTS)}) )")


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a condition, which decides what may be written there."""

    rows: Rows
    side: str
    in_plan: bool
    like_plan: bool
    """Whether a condition at this place may speak of what plans speak of."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A fact or measure as a sentence, in one of its phrases."""

    row: Fact | Measure
    phrase: Phrase

    def text(self) -> str:
        """Return the text of the sentence with its blanks."""
        said = self.phrase.written(((BLANK,),) * self.phrase.blanks)
        return f"{said} {BLANK}" if isinstance(self.row, Measure) else said

    def blanks(self) -> list[Blank]:
        return [piece for piece in self.phrase.pieces if isinstance(piece, Blank)]

    def pattern(self) -> str:
        """Return a regular expression for the sentence, with a group for each blank.

        The pattern of a measure has two more groups for its comparison.
        """
        said = "".join(
            " (.+?)" if isinstance(piece, Blank) else f" {re.escape(piece.words[0])}"
            for piece in self.phrase.pieces
            if isinstance(piece, Blank) or not piece.optional
        )
        compared = rf" ({'|'.join(HOW)}|{BLANK})(?: (.+))?" if isinstance(self.row, Measure) else ""
        return said.removeprefix(" ") + compared


def goes_on(condition: str, place: Place) -> Iterator[tuple[str, str]]:
    """Yield the ways in which a condition may go on at its first blank, or be joined.

    Each is a pair of the name that is filled in, and the text.
    """
    if BLANK not in condition:
        yield from (("", f"{condition} {joint} {BLANK}") for joint in JOINTS)
        return
    for start in reversed([found.end() for found in _START.finditer(condition)]):
        before, last = condition[:start], condition[start:]
        if last == BLANK:
            yield from (("", before + one.text()) for one in _sentences(place))
            return
        if found := list(_fill_blank(last, place)):
            yield from ((name, before + text) for name, text in found)
            return


def _sentences(place: Place) -> Iterator[_Sentence]:
    """Yield the sentences that may stand at this place."""
    rows: tuple[Fact | Measure, ...] = (*place.rows.facts, *place.rows.measures)
    for row in rows:
        if (row.scope == "plan" and not place.like_plan) or (row.scope == "outside" and place.in_plan):
            continue
        first = {(one.blanks, one.preset): one for one in reversed(row.phrases)}
        for one in first.values():
            sentence = _Sentence(row, one)
            if _possible(sentence, [BLANK] * one.blanks, place):
                yield sentence


def _fill_blank(text: str, place: Place) -> Iterator[tuple[str, str]]:
    """Yield the text of a sentence with its first blank filled in, in each possible way."""
    for sentence in _sentences(place):
        if (found := re.fullmatch(sentence.pattern(), text)) is None or BLANK not in found.groups():
            continue
        said = list(found.groups())
        names = [name or "" for name in said[: sentence.phrase.blanks]]
        if not all(
            name == BLANK or name in _names_for(blank, place)
            for name, blank in zip(names, sentence.blanks(), strict=True)
        ):
            continue
        at = said.index(BLANK)
        before, after = text[: found.start(at + 1)], text[found.end(at + 1) :]
        if at < len(names):
            for name in _names_for(sentence.blanks()[at], place):
                if _possible(sentence, [*names[:at], name, *names[at + 1 :]], place):
                    yield name, before + name + after
        elif at == len(names):
            yield from (("", f"{before}{how} {BLANK}") for how in HOW)
        else:
            yield from (("", before + value) for value in _values(sentence.row, said[at - 1], place))
        return


def _values(row: Fact | Measure, how: str | None, place: Place) -> Iterator[str]:
    """Yield the values with which a number may be compared."""
    bounds = row.bounds if isinstance(row, Measure) else None
    comparison = next(one for one in HOW if one == how)
    for number in range(MAX_NUMBER + 1):
        if bounds is None or bounds(comparison, number) is None:
            yield str(number)
    for other in _sentences(place):
        if not isinstance(other.row, Measure) or (other.row is row and not other.phrase.blanks):
            continue
        if not other.phrase.blanks:
            yield other.phrase.written(())
        elif len(names := _names_for(other.blanks()[0], place)) <= FEW and other.phrase.blanks == 1:
            fitting = (name for name in names if _possible(other, [name], place))
            yield from (other.phrase.written(((name,),)) for name in fitting)


def _names_for(blank: Blank, place: Place) -> Sequence[str]:
    if blank.number:
        return [str(number) for number in range(MAX_COUNTED + 1)]
    noun = place.rows.by_noun[blank.noun]
    groups = noun.groups if blank.joint else ()
    return list(dict.fromkeys(chain(noun.of(place.side).names, groups)))


def _possible(sentence: _Sentence, names: Sequence[str], place: Place) -> bool:
    """Tell whether some way is left to fill the blanks that the row does not refuse."""
    row = sentence.row
    if row.refuse is None:
        return True
    if BLANK in names:
        at = names.index(BLANK)
        choice = _names_for(sentence.blanks()[at], place)
        return any(_possible(sentence, [*names[:at], name, *names[at + 1 :]], place) for name in choice)
    values = sentence.phrase.preset or tuple((name,) for name in names)
    return row.refuse(Written(Term(row.name, values), place.side, place.like_plan)) is None
