"""What must be true of every row of every language; a game's tests call these with its language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pbem.orders.base import Answer
from pbem.orders.kit.follow import KitFollower
from pbem.orders.kit.language import KitLanguage
from pbem.orders.kit.orders_in_force import File
from pbem.orders.kit.parsed_orders import Order, Orders, every_order, terms
from pbem.orders.kit.rows import NO_PAUSE, Rows
from pbem.orders.kit.vocabulary import Written
from pbem.rules.base import Ask, View, read_head


def read(language: KitLanguage, line: str, sides: tuple[str, ...]) -> Orders:
    """A line as the first side that may write it means it; in a plan if it stands nowhere else."""
    rows = language.rows
    told = []
    headings = ("", *(f"{section.name}:\n" for section in rows.sections[1:]))
    plan = (f"{rows.plan.word} any:\n",) if rows.plan else ()
    for heading in (*headings, *plan):
        for side in sides:
            parsed = language.parse(heading + line, side)
            if not parsed.faults and isinstance(parsed.orders, Orders) and parsed.orders:
                return parsed.orders
            told += [str(fault) for fault in parsed.faults]
    raise AssertionError((line, told))


def orders_of(orders: Orders) -> Iterator[Order]:
    """Every line of a file."""
    for _, parts in orders.sections:
        yield from every_order(parts, into_plans=True)


def check_verbs(language: KitLanguage, sides: tuple[str, ...]) -> None:
    """Each verb's example is read, said, and written back; its nouns and topics are rows."""
    rows = language.rows
    for verb in rows.by_verb.values():
        orders = read(language, verb.example, sides)
        assert verb.name in {order.verb for order in orders_of(orders)}, verb.name
        assert language.parse(language.write(orders), orders.side).orders == orders
        assert language.say(orders).strip().endswith("."), verb.name
        assert verb.takes in (*rows.by_noun, "topic", "")
        assert {clause.noun for clause in verb.clauses} <= {*rows.by_noun, ""}
        assert set(verb.needs_one_of) <= {clause.word for clause in verb.clauses}
        assert set(rows.where(verb)) <= {*rows.by_section, "plan"}
        assert not verb.topic or verb.topic in rows.by_topic, verb.name


def check_conditions(language: KitLanguage, sides: tuple[str, ...]) -> None:
    """Each fact and number is read, and written back as the same."""
    rows = language.rows
    for row in (*rows.facts, *rows.measures):
        where = "plan" if row.scope == "plan" else rows.sections[0].name
        verb = next(verb for verb in rows.verbs if where in rows.where(verb))
        orders = read(language, f"if {row.example or row.phrases[0].text}: {verb.example}", sides)
        used = {term.what for order in orders_of(orders) for term in terms(order.when)}
        assert row.name in used, (row.name, used)
        again = language.parse(language.write(orders), orders.side)
        assert again.orders == orders, (row.name, again.faults)


def check_pauses(language: KitLanguage, sides: tuple[str, ...], view: View) -> int:
    """Try each fact and number under each topic, in a game of this view; how many are refused.

    A line that stands alone and whose pause would tell is refused, by `check` and by the judge in the same
    words, or lets nobody wait.
    """
    rows, refused = language.rows, 0
    waited = rows.asking.waited_for(read_head(view).options)
    for row in (*rows.facts, *rows.measures):
        when = f"if {row.example or row.phrases[0].text}"
        for topic in (topic for topic in rows.topics if not topic.refused):
            for verb in (verb for verb in rows.verbs if set(verb.kinds) & set(topic.kinds)):
                try:
                    orders = read(language, f"{when}: {verb.example}", sides)
                except AssertionError:
                    continue  # such a condition cannot stand before this verb
                kind = next(kind for kind in verb.kinds if kind in topic.kinds)
                ask = Ask(orders.side, kind, "", lambda: ("x",), public=True, preferred=lambda: "x")
                parts = tuple(part for _, parts in orders.sections for part in parts)
                follower = KitFollower(rows, orders.side)
                found = {one.reason for one in follower._telling([(File(orders, None), parts)], ask, None)}
                line = next(one for one in orders_of(orders) if one.verb == verb.name)

                def tells(about: str, line: Order = line, row: Any = row) -> bool:
                    written = (
                        Written(one, orders.side, True, about)  # noqa: B023
                        for one in terms(line.when)
                        if one.what == row.name
                    )
                    return any(row.secret and row.secret(one) for one in written)

                would, here = tells(topic.name), (row.name, topic.name, verb.name)
                assert found == ({NO_PAUSE} if would else set()), here
                asked = language.parse(f"{when}: ask {topic.name}", orders.side).faults
                assert would or not any(NO_PAUSE in fault.message for fault in asked), here
                about = {
                    one.name for one in rows.topics if set(one.kinds) & set(verb.kinds) and not one.refused
                }
                is_refused = verb.kinds[0] in waited and any(tells(one) for one in about)
                refused += check_refusal(
                    language, orders, view, is_refused=is_refused, tells=bool(any(map(tells, about)))
                )
    return refused


