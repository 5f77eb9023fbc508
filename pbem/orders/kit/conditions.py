"""Conditions, which stand after `if`: how they are read, written back, and judged.

    condition  = both {"or" both}
    both       = single {"and" single}
    single     = ["not"] (fact | comparison)
    comparison = measure [how] measure            round 2; our strength less than half their strength

Of all phrases the longest that fits is meant; if none does, the one that went farthest says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pbem.characters import is_decimal
from pbem.orders.base import listed
from pbem.orders.cursor import FEW, Cursor, Names, read_number
from pbem.orders.kit.parsed_orders import (
    NUMBER,
    Both,
    Compare,
    Comparison,
    Condition,
    Either,
    Factor,
    Not,
    Term,
    Values,
)
from pbem.orders.kit.rows import Rows
from pbem.orders.kit.vocabulary import (
    Blank,
    Fact,
    Measure,
    Noun,
    Openings,
    Phrase,
    Sight,
    Word,
    Written,
    written,
)

_ALONE: dict[str, Comparison] = {
    "less": "less than",
    "fewer": "less than",
    "more": "more than",
    "most": "at most",
    "least": "at least",
}
"""The words that do not make a comparison by themselves, each with the comparison that was probably meant."""
_HOW: tuple[tuple[tuple[str, ...], Comparison], ...] = (
    (("is", "less", "than"), "less than"),
    (("is", "more", "than"), "more than"),
    (("is", "at", "most"), "at most"),
    (("is", "at", "least"), "at least"),
    (("less", "than"), "less than"),
    (("fewer", "than"), "less than"),
    (("more", "than"), "more than"),
    (("at", "most"), "at most"),
    (("at", "least"), "at least"),
    (("below",), "less than"),
    (("above",), "more than"),
    (("is",), "is"),
    (("are",), "is"),
    (("<",), "less than"),
    ((">",), "more than"),
    (("<=",), "at most"),
    ((">=",), "at least"),
    (("=",), "is"),
)

_OPEN_ENDED: dict[str, Comparison] = {
    "more": "at least",
    "later": "at least",
    "stronger": "at least",
    "less": "at most",
    "fewer": "at most",
    "weaker": "at most",
}

MAX_NUMBER = 9999
MAX_IN_BLANK = 99
NO_SUMS = "you cannot write a sum"


# -- reading


@dataclass(frozen=True, slots=True)
class _Match:
    """The extent to which a phrase fits: all of it (`values`), or up to a piece that does not fit."""

    end: int
    row: Fact | Measure
    values: Values | None = None
    negated: bool = False
    wanted: Word | Blank | None = None


class Reader:
    """The base of readers of order lines; `in_plan`: whether conditions may speak of what only plans show."""

    def __init__(self, cursor: Cursor, rows: Rows, side: str, in_plan: bool) -> None:
        self.cursor = cursor
        self.rows = rows
        self.side = side
        self.in_plan = in_plan


class ConditionReader(Reader):
    """A reader of the condition at a cursor."""

    def __init__(self, cursor: Cursor, rows: Rows, side: str, in_plan: bool) -> None:
        super().__init__(cursor, rows, side, in_plan)
        self._filled: dict[tuple[Blank, int], tuple[tuple[str, ...], int]] = {}

    def read(self) -> Condition:
        """Read a condition, by the rule: condition = both {"or" both}."""
        parts = [self._both()]
        while self.cursor.word == "or" and not self._order_follows():
            self.cursor.take()
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _both(self) -> Condition:
        """Read conditions that are joined by `and`: both = single {"and" single}.

        Between some facts, as in "first against 2", no `and` is needed.
        """
        parts = [self._single()]
        while not self.cursor.done:
            if self.cursor.word in ("and", ",") and not self._order_follows():
                self.cursor.take()
            elif self.cursor.word not in self.rows.joining:
                break
            parts.append(self._single())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _order_follows(self) -> bool:
        """Tell whether the condition ends here, so that its order begins after this word."""
        words = self.cursor.words[1:]
        ends = not words or words[0] in (":", "then")
        if ends and self.cursor.word in ("and", "or"):
            said = f"after '{self.cursor.word}' another condition is missing"
            self.cursor.wrong(self.cursor.ahead(1), said)
        return ends or words[0] in self.rows.verb_words | self.rows.openers

    def _single(self) -> Condition:
        cursor = self.cursor
        cursor.token("a condition is missing here")
        if cursor.skip("not"):
            if cursor.word == "not":
                cursor.wrong(cursor.ahead(1), "one 'not' is enough")
            return Not(self._single())
        if self._number_follows() or cursor.word in ("half", "twice"):
            return self._comparison()
        best = self._best(self.rows.openings)
        if best is None:
            raise self._nothing_fits(self._matches((*self.rows.facts, *self.rows.measures)))
        if isinstance(best.row, Measure):
            return self._comparison()
        term = self._term(best)
        return Not(term) if best.negated else term

    def _number_follows(self) -> bool:
        word = self.cursor.word
        return is_decimal(word)

    def _matches(self, rows: tuple[Fact | Measure, ...]) -> list[_Match]:
        return [self._match(row, one) for row in rows for one in row.phrases]

    def _best(self, openings: Openings) -> _Match | None:
        """Return the longest phrase of the rows that fits at the cursor; None if none fits.

        Only those that may begin with this word are looked at.
        """
        found = [self._match(row, one) for row, one in openings.at(self.cursor.word)]
        return max((one for one in found if one.values is not None), key=lambda one: one.end, default=None)

    def _match(self, row: Fact | Measure, one: Phrase) -> _Match:
        """Return how far a phrase of a row fits at the cursor."""
        cursor, place = self.cursor, self.cursor.place
        values: list[tuple[str, ...]] = []
        negated = False
        for piece in one.pieces:
            if isinstance(piece, Word):
                if piece.words == ("the",):
                    continue  # a cursor has none
                if next(iter(cursor.at(place)), "") in piece.words:
                    place += 1
                elif not piece.optional:
                    return _Match(place, row, wanted=piece)
                if piece.says_is and isinstance(row, Fact) and cursor.at(place)[:1] == ("not",):
                    place += 1
                    negated = True
            else:
                names, place = self._fill(piece, place)
                if not names:
                    return _Match(place, row, wanted=piece)
                values.append(names)
        filled = tuple(values) if one.preset is None else one.preset
        return _Match(place, row, values=filled, negated=negated)

    def _fill(self, blank: Blank, place: int) -> tuple[tuple[str, ...], int]:
        """Return the names or number in a phrase's blank, and the place after them; no names if none fits."""
        key = blank, place
        if (known := self._filled.get(key)) is None:
            known = self._filled[key] = self._read_blank(blank, place)
        return known

    def _read_blank(self, blank: Blank, place: int) -> tuple[tuple[str, ...], int]:
        words = self.cursor.at(place)
        if blank.number:
            number = read_number(words[0]) if words else None
            fits = number is not None and number <= MAX_IN_BLANK
            return ((str(number),), place + 1) if fits else ((), place)
        noun = self.rows.by_noun[blank.noun]
        names: list[str] = []
        while True:
            found, after = self._entry(noun, place, groups=bool(blank.joint))
            if not found:
                return tuple(dict.fromkeys(names)), place - 1 if names else place
            names += found
            place = after
            separator = self.cursor.at(place)[:1]
            if not separator or separator[0] not in blank.separators:
                return tuple(dict.fromkeys(names)), place
            follows = self.cursor.at(place + 1)[:1]
            if not follows or (follows[0] in self.rows.verb_words and not self._names(noun, place + 1)):
                return tuple(dict.fromkeys(names)), place
            place += 1

    def _names(self, noun: Noun, place: int) -> bool:
        return bool(noun.of(self.side).read(self.cursor.at(place)).name)

    def _entry(self, noun: Noun, place: int, *, groups: bool) -> tuple[tuple[str, ...], int]:
        """Return one name in a blank, or the several for which a word stands, and the place after it."""
        words = self.cursor.at(place)
        if words[:1] in (("a",), ("an",)) and (noun.sorts or self._names(noun, place + 1)):
            place += 1
            words = self.cursor.at(place)
        if words and groups and words[0] in noun.groups:
            return (words[0],), place + 1
        if words and words[0] in noun.sorts:
            place += 1
            return noun.sorts[words[0]], place + (self.cursor.at(place)[:1] == (noun.name,))
        match = noun.of(self.side).read(words) if words else None
        if match is None or not match.name:
            return (), place
        return (match.name,), place + match.words

    def _term(self, found: _Match) -> Term:
        """Return the term that a fitting phrase means; note a fault if it must not be written here."""
        cursor, row = self.cursor, found.row
        tokens = cursor.tokens[cursor.place : found.end]
        term = Term(row.name, found.values or ())
        cursor.place = found.end
        if row.refuse and (problem := row.refuse(Written(term, self.side, self.in_plan))):
            cursor.wrong(tokens, problem.reason, problem.rule)
        plan = self.rows.plan
        if row.scope == "plan" and not self.in_plan and plan:
            cursor.wrong(tokens, plan.only_here.format(said=cursor.quoted(tokens)), plan.rule)
        return term

    def _nothing_fits(self, found: list[_Match]) -> Exception:
        cursor = self.cursor
        first = cursor.ahead(1)
        for token in cursor.rest:
            if token.word in (":", "then"):
                break
            if token.word in self.rows.help.hints:
                cursor.wrong(
                    [token],
                    f"{cursor.quoted([token])} is not a condition: {self.rows.help.hints[token.word]}",
                )
        farthest = max((one.end for one in found), default=cursor.place)
        last = [one for one in found if one.end == farthest]
        blanks = [one.wanted for one in last if isinstance(one.wanted, Blank)]
        if farthest > cursor.place or any(self._ambiguous(blank) for blank in blanks):
            start = cursor.tokens[cursor.place : farthest]
            cursor.place = farthest
            for blank in blanks:
                if start or self._ambiguous(blank):
                    self._wrong_blank(blank)
            words = dict.fromkeys(
                word for one in last if isinstance(one.wanted, Word) for word in one.wanted.words[:1]
            )
            many = len(words) > FEW
            what = "one of these" if many else listed([f"'{word}'" for word in words], "or")
            message = f"after {cursor.quoted(start)} write {what}"
            cursor.wrong(cursor.ahead(1) or start, message, legal=words if many else ())
        opening = Names(dict.fromkeys(word for word in self._openings() if word))
        nouns = [
            self.rows.by_noun[blank.noun].of(self.side) for blank in dict.fromkeys(blanks) if not blank.number
        ]
        near = dict.fromkeys(name for names in (opening, *nouns) for name in names.near(cursor.word))
        legal = () if near else self.rows.help.conditions
        cursor.wrong(first, f"no condition begins with {cursor.quoted(first)}", meant=near, legal=legal)

    def _openings(self) -> tuple[str, ...]:
        rows = (*self.rows.facts, *self.rows.measures)
        return (*(one.first for row in rows for one in row.phrases), "not", "half", "twice")

    def _ambiguous(self, blank: Blank) -> bool:
        if blank.number or not self.cursor.words:
            return False
        return len(self.rows.by_noun[blank.noun].of(self.side).read(self.cursor.words).names) > 1

    def _wrong_blank(self, blank: Blank) -> None:
        """Note the fault of a wrong name or number in a blank."""
        if blank.number:
            self.cursor.number(MAX_IN_BLANK, blank.noun)
        else:
            noun = self.rows.by_noun[blank.noun]
            self.cursor.name(noun.of(self.side), noun.what, noun.rule)

    # -- comparisons

    def _comparison(self) -> Compare:
        cursor = self.cursor
        left_factor, left = self._measure()
        how: Comparison = "is"
        for words, meaning in _HOW:
            if cursor.skip_phrase(*words):
                how = meaning
                break
        if how == "is" and cursor.word in _ALONE:
            cursor.wrong(
                cursor.ahead(1),
                f"{cursor.quoted(cursor.ahead(1))} alone is not a comparison",
                meant=[_ALONE[cursor.word]],
            )
        right_factor, right = self._measure()
        if how == "is" and cursor.word == "or" and len(cursor.words) > 1:
            open_ended = _OPEN_ENDED.get(cursor.words[1])
            if open_ended:
                cursor.place += 2
                how = open_ended
        if any(cursor.sees(*words) for words, _ in _HOW):
            cursor.wrong(cursor.ahead(1), f"a comparison has only two numbers; {NO_SUMS}")
        row = self.rows.by_term.get(left.what)
        if isinstance(row, Measure) and row.bounds and right.what == NUMBER:
            problem = row.bounds(how, int(right.name()))
            if problem:
                cursor.wrong(cursor.tokens[cursor.place - 1 : cursor.place], problem.reason, problem.rule)
        return Compare(left, how, right, left_factor, right_factor)

    def _measure(self) -> tuple[Factor, Term]:
        """Read one side of a comparison: ["half" | "twice"] (number | measure)."""
        cursor = self.cursor
        if self._number_follows():
            return "", Term(NUMBER, ((str(cursor.number(MAX_NUMBER, "anything here")),),))
        factor: Factor = ""
        if cursor.word in ("half", "twice"):
            factor = "half" if cursor.take().word == "half" else "twice"
        best = self._best(self.rows.measured)
        if best is not None:
            return factor, self._term(best)
        found = self._matches(self.rows.measures)
        if factor or any(one.end > cursor.place for one in found):
            raise self._nothing_fits(found)
        no_sums = f"; {NO_SUMS}" if cursor.word in ("and", "plus") else ""
        return cursor.wrong(cursor.ahead(1), f"a number, or something to count, is missing here{no_sums}")


