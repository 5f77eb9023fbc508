"""Functions for times as entries and letters write them: UTC, to the second."""

import re
from datetime import UTC, datetime, timedelta

from pbem.trust.faults import LedgerFault
from pbem.trust.identifiers import quote

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
    """Tell whether a pause has ended; one longer than `longest` has, since a wrong clock must have set it."""
    return not now < until <= now + longest


def is_ahead(made: datetime, now: datetime) -> bool:
    """Tell whether the time at which a text was made is later than any honest clock can show now."""
    return made > now + MAX_AHEAD


def check_made(made: datetime, now: datetime) -> None:
    """Raise LedgerFault if the clock that dated a text is ahead: no later text would take its place."""
    if is_ahead(made, now):
        raise LedgerFault(
            f"it says that it was signed on {utc_text(made)}, and the judge's clock says {utc_text(now)}; "
            "set the clock of your device and sign it again"
        )
