"""Orders as text: in the language's own layout (`write`), in plain words (`say`), and a report's order form.

The form stands between `begin orders` and `end orders`. First what is asked now, then every question that may
arise before the judge stops again, applicable or not. All of it is computed from the side's own view. Lines
left blank are not read, so a whole report sent back is an order file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from pbem.characters import BLANKS, capitalize, lower, upper, wrap
from pbem.orders.base import Standing, listed
from pbem.orders.kit.conditions import write_condition
from pbem.orders.kit.parsed_orders import ASK, DONE, FULL, Order, Orders, Part, Pick, Plan, every_order
from pbem.orders.kit.rows import Question, Rows
from pbem.orders.kit.vocabulary import FOR_ALL
from pbem.rules.base import Ask, View

INDENT = "    "


class Writer:
    """A writer of orders in the language's layout; parsed again the text gives equal orders."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def orders(self, orders: Orders) -> str:
        """Return a whole order file, without its header."""
        first, *others = self.rows.sections
        text = list(self._parts(orders.section(first.name), ""))
        for section in others:
            if orders.has(section.name):
                parts = self._parts(orders.section(section.name), INDENT)
                text += [f"{section.name}:", *parts, "end"]
        return "".join(f"{line}\n" for line in text)

    def _parts(self, parts: Sequence[Part], indent: str) -> Iterator[str]:
        for part in parts:
            if isinstance(part, Order):
                yield indent + self.line(part)
                continue
            if isinstance(part, Plan):
                assert self.rows.plan is not None
                yield f"{indent}{self.rows.plan.word} {', '.join(part.names) or 'any'}:"
                yield from self._parts(part.parts, indent + INDENT)
            else:
                for case in part.cases:
                    when = "otherwise" if case.when is None else f"if {write_condition(case.when, self.rows)}"
                    yield f"{indent}{when}:"
                    yield from self._parts(case.parts, indent + INDENT)
            yield f"{indent}end"

    def line(self, order: Order) -> str:
        """Return one line, with its condition."""
        condition = "" if order.when is None else f"if {write_condition(order.when, self.rows)}: "
        return condition + self.order(order)

    def order(self, order: Order) -> str:
        """Return one order, without its condition."""
        verb = self.rows.by_verb[order.verb]
        parts = [order.verb]
        if order.picks:
            parts.append(", ".join(self.pick(pick, counted=bool(verb.counted)) for pick in order.picks))
        if order.but:
            left_out = ", ".join(self.pick(pick, counted=bool(verb.counted)) for pick in order.but)
            parts.append(f"except {left_out}")
        for word, names in order.clauses:
            parts.append(" ".join((word, ", ".join(names))).rstrip(BLANKS))
        return " ".join(parts)

    def pick(self, pick: Pick, *, counted: bool) -> str:
        """Return one entry of a list, with its count where it is not the usual one.

        An entry such as that of `build rest` has no end, and so no count.
        """
        usual = FULL if counted and pick.name in self.rows.whole else 1
        if pick.count == usual:
            return pick.name
        return f"{pick.name} full" if pick.count == FULL else f"{pick.name} {pick.count}"


