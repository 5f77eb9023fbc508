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
from typing import Annotated, ClassVar

from pbem.trust.entry_fields import PLAYER, TIME, Line, Value
from pbem.trust.faults import OrderFileFault
from pbem.trust.identifiers import check_player_name, quote
from pbem.trust.keys import PrivateKey
from pbem.trust.text_fields import SIGNER, FieldText, sign_fields


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
