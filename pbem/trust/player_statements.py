"""The statements that a player signs in the namespace pbem1-orders: joins, profiles, absences and fetch keys.

The file with which a player asks to take part in a game:

    pbem1 join
    game hearth
    player alice
    key ssh-ed25519 AAAA...
    anchor alice.1 0 <64 hex>           the player's chain; optional
    recovery SHA256:...                 a key that may only replace this one; optional
    judge SHA256:...                    whom it is meant for; without it, anybody may invite
    zone Europe/London                  optional, as in a profile
    share alice@example.org             optional, as in a profile
    publish yes                         optional, as in a profile

The other three name the one judge whom they are meant for: no other judge takes them. A player's wishes:

    pbem1 profile
    player alice
    judge SHA256:...
    zone Europe/London              deadlines in letters to them are written in this zone as well
    share alice@example.org         the address that may be told to their opponents; - takes it back
    publish yes                     their games may be shown to everybody, with their name; no takes it back
    quiet 22:00-07:00               in these hours of that zone messages of others are not mailed to them
    digest 18:00                    but once a day, at this hour; - takes either back
    hear game=once,reminder=none    when they are told: now, once (until they were there), digest, none; each
                                    for game, league, message, reminder; - takes all of it back
    mails no                        once they fetch from the post box, no mail brings or tells what lies
                                    there; yes takes it back
    webhook https://hooks.example/x an address that is told public facts of their games; - takes it back
    push https://push.example/x     the address of a device that is woken, at a push service; - takes it back
    avoid bob,carol                 whom they will not play: in place of an earlier list; - takes it back
    made 2026-07-20T18:00:00Z

All but the last line may be left out, and then stay as they are. None of it ever enters a ledger. The
statement of a player that they are away, as it moves deadlines:

    pbem1 absence
    player alice
    judge SHA256:...
    from 2026-08-01
    until 2026-08-14                the last day of it
    made 2026-07-20T18:00:00Z

It is not a secret: deadlines are everybody's. Of those that begin on one day, the one made last counts: so an
absence ends earlier or later, for deadlines that are not announced yet. The statement with which a player
names a fetch key for their letters:

    pbem1 fetch-key
    player alice
    judge SHA256:...
    key ssh-ed25519 AAAA...
    state in-force                  or withdrawn
    made 2026-11-28T03:00:00Z       of two about one key the later counts

A fetch key lies where no passphrase is asked for: it gets sealed letters from a post box, and can open and
sign nothing else. Which key it fetches for is the one that has signed this: a new key of the player's needs a
text of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, ClassVar

from pbem.trust import fields
from pbem.trust.chance import Reveal
from pbem.trust.faults import OrderFileFault
from pbem.trust.fields import (
    PLAYER,
    PUBLIC_KEY,
    REVEAL,
    SIGNER,
    TEXT,
    TIME,
    FieldText,
    Line,
    Maybe,
    Value,
    line_table,
    read_signed,
    sign_fields,
    verify_signed,
    write_lines,
)
from pbem.trust.identifiers import check_address, check_player_name, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.letters import head_words
from pbem.trust.signature import split_unsealed
from pbem.trust.times import check_zone

NOBODY = "-"
"""The word in place of an address that is told to nobody."""
NOW, ONCE, DIGEST, NONE = "now", "once", "digest", "none"
PACES = (NOW, ONCE, DIGEST, NONE)
"""The paces at which a player may have mails of a kind: each at once, one and no other until the player has
fetched letters or sent something, one a day, none."""
GAME, LEAGUE, MESSAGE, REMINDER = "game", "league", "message", "reminder"
HEARD = (GAME, LEAGUE, MESSAGE, REMINDER)
"""The kinds of mails for each of which a player may choose a pace."""
YES, NO = "yes", "no"
MAX_WEBHOOK_LENGTH = 500
MAX_PUSH_LENGTH = 800
MAX_AVOIDED = 15
"""Maximum number of players whom one player will not play; their names fit into one line of a mail."""
_is_https = re.compile(r"https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?/[!$-;=?-Z_a-z~]*").fullmatch
is_hour = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]").fullmatch
"""Function that matches a text if it is an hour of the day, such as 18:00."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(FieldText):
    """A player's signed wishes; a wish that is "" stays as it was."""

    form: ClassVar[str] = "pbem1 profile"
    called: ClassVar[str] = "the profile"

    player: Annotated[str, Line("player", PLAYER)]
    judge: Annotated[str, Line("judge", SIGNER)]
    zone: Annotated[str, Maybe("zone", TEXT)] = ""
    share: Annotated[str, Maybe("share", TEXT)] = ""
    publish: Annotated[str, Maybe("publish", TEXT)] = ""
    quiet: Annotated[str, Maybe("quiet", TEXT)] = ""
    digest: Annotated[str, Maybe("digest", TEXT)] = ""
    hear: Annotated[str, Maybe("hear", TEXT)] = ""
    mails: Annotated[str, Maybe("mails", TEXT)] = ""
    webhook: Annotated[str, Maybe("webhook", TEXT)] = ""
    push: Annotated[str, Maybe("push", TEXT)] = ""
    avoid: Annotated[str, Maybe("avoid", TEXT)] = ""
    made: Annotated[datetime, Line("made", TIME)]

    @property
    def wishes(self) -> list[str]:
        """The lines of the profile that hold the player's wishes."""
        return write_lines(self)[2:-1]

    @property
    def private(self) -> dict[str, str]:
        """The wishes that the judge alone learns, by their words."""
        words = ("quiet", "digest", "hear", "mails", "webhook", "push", "avoid")
        return {word: getattr(self, word) for word in words}

    def check(self) -> None:
        """Check that each wish is valid, and that there is one."""
        check_wishes(self.zone, self.share, self.publish, self.mails)
        check_hours(self.quiet, self.digest)
        read_paces(self.hear)
        if self.webhook not in ("", NOBODY):
            check_webhook(self.webhook)
        if self.push not in ("", NOBODY):
            check_push(self.push)
        if self.player in read_avoided(self.avoid):
            raise OrderFileFault(f"{self.player} cannot avoid {self.player}: name other players")
        if not self.wishes:
            raise OrderFileFault("the profile names no zone, address or hours, and no wish to publish")


