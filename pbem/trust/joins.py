"""The file with which a player asks to take part in a game.

Made by the player's program, signed with the player's key in the namespace pbem1-orders:

    pbem1 join
    game hearth
    player alice
    key ssh-ed25519 AAAA...
    anchor alice.1 0 <64 hex>           the player's chain; optional
    recovery SHA256:...                 a key that may only replace this one; optional
    judge SHA256:...                    whom it is meant for; without it, anybody may invite
    zone Europe/London                  optional, see profile
    share alice@example.org             optional, see profile
    publish yes                         optional, see profile
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pbem.trust.chains import Reveal
from pbem.trust.entry_fields import PLAYER, REVEAL, TEXT, Line, Maybe, line_table
from pbem.trust.faults import OrderFileFault
from pbem.trust.keys import PublicKey
from pbem.trust.letters import head_words
from pbem.trust.profile import NO, NOBODY, check_wishes
from pbem.trust.signature import split_unsealed
from pbem.trust.text_fields import GAME, PUBLIC_KEY, SIGNER, FieldText, read_signed, verify_signed

_MAX_JOIN_SIZE = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(FieldText):
    """A player's signed wish to take part in a game: their key, chain's anchor, recovery key and wishes."""

    form: ClassVar[str] = "pbem1 join"
    called: ClassVar[str] = "the join file"
    max_size: ClassVar[int] = _MAX_JOIN_SIZE

    game: Annotated[str, Line("game", GAME)]
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
