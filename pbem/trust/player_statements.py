"""Statements that a player signs for one judge, in the namespace pbem1-orders: absences and fetch keys.

The signed statement of a player that they are away, as it moves deadlines:

    pbem1 absence
    player alice
    judge SHA256:...                whom it is meant for: no other judge takes it
    from 2026-08-01
    until 2026-08-14                the last day of it
    made 2026-07-20T18:00:00Z

It is not a secret: deadlines are everybody's. Of those that begin on one day, the one made last counts: so an
absence ends earlier or later, for deadlines that are not announced yet.

The statement with which a player names a fetch key for their letters:

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
from datetime import date, datetime
from typing import Annotated, ClassVar

from pbem.trust.entry_fields import PLAYER, TIME, Line, Value
from pbem.trust.faults import OrderFileFault
from pbem.trust.identifiers import check_player_name, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.text_fields import PUBLIC_KEY, SIGNER, FieldText, sign_fields

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
