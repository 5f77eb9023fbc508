"""The signed statement of a player that they are away, in the namespace pbem1-orders, as it moves deadlines.

    pbem1 absence
    player alice
    judge SHA256:...                whom it is meant for: no other judge takes it
    from 2026-08-01
    until 2026-08-14                the last day of it
    made 2026-07-20T18:00:00Z

It is not a secret: deadlines are everybody's. Of those that begin on one day, the one made last counts: so an
absence ends earlier or later, for deadlines that are not announced yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from pbem.trust.faults import OrderFileFault
from pbem.trust.identifiers import check_fingerprint, check_player_name, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.namespaces import Namespace
from pbem.trust.signature import read_fields, sign_text, split_unsealed, verify
from pbem.trust.times import parse_utc, utc_text

_LARGEST = 2_048
_WORDS = ["player", "judge", "from", "until", "made"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """A player's absence from one day to another, both included."""

    player: str
    judge: str
    begins: date
    ends: date
    made: datetime

    @property
    def text(self) -> bytes:
        """The bytes of the absence that are signed."""
        return (
            f"pbem1 absence\nplayer {self.player}\njudge {self.judge}\n"
            f"from {self.begins.isoformat()}\nuntil {self.ends.isoformat()}\nmade {utc_text(self.made)}\n"
        ).encode()


def sign_absence(absence: Absence, key: PrivateKey) -> bytes:
    """Return an absence as signed text."""
    _check(absence)
    return sign_text(key, Namespace.ORDERS, absence.text)


def sign_days(player: str, judge: str, begins: str, ends: str, made: datetime, key: PrivateKey) -> bytes:
    """Return a signed absence, made from its first and last day, each written like 2026-08-01."""
    made = made.replace(microsecond=0)
    name = check_player_name(player)
    absence = Absence(player=name, judge=judge, begins=_day(begins), ends=_day(ends), made=made)
    return sign_absence(absence, key)


def read_absence(data: bytes) -> tuple[Absence, bytes, bytes]:
    """Return an absence, and the body and armor to verify; nothing is verified yet."""
    if len(data) > _LARGEST:
        raise OrderFileFault("the file is too long for an absence", reason="too-large")
    signed = split_unsealed(data)
    fields = read_fields(signed.body, _WORDS)
    if not fields:
        raise OrderFileFault("the absence is not written as its format demands")
    absence = Absence(
        player=check_player_name(fields["player"]),
        judge=check_fingerprint(fields["judge"]),
        begins=_day(fields["from"]),
        ends=_day(fields["until"]),
        made=parse_utc(fields["made"]),
    )
    if absence.text != signed.body:
        raise OrderFileFault("the absence is not written as its format demands")
    _check(absence)
    return absence, signed.body, signed.armor


def verify_absence(body: bytes, armor: bytes, key: PublicKey) -> None:
    """Raise SignatureFault unless the given key has signed the absence."""
    verify(armor, body, Namespace.ORDERS, key)


def _check(absence: Absence) -> None:
    if absence.ends < absence.begins:
        raise OrderFileFault(f"the absence ends on {absence.ends}, before it begins on {absence.begins}")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise OrderFileFault(f"{quote(text)} is not a day; one is written like 2026-08-01") from None