class Speaker:
    """A speaker that says what was understood, for the receipt and for `pbem check`, a sentence a line."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def orders(self, orders: Orders) -> str:
        """Return every line, case, plan and section in words."""
        first, *others = self.rows.sections
        text = list(self.parts(orders.section(first.name), ""))
        for section in others:
            if orders.has(section.name):
                text.append(section.heading)
                text += self.parts(orders.section(section.name), INDENT)
                if not orders.section(section.name):
                    text.append(f"{INDENT}{section.empty}")
        return "".join(f"{line}\n" for line in text) or "Nothing was ordered.\n"

    def parts(self, parts: Sequence[Part], indent: str) -> Iterator[str]:
        """Yield the given lines, cases and plans of an order file in words."""
        spoken: set[str] = set()
        for part in parts:
            if isinstance(part, Order):
                is_else = self._alternatives(part) & spoken
                yield indent + (self._else(part) if is_else else self._line(part))
                spoken |= self._alternatives(part)
            elif isinstance(part, Plan):
                assert self.rows.plan is not None
                plan = self.rows.plan
                head = plan.said.format(names=listed(part.names, "or")) if part.names else plan.said_any
                if self._overtakes(part.parts):
                    head = f"{head[:-1]}; lines whose condition is true come first:"
                yield indent + head
                yield from self.parts(part.parts, indent + INDENT)
            else:
                for number, case in enumerate(part.cases):
                    head = "Otherwise"
                    if case.when is not None:
                        head = f"{'Else, if' if number else 'If'} {write_condition(case.when, self.rows)}"
                    yield f"{indent}{head}:"
                    yield from self.parts(case.parts, indent + INDENT)
                    if not case.parts:
                        yield f"{indent}{INDENT}no orders."
                    spoken |= {kind for one in every_order(case.parts) for kind in self._alternatives(one)}

    def _alternatives(self, order: Order) -> frozenset[str]:
        """Return the kinds of Ask for which an order is one of several that exclude each other."""
        kinds = () if order.verb in (ASK, DONE) else self.rows.kinds(order)
        return self.rows.asking.alternatives.intersection(kinds)

    def _else(self, order: Order) -> str:
        """Return a line in words that counts where those before it do not: "Else ..."."""
        said = self._line(order)
        return f"Else, {lower_first(said, order)}" if order.when else f"Else {lower_first(said, order)}"

    def _overtakes(self, parts: Sequence[Part]) -> bool:
        """Tell whether a conditional line stands below an unconditional one that it overtakes."""
        each = self.rows.plan.each if self.rows.plan else frozenset()
        about = [
            part for part in parts if isinstance(part, Order) and each & {*self.rows.by_verb[part.verb].kinds}
        ]
        return any(
            later.when and not one.when for place, one in enumerate(about) for later in about[place + 1 :]
        )

    def _line(self, order: Order) -> str:
        sentence = self.order(order)
        if order.when is None:
            return sentence
        return f"If {write_condition(order.when, self.rows)}: {lower_first(sentence, order)}"

    def order(self, order: Order) -> str:
        """Return one order as a sentence, its condition left out."""
        says = self.rows.by_verb[order.verb].says
        if callable(says):
            return f"{says(order)}."
        return f"{says or capitalize(Writer(self.rows).order(order))}."


# -- phrases for the rows' `says`


def lower_first(text: str, order: Order) -> str:
    """Return a sentence with a lower-case beginning, unless it begins with a name."""
    begins = bool(order.names) and text.startswith(order.names[0])
    return text if begins else lower(text[:1]) + text[1:]


def entry(name: str, groups: frozenset[str] = frozenset()) -> str:
    """Return an entry of an order's list in words: "Tom", "the rest", "the nobles"."""
    return {"all": "all", "rest": "the rest", "none": "nobody"}.get(
        name, f"the {name}" if name in groups else name
    )


def else_(names: Sequence[str], groups: frozenset[str] = frozenset()) -> str:
    """Return names of an order in words as a preference: "Ford, else Hill"."""
    return ", else ".join(entry(name, groups) for name in names)


def then(names: Sequence[str], groups: frozenset[str] = frozenset()) -> str:
    """Return names of an order in words as a sequence: "Ford, then Hill"."""
    return ", then ".join(entry(name, groups) for name in names)


def who(order: Order, groups: frozenset[str] = frozenset(), where: str = "") -> str:
    """Return the names of an order in words: "Tom and Will", "all in Ford except Tom".

    `where` is said of lists like `all`.
    """
    said = listed([entry(name, groups) for name in order.names]) if order.names else "all"
    if where and any(name in FOR_ALL | groups for name in order.names):
        said += f" in {where}"
    return f"{said} except {listed(order.left_out)}" if order.but else said


