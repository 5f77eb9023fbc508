"""The wishes of players about mails and other signs that a game waits, from their signed profiles.

    press wishes <person>       note: quiet hours, the hour of the digest, the pace of each kind of mail, and
                                the addresses of a webhook and of a device to wake, which are secrets

A pace is decided on by public facts alone: what kind a letter is by its name, and whether its reader has been
there. Nobody but the judge knows the wishes, and no ledger holds them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from pbem.trust.profile import DIGEST, GAME, MESSAGE, NOBODY, NOW, read_paces
from pbem.trust.zones import find_zone

if TYPE_CHECKING:
    from pbem.judge.tables.store import Store

NOTE = "press wishes "
"""Prefix of the note about one person's wishes; its name is older than the wishes about other mails."""
USUAL_HOUR = "18:00"
"""The hour of a digest, in the reader's time zone, for readers who have signed no hour of their own."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """One person's wishes about mail; those that they never signed are empty."""

    quiet: str = ""
    digest: str = ""
    paces: dict[str, str] = field(default_factory=dict)
    webhook: str = ""
    push: str = ""

    def pace(self, kind: str) -> str:
        """Return the pace a person wishes for one kind of mail; an hour for messages alone means a digest."""
        usual = DIGEST if kind == MESSAGE and self.digest else NOW
        return self.paces.get(kind, usual)


NO_WISHES = Wishes()
ONE_DAY = timedelta(days=1)
"""Maximum time for which a mail waits for its reader's digest."""


def keep_wishes(
    store: Store,
    person: str,
    *,
    quiet: str = "",
    digest: str = "",
    hear: str = "",
    webhook: str = "",
    push: str = "",
) -> None:
    """Store a person's wishes; "" leaves a wish as it is, "-" removes it."""
    known = wishes_of(store, person)
    wishes = Wishes(
        quiet=_newer(known.quiet, quiet),
        digest=_newer(known.digest, digest),
        paces={} if hear == NOBODY else known.paces | read_paces(hear),
        webhook=_newer(known.webhook, webhook),
        push=_newer(known.push, push),
    )
    store.put_note(f"{NOTE}{person}", json.dumps(asdict(wishes)))


def _newer(known: str, said: str) -> str:
    return "" if said == NOBODY else said or known


def wishes_of(store: Store, person: str) -> Wishes:
    """Return the stored wishes of a person about mail."""
    return _read(store.note(f"{NOTE}{person}"))


def all_wishes(store: Store) -> dict[str, Wishes]:
    """Return the stored wishes about mail of everybody who has signed some, by name."""
    return {name.removeprefix(NOTE): _read(note) for name, note in store.notes(NOTE).items()}


def _read(note: str) -> Wishes:
    return Wishes(**json.loads(note)) if note else NO_WISHES


def forget_wishes(store: Store, person: str) -> None:
    """Remove the stored wishes of a person about mail."""
    store.drop_note(f"{NOTE}{person}")


def digest_after(store: Store, person: str, wishes: Wishes, moment: datetime) -> datetime:
    """Return the hour, in UTC, of a person's first digest of mails after a given time."""
    return _following(_local(store, person, moment), wishes.digest or USUAL_HOUR)


def chosen_wait(store: Store, person: str) -> timedelta:
    """Return the longest time for which a game's letters wait because a reader wants digests."""
    return ONE_DAY if wishes_of(store, person).pace(GAME) == DIGEST else timedelta(0)


def free_from(store: Store, person: str) -> datetime | None:
    """Return the time until which letters about press wait for a person; None if they want them now."""
    wishes = wishes_of(store, person)
    local = _local(store, person, store.clock())
    if wishes.pace(MESSAGE) == DIGEST:
        return _following(local, wishes.digest or USUAL_HOUR)
    if wishes.quiet:
        begins, ends = wishes.quiet.split("-")
        now = f"{local:%H:%M}"
        is_quiet = begins <= now < ends if begins < ends else now >= begins or now < ends
        return _following(local, ends) if is_quiet else None
    return None


def _local(store: Store, person: str, moment: datetime) -> datetime:
    """Return a given time as the clock of a person's time zone shows it."""
    profile = store.profile(person)
    return moment.astimezone(find_zone(profile.zone if profile and profile.zone else "UTC"))


def _following(local: datetime, hour: str) -> datetime:
    """Return, in UTC, the first time after a local one at which the clock there shows a given hour."""
    at, day = time.fromisoformat(hour), local.date()
    moment = datetime.combine(day, at, local.tzinfo)
    if moment <= local:
        moment = datetime.combine(day + timedelta(days=1), at, local.tzinfo)
    return moment.astimezone(UTC)
