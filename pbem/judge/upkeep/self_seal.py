"""Seals data that a judge writes for itself alone to places where strangers may write too.

An age file, sealed to a key that follows from keys/master, so that it opens when the judge's signing key has
been replaced since. In it, padded with LF to a multiple of 16,384 bytes:

    pbem1 <kind> <length of the data> <their HMAC-SHA256, hex, under a key from keys/master> LF
    the data
"""

from __future__ import annotations

import hashlib
import hmac

from pbem.errors import SealError
from pbem.judge.club import Club
from pbem.trust.primitives import age
from pbem.trust.sealing import open_sealed, pad, recipient_of, seal

UNIT = 16_384
LARGEST = 20_000_000


def seal_own(club: Club, kind: str, data: bytes) -> bytes:
    """Seal data of a named kind to the judge itself and return the binary file."""
    text = b"pbem1 %s %d %s\n%s" % (kind.encode(), len(data), mac_of(club, kind, data), data)
    return seal(pad(text, UNIT), [recipient_of(_identity(club, kind))])


def open_own(club: Club, kind: str, sealed: bytes) -> bytes:
    """Open a file of a named kind that the judge has sealed to itself, and return its data.

    Raises:
        SealError: this judge has not written the file, or the file is damaged.
    """
    head, _, rest = open_sealed(sealed, [_identity(club, kind)], LARGEST).partition(b"\n")
    start = f"pbem1 {kind} ".encode()
    length, _, mac = head.removeprefix(start).partition(b" ")
    if not head.startswith(start) or not length.isdigit() or len(length) > 9:
        raise SealError(f"this is no {kind} of a judge")
    data = rest[: int(length)]
    if not hmac.compare_digest(mac, mac_of(club, kind, data)):
        raise SealError(f"this {kind} was not written by this judge, or is damaged")
    return data


def _identity(club: Club, kind: str) -> str:
    return age.identity_of(_derive_secret(club, kind, "seal"))


def mac_of(club: Club, kind: str, data: bytes) -> bytes:
    """Return a MAC of 64 bytes that only this club can have made for data of a named kind."""
    return hmac.new(_derive_secret(club, kind, "mac"), data, hashlib.sha256).hexdigest().encode()


def _derive_secret(club: Club, kind: str, what: str) -> bytes:
    return hmac.digest(club.master, f"pbem1 {kind} {what}".encode(), "sha256")