def check_wishes(zone: str, share: str, publish: str, mails: str = "") -> None:
    """Raise a fault unless a player's zone, address and wishes of yes or no are valid or not given."""
    for word, said in (("publish", publish), ("mails", mails)):
        if said not in ("", YES, NO):
            raise OrderFileFault(f"{word} must be {YES} or {NO}, not {quote(said)}")
    if zone:
        check_zone(zone)
    if share and share != NOBODY:
        check_address(share)


def check_hours(quiet: str, digest: str) -> None:
    """Raise OrderFileFault unless quiet hours and the hour of a digest are valid or not given."""
    begins, _, ends = quiet.partition("-")
    if quiet not in ("", NOBODY) and not (is_hour(begins) and is_hour(ends) and begins != ends):
        raise OrderFileFault(f"{quote(quiet)} are not quiet hours; they are written 22:00-07:00")
    if digest not in ("", NOBODY) and not is_hour(digest):
        raise OrderFileFault(f"{quote(digest)} is not an hour; one is written 18:00")


def read_paces(hear: str) -> dict[str, str]:
    """Return the pace of each kind of mail that a wish names; none for "" and "-".

    Raises:
        OrderFileFault: the wish names another kind or pace, or one kind twice.
    """
    if hear in ("", NOBODY):
        return {}
    pairs = [one.partition("=")[::2] for one in hear.split(",")]
    paces = dict(pairs)
    if len(paces) < len(pairs) or not set(paces) <= set(HEARD) or not set(paces.values()) <= set(PACES):
        raise OrderFileFault(
            f"{quote(hear)} does not say when mails come; it is written game=once,reminder=none: "
            f"{', '.join(HEARD)}, each once, with {', '.join(PACES)}"
        )
    return paces


def read_avoided(avoid: str) -> tuple[str, ...]:
    """Return the players whom a wish names as those with whom its signer will not play; none for "" and "-".

    Raises:
        OrderFileFault: the wish names one twice, or too many.
        IdentifierFault: one of them is no player's name.
    """
    if avoid in ("", NOBODY):
        return ()
    names = tuple(check_player_name(name) for name in avoid.split(","))
    if len(set(names)) < len(names) or len(names) > MAX_AVOIDED:
        raise OrderFileFault(
            f"{quote(avoid)} does not say whom you will not play; it is written bob,carol: each player once, "
            f"{MAX_AVOIDED} at most"
        )
    return names


def check_webhook(url: str) -> str:
    """Return `url` itself if it can be the address of a webhook.

    Raises:
        OrderFileFault: `url` cannot be such an address.
    """
    return _check_https(url, "a webhook", "https://hooks.example/a/b", MAX_WEBHOOK_LENGTH)


def check_push(url: str) -> str:
    """Return `url` itself if it can be the address of a device at a push service.

    Raises:
        OrderFileFault: `url` cannot be such an address.
    """
    return _check_https(url, "a device at a push service", "https://push.example/a/b", MAX_PUSH_LENGTH)