def does(order: Order, one: str, many: str, groups: frozenset[str] = frozenset(), where: str = "") -> str:
    """Return an order in words as who does what: "Tom moves", "Tom and Anne move"."""
    single = len(order.names) == 1 and order.names[0] not in FOR_ALL | groups
    said = who(order, groups, where)
    return f"{upper(said[:1])}{said[1:]} {one if single else many}"


WIDTH = 66
"""Maximum width of a form's lines, so small that no mail program needs to wrap a form quoted twice."""
SHORT = 8
"""Maximum number of legal answers that are all listed; of more than that three are shown."""


def order_form(view: View, asks: Sequence[Ask], rows: Rows, answered: Standing) -> str:
    """Return the whole order form, ready to stand in a report."""
    sight = rows.sight(view, view["viewer"], rows.memory())
    open_ = [ask for ask in asks if ask.side == sight.side]
    text = [
        "begin orders",
        *notes("A line that you do not fill in does not count. Text after 'note' is a remark."),
    ]
    for ask in open_:
        text += ["", *asked(ask, sight, rows, answered)]
    text += rows.form.asked_now(sight, open_)
    kinds = {ask.kind for ask in open_}
    if rows.form.in_advance:
        text += rows.form.in_advance(sight, kinds, answered)
    else:
        text += _all_in_advance(sight, kinds, rows, answered)
    return "".join(f"{line}\n" for line in (*text, "", "end orders"))


def notes(*sentences: str) -> Iterator[str]:
    """Yield sentences as remarks of a form, wrapped into lines."""
    for sentence in sentences:
        yield from _note(sentence)


@lru_cache(maxsize=1024)
def _note(sentence: str) -> tuple[str, ...]:
    """Return one sentence as lines of a remark; the result is kept, since sentences recur in forms."""
    return tuple(f"note {line}" for line in wrap(sentence, WIDTH - len("note ")))


def question_of(kind: str, rows: Rows) -> Question:
    """Return the question of a kind of Ask; without a row for it, one made of its verbs."""
    if kind in rows.questions:
        return rows.questions[kind]
    verbs = [verb for verb in rows.verbs if kind in verb.kinds and verb.in_form]
    lines = tuple(f"{verb.name} ____" if verb.takes else verb.name for verb in verbs)
    return Question(f"Your {kind}", f"your {kind}", lines)


def asked(ask: Ask, sight: Any, rows: Rows, answered: Standing) -> Iterator[str]:
    """Yield one open question: in words, what is possible, what silence means, and the lines to fill in."""
    question = question_of(ask.kind, rows)
    legal = [rows.asking.spoken(ask, answer) for answer in ask.legal]
    shown = legal if len(legal) <= SHORT else legal[:3]
    plan = rows.plan
    which = plan.asked_in.format(here=sight.here) if plan and sight.here and ask.kind in plan.kinds else ""
    yield from notes(
        f"ASKED NOW: {question.text}{which}? ({ask.rule})",
        f"{'Possible' if shown is legal else 'For example'}: {' / '.join(shown)}.",
        answered.silence_now(ask, rows.asking.spoken(ask, ask.default)),
    )
    yield from question.lines(ask) if callable(question.lines) else question.lines


def in_advance(kind: str, rows: Rows, answered: Standing) -> Iterator[str]:
    """Yield a question that may arise before the next stop, and what no answer means."""
    question = question_of(kind, rows)
    yield ""
    example = f" For example: {question.example}." if question.example else ""
    yield from notes(f"{question.text}?{example} {answered.silence(kind, question.silence)}")
    yield from () if callable(question.lines) else question.lines


def _all_in_advance(sight: Any, asked_kinds: set[str], rows: Rows, answered: Standing) -> Iterator[str]:
    """Yield every question that is not asked now and may still come, for a language without a row for it."""
    for kind in dict.fromkeys((*rows.questions, *(kind for verb in rows.verbs for kind in verb.kinds))):
        if kind not in asked_kinds and rows.asking.may_come(sight, kind):
            yield from in_advance(kind, rows, answered)
