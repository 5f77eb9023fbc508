"""Times as entries and letters write them, in UTC to the second, and as a person in a zone reads them.

The clock of a game in words says by which rules its deadlines are set, for whoever plays it or may join. The
rules are settings that everybody may know: `[rhythm]` in club.toml (`pbem.judge.deadlines.rhythm` says what
each means) or in a league's file. One sentence tells them wherever they are told. The judge's invitation has
it in a line of its own, from which a player's program takes it:

    The clock: 2 days for each exchange; files still count for 6 hours after the deadline; ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from pbem.trust.faults import IdentifierFault, LedgerFault
from pbem.trust.identifiers import quote

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo


WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""The days of the week, as settings name them."""
FARTHEST = 100_000
"""Maximum number of days or hours that a setting may name, so that dates stay within the calendar."""
MAX_AHEAD = timedelta(days=1)
"""Maximum time by which a text's date may be ahead of the judge's clock; clocks and zones differ by less."""
_FIELDS = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})Z").fullmatch


def utc_text(moment: datetime) -> str:
    """Return a time as entries write it: UTC, to the second."""
    if moment.tzinfo is None:
        raise LedgerFault("a time without a zone cannot be written down")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_utc(text: str) -> datetime:
    """Return the time that a text writes as entries do: UTC, to the second."""
    if (match := _FIELDS(text)) is not None:
        year, month, day, hour, minute, second = map(int, match.groups())
        try:
            return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        except ValueError:
            pass
    raise LedgerFault(f"{quote(text)} is not a time; one is written 2026-11-21T18:00:00Z")


def is_over(until: datetime, now: datetime, longest: timedelta) -> bool:
    """Tell whether a pause is over; one with more than `longest` to go is too, as a wrong clock set it."""
    return not now < until <= now + longest


def is_ahead(made: datetime, now: datetime) -> bool:
    """Tell whether the time at which a text was made is later than any honest clock can show now."""
    return made > now + MAX_AHEAD


def check_made(made: datetime, now: datetime) -> None:
    """Raise LedgerFault if a text is dated ahead of the judge's clock: no later text could take its place."""
    if is_ahead(made, now):
        raise LedgerFault(
            f"it says that it was signed on {utc_text(made)}, and the judge's clock says {utc_text(now)}; "
            "set the clock of your device and sign it again"
        )


_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,30}(?:/[A-Za-z0-9_+-]{1,30}){0,2}")
HERE = "here"
"""The name that stands for the zone of this machine's clock."""
_UTC_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\b", re.ASCII)
"""The pattern of a moment as ledgers and the judge's own words write it (`pbem.trust.times`)."""
_KNOWN_EVERYWHERE = "Europe/London"


def find_zone(name: str) -> tzinfo:
    """Return the time zone with a given name. UTC needs no table of zones.

    Raises:
        IdentifierFault: there is no such zone, or this machine has no table of zones.
    """
    if name == "UTC":
        return UTC
    if _NAME.fullmatch(name) and (zone := _find(name)) is not None:
        return zone
    if _find(_KNOWN_EVERYWHERE) is None:
        raise IdentifierFault(
            "this machine has no table of time zones: install one (pip install tzdata), or say UTC"
        )
    raise IdentifierFault(f"there is no time zone {quote(name)}; one is written like {_KNOWN_EVERYWHERE}")


def check_zone(name: str) -> str:
    """Return `name` itself if it is written as a time zone's name; whether the zone exists is not checked."""
    if not _NAME.fullmatch(name):
        raise IdentifierFault(f"{quote(name)} names no time zone; one is written like {_KNOWN_EVERYWHERE}")
    return name


def local_text(moment: datetime, zone: str = "") -> str:
    """Return a moment in a zone and in UTC; in UTC alone if there is no zone, or no table of it here.

    `HERE` is the zone of this machine's clock.
    """
    utc = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    if zone == HERE:
        there = moment.astimezone()
        return f"{there:%A %Y-%m-%d %H:%M} here ({utc})" if there.utcoffset() else utc
    try:
        there = moment.astimezone(find_zone(zone or "UTC"))
    except IdentifierFault:
        return utc
    return utc if there.tzinfo is UTC else f"{there:%A %Y-%m-%d %H:%M} in {zone} ({utc})"


def times_in(text: str, zone: str = "") -> str:
    """Return a text in which every moment is written in the reader's zone, as `local_text` does it.

    The function must not be used for texts that are hashed, signed or typed again.
    """

    def told(found: re.Match[str]) -> str:
        try:
            return local_text(datetime.fromisoformat(found[0]), zone)
        except (ValueError, OverflowError):  # there is no such day, or not in this zone
            return found[0]

    return _UTC_TIME.sub(told, text)


def short_text(moment: datetime, zone: str = "", *, weekday: bool) -> str:
    """Return a moment in a zone (UTC by default) as a short text: `Sunday 20:00` or `2026-11-29 20:00`."""
    try:
        there = moment.astimezone(find_zone(zone or "UTC"))
    except IdentifierFault:
        there = moment.astimezone(UTC)
    day = f"{there:%A}" if weekday else f"{there:%Y-%m-%d}"
    return f"{day} {there:%H:%M}{' UTC' if there.tzinfo is UTC else ''}"


def _find(name: str) -> ZoneInfo | None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


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
