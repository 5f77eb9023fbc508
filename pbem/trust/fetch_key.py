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
from typing import Annotated, ClassVar

from pbem.trust.entry_fields import PLAYER, TIME, Line, Value
from pbem.trust.faults import OrderFileFault
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.text_fields import PUBLIC_KEY, SIGNER, FieldText, sign_fields

_STATES = ("in-force", "withdrawn")
STATE = Value(lambda text: bool(_STATES.index(text)), lambda is_withdrawn: _STATES[is_withdrawn])
"""The state of a fetch key: whether it is withdrawn."""


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
