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

from pbem.characters import split_lines
from pbem.trust.faults import OrderFileFault
from pbem.trust.identifiers import check_address, check_fingerprint, check_player_name, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.namespaces import Namespace
from pbem.trust.signature import sign_text, split_unsealed, verify
from pbem.trust.times import parse_utc, utc_text
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
_LARGEST = 2_048
_is_https = re.compile(r"https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?/[!$-;=?-Z_a-z~]*").fullmatch
is_hour = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]").fullmatch
"""Function that matches a text if it is an hour of the day, such as 18:00."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A player's signed wishes; a wish that is "" stays as it was."""

    player: str
    judge: str
    zone: str = ""
    share: str = ""
    publish: str = ""
    quiet: str = ""
    digest: str = ""
    hear: str = ""
    webhook: str = ""
    push: str = ""
    avoid: str = ""
    made: datetime

    @property
    def wishes(self) -> list[str]:
        """The lines of the profile that hold the player's wishes."""
        private = [f"{word} {value}" for word, value in self.private.items() if value]
        return wish_lines(self.zone, self.share, self.publish) + private

    @property
    def private(self) -> dict[str, str]:
        """The wishes that the judge alone learns, by their words."""
        words = ("quiet", "digest", "hear", "webhook", "push", "avoid")
        return {word: getattr(self, word) for word in words}

    @property
    def text(self) -> bytes:
        """The bytes of the profile that are signed."""
        lines = [
            "pbem1 profile",
            f"player {self.player}",
            f"judge {self.judge}",
            *self.wishes,
            f"made {utc_text(self.made)}",
        ]
        return "".join(f"{line}\n" for line in lines).encode()


def wish_lines(zone: str, share: str, publish: str) -> list[str]:
    """Return a line for each of a player's wishes that is given, of those that a join file can hold."""
    rows = (("zone", zone), ("share", share), ("publish", publish))
    return [f"{word} {value}" for word, value in rows if value]


def check_wishes(zone: str, share: str, publish: str) -> None:
    """Raise a fault unless a player's zone, address and wish to publish are valid or not given."""
    if publish not in ("", YES, NO):
        raise OrderFileFault(f"publish must be {YES} or {NO}, not {quote(publish)}")
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


def sign_profile(profile: Profile, key: PrivateKey) -> bytes:
    """Return a profile as signed text."""
    _check(profile)
    return sign_text(key, Namespace.ORDERS, profile.text)


def read_profile(data: bytes) -> tuple[Profile, bytes, bytes]:
    """Return a profile, and the body and armor to verify; nothing is verified yet."""
    if len(data) > _LARGEST:
        raise OrderFileFault("the file is too long for a profile", reason="too-large")
    signed = split_unsealed(data)
    lines = split_lines(signed.body.decode("utf-8", errors="replace"))
    fields = dict(line.partition(" ")[::2] for line in lines[1:])
    if not {"player", "judge", "made"} <= fields.keys():
        raise OrderFileFault("the profile is not written as its format demands")
    profile = Profile(
        player=check_player_name(fields["player"]),
        judge=check_fingerprint(fields["judge"]),
        zone=fields.get("zone", ""),
        share=fields.get("share", ""),
        publish=fields.get("publish", ""),
        quiet=fields.get("quiet", ""),
        digest=fields.get("digest", ""),
        hear=fields.get("hear", ""),
        webhook=fields.get("webhook", ""),
        push=fields.get("push", ""),
        avoid=fields.get("avoid", ""),
        made=parse_utc(fields["made"]),
    )
    if profile.text != signed.body:
        raise OrderFileFault("the profile is not written as its format demands")
    _check(profile)
    return profile, signed.body, signed.armor


def verify_profile(body: bytes, armor: bytes, key: PublicKey) -> None:
    """Raise SignatureFault unless the given key has signed the profile."""
    verify(armor, body, Namespace.ORDERS, key)


def _check(profile: Profile) -> None:
    check_wishes(profile.zone, profile.share, profile.publish)
    check_hours(profile.quiet, profile.digest)
    read_paces(profile.hear)
    if profile.webhook not in ("", NOBODY):
        check_webhook(profile.webhook)
    if profile.push not in ("", NOBODY):
        check_push(profile.push)
    if profile.player in read_avoided(profile.avoid):
        raise OrderFileFault(f"{profile.player} cannot avoid {profile.player}: name other players")
    if not profile.wishes:
        raise OrderFileFault("the profile names no zone, address or hours, and no wish to publish")