def check_refusal(
    language: KitLanguage, orders: Orders, view: View, *, is_refused: bool, tells: bool
) -> bool:
    """Whether `check` refuses a line that stands alone; the judge must refuse it too, in the same words.

    The judge follows no line that is refused, so that no pause can depend on it.
    """
    said = language.check(orders, {**view, "viewer": orders.side})
    follower = KitFollower(language.rows, orders.side)
    follower.receive(orders, {**view, "viewer": orders.side})
    checked = {
        (one.line, one.message, one.rule) for one in said if not one.remark and NO_PAUSE in one.message
    }
    judged = {(one.line, one.reason, one.rule) for one in follower.dropped}
    followed = [one for file in follower._files for one in orders_of(file.orders)]
    assert checked == judged
    assert bool(judged) == is_refused
    assert len(followed) == len(list(orders_of(orders))) - len(judged)
    remarked = any(one.remark and NO_PAUSE in one.message for one in said)
    assert remarked == (tells and not is_refused)
    return is_refused


def check_topics(rows: Rows) -> None:
    """What `ask` can be about, what a form asks and what is a list are kinds that some verb answers."""
    answered = {kind for verb in rows.verbs for kind in verb.all_kinds}
    named = {kind for topic in rows.topics for kind in topic.kinds}
    assert named | set(rows.questions) | set(rows.by_steps) <= answered
    assert rows.plan is None or rows.plan.kinds <= answered


def check_form(rows: Rows, forms: Iterable[str]) -> None:
    """Each verb is shown in a form, or its row says that it is not."""
    words = {
        verb.name
        for text in forms
        for line in text.splitlines()
        for verb in rows.verbs
        if line.removeprefix("if ____: ").startswith(f"{verb.name} ") or line == verb.name
    }
    assert words == {verb.name for verb in rows.verbs if verb.in_form}


class Answered:
    """Tries the verbs at the questions of games until each has answered one."""

    def __init__(self, language: KitLanguage) -> None:
        self.language = language
        self.left = {verb.name: verb for verb in language.rows.verbs if not verb.as_step.ranks}

    def try_at(self, ask: Ask, view: View) -> None:
        """Let every verb that has answered nothing yet answer this question, if it is of its kinds."""
        for verb in list(self.left.values()):
            if ask.kind not in verb.all_kinds:
                continue
            own = [text for text in ask.legal if text.startswith(verb.name)][:1]
            for line in (*own, f"{verb.name} all", f"{verb.name} rest", verb.example):
                if verb.name in self.left and self._answers(line, ask, view):
                    del self.left[verb.name]

    def _answers(self, line: str, ask: Ask, view: View) -> bool:
        parsed = self.language.parse(line, ask.side)
        follower = self.language.follower(ask.side)
        follower.receive(parsed.orders, view)
        reply = follower.reply(ask, view)
        return not parsed.faults and isinstance(reply, Answer) and reply.line == 1 and reply.text in ask.legal
