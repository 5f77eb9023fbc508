"""The clock of a game in words: by which rules its deadlines are set, for whoever plays it or may join.

The rules are settings that everybody may know: `[rhythm]` in club.toml (`pbem.judge.deadlines.rhythm` says
what each means) or in a league's file. One sentence tells them wherever they are told. The judge's invitation
has it in a line of its own, from which a player's program takes it:

    The clock: 2 days for each exchange; files still count for 6 hours after the deadline; ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.trust.times import WEEKDAYS

MAX_LENGTH = 600
"""Maximum number of characters that a player's program takes from the line about a game's clock.

A line with other characters than printable ASCII is not taken: no clock in words has any.
"""
USUAL_ABSENCE = 21
"""Number of days by which absences move a deadline at most, where the settings do not say it."""
_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FEW = 4
"""Number of weekdays up to which those are named on which an exchange ends; else the others are named."""
_LINE = re.compile(rf"^The clock: ([ -~]{{1,{MAX_LENGTH}}})\.$", re.MULTILINE)


def clock_in_words(rhythm: Mapping[str, Any]) -> str:
    """Return the rules of a game's deadlines, settings by their names, as a sentence without full stop."""
    return "; ".join(_parts(rhythm))


def clock_line(said: str) -> str:
    """Return the line of an invitation about the clock of its game, from the sentence that says it."""
    return f"The clock: {said}.\n"


def find_clock(invitation: str) -> str:
    """Return the clock of a game as the judge's invitation tells it; "" if the invitation does not."""
    found = _LINE.search(invitation)
    return found[1] if found else ""


def days_in_words(number: float) -> str:
    """Return a number of days in words."""
    return "a day" if number == 1 else _count(number, "days")


def _count(number: float, unit: str) -> str:
    return f"{number:g} {unit}"


def _parts(rhythm: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of the sentence about a game's clock; a setting that changes nothing has none."""
    ending = tuple(_ending(rhythm.get("weekdays", ()), rhythm.get("hour", ""), rhythm.get("zone", "UTC")))
    yield f"{days_in_words(rhythm['days'])} for each exchange{' at least' if ending else ''}"
    yield from ending
    if hours := rhythm.get("grace_hours", 0):
        grace = "an hour" if hours == 1 else _count(hours, "hours")
        yield f"files still count for {grace} after the deadline"
    bank, more = rhythm.get("bank_days", 0), rhythm.get("increment_days", 0)
    if bank or more:
        added = f", and {days_in_words(more)} more with each exchange" if more else ""
        yield f"each player has {days_in_words(bank) if bank else 'no days'} of spare time{added}"
    if absence := rhythm.get("absence_days", USUAL_ABSENCE):
        yield f"absences move a deadline by {days_in_words(absence)} at most"
    else:
        yield "absences move no deadline"
    if agreed := rhythm.get("agreed_days", 0):
        yield f"once an exchange, all who play may agree on up to {days_in_words(agreed)} more"


def _ending(weekdays: Sequence[str], hour: str, zone: str) -> Iterator[str]:
    """Yield in words on which days and at which hour an exchange can end; nothing if it can at any time."""
    some = [name for day, name in zip(WEEKDAYS, _NAMES, strict=True) if day in weekdays]
    rest = [name for name in _NAMES if name not in some]
    at = f" at {hour}" if hour else ""
    if not some or not rest:
        if hour:
            yield f"it ends{at} ({zone})"
    elif len(some) <= _FEW:
        yield f"it ends only on {' or '.join(some)}{at} ({zone})"
    elif hour:
        yield f"it ends{at}, never on {' or '.join(rest)} ({zone})"
    else:
        yield f"it never ends on {' or '.join(rest)} ({zone})"
