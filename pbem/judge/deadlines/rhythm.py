"""Computes the deadline of an exchange by the rhythm of its game, from club.toml.

days = 7                            # how long an exchange is open, at least

[rhythm]                            # all of these may be left out
weekdays = ["sat", "sun"]           # an exchange ends only on these days,
hour = "20:00"                      # at this hour,
zone = "Europe/London"              # of this zone
grace_hours = 6                     # so long orders are taken after the deadline that was announced
bank_days = 5                       # each player's store of time, drawn on a day at a time
increment_days = 0.5                # added to it with each exchange
absence_days = 21                   # an absence moves a deadline by so much at most (in a game: protocol 8)
agreed_days = 0                     # all who play may agree on so much more once an exchange; 0: they may not
reminder_hours = 36                 # before the deadline; 0 is never
silent_exchanges = 2                # after so many (0: never) the others are told what they may do
claims = "ask"                      # they may claim the game: the game master decides; "grant": it is theirs

[rhythm.dunbar-7]                   # the same for one game; what is left out is as above
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from pbem.characters import plain
from pbem.errors import ConfigError
from pbem.trust.faults import IdentifierFault
from pbem.trust.identifiers import quote, shown_value
from pbem.trust.times import FARTHEST, USUAL_ABSENCE, WEEKDAYS, clock_in_words, find_zone

ASK, GRANT = "ask", "grant"
COMMON = "[rhythm]"
"""Name of the table in club.toml for the rhythm of all games."""


class Moved(NamedTuple):
    """A deadline, with the absences that moved it and by how much."""

    deadline: datetime
    by: Mapping[str, timedelta]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """The settings in club.toml by which a game's deadlines are computed."""

    days: float = 7
    weekdays: tuple[str, ...] = ()
    hour: str = ""
    zone: str = "UTC"
    grace_hours: float = 0
    bank_days: float = 0
    increment_days: float = 0
    absence_days: float = USUAL_ABSENCE
    agreed_days: float = 0
    reminder_hours: float = 36
    silent_exchanges: int = 2
    claims: str = ASK

    @property
    def in_words(self) -> str:
        """The rules of a game's deadlines as one sentence, without its full stop."""
        return clock_in_words(asdict(self))

    @property
    def grace(self) -> timedelta:
        """The extra time after the announced deadline in which orders are still taken."""
        return timedelta(hours=self.grace_hours)

    def deadline(self, opened: datetime) -> datetime:
        """Return the deadline, in UTC, of an exchange opened at a time, if nobody is away."""
        return self.next_fitting(opened + timedelta(days=self.days))

    def next_fitting(self, moment: datetime) -> datetime:
        """Return the first moment, from a given one on, at an allowed weekday and hour for deadlines."""
        if not self.hour and not self.weekdays:
            return moment.astimezone(UTC)
        zone = find_zone(self.zone)
        local = moment.astimezone(zone)
        at = time.fromisoformat(self.hour) if self.hour else local.time()
        for more in range(9):
            day = local.date() + timedelta(days=more)
            found = datetime.combine(day, at, zone).astimezone(UTC)
            if found >= moment and (not self.weekdays or WEEKDAYS[day.weekday()] in self.weekdays):
                return found
        raise AssertionError("one of nine days fits")

    def move_deadline(
        self,
        deadline: datetime,
        away: Mapping[str, Iterable[tuple[date, date]]],
        left: Callable[[str], timedelta],
        latest: datetime | None = None,
    ) -> Moved:
        """Move a deadline past absences it falls into; return also whose they are, and how far each moved it.

        `left`: how much a player's absences may still move it; `latest`: the latest deadline, if it is
        not to be counted from `deadline`.
        """
        zone = find_zone(self.zone)
        latest = latest or deadline + timedelta(days=self.absence_days)
        by: dict[str, timedelta] = {}
        for begins, ends, name in sorted(
            (*days, name) for name, all_days in away.items() for days in all_days
        ):
            local = deadline.astimezone(zone)
            if not begins <= local.date() <= ends:
                continue
            cap = min(latest, deadline + left(name) - by.get(name, timedelta()))
            for days in range((ends - local.date()).days + 1, 0, -1):
                back = datetime.combine(local.date() + timedelta(days=days), local.time(), zone)
                if (later := self.next_fitting(back.astimezone(UTC))) <= cap:
                    by[name] = by.get(name, timedelta()) + later - deadline
                    deadline = later
                    break
        return Moved(deadline, by)


def rhythm_of(settings: Mapping[str, Any], game: str) -> Rhythm:
    """Read the settings for a game's deadlines from a club's settings.

    Raises:
        ConfigError: a setting of the rhythm is invalid; the message says which.
    """
    table = settings.get("rhythm", {})
    if not isinstance(table, Mapping):
        raise ConfigError("club.toml: rhythm must be a table, [rhythm]")
    common = {name: value for name, value in table.items() if not isinstance(value, Mapping)}
    own = table.get(game, {})
    if not isinstance(own, Mapping):  # a game may be called like a setting, and is none then
        own = {}
    found: dict[str, Any] = {"days": settings.get("days", 7), **common, **own}
    where = {name: f"[rhythm.{plain(game)[:64]}]" for name in own}  # any other stands in the club's table
    kinds = {one.name: one.default for one in fields(Rhythm)}
    if unknown := sorted(found.keys() - kinds.keys()):
        raise ConfigError(
            f"club.toml, {where.get(unknown[0], COMMON)}: no setting called {plain(unknown[0])[:64]}; "
            f"there are {', '.join(kinds)}"
        )
    for name, value in found.items():
        place = where.get(name, COMMON)
        text = isinstance(kinds[name], str)
        number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= FARTHEST
        if name == "weekdays":
            if not isinstance(value, list) or not all(day in WEEKDAYS for day in value):
                raise ConfigError(f"club.toml, {place}: weekdays is a list of {', '.join(WEEKDAYS)}")
            found[name] = tuple(value)
        elif (text and not isinstance(value, str)) or (not text and not number):
            wanted = "a text in quotes" if text else f"a number from 0 to {FARTHEST}"
            raise ConfigError(f"club.toml, {place}: {name} is {wanted}, not {shown_value(value)}")
    rhythm = Rhythm(**found)
    if rhythm.claims not in (ASK, GRANT):
        place = where.get("claims", COMMON)
        raise ConfigError(f"club.toml, {place}: claims must be {ASK} or {GRANT}, not {quote(rhythm.claims)}")
    try:
        find_zone(rhythm.zone)
        time.fromisoformat(rhythm.hour or "00:00")
    except IdentifierFault as fault:
        raise ConfigError(f"club.toml, {where.get('zone', COMMON)}: {fault}") from None
    except ValueError:
        raise ConfigError(
            f"club.toml, {where.get('hour', COMMON)}: no hour {quote(rhythm.hour)}; one is written "
            'like "20:00"'
        ) from None
    return rhythm
