"""The order form of a report: lines to fill in, between `begin orders` and `end orders`.

First what is asked now, then every question that may arise before the judge stops again, applicable or
not. All of it is computed from the side's own view. Lines left blank are not read, so a whole report
sent back is an order file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from pbem.characters import wrap
from pbem.orders.base import Standing
from pbem.orders.kit.rows import Question, Rows
from pbem.rules.base import Ask, View

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