def _check_https(url: str, what: str, example: str, most: int) -> str:
    if len(url) > most or _is_https(url) is None:
        raise OrderFileFault(
            f"{quote(url)} is not the address of {what}; one is written {example}, "
            f"without a port, a name or a blank, in at most {most} characters"
        )
    return url


_MAX_JOIN_SIZE = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(FieldText):
    """A player's signed wish to take part in a game: their key, chain's anchor, recovery key and wishes."""

    form: ClassVar[str] = "pbem1 join"
    called: ClassVar[str] = "the join file"
    max_size: ClassVar[int] = _MAX_JOIN_SIZE

    game: Annotated[str, Line("game", fields.GAME)]
    player: Annotated[str, Line("player", PLAYER)]
    key: Annotated[PublicKey, Line("key", PUBLIC_KEY)]
    anchor: Annotated[Reveal | None, Maybe("anchor", REVEAL)] = None
    recovery: Annotated[str | None, Maybe("recovery", SIGNER)] = None
    judge: Annotated[str | None, Maybe("judge", SIGNER)] = None
    """The fingerprint of the judge whom the file is meant for; None if anybody may invite (protocol 22)."""
    zone: Annotated[str, Maybe("zone", TEXT)] = ""
    share: Annotated[str, Maybe("share", TEXT)] = ""
    publish: Annotated[str, Maybe("publish", TEXT)] = ""

    def check(self) -> None:
        """Check that the anchor is that of the player's first chain, and that the wishes are valid."""
        anchor = self.anchor
        if anchor is not None and (anchor.who != f"{self.player}.1" or anchor.step != 0):
            raise OrderFileFault(f"the anchor of {self.player} must be step 0 of the chain {self.player}.1")
        check_wishes(self.zone, self.share, self.publish)
        if self.share == NOBODY:
            raise OrderFileFault("a join file shares an address or has no line 'share'")
        if self.publish == NO:
            raise OrderFileFault("a join file has the line 'publish yes' or none")


def read_join(data: bytes) -> Join:
    """Return the checked content of a join file, whose own key must have signed it."""
    if len(data) <= Join.max_size:
        words = head_words(split_unsealed(data).body, "join", tuple(line_table(Join)))
        if missing := [word for word in ("game", "player", "key") if word not in words]:
            raise OrderFileFault(f"the join file has no line {missing[0]!r}")
    join, body, armor = read_signed(Join, data)
    verify_signed(body, armor, join.key)
    return join


_STATES = ("in-force", "withdrawn")
STATE = Value(lambda text: bool(_STATES.index(text)), lambda is_withdrawn: _STATES[is_withdrawn])
"""The state of a fetch key: whether it is withdrawn."""


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise OrderFileFault(f"{quote(text)} is not a day; one is written like 2026-08-01") from None


DAY = Value(_day)


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence(FieldText):
    """A player's absence from one day to another, both included."""

    form: ClassVar[str] = "pbem1 absence"
    called: ClassVar[str] = "the absence"

    player: Annotated[str, Line("player", PLAYER)]
    judge: Annotated[str, Line("judge", SIGNER)]
    begins: Annotated[date, Line("from", DAY)]
    ends: Annotated[date, Line("until", DAY)]
    made: Annotated[datetime, Line("made", TIME)]

    def check(self) -> None:
        """Check that the absence does not end before it begins."""
        if self.ends < self.begins:
            raise OrderFileFault(f"the absence ends on {self.ends}, before it begins on {self.begins}")


def sign_days(player: str, judge: str, begins: str, ends: str, made: datetime, key: PrivateKey) -> bytes:
    """Return a signed absence, made from its first and last day, each written like 2026-08-01."""
    made = made.replace(microsecond=0)
    name = check_player_name(player)
    absence = Absence(player=name, judge=judge, begins=_day(begins), ends=_day(ends), made=made)
    return sign_fields(absence, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchKey(FieldText):
    """A player's statement that a key may fetch their letters, or no longer may."""

    form: ClassVar[str] = "pbem1 fetch-key"
    called: ClassVar[str] = "the fetch key"

    player: Annotated[str, Line("player", PLAYER)]
    judge: Annotated[str, Line("judge", SIGNER)]
    key: Annotated[PublicKey, Line("key", PUBLIC_KEY)]
    is_withdrawn: Annotated[bool, Line("state", STATE)] = False
    made: Annotated[datetime, Line("made", TIME)]


def sign_fetch_key(statement: FetchKey, key: PrivateKey) -> bytes:
    """Return the statement about a fetch key as signed text."""
    if statement.key == key.public:
        raise OrderFileFault("a fetch key is a key of its own: it must not be the one that signs")
    return sign_fields(statement, key)
