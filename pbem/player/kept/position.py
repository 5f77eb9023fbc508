"""The position that a player's program uses: that of a report which the ledger commits, and no other.

When an exchange is opened, the position is that of the last exchange before it that counts. After a roll-back
the judge's notice shows it again. Such a notice is signed, but no entry holds its hash. It is shown only if
it says what the report said, but for what follows from the entries: which exchange is open, until when, and
how long the ledger is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from pbem.characters import is_decimal, split_words
from pbem.play.exchange import Exchange
from pbem.play.history import History, bases_of
from pbem.player.kept.chronicle import Chronicle
from pbem.player.kept.keeping import GameFolder
from pbem.reports.packing import shows_view, unpack, unpack_asks
from pbem.trust.identifiers import is_hash, shown
from pbem.trust.times import utc_text

_EDGES = ".,;:()"
_FORM = re.compile(r"^(pbem1 orders\ngame [^\n]*\nexchange )[0-9]+$", re.MULTILINE)


def last_report(history: History, exchange: Exchange | None = None) -> Exchange | None:
    """Return the exchange whose report shows the position in which an exchange was opened.

    Without `exchange`: the position of now. None before the first report.
    """
    if exchange is not None:
        return bases_of(history)[exchange.number]
    return history.resolved[-1] if history.resolved else None


def committed_report(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> str | None:
    """Return the kept report of an exchange, if it is the one that the ledger commits."""
    text, player = folder.report(exchange.number), chronicle.enrolled(folder.player)
    if text is None or player is None:
        return None
    reported = chronicle.reported(exchange.number, player.side)
    return text if hashlib.sha256(text.encode()).hexdigest() == reported else None


def position_in(folder: GameFolder, chronicle: Chronicle, exchange: Exchange) -> str | None:
    """Return the report by which orders for an exchange go; None if it is not kept here."""
    if (last := last_report(chronicle.history, exchange)) is None:
        text = folder.report(0)
        return None if text is None or shows_view(text) else text
    if (report := committed_report(folder, chronicle, last)) is None:
        return None
    if last.number + 1 == exchange.number:
        return report
    for notice in folder.notices(exchange.number):
        if shows_view(notice) and not difference(chronicle, last, exchange, report, notice):
            return notice
    return _FORM.sub(rf"\g<1>{exchange.number}", report)


def position(folder: GameFolder, chronicle: Chronicle) -> str | None:
    """Return the report by which the game stands now, or stood at its end; None if it is not kept here."""
    if (current := chronicle.history.current) is not None:
        return position_in(folder, chronicle, current)
    last = last_report(chronicle.history)
    return folder.report(0) if last is None else committed_report(folder, chronicle, last)


def difference(chronicle: Chronicle, last: Exchange, opened: Exchange, report: str, notice: str) -> str:
    """Return how a notice with a position differs from the report of the last exchange that counts.

    "" if all that differs is the exchange that is open, its deadline, and the length and head of the ledger.
    """
    ours, theirs = unpack(report), unpack(notice)
    if ours is None:
        return ""  # the ledger commits to a report without a position: nothing is gone by
    if theirs is None:
        return "its position cannot be read"
    for name, one, other in (
        ("view", ours[0], theirs[0]),
        ("events", ours[1], theirs[1]),
        ("questions", unpack_asks(report), unpack_asks(notice)),
    ):
        if found := _first_difference(one, other, name):
            return found
    return _other_words(chronicle, last, opened, report, notice)


def _first_difference(one: Any, other: Any, where: str) -> str:
    """Return the first place at which two parts of a position differ, with what stands there in each."""
    pairs: Iterable[tuple[Any, Any, Any]] = ()
    if type(one) is type(other) and isinstance(one, dict) and one.keys() == other.keys():
        pairs = ((key, one[key], other[key]) for key in one)
    elif type(one) is type(other) and isinstance(one, list | tuple) and len(one) == len(other):
        pairs = ((place, *both) for place, both in enumerate(zip(one, other, strict=True), 1))
    elif type(one) is not type(other) or one != other:
        return f"{where}: the report has {shown(repr(one), 80)}, the notice {shown(repr(other), 80)}"
    found = (_first_difference(ours, theirs, f"{where}, {key}") for key, ours, theirs in pairs)
    return next(filter(None, found), "")


def _other_words(chronicle: Chronicle, last: Exchange, opened: Exchange, report: str, notice: str) -> str:
    """Return the first word of a notice that neither the report nor the entries give."""
    ours, theirs = split_words(report), split_words(notice)
    next_deadline = (
        chronicle.exchanges[last.number].opened.deadline if last.number < len(chronicle.exchanges) else None
    )
    times = [utc_text(time) if time else "" for time in (next_deadline, opened.opened.deadline)]
    if bool(times[0]) != bool(times[1]):
        return ""  # words about a deadline stand in one of them alone
    may_differ = {(str(last.number + 1), str(opened.number)): 2, (times[0], times[1]): 1}
    lengths = heads = 1
    for one, other in zip(ours, theirs, strict=False):
        pair = one.strip(_EDGES), other.strip(_EDGES)
        if one == other:
            continue
        if may_differ.get(pair, 0):
            may_differ[pair] -= 1
        elif heads and is_hash(pair[0]) and pair[1] in chronicle.heads:
            heads -= 1
        elif lengths and is_decimal(pair[0]) and is_decimal(pair[1]) and int(pair[1]) <= chronicle.size:
            lengths -= 1
        else:
            return f"the report has {shown(one)}, the notice {shown(other)}"
    return "" if len(ours) == len(theirs) else "one of them is longer"
