"""The statement with which a player names a fetch key for their letters, signed in pbem1-orders.

    pbem1 fetch-key
    player alice
    judge SHA256:...                    whom it is meant for: no other judge takes it
    key ssh-ed25519 AAAA...
    state in-force                      or withdrawn
    made 2026-11-28T03:00:00Z           of two about one key the later counts

A fetch key lies where no passphrase is asked for: it gets sealed letters from a post box, and can open and
sign nothing else. Which key it fetches for is the one that has signed this: a new key of the player's needs a
text of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.trust.faults import OrderFileFault
from pbem.trust.identifiers import check_fingerprint, check_player_name
from pbem.trust.keys import PrivateKey, PublicKey, parse_public
from pbem.trust.namespaces import Namespace
from pbem.trust.signature import read_fields, sign_text, split_unsealed, verify
from pbem.trust.times import parse_utc, utc_text

_LARGEST = 2_048
_WORDS = ["player", "judge", "key", "state", "made"]
_IN_FORCE, _WITHDRAWN = "in-force", "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchKey:
    """A player's statement that a key may fetch their letters, or no longer may."""

    player: str
    judge: str
    key: PublicKey
    is_withdrawn: bool = False
    made: datetime

    @property
    def text(self) -> bytes:
        """The bytes of the statement that are signed."""
        state = _WITHDRAWN if self.is_withdrawn else _IN_FORCE
        return (
            f"pbem1 fetch-key\nplayer {self.player}\njudge {self.judge}\nkey {self.key.line}\n"
            f"state {state}\nmade {utc_text(self.made)}\n"
        ).encode()


def sign_fetch_key(statement: FetchKey, key: PrivateKey) -> bytes:
    """Return the statement about a fetch key as signed text."""
    if statement.key == key.public:
        raise OrderFileFault("a fetch key is a key of its own: it must not be the one that signs")
    return sign_text(key, Namespace.ORDERS, statement.text)


def read_fetch_key(data: bytes) -> tuple[FetchKey, bytes, bytes]:
    """Return a statement about a fetch key, and the body and armor to verify; nothing is verified yet."""
    if len(data) > _LARGEST:
        raise OrderFileFault("the file is too long for a fetch key", reason="too-large")
    signed = split_unsealed(data)
    fields = read_fields(signed.body, _WORDS)
    if not fields:
        raise OrderFileFault("the fetch key is not written as its format demands")
    statement = FetchKey(
        player=check_player_name(fields["player"]),
        judge=check_fingerprint(fields["judge"]),
        key=parse_public(fields["key"]),
        is_withdrawn=fields["state"] == _WITHDRAWN,
        made=parse_utc(fields["made"]),
    )
    if statement.text != signed.body:
        raise OrderFileFault("the fetch key is not written as its format demands")
    return statement, signed.body, signed.armor


def verify_fetch_key(body: bytes, armor: bytes, key: PublicKey) -> None:
    """Raise SignatureFault unless the given key has signed the statement about a fetch key."""
    verify(armor, body, Namespace.ORDERS, key)