# -- writing


def write_condition(condition: Condition, rows: Rows) -> str:
    """Return the condition in words that are read as the same condition again."""
    if isinstance(condition, Either):
        return " or ".join(write_condition(part, rows) for part in condition.parts)
    if isinstance(condition, Both):
        text = write_condition(condition.parts[0], rows)
        for part in condition.parts[1:]:
            text += (" " if _joins(part, rows) else " and ") + write_condition(part, rows)
        return text
    if isinstance(condition, Not):
        return f"not {write_condition(condition.what, rows)}"
    if isinstance(condition, Compare):
        left = _write_measure(condition.left_factor, condition.left, rows)
        how = _equals(left) if condition.how == "is" else f" {condition.how}"
        return f"{left}{how} {_write_measure(condition.right_factor, condition.right, rows)}"
    return write_term(condition, rows)


def _equals(left: str) -> str:
    """Return the verb that follows a measure's words: `my units are 3`, but `round 3`."""
    what = left.partition(" in ")[0]
    return "" if " " not in what else " are" if what.endswith("s") else " is"


def _joins(part: Condition, rows: Rows) -> bool:
    row = rows.by_term.get(part.what) if isinstance(part, Term) else None
    return isinstance(row, Fact) and row.joins


def _write_measure(factor: str, term: Term, rows: Rows) -> str:
    return f"{factor} {write_term(term, rows)}" if factor else write_term(term, rows)


