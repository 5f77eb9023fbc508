"""The wishes of a player about the judge's mail; signed in the namespace pbem1-orders, as an absence is.

    pbem1 profile
    player alice
    judge SHA256:...                whom it is meant for: no other judge takes it
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

All but the last line may be left out, and then stay as they are. A join file may hold the first three.
None of it ever enters a ledger.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from pbem.trust.entry_fields import PLAYER, TEXT, TIME, Line, Maybe, write_lines
from pbem.trust.faults import OrderFileFault
from pbem.trust.identifiers import check_address, check_player_name, quote
from pbem.trust.text_fields import SIGNER, FieldText
from pbem.trust.zones import check_zone

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
