"""Conditions as sentences to complete, made of the rows' phrases, for players who compose orders by hand.

    ____  ->  red has ____, army ____ ____, ...  ->  army red ____  ->  army red at least ____  ->  ... 20

A sentence is offered as long as some way to fill its blanks is left that its row does not refuse. A text with
a blank in it is no condition yet: whoever seals it is told so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from pbem.orders.kit.parsed_orders import Comparison, Term
from pbem.orders.kit.phrases import Blank, Phrase
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.vocabulary import Fact, Measure, Written
from pbem.orders.lines import BLANK

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
            name == BLANK or name in _names(blank, place)
            for name, blank in zip(names, sentence.blanks(), strict=True)
        ):
            continue
        at = said.index(BLANK)
        before, after = text[: found.start(at + 1)], text[found.end(at + 1) :]
        if at < len(names):
            for name in _names(sentence.blanks()[at], place):
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
        elif len(names := _names(other.blanks()[0], place)) <= FEW and other.phrase.blanks == 1:
            fitting = (name for name in names if _possible(other, [name], place))
            yield from (other.phrase.written(((name,),)) for name in fitting)


def _names(blank: Blank, place: Place) -> Sequence[str]:
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
        choice = _names(sentence.blanks()[at], place)
        return any(_possible(sentence, [*names[:at], name, *names[at + 1 :]], place) for name in choice)
    values = sentence.phrase.preset or tuple((name,) for name in names)
    return row.refuse(Written(Term(row.name, values), place.side, place.like_plan)) is None
