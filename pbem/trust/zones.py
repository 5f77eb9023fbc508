"""Time zones by name, and texts for moments as a person in a zone reads them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from pbem.trust.faults import IdentifierFault
from pbem.trust.identifiers import quote

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

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