def write_term(term: Term, rows: Rows) -> str:
    """Return a fact or a number in words."""
    return term.name() if term.what == NUMBER else written(rows.by_term[term.what].phrases, term.values)


# -- judging


def holds(condition: Condition | None, sight: Sight, rows: Rows) -> bool:
    """Tell whether a condition is true, as far as a side sees; a condition that is None counts as true."""
    if condition is None:
        return True
    if isinstance(condition, Not):
        return not holds(condition.what, sight, rows)
    if isinstance(condition, Both):
        return all(holds(part, sight, rows) for part in condition.parts)
    if isinstance(condition, Either):
        return any(holds(part, sight, rows) for part in condition.parts)
    if isinstance(condition, Compare):
        left = _twice(condition.left_factor, condition.left, sight, rows)
        right = _twice(condition.right_factor, condition.right, sight, rows)
        return left is not None and right is not None and _COMPARED[condition.how](left, right)
    row = rows.by_term[condition.what]
    return isinstance(row, Fact) and row.holds(condition, sight)


def truth(condition: Condition | None, of_term: Callable[[Term], bool | None]) -> bool | None:
    """Tell whether a condition holds by the facts that are known; None if it depends on others as well."""
    if condition is None:
        return True
    if isinstance(condition, Not):
        inner = truth(condition.what, of_term)
        return None if inner is None else not inner
    if isinstance(condition, Both | Either):
        parts = [truth(part, of_term) for part in condition.parts]
        decisive = isinstance(condition, Either)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    return of_term(condition) if isinstance(condition, Term) else None


def settled(condition: Condition | None, sight: Sight, rows: Rows) -> bool | None:
    """Tell whether a condition holds for the rest of this moment; None if that may still change."""

    def of_term(term: Term) -> bool | None:
        row = rows.by_term[term.what]
        known = isinstance(row, Fact) and row.settled is not None and row.settled(sight)
        return row.holds(term, sight) if isinstance(row, Fact) and known else None

    return truth(condition, of_term)


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "is": lambda left, right: left == right,
    "less than": lambda left, right: left < right,
    "more than": lambda left, right: left > right,
    "at most": lambda left, right: left <= right,
    "at least": lambda left, right: left >= right,
}


def _twice(factor: Factor, term: Term, sight: Sight, rows: Rows) -> int | None:
    """Return twice the number of a term, so that a half stays whole; None if the side does not see it."""
    if term.what == NUMBER:
        value: int | None = int(term.name())
    else:
        row = rows.by_term[term.what]
        value = row.value(term, sight) if isinstance(row, Measure) else None
    return None if value is None else value * {"half": 1, "": 2, "twice": 4}[factor]
