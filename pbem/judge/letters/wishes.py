"""The private wishes of players: how they are told that a game waits, and with whom they will not play.

    press wishes <person>       note: quiet hours, the hour of the digest, the pace of each kind of mail,
                                whether mails come beside the post box, the addresses of a webhook and of a
                                device to wake, which are secrets, and the players with whom the person is
                                not seated
    fetch key <person> <key>    note: the last word about a key that fetches letters from a post box

A pace is decided on by public facts alone: what kind a letter is by its name, and whether its reader has been
there. Nobody but the judge knows the wishes, and no ledger holds them.

A word about a fetch key counts for the key that has signed it. After a new key of the player's it stays with
the old one, which goes on fetching what is sealed to the old key and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from pbem.errors import ConfigError
from pbem.judge.tables.store import Store
from pbem.trust.keys import PublicKey, parse_public
from pbem.trust.player_statements import (
    DIGEST,
    GAME,
    MESSAGE,
    NO,
    NOBODY,
    NOW,
    FetchKey,
    read_avoided,
    read_paces,
)
from pbem.trust.times import find_zone, utc_text

if TYPE_CHECKING:
    from pbem.judge.tables.store import Store

NOTE = "press wishes "
"""Prefix of the note about one person's wishes; its name is older than the wishes about other mails."""
USUAL_HOUR = "18:00"
"""The hour of a digest, in the reader's time zone, for readers who have signed no hour of their own."""
ONE_DAY = timedelta(days=1)
"""Maximum time for which a mail waits for its reader's digest."""
FETCH_KEY = "fetch key "
"""Prefix of the note about one key that fetches letters: `fetch key PLAYER FINGERPRINT`."""
MAX_FETCH_KEYS = 8
"""Maximum number of keys of one player that fetch letters at once; each device needs one."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """One person's private wishes; those that were never signed are empty."""

    quiet: str = ""
    digest: str = ""
    paces: dict[str, str] = field(default_factory=dict)
    mails: str = ""
    webhook: str = ""
    push: str = ""
    avoid: str = ""

    @property
    def wants_mails(self) -> bool:
        """Tell whether mails may bring or tell what lies in the person's post box."""
        return self.mails != NO

    @property
    def avoided(self) -> tuple[str, ...]:
        """The players with whom the person is seated in no new game outside leagues."""
        return read_avoided(self.avoid)

    def pace(self, kind: str) -> str:
        """Return the pace a person wishes for one kind of mail; an hour for messages alone means a digest."""
        usual = DIGEST if kind == MESSAGE and self.digest else NOW
        return self.paces.get(kind, usual)


NO_WISHES = Wishes()


def keep_wishes(
    store: Store,
    person: str,
    *,
    quiet: str = "",
    digest: str = "",
    hear: str = "",
    mails: str = "",
    webhook: str = "",
    push: str = "",
    avoid: str = "",
) -> None:
    """Store a person's wishes; "" leaves a wish as it is, "-" removes it."""
    known = wishes_of(store, person)
    wishes = Wishes(
        quiet=_newer(known.quiet, quiet),
        digest=_newer(known.digest, digest),
        paces={} if hear == NOBODY else known.paces | read_paces(hear),
        mails=_newer(known.mails, mails),
        webhook=_newer(known.webhook, webhook),
        push=_newer(known.push, push),
        avoid=_newer(known.avoid, avoid),
    )
    _put(store, person, wishes)


def _put(store: Store, person: str, wishes: Wishes) -> None:
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
    """Drop the wishes of a person, and the person's name from the wishes of others."""
    store.drop_note(f"{NOTE}{person}")
    for other, wishes in all_wishes(store).items():
        if person in wishes.avoided:
            _put(store, other, replace(wishes, avoid=",".join(n for n in wishes.avoided if n != person)))


def about_avoided(store: Store, avoid: str) -> Iterator[str]:
    """Yield sentences for the signer about a wish that names those with whom they will not play."""
    if avoid == NOBODY:
        yield "You may be seated with everybody again."
    elif avoid:
        yield "In new games outside leagues you are not seated with those whom you have named."
        for name in read_avoided(avoid):
            if store.player(name) is None:
                yield f"Nobody called {name} is enrolled here; the name counts once somebody is."


def refuse_unwilling(store: Store, game: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Refuse to seat pairs of people in one game if one of a pair will not play the other.

    In games of leagues nobody is refused: every audit draws them again, and knows of no wishes.

    Raises:
        ConfigError: one of a pair is unwilling; it does not say which of the two.
    """
    if store.league_of(game):
        return
    for person, other in pairs:
        if other in wishes_of(store, person).avoided or person in wishes_of(store, other).avoided:
            raise ConfigError(
                f"{person} and {other} are not seated in one game: one of them has signed that they will not "
                "play the other (pbem sign profile --avoid); seat somebody else, and tell nobody why"
            )


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


def keep_fetch_key(store: Store, said: FetchKey, signed_by: PublicKey) -> bool:
    """Store a player's statement about a fetch key; return False if a later statement is known.

    Raises:
        ConfigError: the player has named too many fetch keys.
    """
    name = f"{FETCH_KEY}{said.player} {said.key.fingerprint}"
    made = utc_text(said.made)
    known = json.loads(store.note(name) or "{}")
    if known and (known["made"], known["withdrawn"]) >= (made, said.is_withdrawn):
        return False  # of one second a withdrawal counts
    if (
        not known
        and not said.is_withdrawn
        and len(store.notes(f"{FETCH_KEY}{said.player} ")) >= MAX_FETCH_KEYS
    ):
        raise ConfigError(f"{said.player} has named {MAX_FETCH_KEYS} fetch keys; withdraw one first")
    if said.is_withdrawn and not known:
        return True
    row = {"key": said.key.line, "for": signed_by.line, "made": made, "withdrawn": said.is_withdrawn}
    store.put_note(name, json.dumps(row))
    return True


def fetch_keys(store: Store) -> dict[str, tuple[PublicKey, ...]]:
    """Return the keys that may fetch letters now, by the player's key whose letters each fetches."""
    found: dict[str, list[PublicKey]] = {}
    for _, note in sorted(store.notes(FETCH_KEY).items()):
        row = json.loads(note)
        if not row["withdrawn"]:
            found.setdefault(row["for"], []).append(parse_public(row["key"]))
    return {key: tuple(keys) for key, keys in found.items()}


def forget_fetch_keys(store: Store, player: str) -> None:
    """Forget all keys with which a player fetches letters."""
    for name in store.notes(f"{FETCH_KEY}{player} "):
        store.drop_note(name)
